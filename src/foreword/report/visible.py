r"""Text that others wrote, made safe to look at: nothing hidden, nothing endless.

Escaping for HTML is the template engine's work; this is about what escaping leaves alone: controls
that reorder or hide text, characters that UTF-8 can't hold, and strings of a hundred kilobytes.
"""

import re
import unicodedata

from markupsafe import Markup

_SUSPECT = re.compile(r"[^\n\t\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u05ff\u2010-\u2027]")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""The text with each character that can't be seen, or that moves others, spelt out.

    Controls, bidirectional and zero-width characters, lone surrogates, private and unassigned
    characters become `⟨U+202E⟩`; line ends become `\n`.

    >>> visible("a\u202eb\x00\r\nc")
    'a⟨U+202E⟩b⟨U+0000⟩\nc'
    """
    return _SUSPECT.sub(_spell, text.replace("\r\n", "\n").replace("\r", "\n"))


def _spell(match: re.Match[str]) -> str:
    character = match.group()
    hidden = unicodedata.category(character) in _HIDDEN
    return f"⟨U+{ord(character):04X}⟩" if hidden else character


def hidden_character(text: str) -> str | None:
    r"""Name of the first character that `visible` would spell out; None if there is none.

    >>> hidden_character("x = \u200by")
    'U+200B'
    """
    for match in _SUSPECT.finditer(text):
        if unicodedata.category(match.group()) in _HIDDEN:
            return f"U+{ord(match.group()):04X}"
    return None


def clipped(text: str, limit: int) -> str:
    """The first `limit` characters, and how many more there were.

    >>> clipped("a" * 1200, 5)
    'aaaaa… (1,195 more characters)'
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def shortened(name: str, limit: int = 60) -> str:
    """A name of at most `limit` characters, its end cut off with an ellipsis.

    >>> shortened("abcdef", 4)
    'abc…'
    """
    return name if len(name) <= limit else name[: limit - 1] + "…"


def finalize(value: object) -> object:
    """What the template engine prints for a value: `visible` text, unless it is checked markup."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value
