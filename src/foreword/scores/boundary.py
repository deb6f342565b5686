"""Which tokens are scored where a token straddles the boundary between prompt and target.

On real cuts in four of five requests some token carries bytes of both sides. The whole string is
tokenised once, as the model would read it, and one of two rules picks the first scored token:

`exact`  the token that contains the first byte of the target. No target byte goes unscored; the
         few prompt bytes that the token also carries are the same in every condition of a cut.
`paper`  the published rule: white space that opens the target counts as prompt, and only tokens
         that start at or after the boundary are scored. For comparison with published numbers.

All of it in UTF-8 bytes: several tokens can share one character (`∀` is three in a byte-level
vocabulary), and one token can hold the end of a character and the beginning of the next.
"""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal

Boundary = Literal["exact", "paper"]


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
        ends: for each token of the whole string, where it ends, in bytes (`byte_ends`).
        rule: `exact` or `paper`.

    A token `+x` over the boundary is scored by the first rule and skipped by the second:

    >>> span = span_to_score("a+", "xy", [1, 3, 4])
    >>> span.first, span.texts, span.prompt_bytes
    (1, ('+x', 'y'), 1)
    >>> span_to_score("a+", "xy", [1, 3, 4], "paper").texts
    ('y',)

    Raises:
        ValueError: an empty target, tokens that do not cover the string, or no token to score.
    """
    if not target:
        raise ValueError("the target is empty")
    text = (prompt + target).encode()
    if not ends or ends[-1] != len(text):
        raise ValueError(f"the tokens cover {ends[-1] if ends else 0} of {len(text)} bytes")
    boundary = len(prompt.encode())
    starts = [0, *ends[:-1]]
    if rule == "paper":
        moved = boundary + len(target.encode()) - len(target.lstrip().encode())
        first = next((i for i, start in enumerate(starts) if start >= moved), None)
    else:
        first = next(i for i, end in enumerate(ends) if end > boundary)
    if first is None:
        raise ValueError("no token starts in the target")
    return Span(
        first=first,
        texts=_texts(text, [starts[first], *ends[first:]]),
        first_byte=starts[first],
        prompt_bytes=max(0, boundary - starts[first]),
    )


def _texts(text: bytes, edges: Sequence[int]) -> tuple[str, ...]:
    """Text of each piece; a character cut in pieces goes to the piece that completes it."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return tuple(decoder.decode(text[a:b], b == edges[-1]) for a, b in pairwise(edges))


def byte_ends(text: str, tokens: Sequence[str], offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Where each token of a text ends, in bytes of the text.

    A byte-level vocabulary spells its tokens in an alphabet of 256 letters, one a byte; where that
    spelling gives back the text exactly it is used, for it is exact inside of characters too.
    Elsewhere the tokenizer's own offsets, in characters, are; white space that they leave out
    between two tokens is given to the later one.

    >>> byte_ends("a b", ["a", "Ġb"], [(0, 1), (2, 3)])
    [1, 3]

    Raises:
        ValueError: the offsets are not in order.
    """
    alphabet = _byte_alphabet()
    spelled = [bytes(alphabet.get(letter, 0) for letter in token) for token in tokens]
    if b"".join(spelled) == text.encode():
        return list(accumulate(map(len, spelled)))
    ends = [end for _, end in offsets]
    if any(a > b for a, b in pairwise(ends)):
        raise ValueError("the tokenizer's offsets are not in order")
    to_bytes = [0, *accumulate(len(character.encode()) for character in text)]
    return [to_bytes[end] for end in ends]


@cache
def _byte_alphabet() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for.

    Printable Latin-1 bytes stand for themselves; the other 68, in order, for U+0100 and on.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {
        chr(0x100 + index): byte for index, byte in enumerate(others)
    }
