"""Whether a scorer gives log-probabilities that can be trusted, tried on texts of known answers."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from foreword.errors import ModelError
from foreword.records import Pair, TokenScores
from foreword.scores.scorer import Scorer

_TEXT = "Let $f$ be smooth on the torus, with zero mean. Then $g=f^2-1$ is at most $3n$."
_SEEN = len("Let $f$ be")
_KNOWN = -0.7  # nats a token, half a guess: models of 135 million parameters and up are above −0.3
_WORD = " purple"
_WRONG = _TEXT.replace(" zero", _WORD)
_UNKNOWN = 1.0  # nats a token that a text in a wrong order has to cost more than the right one


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a scorer said of a text that its prompt holds twice, and of that text shuffled."""

    repeated: float
    """Mean log-probability in nats of a token of the text, read just before; nearly zero."""
    shuffled: float
    """The same for its words in another order, which nobody can foresee."""
    repeat_noise: float
    """Largest difference, in nats, of a token's values when the same requests are made again."""
    order_noise: float
    """The same when they are made in another order, and one at a time."""
    weakness: str | None = None
    """Why its scores would mean little; None if nothing was found."""


def probe(scorer: Scorer) -> Probe:
    """Try a scorer.

    Raises:
        ModelError: it can't be used at all: it gives no values, or of other texts than were asked.
    """
    words = _TEXT[_SEEN:].split(" ")
    random.Random(0).shuffle(words)  # noqa: S311 (no secret)
    prompt = f"{_TEXT}\n\n{_TEXT}\n\n{_TEXT[:_SEEN]}"
    pairs = [
        Pair(id="repeated", prompt=prompt, target=_TEXT[_SEEN:]),
        Pair(id="shuffled", prompt=prompt, target=" ".join(words)),
        Pair(id="wrong", prompt=prompt, target=_WRONG[_SEEN:]),
        Pair(id="alone", prompt=_TEXT[:_SEEN], target=_TEXT[_SEEN:]),
    ]
    first = _asked(scorer, pairs)
    again = _asked(scorer, pairs)
    others = _asked(scorer, pairs[::-1])[::-1]
    alone = [_asked(scorer, [pair])[0] for pair in pairs]
    repeated, shuffled = (fmean(result.logprobs) for result in first[:2])
    is_in_place = _is_in_place(first[2], prompt + _WRONG[_SEEN:])
    return Probe(
        repeated=repeated,
        shuffled=shuffled,
        repeat_noise=_difference(first, again),
        order_noise=max(_difference(first, others), _difference(first, alone)),
        weakness=_weakness(repeated, shuffled, is_in_place=is_in_place),
    )


def _is_in_place(result: TokenScores, text: str) -> bool:
    """Whether the token of lowest probability holds the first letter of the wrong word."""
    at = min(range(len(result.logprobs)), key=result.logprobs.__getitem__)
    end = len(text) - len("".join(result.token_texts[at + 1 :]))
    letter = text.rindex(_WORD) + 1
    return end - len(result.token_texts[at]) <= letter < end


def _weakness(repeated: float, shuffled: float, *, is_in_place: bool) -> str | None:
    if shuffled > repeated - _UNKNOWN:
        return (
            f"it finds words in a wrong order ({shuffled:.2f} nats a token) about as likely as a "
            f"text that it has just read ({repeated:.2f})"
        )
    if repeated < _KNOWN:
        return (
            f"it does not expect a text that it has just read ({repeated:.2f} nats a token, "
            f"where {_KNOWN} is the least)"
        )
    if not is_in_place:
        return (
            "in a text with one wrong word it finds another place the least likely: its values are "
            "those of other tokens"
        )
    return None


def _asked(scorer: Scorer, pairs: Sequence[Pair]) -> list[TokenScores]:
    """The results, if they are of these pairs.

    Raises:
        ModelError: one has no score, or its tokens are not the end of its text.
    """
    results = list(scorer.score(pairs))
    for pair, result in zip(pairs, results, strict=True):
        if result.failure:
            raise ModelError(
                f"the scorer {scorer.scorer_id} can't score a plain sentence: {result.failure}"
            )
        if not (pair.prompt + pair.target).endswith("".join(result.token_texts)):
            raise ModelError(
                f"the scorer {scorer.scorer_id} scores other text than it was given "
                f"({''.join(result.token_texts)[:40]!r}); its tokenizer can't be used"
            )
    return results


def _difference(first: Sequence[TokenScores], second: Sequence[TokenScores]) -> float:
    """The largest difference between two values of the same token.

    Raises:
        ModelError: the same text was made of other tokens.
    """
    tokens = [[(one.token_ids, one.token_texts) for one in each] for each in (first, second)]
    if tokens[0] != tokens[1]:
        raise ModelError("the scorer makes other tokens of the same text when it is asked again")
    return max(
        abs(a - b)
        for one, other in zip(first, second, strict=True)
        for a, b in zip(one.logprobs, other.logprobs, strict=True)
    )
