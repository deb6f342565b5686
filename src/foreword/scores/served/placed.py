"""Which of a server's tokens are the target's, and what they say: the result of one pair."""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary, Span, span_to_score
from foreword.scores.request import Request, result
from foreword.scores.served.align import ends_of, possible_ends
from foreword.scores.served.answer import Token

_SPECIAL = re.compile(r"<[^<>\s]+>|\[[A-Z]+\]|")
"""What a begin-of-text token is shown as: by its name, or not at all."""
_UNTOLD = (
    "the server's token texts don't say where the target begins, as a character next to it is cut "
    "in pieces: give the server's tokenizer (--tokenizer)"
)


def from_texts(
    tokens: Sequence[Token], pair: Pair, rule: Boundary, *, generated: int
) -> TokenScores:
    """The result of a pair that was sent as text.

    Args:
        tokens: of the server's answer.
        pair: what was sent.
        rule: which token is the first to be scored.
        generated: how many tokens at the end may be no part of the prompt.

    Raises:
        ValueError: the tokens are not those of the pair's text, or it can't be told which are.
    """
    tokens, early, late = _ends(tokens, (pair.prompt + pair.target).encode(), generated)
    begin = sum(end == 0 for end in late)
    _refuse_second_begin(tokens, begin)
    span = _span(pair, early[begin:], late[begin:], rule)
    first = begin + span.first
    if first == 0:
        raise ValueError(
            "the prompt lies within the first token, of which no log-probability can be had: "
            "make it longer"
        )
    return _result(tokens[first:], span)


def from_ids(
    tokens: Sequence[Token], pair: Pair, request: Request, *, generated: int
) -> TokenScores:
    """The result of a pair that was sent as token ids; the arguments are those of `from_texts`.

    Raises:
        ValueError: the tokens are not those that were sent, or it can't be told whether they are.
    """
    sent = request.ids
    if not len(sent) <= len(tokens) <= len(sent) + generated:
        raise ValueError(f"the server tells {len(tokens)} tokens, it was sent {len(sent)}")
    tokens = tokens[: len(sent)]
    for number, (token, id_) in enumerate(zip(tokens, sent, strict=True), 1):
        if token.id not in (id_, None):
            raise ValueError(
                f"token {number} of {len(sent)} was sent as id {id_}, the server scored {token.id}"
            )
    if any(token.id is None for token in tokens[1:]):
        _check_texts(tokens[request.first - request.span.first :], pair, request.span)
    logprobs = [token.logprob for token in tokens[request.first :]]
    return result(sent[request.first :], request.span, logprobs)


def _check_texts(tokens: Sequence[Token], pair: Pair, span: Span) -> None:
    """See that tokens whose ids are not told can be those that were sent, by their texts.

    Raises:
        ValueError: they can't.
    """
    data = (pair.prompt + pair.target).encode()
    found = possible_ends(data, [token.text for token in tokens])
    early, late = found or ([], [])
    before = span.first - 1
    if not found or (before >= 0 and not early[before] <= span.first_byte <= late[before]):
        raise ValueError("the server's tokens are not those of the tokenizer given")


def _span(pair: Pair, early: Sequence[int], late: Sequence[int], rule: Boundary) -> Span:
    """What is scored, if it is the same wherever the tokens end.

    Raises:
        ValueError: it is not; or no token can be scored.
    """
    spans = []
    for ends in (early, late):
        try:
            spans.append(span_to_score(pair.prompt, pair.target, ends, rule))
        except ValueError:
            if early == late:
                raise
    if len(spans) != 2 or spans[0] != spans[1]:
        raise ValueError(_UNTOLD)
    return spans[0]


def _result(tokens: Sequence[Token], span: Span) -> TokenScores:
    ids = [token.id for token in tokens if token.id is not None]
    logprobs = [token.logprob for token in tokens]
    return result(ids if len(ids) == len(tokens) else None, span, logprobs)


def _ends(
    tokens: Sequence[Token], data: bytes, generated: int
) -> tuple[Sequence[Token], list[int], list[int]]:
    """The prompt's tokens, and for each the earliest and the latest byte at which it can end."""
    counts = range(min(generated, len(tokens) - 1) + 1)
    for left_out, begin in product(counts, range(1 + _may_begin(tokens))):
        some = tokens[: len(tokens) - left_out]
        found = possible_ends(data, [token.text for token in some[begin:]])
        if found:
            early, late = ([0] * begin + ends for ends in found)
            told = _told(some, early, late)
            return (some, told, told) if told else (some, early, late)
    raise ValueError(_other_text(tokens, data))


def _told(tokens: Sequence[Token], early: Sequence[int], late: Sequence[int]) -> list[int] | None:
    """Where tokens end by the server's own byte offsets; None if it tells none.

    Raises:
        ValueError: it can't be, by the tokens' texts. Some servers count characters.
    """
    starts = [token.start for token in tokens]
    if all(start is None for start in starts):
        return None
    ends = ends_of(starts, late[-1])
    if not all(a <= end <= b for a, end, b in zip(early, ends, late, strict=True)):
        raise ValueError("the server's byte offsets are not those of its own token texts")
    return ends


def _may_begin(tokens: Sequence[Token]) -> bool:
    """Whether the first token can be a begin-of-text token."""
    first = tokens[0]
    return first.logprob is None and first.text is not None and bool(_SPECIAL.fullmatch(first.text))


def _refuse_second_begin(tokens: Sequence[Token], begin: int) -> None:
    """See that a begin-of-text token does not come twice.

    Raises:
        ValueError: it does.
    """
    if not begin:
        return
    first = tokens[0]
    for token in tokens[1:]:
        same = token.text == first.text if first.id is None or token.id is None else False
        if (same and token.text) or (first.id is not None and token.id == first.id):
            raise ValueError(
                "the begin-of-text token stands in the text, or the server adds another"
            )


def _other_text(tokens: Sequence[Token], data: bytes) -> str:
    """Why tokens are not those of a text, in a sentence."""
    texts = ((token.text or "").replace("\ufffd", "?") for token in tokens)
    told = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    if told < len(data):
        return (
            f"the server tells {len(tokens)} tokens of {told} bytes, not all of the "
            f"{len(data)} bytes that it was sent"
        )
    return (
        "the server's token texts, joined, are not the text that it was sent: "
        "give the server's tokenizer (--tokenizer)"
    )


def texts_agree(tokens: Sequence[Token], sent: Sequence[int], tokenizer: Any) -> str | None:
    """Why a tokenizer can't be the server's; None where their texts of the same ids agree.

    Plain texts alone are compared, without the white space that decoders of single tokens drop.
    """
    for token, id_ in zip(tokens, sent, strict=False):
        text = token.text
        if token.id != id_ or not text or not text.isascii() or text.startswith("token_id:"):
            continue
        ours = (tokenizer.decode([id_]), tokenizer.convert_ids_to_tokens(id_) or "")
        if _bare(text) not in map(_bare, ours):
            return f"token {id_} is {text!r} there and {ours[0]!r} here"
    return None


def _bare(text: str) -> str:
    return text.replace("▁", " ").replace("Ġ", " ").strip()
