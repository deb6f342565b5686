r"""Where the tokens of a served answer end, in bytes, from the texts that a server shows for them.

A token can be a part of a character, which no text can show. Servers show such a token as

- its bytes with U+FFFD in place of what is no character (most);
- nothing, and the whole text with the token that completes the character (vLLM);
- its bytes as Latin-1 letters (SGLang), or by name, `bytes:\xe2\x88` (OpenAI).

So each text allows one end or several. An end is kept where some choice of all the others goes with
it, so that every token is anchored by those before it and those after it, up to the last byte.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_REPLACED = "\ufffd"
_NAMED = re.compile(r"bytes:((?:\\x[0-9a-f]{2})+)")
_MOST_IN_PARTS = 8
"""U+FFFD in a row that can stand for parts of characters; more are themselves what is written."""
_LONGEST = 64
"""Bytes of tokens whose texts are not shown, together: of those that end inside of a character, and
of a first one."""


@dataclass(frozen=True, slots=True)
class _At:
    """How far the tokens go, and how far their texts do."""

    end: int
    shown: int
    """Less than `end` where texts were held back until a character is whole."""


def possible_ends(data: bytes, texts: Sequence[str | None]) -> tuple[list[int], list[int]] | None:
    r"""For each token the earliest and the latest byte at which it can end; None if no way fits.

    Args:
        data: what the tokens say, all of it, in UTF-8.
        texts: as the server shows them, in order. None for a first one that it does not show.

    A character that is cut in pieces has its pieces between its neighbours:

    >>> possible_ends("x∀y".encode(), ["x", "\ufffd", "\ufffd", "y"])
    ([1, 2, 4, 5], [1, 3, 4, 5])
    >>> possible_ends(b"xy", ["x"]) is None
    True
    """
    steps = list(zip(texts, _shown_next(texts), strict=True))
    reached = [{_At(0, 0)}]
    for text, coming in steps:
        reached.append({after for at in reached[-1] for after in _after(data, at, text, coming)})
    kept = reached[-1] & {_At(len(data), len(data))}
    ends: list[set[int]] = []
    for (text, coming), before in zip(reversed(steps), reversed(reached[:-1]), strict=True):
        ends.append({at.end for at in kept})
        kept = {at for at in before if not kept.isdisjoint(_after(data, at, text, coming))}
    if not kept:
        return None
    ends.reverse()
    return [min(each) for each in ends], [max(each) for each in ends]


def _shown_next(texts: Sequence[str | None]) -> list[str]:
    """For each text the next one that shows something; empty at the end."""
    found = [""]
    for text in reversed(texts):
        found.append(text or found[-1])
    return found[-2::-1]


def _after(data: bytes, at: _At, text: str | None, coming: str) -> Iterator[_At]:
    """Where a token can end that begins at a place and has a text; `coming` is the next text."""
    if text is None:
        yield from (_At(end, end) for end in range(min(len(data), _LONGEST) + 1))
        return
    for end in _alone(data, at.end, text):
        yield _At(end, end)
    if not text and at.end == 0:
        yield at  # a token of no bytes, as some models begin a text with
    if not text:
        whole = _bytes(coming)
        room = len(whole) if data.startswith(whole, at.shown) else _LONGEST
        last = min(at.shown + room, len(data)) - 1
        yield from (_At(end, at.shown) for end in range(at.end + 1, last + 1) if _in(data, end))
    elif at.shown < at.end:
        end = at.shown + len(_bytes(text))
        if at.end < end and data.startswith(_bytes(text), at.shown) and not _in(data, end):
            yield _At(end, end)


def _alone(data: bytes, start: int, text: str) -> set[int]:
    """Where a token can end whose text is what its own bytes say."""
    ends = _spelled(data, start, text)
    exact = (
        [bytes.fromhex(named[1].replace("\\x", ""))] if (named := _NAMED.fullmatch(text)) else []
    )
    if not text.isascii() and all(ord(letter) < 0x100 for letter in text):
        spelled = text.encode("latin-1")
        exact += [spelled] if _REPLACED in spelled.decode("utf-8", "replace") else []
    return ends | {start + len(each) for each in exact if data.startswith(each, start)}


def _spelled(data: bytes, start: int, text: str) -> set[int]:
    """Where a text can end, each of its U+FFFD standing for one to three bytes of one character."""
    places = {start} if text else set()
    for part in re.split(f"({_REPLACED}+)", text):
        if part.startswith(_REPLACED):
            places = {end for place in places for end in _torn(data, place, len(part))}
        else:
            places = {
                place + len(_bytes(part))
                for place in places
                if data.startswith(_bytes(part), place)
            }
    return places


def _torn(data: bytes, start: int, count: int) -> Iterator[int]:
    """Where so many U+FFFD can end that stand for parts of characters, or are what is written."""
    shortest = count if count <= _MOST_IN_PARTS else 3 * count
    for end in range(start + shortest, min(start + 3 * count, len(data)) + 1):
        characters = 1 + sum(not _in(data, place) for place in range(start + 1, end))
        if characters <= count and _is_torn(data[start:end]):
            yield end


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_torn(data: bytes) -> bool:
    """Whether there is no whole character in it."""
    return set(data.decode("utf-8", "replace")) == {_REPLACED}


def _in(data: bytes, place: int) -> bool:
    """Whether a place lies inside of a character."""
    return place < len(data) and data[place] & 0xC0 == 0x80


def ends_of(starts: Sequence[int | None], size: int) -> list[int]:
    """Where tokens end, from where they start; a special token has no place, and no bytes.

    >>> ends_of([None, 0, 2], 5)
    [0, 2, 5]

    Raises:
        ValueError: they are not in order, or not within the text.
    """
    edges = [size]
    for start in reversed(starts):
        edges.append(edges[-1] if start is None else start)
    edges.reverse()
    if edges[0] != 0 or any(a > b for a, b in pairwise(edges)):
        raise ValueError("the server's byte offsets are not in order, or not of this text")
    return edges[1:]
