"""A pair as a model reads it, and a model's answer as a result: the same for every backend."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foreword.errors import ModelError
from foreword.records import Pair, TokenScores, TokenStatistics
from foreword.scores.boundary import Boundary, Span, byte_ends, span_to_score

_ABOVE_CERTAIN = 1e-6
"""Nats. Rounding can put a log-probability this far above 0, no further."""
_SENTINEL = -1000.0
"""Nats. Servers put −9999 where a value is missing; no model of text is so sure of anything."""


@dataclass(frozen=True, slots=True)
class Request:
    """A pair as the model reads it."""

    ids: list[int]
    first: int
    """Index of the first id to score; from 1 on."""
    span: Span


def make_request(pair: Pair, tokenizer: Any, rule: Boundary, most: int | None) -> Request:
    """The whole text, tokenised once, and from which token on it is scored.

    Args:
        pair: prompt and target.
        tokenizer: a fast tokenizer of transformers.
        rule: which token is the first to be scored.
        most: tokens that the model reads at most; None where there is no limit.

    Raises:
        ValueError: the pair can't be scored; the message says why.
    """
    if not pair.target:
        raise ValueError("the target is empty")
    text = pair.prompt + pair.target
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            "the text holds half of a surrogate pair, which is no character"
        ) from error
    encoded = tokenizer(text, add_special_tokens=False, split_special_tokens=True)
    pieces = tokenizer.convert_ids_to_tokens(encoded["input_ids"])
    ends = byte_ends(text, pieces)
    span = span_to_score(pair.prompt, pair.target, ends, rule)
    begin = begin_of_text(tokenizer)
    ids = begin + encoded["input_ids"]
    if begin and begin[0] in encoded["input_ids"]:
        raise ValueError("the begin-of-text token stands in the text, so that there would be two")
    first = len(begin) + span.first
    if first == 0:
        raise ValueError(
            "the prompt lies within the first token that would be scored: make it longer"
            if pair.prompt
            else "the prompt is empty and the model has no begin-of-text token to start from"
        )
    if most is not None and len(ids) > most:
        raise ValueError(f"prompt and target are {len(ids)} tokens, the model reads {most}")
    return Request(ids, first, span)


def begin_of_text(tokenizer: Any) -> list[int]:
    """The begin-of-text token, where the tokenizer puts one before a text by default."""
    default = tokenizer("x")["input_ids"]
    return default[:1] if default and default[0] == tokenizer.bos_token_id else []


def check_tokenizer(tokenizer: Any, name: str) -> None:
    """Nothing, if the tokenizer says which characters each token stands for.

    Raises:
        ModelError: it doesn't.
    """
    if not tokenizer.is_fast:
        raise ModelError(
            f"{name} has a tokenizer without character offsets, which scoring needs; "
            "use a model with a fast tokenizer (tokenizer.json)"
        )


def result(
    ids: Sequence[int] | None,
    span: Span,
    logprobs: Sequence[float | None],
    statistics: TokenStatistics | None = None,
) -> TokenScores:
    """What a backend answered, as a result; a failure where it is no log-probability.

    Args:
        ids: of the scored tokens; None where the backend does not tell them.
        span: where they are and what they say.
        logprobs: in nats, one a token, as they came.
        statistics: of the same tokens.
    """
    num_ids = len(span.texts) if ids is None else len(ids)
    failure = refusal(num_ids, len(span.texts), logprobs)
    if failure:
        return TokenScores(failure=failure)
    return TokenScores(
        token_ids=tuple(ids or ()),
        token_texts=span.texts,
        logprobs=tuple(value for value in logprobs if value is not None),
        first_byte=span.first_byte,
        prompt_bytes=span.prompt_bytes,
        statistics=statistics,
    )


def refusal(num_ids: int, num_texts: int, logprobs: Sequence[float | None]) -> str | None:
    """Why these values can't be the log-probabilities of a target's tokens; None if they can.

    >>> refusal(2, 2, [-0.5, -9999.0])
    'the log-probability of token 2 of 2 is -9999.0, which stands for a missing value'
    >>> refusal(2, 2, [-0.5])
    'there are 1 log-probabilities for 2 tokens'
    >>> refusal(2, 2, [-0.5, 0.0])
    """
    if not num_texts:
        return "the target has no token"
    if num_ids != num_texts:
        return f"there are {num_ids} token ids for {num_texts} tokens"
    if len(logprobs) != num_texts:
        return f"there are {len(logprobs)} log-probabilities for {num_texts} tokens"
    for number, value in enumerate(logprobs, 1):
        where = f"the log-probability of token {number} of {num_texts}"
        if value is None:
            return f"{where} is missing"
        if math.isnan(value):
            return f"{where} is not a number"
        if value > _ABOVE_CERTAIN:
            return f"{where} is {value}, above zero"
        if value <= _SENTINEL:
            return f"{where} is {value}, which stands for a missing value"
    return None
