"""A scorer by its name."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from foreword.adapters import find_adapter, require_peft
from foreword.devices import find_devices
from foreword.errors import ModelError, UsageError
from foreword.models import DTYPES, ModelFiles, find_model
from foreword.scores.boundary import Boundary
from foreword.scores.local import LocalScorer

if TYPE_CHECKING:
    from foreword.scores.served import ServedScorer

MAX_CONNECTIONS = 8
TIMEOUT_S = 300.0
_SERVED = "openai:"
_DEFAULTS = {
    "dtype": "auto",
    "device": "auto",
    "adapter": None,
    "tokenizer": None,
    "max_connections": MAX_CONNECTIONS,
    "timeout_s": TIMEOUT_S,
}


def load_scorer(
    name: str = "smollm2",
    *,
    boundary: str = "exact",
    dtype: str = "auto",
    device: str = "auto",
    adapter: str | Path | None = None,
    tokenizer: str | None = None,
    max_connections: int = MAX_CONNECTIONS,
    timeout_s: float = TIMEOUT_S,
) -> "LocalScorer | ServedScorer":
    """A scorer by name: `smollm2`, `hf:NAME_OR_PATH`, or `openai:BASE_URL#MODEL`.

    `hf:` is for any causal model of Hugging Face: its files are found and hashed now, and loaded
    when a pair is first scored. `openai:` is for any server of OpenAI's completions shape that
    tells the log-probabilities of a prompt's tokens; it is tried out when a pair is first scored.

    Args:
        name: the model.
        boundary: which token is the first to be scored: `exact` or `paper`.
        dtype: of the weights and of the arithmetic but for the output matrix, which is always
            float32. `auto`: bfloat16 on a GPU, float32 elsewhere.
        device: `cpu`, `cuda` (all GPUs), `cuda:1`. `auto`: all GPUs if there are any.
        adapter: the folder of an adapter that `foreword finetune` trained on this model.
        tokenizer: of a server's model, as a local model is named, so that prompts can be sent as
            token ids. None: they are sent as text.
        max_connections: requests that a server is sent at the same time.
        timeout_s: for one try of a request.

    Raises:
        ModelError: there is no such model here, and it can't be had; the adapter is another
            model's, or is not whole.
        UsageError: an unknown boundary rule, dtype or device, a URL that is none, or a setting
            that this kind of scorer can't heed.
    """
    _one_of(boundary, get_args(Boundary), "boundary rule")
    _one_of(dtype, ("auto", *DTYPES), "dtype")
    rule = cast(Boundary, boundary)
    of_server: dict[str, Any] = {
        "tokenizer": tokenizer,
        "max_connections": max_connections,
        "timeout_s": timeout_s,
    }
    if name.startswith(_SERVED):
        from foreword.scores.served import load_served_scorer  # its HTTP client is slow to import

        _refuse_unheeded("by URL", {"dtype": dtype, "device": device, "adapter": adapter})
        return load_served_scorer(name, boundary=rule, **of_server)
    _refuse_unheeded("on this machine", of_server)
    devices = find_devices(device)
    if dtype == "auto":
        dtype = "bfloat16" if devices[0].startswith("cuda") else "float32"
    files = find_model(name)
    if adapter is not None:
        files = _adapted(files, Path(adapter).expanduser())
    return LocalScorer(files=files, boundary=rule, dtype=dtype, devices=devices)


def _adapted(files: ModelFiles, folder: Path) -> ModelFiles:
    require_peft()
    adapter = find_adapter(folder)
    if adapter.base_sha256 != files.sha256:
        raise ModelError(
            f"the adapter in {folder} was trained on another model than {files.name}: "
            "name that as the scorer, or train on this one"
        )
    return replace(files, adapter=adapter)


def _one_of(value: str, allowed: Sequence[str], what: str) -> None:
    if value not in allowed:
        near = difflib.get_close_matches(value, allowed, n=1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise UsageError(f"there is no {what} '{value}'{hint}: it is {' or '.join(allowed)}")


def _refuse_unheeded(kind: str, settings: Mapping[str, Any]) -> None:
    """A setting that changes nothing would be shown beside the results as if it had."""
    for setting, value in settings.items():
        if value != _DEFAULTS[setting]:
            raise UsageError(f"{setting} has no meaning for a scorer {kind}; leave it out")
