"""What is the same whichever server is asked: keys kept out of words, how long it wants rest."""

import os
import re
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

from foreword.errors import ModelError

_SECRET_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST = 6
"""Characters: shorter values are no keys, and would blank out ordinary words."""
_LONGEST_REST_S = 1e9
_LONGEST_TEXT = 20_000
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


def key_from(name: str) -> str | None:
    """The key that an environment variable holds, without spaces around it; None if it has none.

    Raises:
        ModelError: it holds what can't be sent as a key, and is not said.
    """
    key = os.environ.get(name, "").strip()
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError(f"{name} holds a character that no key has; set it again")
    return key or None


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


def one_line(text: str, longest: int = 300) -> str:
    r"""What a server said, as words that can be shown: on one line, redacted, cut.

    >>> one_line("too long:\n  4097\x1b[31m tokens")
    'too long: 4097 [31m tokens'
    """
    # Cut when it is redacted: a part of a key is not found, and shows the key.
    words = redact(text[:_LONGEST_TEXT])
    shown = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(shown.split())[:longest]


def retry_after_s(value: str | None, now: float) -> float | None:
    """Seconds to wait, from a `Retry-After`: seconds or a date; None where it says neither.

    Args:
        value: of the header; None where there is none.
        now: seconds since 1970, to take from the date.

    >>> retry_after_s("7", 0), retry_after_s("Thu, 01 Jan 1970 00:01:40 GMT", 40)
    (7.0, 60.0)
    """
    if value is None:
        return None
    if re.fullmatch(r"\s*[0-9]+(\.[0-9]+)?\s*", value):
        return min(float(value), _LONGEST_REST_S)
    try:
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None
