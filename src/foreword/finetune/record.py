"""What a training leaves in its folder, and whether it is there already."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from foreword.adapters import CONFIG, RECORD, WEIGHTS, config_text
from foreword.errors import TableError
from foreword.finetune.checkpoint import read_state
from foreword.finetune.curve import loss_svg
from foreword.finetune.examples import Examples
from foreword.finetune.split import Split
from foreword.finetune.train import LossRow
from foreword.models import ModelFiles, software_versions
from foreword.records import Failure
from foreword.store import JSON, fingerprint, replacing, to_row, write_text

CHECKPOINT = "checkpoint.safetensors"
LOG = "loss.jsonl"
CURVE = "loss.svg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What a training left behind."""

    folder: Path
    num_trained_on: int
    num_held_out: int
    before: float
    """Held-out loss, nats per target token."""
    after: float
    failures: tuple[Failure, ...]
    reused: bool
    """True when it was there already, trained from the same tables with the same settings."""


def finished(out: Path, inputs: Mapping[str, JSON], *, overwrite: bool) -> Tuned | None:
    """The adapter that is there, if it is the one that is asked for; None where one is to be made.

    Args:
        out: the adapter's folder.
        inputs: all that can change it.
        overwrite: whether another one goes, or its beginnings.

    Raises:
        TableError: another one is there, and is not to be replaced.
    """
    found = _recorded(out / RECORD)
    before = found.get("inputs", {}) if found else {}
    changed = [name.replace("_", " ") for name in inputs if before.get(name) != inputs[name]]
    if found and not changed:
        (out / CHECKPOINT).unlink(missing_ok=True)
        return _tuned(out, found, reused=True)
    if found is not None and not overwrite:
        raise TableError(
            f"{out} holds an adapter made with other {' and '.join(changed)}: "
            "give --overwrite to replace it, or another --out"
        )
    if overwrite:
        (out / RECORD).unlink(missing_ok=True)
        if not _is_ours(out / CHECKPOINT, inputs):
            (out / CHECKPOINT).unlink(missing_ok=True)
    return None


def _recorded(path: Path) -> Mapping[str, JSON] | None:
    """What a record says: nothing, where it is none of ours; None where there is none."""
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return {}
    is_ours = isinstance(found, dict) and isinstance(found.get("inputs"), dict)
    return found if is_ours else {}


def _is_ours(checkpoint: Path, inputs: Mapping[str, JSON]) -> bool:
    try:
        state = read_state(checkpoint)
    except TableError:
        return False
    return state is not None and state["key"] == fingerprint(inputs)


def write_log(out: Path, rows: Sequence[LossRow]) -> None:
    """The losses as JSON lines and as a curve."""
    write_text(out / LOG, "".join(json.dumps(to_row(row)) + "\n" for row in rows))
    write_text(out / CURVE, loss_svg(rows))


def write_adapter(
    out: Path,
    adapted: Any,
    files: ModelFiles,
    split: Split,
    inputs: Mapping[str, JSON],
    rows: Sequence[LossRow],
    examples: Examples,
) -> Tuned:
    """Write an adapter; its record last, for what lacks it is no adapter yet.

    Args:
        out: its folder.
        adapted: peft's model.
        files: of the model that it was trained on.
        split: its papers.
        inputs: all that could change it.
        rows: the log.
        examples: those of both sides.
    """
    import peft
    from safetensors.torch import save

    tensors = peft.get_peft_model_state_dict(adapted, save_embedding_layers=False)
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    config = adapted.peft_config["default"]
    config.base_model_name_or_path = _public_name(files.name)
    config.inference_mode = True
    with replacing(out / WEIGHTS) as temporary:
        temporary.write_bytes(save(whole, metadata={"format": "pt"}))
    write_text(out / CONFIG, config_text(config))
    write_log(out, rows)
    record = {
        "route": inputs["route"],
        "base": _public_name(files.name),
        "base_sha256": files.sha256,
        "trained_on": list(split.trained_on),
        "held_out": list(split.held_out),
        "num_examples": [len(examples.trained_on), len(examples.held_out)],
        "held_out_loss": [rows[0].held_out_loss, rows[-1].held_out_loss],
        "failed": [asdict(failure) for failure in examples.failures],
        "inputs": dict(inputs),
        "software": {**software_versions(), "peft": version("peft")},
    }
    write_text(out / RECORD, json.dumps(record, indent=2, allow_nan=False) + "\n")
    (out / CHECKPOINT).unlink(missing_ok=True)
    return _tuned(out, record, reused=False)


def _tuned(out: Path, record: Mapping[str, JSON], *, reused: bool) -> Tuned:
    return Tuned(
        folder=out,
        num_trained_on=record["num_examples"][0],
        num_held_out=record["num_examples"][1],
        before=record["held_out_loss"][0],
        after=record["held_out_loss"][1],
        failures=tuple(Failure(**failure) for failure in record["failed"]),
        reused=reused,
    )


def _public_name(name: str) -> str:
    """A model's name without this machine's folders."""
    name = name.removeprefix("hf:")
    return Path(name).name if Path(name).expanduser().exists() else name
