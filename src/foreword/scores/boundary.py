"""Which tokens are scored where a token straddles the boundary between prompt and target.

On real cuts in four of five requests some token carries bytes of both sides. The whole string is
tokenised once, as the model would read it, and one of two rules picks the first scored token:

`exact`  the token that contains the first byte of the target. No target byte goes unscored; the
         few prompt bytes that the token also carries are the same in every condition of a cut.
`paper`  the published rule: white space that opens the target counts as prompt, and only tokens
         that start at or after the boundary are scored. For comparison with published numbers.

All of it in UTF-8 bytes: several tokens can share one character (`∀` is three in a byte-level
vocabulary), and one token can hold the end of a character and the beginning of the next. Where
each token ends is read from how the vocabulary spells it; tokens that don't spell the text, byte
for byte, have no boundary and are refused.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Literal

Boundary = Literal["exact", "paper"]
_BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The tokens of a tokenised prompt + target that are to be scored."""

    first: int
    """Index of the first scored token."""
    texts: tuple[str, ...]
    """Text that each scored token adds; joined, they are the end of prompt + target."""
    first_byte: int
    """Where the first scored token starts, in bytes of prompt + target."""
    prompt_bytes: int
    """How many bytes of the prompt the first scored token carries."""


def span_to_score(prompt: str, target: str, ends: Sequence[int], rule: Boundary = "exact") -> Span:
    """The tokens to score, by one of the two rules.

    Args:
        prompt: what stands before the target.
        target: what is to be scored; not empty.
        ends: for each token of the whole string, where it ends, in bytes (`byte_ends`). Tokens
            that end where they start, but for those at 0, share the text of the next that doesn't.
        rule: `exact` or `paper`.

    A token `+x` over the boundary is scored by the first rule and skipped by the second:

    >>> span = span_to_score("a+", "xy", [1, 3, 4])
    >>> span.first, span.texts, span.prompt_bytes
    (1, ('+x', 'y'), 1)
    >>> span_to_score("a+", "xy", [1, 3, 4], "paper").texts
    ('y',)

    Raises:
        ValueError: an empty target, tokens that do not cover the string, no token to score, or a
            boundary within characters of which it can't be told what token holds them.
    """
    if not target:
        raise ValueError("the target is empty")
    text = (prompt + target).encode()
    if not ends or ends[-1] != len(text):
        raise ValueError(f"the tokens cover {ends[-1] if ends else 0} of {len(text)} bytes")
    boundary = len(prompt.encode())
    if rule == "paper":
        boundary += len(target.encode()) - len(target.lstrip().encode())
    starts = [0, *ends[:-1]]
    first = _first(starts, ends, boundary)
    if rule == "paper" and first < len(ends) and starts[first] < boundary:
        first += 1
    if first == len(ends):
        raise ValueError("no token starts in the target")
    return Span(
        first=first,
        texts=_texts(text, [starts[first], *ends[first:]]),
        first_byte=starts[first],
        prompt_bytes=max(0, len(prompt.encode()) - starts[first]),
    )


def _first(starts: Sequence[int], ends: Sequence[int], boundary: int) -> int:
    """The first token that may hold the byte at a boundary; past the last, if none does."""
    holder = next((i for i, end in enumerate(ends) if end > boundary), len(ends))
    first = holder
    while 0 < first < len(ends) and starts[first - 1] == ends[first - 1] != 0:
        first -= 1
    if first < holder and starts[first] < boundary:
        raise ValueError(
            "the prompt ends within characters that the tokenizer changes and cuts in pieces"
        )
    return first


def _texts(text: bytes, edges: Sequence[int]) -> tuple[str, ...]:
    """Text of each piece; a character cut in pieces goes to the piece that completes it."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return tuple(decoder.decode(text[a:b], b == edges[-1]) for a, b in pairwise(edges))


def byte_ends(text: str, tokens: Sequence[str]) -> list[int]:
    """Where each token of a text ends, in bytes of the text.

    Read from the vocabulary's spelling: letters that stand for bytes, `▁` for a space, `<0x0A>` for
    a byte, or the text itself. So it is exact inside of characters too:

    >>> byte_ends("a ∀", ["a", "Ġâ", "Ī", "Ģ"])
    [1, 3, 4, 5]
    >>> byte_ends("a ∀", ["▁a", "▁", "<0xE2>", "<0x88>", "<0x80>"])
    [1, 2, 3, 4, 5]

    A tokenizer may put a space before the text, and compose characters (Unicode's NFC). Where it
    cuts what it composed, the pieces but for the last end where the first starts.

    Raises:
        ValueError: the tokens don't spell the text; the message says where.
    """
    spelled = [letters for token in tokens if (letters := _in_letters(token)) is not None]
    if len(spelled) == len(tokens) and b"".join(spelled) == text.encode():
        return list(accumulate(map(len, spelled)))
    ends = _places(text.encode(), tokens)
    if ends is not None:
        return ends
    composed = unicodedata.normalize("NFC", text)
    ends = None if composed == text else _places(composed.encode(), tokens)
    if ends is not None:
        return _in_original(text, ends)
    raise ValueError(max(_difference(form.encode(), tokens) for form in (text, composed))[1])


def _places(text: bytes, tokens: Sequence[str]) -> list[int] | None:
    """Where each token ends, if in some reading of each they spell the text.

    All readings are followed; a token's end that differs between those that spell the whole text
    can't be told, and is then given as the end of the token before it.
    """
    ways: list[dict[int, set[int]]] = []
    for ends in _steps(text, tokens):
        if not ends:
            return None
        ways.append(ends)
    alive = {len(text)}
    found = []
    for ends in reversed(ways):
        found.append(alive)
        alive = {start for end in alive for start in ends.get(end, ())}
    if not alive:
        return None
    return list(accumulate((next(iter(e)) if len(e) == 1 else 0 for e in reversed(found)), max))


def _steps(text: bytes, tokens: Sequence[str]) -> Iterator[dict[int, set[int]]]:
    """For each token, the places where it can end, each with those where it then starts."""
    starts = {0}
    for number, token in enumerate(tokens):
        ends: dict[int, set[int]] = {}
        readings = _readings(token)
        if number == 0:  # the space that a tokenizer puts before a text is not in the text
            readings += tuple(each[1:] for each in readings if each.startswith(b" "))
        for reading in readings:
            for start in starts:
                if text.startswith(reading, start):
                    ends.setdefault(start + len(reading), set()).add(start)
        yield ends
        starts = set(ends)


@lru_cache(maxsize=2**18)
def _readings(token: str) -> tuple[bytes, ...]:
    """The bytes that a token can stand for, in one vocabulary or another."""
    byte = _BYTE.fullmatch(token)
    found = [token.encode(), token.replace("▁", " ").encode(), _in_letters(token)]
    found.append(bytes.fromhex(byte[1]) if byte else None)
    return tuple({reading for reading in found if reading is not None})


@lru_cache(maxsize=2**18)
def _in_letters(token: str) -> bytes | None:
    """The bytes that a token's letters stand for, if it is all in the letters of bytes."""
    alphabet = byte_alphabet()
    found = bytes(alphabet[letter] for letter in token if letter in alphabet)
    return found if len(found) == len(token) else None


def _difference(text: bytes, tokens: Sequence[str]) -> tuple[int, str]:
    """The byte at which tokens cease to spell a text, and a sentence about it."""
    reached = 0
    for token, ends in zip(tokens, _steps(text, tokens), strict=False):
        if not ends:
            there = text[reached:].decode("utf-8", "replace")[:10]
            why = f"the tokenizer changes or drops text: it reads {token!r} at {there!r}"
            return reached, why
        reached = max(ends)
    return reached, f"the tokens cover {reached} of {len(text)} bytes"


def _in_original(text: str, ends: Sequence[int]) -> list[int]:
    """From ends in the bytes of a text's NFC to ends in the bytes of the text."""
    known = {0: 0}
    there = here = 0
    for part in _composing(text):
        before, after = part.encode(), unicodedata.normalize("NFC", part).encode()
        if before == after:
            known |= {there + i: here + i for i in range(1, len(before))}
        there, here = there + len(after), here + len(before)
        known[there] = here
    found = list(accumulate((known.get(end, 0) for end in ends), max))
    if any(end and not place for end, place in zip(ends, found, strict=True)):
        raise ValueError("the tokenizer changes the first character of the text, and cuts it")
    return found


def _composing(text: str) -> Iterator[str]:
    """The smallest parts of a text whose NFCs, joined, are the NFC of the text."""

    def composed(part: str) -> str:
        return unicodedata.normalize("NFC", part)

    part = ""
    for letter in text:
        apart = not unicodedata.combining(letter)
        if part and apart and composed(part + letter) == composed(part) + composed(letter):
            yield part
            part = ""
        part += letter
    yield part


@cache
def byte_alphabet() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for.

    Printable Latin-1 bytes stand for themselves; the other 68, in order, for U+0100 and on.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {
        chr(0x100 + index): byte for index, byte in enumerate(others)
    }
