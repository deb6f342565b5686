"""inspect-ai's model for a name and settings, or one sentence on why there is none."""

import difflib
import importlib.util
import logging
import os
from typing import Any

from foreword.errors import ModelError, UsageError
from foreword.forecasts.predictor import PredictorSettings
from foreword.remote import one_sentence

PROVIDERS = ("openai", "anthropic", "google", "mistral", "openrouter", "openai-api", "ollama")
"""The usual ones, to guess what was meant; any provider of inspect-ai works."""


def connect(model: str, settings: PredictorSettings) -> Any:
    """inspect-ai's model, checked and not yet in use.

    Where a base URL is given and no key is found, the server is taken to need none.

    Args:
        model: `provider/model`.
        settings: of which the sampling, the base URL and the limits are used.

    Raises:
        UsageError: no such provider, or a setting that inspect-ai does not know.
        ModelError: inspect-ai or the provider's package is not installed, or its key is not set.
    """
    if importlib.util.find_spec("inspect_ai") is None:
        raise ModelError(
            f"{model} needs inspect-ai: "
            "run `pip install -c constraints.txt -e '.[api]'` in foreword's folder"
        )
    from inspect_ai.model import get_model

    logging.getLogger("inspect_ai").addHandler(logging.NullHandler())  # else warnings go to stderr
    asked, url = _asked_for(model, settings)
    options: dict[str, Any] = {"config": _config(settings), "base_url": url, "memoize": False}
    try:
        return get_model(asked, **options)
    except Exception as error:
        said = one_sentence(error)
        if url and "_API_KEY" in said:
            return get_model(asked, api_key="none", **options)
        if "not recognized" in said:
            provider = model.partition("/")[0]
            near = difflib.get_close_matches(provider, PROVIDERS, n=1)
            hint = f"; did you mean '{near[0]}/...'?" if near else ""
            raise UsageError(f"inspect-ai has no provider '{provider}'{hint}") from error
        raise ModelError(f"{model} can't be asked: {said}") from error


def _asked_for(model: str, settings: PredictorSettings) -> tuple[str, str | None]:
    """inspect-ai's name for a model, and its base URL where one is set.

    A server that is not OpenAI's own is asked for chat completions through the provider for such
    servers: the one for OpenAI takes every name that it does not know for a reasoning model, and
    leaves its temperature out.
    """
    provider, _, name = model.partition("/")
    if provider != "openai":
        return model, settings.base_url
    url = settings.base_url or os.environ.get("OPENAI_BASE_URL")
    return (f"openai-api/openai/{name}", url) if url else (model, None)


def _config(settings: PredictorSettings) -> Any:
    from inspect_ai.model import GenerateConfig
    from pydantic import ValidationError

    try:
        return GenerateConfig(
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            reasoning_effort=settings.reasoning_effort,
            max_connections=settings.max_connections,
            max_retries=settings.max_retries,
            adaptive_connections=False,
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where} {first['input']!r}: {first['msg'].lower()}") from error
