"""Keeping keys out of what is stored and shown."""

import os
import re
from urllib.parse import urlsplit, urlunsplit

_SECRET_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST = 6
"""Characters: shorter values are no keys, and would blank out ordinary words."""
_LOOKS_SECRET = re.compile(r"\bsk-[\w-]{8,}|(?i:bearer|basic)\s+[\w.~+/=-]{8,}|://[^/\s@]*@")


def redact(text: str) -> str:
    """The text without the values of secret environment variables, and without what looks like one.

    >>> redact("401 for Authorization: Bearer abcdefgh1234")
    '401 for Authorization: [redacted]'
    """
    values = [value for name, value in os.environ.items() if _SECRET_NAMES.search(name)]
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= _SHORTEST:
            text = text.replace(value, "[redacted]")
    return _LOOKS_SECRET.sub("[redacted]", text)


def plain_url(url: str) -> str:
    """A URL without user, password, query and fragment, where keys are put, and last slash.

    >>> plain_url("https://me:pass@host.example:8000/v1?api_key=abc")
    'https://host.example:8000/v1'
    """
    parts = urlsplit(url)
    return urlunsplit(
        (parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", "")
    )


def one_sentence(error: BaseException, longest: int = 300) -> str:
    """What an error says, on one line, redacted."""
    said = getattr(error, "provider_message", None) or getattr(error, "message", None) or error
    words = " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(said)).split())
    words = redact(words.removeprefix("ERROR: ").removeprefix("ERROR "))
    kind = type(error).__name__
    return f"{kind}: {words[:longest]}" if words else kind
