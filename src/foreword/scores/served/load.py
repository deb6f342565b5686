"""A scorer by URL, once the URL, the key and the tokenizer are checked."""

import ipaddress
import os
from urllib.parse import SplitResult, urlsplit

from foreword.errors import ModelError, UsageError
from foreword.models import find_tokenizer
from foreword.remote import key_from, plain_url
from foreword.scores.boundary import Boundary
from foreword.scores.served.link import Link
from foreword.scores.served.scorer import ServedScorer, Session

PREFIX = "openai:"
_SHAPE = "openai:BASE_URL#MODEL, as in openai:http://localhost:8000/v1#smollm2"
_OPENAI = "api.openai.com"


def load_served_scorer(
    name: str,
    *,
    boundary: Boundary = "exact",
    tokenizer: str | None = None,
    max_connections: int = 8,
    timeout_s: float = 300.0,
) -> ServedScorer:
    """A scorer by URL. Nothing is asked for yet.

    The key comes from FOREWORD_SCORER_KEY; for api.openai.com, where that is not set, from
    OPENAI_API_KEY.

    Args:
        name: `openai:BASE_URL#MODEL`.
        boundary: which token is the first to be scored.
        tokenizer: the server's, as `hf:NAME_OR_PATH` or `smollm2`; prompts are then sent as ids.
            None: they are sent as text.
        max_connections: requests that are open at the same time, at most.
        timeout_s: for one try of a request.

    Raises:
        UsageError: the name is no such URL, or a limit is no positive number.
        ModelError: the server is not on this machine and the run is offline; no such tokenizer;
            a key that can't be one.
    """
    url, _, model = name.removeprefix(PREFIX).partition("#")
    if not model.strip():
        raise UsageError(f"the scorer '{_shown(url)}' has no model: a scorer by URL is {_SHAPE}")
    parts = _checked(url)
    if max_connections < 1 or not 0 < timeout_s < float("inf"):
        raise UsageError("max_connections and timeout_s of a scorer by URL must be above 0")
    if os.environ.get("FOREWORD_OFFLINE") and not _is_here(parts.hostname or ""):
        raise ModelError(
            f"{plain_url(url)} is not on this machine, and this run is offline "
            "(FOREWORD_OFFLINE): take a local scorer, or run with the network"
        )
    link = Link(
        url,
        key=_key(parts.hostname or ""),
        max_connections=max_connections,
        timeout_s=timeout_s,
    )
    files = find_tokenizer(tokenizer) if tokenizer else None
    return ServedScorer(session=Session(link, model), boundary=boundary, tokenizer_files=files)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"the scorer's URL can't be read ({error}): it is {_SHAPE}") from None
    if "@" in parts.netloc or parts.query:
        raise UsageError(
            f"the scorer's URL {_shown(url)} has a name or a key in it; leave it out: "
            "the key comes from FOREWORD_SCORER_KEY in the environment"
        )
    if not is_whole:
        raise UsageError(f"the scorer's URL '{_shown(url)}' is no http:// or https://: {_SHAPE}")
    return parts


def _shown(url: str) -> str:
    """As it can be shown: a key that was written into it is not."""
    try:
        return plain_url(url)
    except ValueError:
        return ""


def _is_here(host: str) -> bool:
    """Whether a host is this machine.

    >>> _is_here("localhost"), _is_here("127.0.0.1"), _is_here("::1"), _is_here("gpu.example.org")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _key(host: str) -> str | None:
    names = ["FOREWORD_SCORER_KEY", *(["OPENAI_API_KEY"] if host == _OPENAI else [])]
    return next((key for key in map(key_from, names) if key), None)
