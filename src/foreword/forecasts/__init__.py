"""Forecasts: predictors write what they expect in place of what is hidden."""

from foreword.forecasts.api import ApiPredictor
from foreword.forecasts.copying import CopyPredictor
from foreword.forecasts.forecast import forecast_all
from foreword.forecasts.forms import chat_prompt, plain_prompt, trim
from foreword.forecasts.load import load_predictor
from foreword.forecasts.local import LocalPredictor
from foreword.forecasts.predictor import Answer, Predictor, PredictorSettings, label_of
from foreword.forecasts.prompt import PROMPT_VERSION
from foreword.forecasts.scripted import ScriptedPredictor

__all__ = [
    "PROMPT_VERSION",
    "Answer",
    "ApiPredictor",
    "CopyPredictor",
    "LocalPredictor",
    "Predictor",
    "PredictorSettings",
    "ScriptedPredictor",
    "chat_prompt",
    "forecast_all",
    "label_of",
    "load_predictor",
    "plain_prompt",
    "trim",
]
