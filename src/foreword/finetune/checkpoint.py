"""The state of a training run in one file, whole or not at all: numbers and JSON, no pickle."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foreword.errors import TableError
from foreword.store import JSON, replacing

_WEIGHT, _OPTIMIZER = "weight/", "optimizer/"


def save_checkpoint(path: Path, model: Any, optimizer: Any, state: Mapping[str, JSON]) -> None:
    """Keep trained weights, the optimiser's moments, and what else there is to know.

    Args:
        path: the file, a safetensors file.
        model: peft's; the weights that have gradients are kept.
        optimizer: of torch; all of its state has to be tensors.
        state: JSON-able: the step that was done last, the log.
    """
    from safetensors.torch import save

    tensors = {f"{_WEIGHT}{name}": weight for name, weight in trained(model)}
    for number, values in optimizer.state_dict()["state"].items():
        tensors |= {f"{_OPTIMIZER}{number}/{name}": value for name, value in values.items()}
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        temporary.write_bytes(save(whole, metadata={"state": json.dumps(state)}))


def read_state(path: Path) -> Mapping[str, JSON] | None:
    """What a checkpoint says beside its numbers; None where there is none.

    Raises:
        TableError: the file is damaged.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            state: JSON = json.loads((file.metadata() or {})["state"])
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise TableError(f"{path} is damaged: delete it, and the training begins anew") from error
    return dict(state)


def restore(path: Path, model: Any, optimizer: Any) -> None:
    """Put a checkpoint's numbers into a model and an optimiser that were made as those it is of.

    Raises:
        TableError: they were made otherwise, or the file is damaged.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors = load_file(path)
        with torch.no_grad():
            for name, weight in trained(model):
                weight.copy_(tensors[f"{_WEIGHT}{name}"])
        moments: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            if name.startswith(_OPTIMIZER):
                number, _, key = name.removeprefix(_OPTIMIZER).partition("/")
                moments.setdefault(int(number), {})[key] = tensor
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": moments, "param_groups": groups})
    except (SafetensorError, OSError, KeyError, ValueError, RuntimeError) as error:
        raise TableError(f"{path} is damaged: delete it, and the training begins anew") from error


def trained(model: Any) -> list[tuple[str, Any]]:
    """The weights that have gradients, by name."""
    return [(name, weight) for name, weight in model.named_parameters() if weight.requires_grad]
