"""What this machine computes on: its processor, or its GPUs."""

import re

from foreword.errors import UsageError
from foreword.models import require_packages, software_versions


def find_devices(name: str = "auto") -> tuple[str, ...]:
    """The devices that a name stands for: all GPUs of a kind, one of them, or the processor.

    Args:
        name: `auto`: all CUDA GPUs, or else the processor; `cuda`: all of them; or as torch names
            one: `cpu`, `cuda:1`.

    Raises:
        UsageError: there is no such device here.

    >>> find_devices("cpu")
    ('cpu',)
    >>> find_devices("gpu")
    Traceback (most recent call last):
    foreword.errors.UsageError: there is no device 'gpu': it is auto, cpu, cuda or cuda:N
    """
    if name == "cpu" or (name == "auto" and "+cpu" in software_versions().get("torch", "+cpu")):
        return ("cpu",)
    if not re.fullmatch(r"auto|cuda(:\d+)?", name):
        raise UsageError(f"there is no device '{name}': it is auto, cpu, cuda or cuda:N")
    require_packages()
    import torch

    found = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    if name == "auto":
        return tuple(found) or ("cpu",)
    chosen = tuple(each for each in found if name in (each, "cuda"))
    if not chosen:
        raise UsageError(f"torch sees no device '{name}' here, only {', '.join(['cpu', *found])}")
    return chosen


def device_name(device: str) -> str:
    """The kind of a device: `cpu`, or what a GPU's maker calls it; `cuda` where there is none."""
    if device == "cpu":
        return device
    import torch

    seen = torch.cuda.is_available()
    return torch.cuda.get_device_name(device) if seen else device.partition(":")[0]
