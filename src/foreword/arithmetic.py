"""How a loaded model multiplies: in which precision, and with which memory.

Nothing here changes what is computed but for the output matrix, which is always in float32; the
rest is the same arithmetic, faster.
"""

import ctypes
import platform
from typing import Any

from foreword.errors import ModelError

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT = 2**30  # bytes; above any buffer of a pass on a processor


def keep_freed_memory() -> None:
    """Let the C library hand out freed memory again instead of returning it to the system.

    A pass allocates and frees the same megabytes hundreds of times, and each time the system would
    have to map and clear the pages anew. The memory held at most stays the same. glibc alone has
    this setting; elsewhere nothing is done.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    for setting in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD):
        libc.mallopt(setting, _KEPT)


def set_precision(model: Any) -> None:
    """Give a loaded model its output matrix in float32, and products that suit the processor.

    A processor without bfloat16 instructions is eight times slower in bfloat16 than in float32. A
    product of bfloat16 numbers added up in float32 and rounded once at the end is what the
    instructions do too, so it is computed that way: the factors as float32, the result rounded.

    Args:
        model: of transformers, on its device; changed in place.

    Raises:
        ModelError: the weights are not float32, and the model has no output matrix to be found.
    """
    import torch

    if model.dtype == torch.float32:
        return
    head = model.get_output_embeddings()
    if not isinstance(head, torch.nn.Linear):
        raise ModelError("this model's output matrix can't be found: use --dtype float32")
    slow = model.device.type == "cpu" and not _multiplies(model.dtype)
    for module in model.modules():
        if module is head:
            vars(module)["forward"] = _Product(module, round_to=None)
        elif slow and type(module) is torch.nn.Linear:
            vars(module)["forward"] = _Product(module, round_to=model.dtype)


def _multiplies(dtype: Any) -> bool:
    """Whether this processor has instructions for products of such numbers."""
    import torch

    if platform.machine() not in ("x86_64", "AMD64"):
        return True  # torch has no question to ask there; its own kernels decide
    found = torch.cpu._is_amx_tile_supported()
    if dtype == torch.bfloat16:
        found = found or torch.cpu._is_avx512_bf16_supported()
    return bool(found)


class _Product:
    """A linear layer's product in float32, rounded once at the end, or not at all."""

    def __init__(self, layer: Any, round_to: Any) -> None:
        self._layer, self._round_to = layer, round_to

    def __call__(self, states: Any) -> Any:
        from torch.nn.functional import linear

        layer = self._layer
        bias = None if layer.bias is None else layer.bias.float()
        product = linear(states.float(), layer.weight.float(), bias)
        return product if self._round_to is None else product.to(self._round_to)
