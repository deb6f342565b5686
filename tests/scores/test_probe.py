from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest

from foreword.errors import ModelError
from foreword.records import Pair, TokenScores
from foreword.scores import ScriptedScorer, load_scorer
from foreword.scores.probe import probe


def seen(before: str, letter: str) -> float:
    """Sure of a letter that has followed the last three before; of another, not at all."""
    if len(before) < 3:
        return -3.0
    return -0.01 if before[-3:] + letter in before else -3.0


GOOD = ScriptedScorer(seen)


@dataclass(frozen=True)
class Spoilt:
    """A fake that passes what another scorer says through a function."""

    spoil: Callable[[TokenScores], TokenScores]
    scorer_id: str = "spoilt"
    workers: int = 1
    has_statistics: bool = True

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        return [self.spoil(result) for result in GOOD.score(pairs)]


def test_a_scorer_that_repeats_and_is_surprised_passes_without_noise() -> None:
    found = probe(GOOD)
    assert found.weakness is None
    assert found.repeated > -0.1 > -1 > found.shuffled
    assert found.repeat_noise == found.order_noise == 0


def test_the_embedded_model_passes() -> None:
    found = probe(load_scorer("smollm2"))
    assert found.weakness is None
    assert found.repeat_noise == 0
    assert found.order_noise < 1e-5


def test_a_model_of_random_weights_is_found_weak(tiny_model: Path) -> None:
    assert "wrong order" in (probe(load_scorer(f"hf:{tiny_model}")).weakness or "")


def test_values_of_zero_for_anything_are_found_weak() -> None:
    """What some servers give in place of missing values is the best score there can be."""
    assert "wrong order" in (probe(ScriptedScorer(lambda before, letter: 0.0)).weakness or "")


def test_a_scorer_that_learns_nothing_from_its_prompt_is_found_weak() -> None:
    worse = ScriptedScorer(lambda before, letter: seen(before, letter) - 2)
    assert "just read" in (probe(worse).weakness or "")


def test_other_text_than_was_sent_is_refused() -> None:
    shifted = Spoilt(lambda one: replace(one, token_texts=("?", *one.token_texts[1:])))
    with pytest.raises(ModelError, match="other text than it was given"):
        probe(shifted)


def test_a_failure_is_refused_with_its_reason() -> None:
    with pytest.raises(ModelError, match="can't score a plain sentence: no memory"):
        probe(Spoilt(lambda one: TokenScores(failure="no memory")))


def test_tokens_that_change_are_refused() -> None:
    numbers = count()
    other = Spoilt(lambda one: replace(one, token_ids=(next(numbers), *one.token_ids[1:])))
    with pytest.raises(ModelError, match="other tokens of the same text"):
        probe(other)


@pytest.mark.parametrize("by", [1, 3, -1])
def test_values_of_other_tokens_are_found_weak(by: int) -> None:
    rotated = Spoilt(lambda one: replace(one, logprobs=one.logprobs[by:] + one.logprobs[:by]))
    assert "other tokens" in (probe(rotated).weakness or "")


@dataclass
class Noisy:
    """A fake that gives a quarter of a nat less from some call on, or for pairs after others."""

    from_call: int = 10**9
    after_others: float = 0.0
    calls: int = 0
    scorer_id: str = "noisy"
    workers: int = 1
    has_statistics: bool = True

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        self.calls += 1
        less = 0.25 if self.calls == self.from_call else 0.0
        return [
            replace(one, logprobs=tuple(v - less - place * self.after_others for v in one.logprobs))
            for place, one in enumerate(GOOD.score(pairs))
        ]


def test_noise_between_repetitions_is_measured() -> None:
    found = probe(Noisy(from_call=2))
    assert (found.repeat_noise, found.order_noise) == pytest.approx((0.25, 0.0))


def test_noise_of_order_and_company_is_measured() -> None:
    found = probe(Noisy(after_others=0.01))
    assert (found.repeat_noise, found.order_noise) == pytest.approx((0.0, 0.03))
