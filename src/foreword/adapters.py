"""LoRA adapters: the files in an adapter's folder, and its product put into a model's weights.

An adapter is three files: `adapter_model.safetensors` and `adapter_config.json`, as peft writes
and reads them, and `training.json`, which says what it was trained on. Nothing else in its folder
is read: weights are numbers in safetensors, never a pickle, which is a program.
"""

import importlib.util
import json
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foreword.errors import ModelError
from foreword.store import fingerprint, hash_file

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
RECORD = "training.json"
FILES = (CONFIG, WEIGHTS, RECORD)

_INSTALL = "pip install -c constraints.txt -e '.[finetune]'"
_FREE = frozenset(
    {
        "base_model_name_or_path",
        "inference_mode",
        "lora_alpha",
        "lora_dropout",
        "peft_version",
        "r",
        "target_modules",
    }
)
"""Fields of a configuration that may have any value; all others must be as peft has them."""
_ON_ARXIV = re.compile(
    r"(?:arxiv[:-])?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?[/_]\d{7})(?:v\d+)?",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A trained adapter on disk, found and hashed without importing torch."""

    folder: Path
    sha256: str
    """Of the (name, hash) of its three files, the record of its papers among them."""
    route: str
    """`context-only` or `scaffold-aware`."""
    base_sha256: str
    """Of the model that it was trained on, as `ModelFiles` has it."""
    trained_on: tuple[str, ...]
    """Ids of the papers that it has seen."""
    held_out: tuple[str, ...]
    """Ids of the papers that were kept from it."""


def find_adapter(folder: Path) -> Adapter:
    """The adapter in a folder.

    Raises:
        ModelError: a file is missing or damaged, or a paper stands on both sides of the split.
    """
    lacking = [name for name in FILES if not (folder / name).is_file()]
    if lacking:
        raise ModelError(
            f"{folder} holds no adapter that can be used: it lacks {', '.join(lacking)}; "
            "`foreword finetune` writes them (weights in other files, pickles, are never read)"
        )
    record = _record(folder / RECORD)
    both = on_both_sides(record["trained_on"], record["held_out"])
    if both:
        raise ModelError(f"{folder / RECORD} has paper {both[0]} on both sides of its split")
    return Adapter(
        folder=folder,
        sha256=fingerprint(sorted((name, hash_file(folder / name)) for name in FILES)),
        route=record["route"],
        base_sha256=record["base_sha256"],
        trained_on=tuple(record["trained_on"]),
        held_out=tuple(record["held_out"]),
    )


def _record(path: Path) -> Mapping[str, Any]:
    """The fields of a record that `Adapter` has; it has more, for people."""
    from pydantic import BaseModel, ValidationError

    class Record(BaseModel, strict=True):
        route: str
        base_sha256: str
        trained_on: list[str]
        held_out: list[str]

    try:
        return Record.model_validate_json(path.read_bytes()).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise ModelError(
            f"{path} is damaged or of another program ({where}: {first['msg'].lower()}); "
            "train the adapter again"
        ) from error


def work_of(paper_id: str) -> str:
    """What an id is of, whatever its version and spelling: v1 and v2 on arXiv are one paper.

    >>> work_of("2604.19885v2"), work_of("arXiv-2604.19885V1"), work_of("hep-th/9901001v3")
    ('2604.19885', '2604.19885', 'hep-th_9901001')
    >>> work_of("notes-v2")
    'notes-v2'
    """
    match = _ON_ARXIV.fullmatch(paper_id)
    return match[1].lower().replace("/", "_") if match else paper_id


def on_both_sides(trained_on: Iterable[str], held_out: Iterable[str]) -> list[str]:
    """The papers that stand on both sides of a split, in any version.

    >>> on_both_sides(["2604.19885v1", "a"], ["b", "2604.19885v2"])
    ['2604.19885v2']
    """
    seen = {work_of(paper) for paper in trained_on}
    return [paper for paper in held_out if work_of(paper) in seen]


def require_peft() -> None:
    """Nothing, if peft is installed.

    Raises:
        ModelError: it is not.
    """
    if importlib.util.find_spec("peft") is None:
        raise ModelError(f"adapters need peft: run `{_INSTALL}` in foreword's folder")


def merged(model: Any, adapter: Adapter) -> Any:
    """The model with an adapter's product in its weights: W + (alpha / r) · B A.

    It is then a plain model of its family again, and runs as such. In bfloat16 the sum is rounded
    as the weights themselves were.

    Args:
        model: of transformers, loaded and of nobody else; changed in place.
        adapter: from `find_adapter`.

    Raises:
        ModelError: the adapter is not of this model, is damaged, or asks for more than LoRA.
    """
    require_peft()
    import peft
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    config = _config(adapter.folder / CONFIG, peft)
    try:
        weights = load_file(adapter.folder / WEIGHTS)
        wrapped = with_layers(model, config)
        loaded = peft.set_peft_model_state_dict(wrapped, weights)
        absent = [name for name in loaded.missing_keys if ".lora_" in name]
        if absent or loaded.unexpected_keys:
            raise ModelError(
                f"{adapter.folder / WEIGHTS} does not fit this model: "
                f"{(absent or loaded.unexpected_keys)[0]} has no counterpart; train it again"
            )
        return wrapped.merge_and_unload(safe_merge=True)
    except (ValueError, RuntimeError, OSError, SafetensorError) as error:
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"the adapter in {adapter.folder} can't be used: {why}") from error


def with_layers(model: Any, config: Any) -> Any:
    """A model as peft wraps it, given layers as a configuration says.

    Raises:
        ValueError: it has no matrices of these names.
    """
    import peft

    with warnings.catch_warnings():
        # peft asks the model for a property that transformers has renamed since; nothing else.
        warnings.filterwarnings("ignore", ".*is_gradient_checkpointing", FutureWarning)
        return peft.get_peft_model(model, config)


def _config(path: Path, peft: Any) -> Any:
    """The configuration, made anew from the few fields that plain LoRA has.

    peft's own reader takes whatever the file says, and some fields name a module to be imported.

    Raises:
        ModelError: it is damaged, or says something that would not be heeded.
    """
    from pydantic import BaseModel, ValidationError

    class Lora(BaseModel, strict=True):
        r: int
        lora_alpha: float
        target_modules: list[str]  # not a pattern: one can take for ever

    try:
        plain = Lora.model_validate_json(path.read_bytes())
        config = lora_config(
            peft, rank=plain.r, alpha=plain.lora_alpha, modules=plain.target_modules
        )
    except (ValidationError, ValueError, OverflowError) as error:
        raise ModelError(f"{path} is damaged; train the adapter again") from error
    given = json.loads(path.read_bytes())
    usual = json.loads(config_text(config))
    asked = {name: value for name, value in given.items() if name not in _FREE}
    strange = [k for k, value in asked.items() if (value or None) != (usual.get(k) or None)]
    if strange:
        raise ModelError(f"{path} asks for more than plain LoRA ({', '.join(sorted(strange)[:5])})")
    return config


def lora_config(
    peft: Any, *, rank: int, alpha: float, modules: Iterable[str], dropout: float = 0.0
) -> Any:
    """Plain LoRA, as peft's configuration.

    Args:
        peft: the package.
        rank: of B A.
        alpha: the product is scaled by alpha / rank.
        modules: names of the linear layers that get one.
        dropout: on what goes into A, while it is trained.
    """
    return peft.LoraConfig(
        r=rank,
        lora_alpha=int(alpha) if alpha == int(alpha) else alpha,
        lora_dropout=dropout,
        target_modules=sorted(modules),
        task_type="CAUSAL_LM",
    )


def config_text(config: Any) -> str:
    """A configuration as peft reads it: the same bytes each time, its sets sorted."""
    return json.dumps(config.to_dict(), indent=2, sort_keys=True, default=sorted) + "\n"
