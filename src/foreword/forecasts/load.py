"""Predictors by name."""

import difflib

from foreword.errors import UsageError
from foreword.forecasts.api import load_api_predictor
from foreword.forecasts.copying import CopyPredictor
from foreword.forecasts.local import LocalPredictor
from foreword.forecasts.predictor import Predictor, PredictorSettings
from foreword.models import find_model

NAMES = ("copy", "smollm2")


def load_predictor(
    model: str, settings: PredictorSettings | None = None, *, name: str | None = None
) -> Predictor:
    """A predictor by name; a local model is loaded when it is first asked.

    Args:
        model: `copy`, `smollm2`, `hf:NAME_OR_PATH`, or a chat model of inspect-ai: `openai/NAME`,
            `anthropic/NAME`, ….
        settings: how to ask.
        name: the name on the leaderboard; by default the model's.

    Raises:
        UsageError: no such predictor, or a setting that it can't heed.
        ModelError: its model or its key is not there.

    >>> load_predictor("copy").name
    'copy'
    >>> load_predictor("smolm2")
    Traceback (most recent call last):
    foreword.errors.UsageError: there is no predictor 'smolm2'; did you mean 'smollm2'?
    """
    settings = settings or PredictorSettings()
    name = name or model
    if model == "copy":
        _refuse_unheeded(model, settings, "temperature", "top_p", "max_tokens", *_API_ONLY)
        return CopyPredictor(settings=settings, name=name)
    if model == "smollm2" or model.startswith("hf:"):
        _refuse_unheeded(model, settings, *_API_ONLY)
        return LocalPredictor(files=find_model(model), settings=settings, name=name)
    if all(model.partition("/")):
        return load_api_predictor(model, settings, name=name)
    near = difflib.get_close_matches(model, NAMES, n=1)
    hint = f"did you mean '{near[0]}'?" if near else "it is copy, smollm2, hf:NAME or PROVIDER/NAME"
    raise UsageError(f"there is no predictor '{model}'; {hint}")


_API_ONLY = ("reasoning_effort", "base_url", "input_price", "output_price")


def _refuse_unheeded(model: str, settings: PredictorSettings, *fields: str) -> None:
    """A setting that changes nothing would be shown beside the results as if it had."""
    for field in fields:
        if getattr(settings, field) != getattr(PredictorSettings(), field):
            raise UsageError(f"{field} has no meaning for the predictor '{model}'; leave it out")
