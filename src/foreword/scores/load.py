"""A scorer by its name."""

import difflib
from typing import cast, get_args

from foreword.errors import UsageError
from foreword.models import DTYPES, find_devices, find_model
from foreword.scores.boundary import Boundary
from foreword.scores.local import LocalScorer
from foreword.scores.scorer import Scorer


def load_scorer(
    name: str = "smollm2",
    *,
    boundary: str = "exact",
    dtype: str = "auto",
    device: str = "auto",
) -> Scorer:
    """A scorer by name: `smollm2`, or `hf:NAME` for any causal model of Hugging Face, or a path.

    A local model's files are found and hashed now, and loaded when a pair is first scored.

    Args:
        name: the model.
        boundary: which token is the first to be scored: `exact` or `paper`.
        dtype: of the weights and of the arithmetic but for the output matrix, which is always
            float32. `auto`: bfloat16 on a GPU, float32 elsewhere.
        device: `cpu`, `cuda` (all GPUs), `cuda:1`, `mps`. `auto`: all GPUs if there are any.

    Raises:
        ModelError: there is no such model here, and it can't be had.
        UsageError: an unknown boundary rule, dtype or device.
    """
    for value, allowed, what in (
        (boundary, get_args(Boundary), "boundary rule"),
        (dtype, ("auto", *DTYPES), "dtype"),
    ):
        if value not in allowed:
            near = difflib.get_close_matches(value, allowed, n=1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise UsageError(f"there is no {what} '{value}'{hint}: it is {' or '.join(allowed)}")
    rule = cast(Boundary, boundary)
    devices = find_devices(device)
    if dtype == "auto":
        dtype = "bfloat16" if devices[0].startswith("cuda") else "float32"
    return LocalScorer(files=find_model(name), boundary=rule, dtype=dtype, devices=devices)
