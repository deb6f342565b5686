from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.records import Pair, TokenScores
from foreword.scores import (
    CountsTokens,
    LocalScorer,
    Means,
    ScriptedScorer,
    Tokens,
    load_scorer,
    measure,
    score_pairs,
)
from foreword.scores.workload import spread
from foreword.store import Cache, Journal

FLAT = ScriptedScorer(lambda before, letter: -1.0)


@dataclass
class SlowScorer:
    """A fake with a clock of its own: a character takes a tenth of a second, the model a minute."""

    workers: int = 1
    has_statistics: bool = True
    now: float = 0.0
    loads_s: float = 60.0
    asked: list[str] = field(default_factory=list)
    scorer_id: str = "slow"

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        self.now += 0.0 if self.asked else self.loads_s
        self.now += 0.1 * sum(len(pair.prompt) + len(pair.target) for pair in pairs)
        self.asked += [pair.id for pair in pairs]
        return FLAT.score(pairs)

    def clock(self) -> float:
        return self.now


def groups(count: int) -> list[list[Pair]]:
    """Ten characters each, in groups of two."""
    pairs = [Pair(id=str(n), prompt=f"{n:08}", target="=x") for n in range(2 * count)]
    return [pairs[start : start + 2] for start in range(0, len(pairs), 2)]


@given(st.integers(0, 70))
def test_the_first_few_of_a_spread_come_from_all_over(count: int) -> None:
    order = spread(range(count))
    assert sorted(order) == list(range(count))
    for taken in (4, 8, 16):
        if count >= 2 * taken:
            gaps = zip(sorted(order[:taken]), [*sorted(order[:taken])[1:], count], strict=True)
            assert all(0 < b - a <= 2 * count / taken + 2 for a, b in gaps)


def test_the_time_is_that_of_the_sample_and_loading_does_not_count(tmp_path: Path) -> None:
    scorer = SlowScorer(loads_s=3)
    with Journal(tmp_path / "j") as journal:
        found = measure(
            groups(50), Means(scorer=scorer, journal=journal), sample_s=20, clock=scorer.clock
        )
    assert (found.requests, found.in_journal, found.in_cache) == (100, 0, 0)
    assert found.sampled == len(scorer.asked) > 2
    assert found.left == 100 - found.sampled
    assert found.characters == 10 * found.left
    assert found.seconds == pytest.approx(found.left)
    assert scorer.now <= 20
    assert (found.tokens, found.is_counted) == (None, False)


def test_one_slow_group_is_enough(tmp_path: Path) -> None:
    scorer = SlowScorer(loads_s=60)
    with Journal(tmp_path / "j") as journal:
        found = measure(
            groups(50), Means(scorer=scorer, journal=journal), sample_s=10, clock=scorer.clock
        )
    assert found.sampled == 2
    assert found.seconds == pytest.approx(62 / 2 * 98)


def test_the_sample_keeps_all_workers_busy(tmp_path: Path) -> None:
    scorer = SlowScorer(workers=3, loads_s=0)
    with Journal(tmp_path / "j") as journal:
        found = measure(
            groups(64), Means(scorer=scorer, journal=journal), sample_s=30, clock=scorer.clock
        )
    assert found.sampled % (2 * 3) == 0


def test_the_sample_is_kept_and_what_is_known_is_not_scored(tmp_path: Path) -> None:
    scorer, cache = SlowScorer(), Cache(tmp_path / "cache")
    flat = [pair for group in groups(50) for pair in group]
    with Journal(tmp_path / "a") as journal:
        score_pairs(flat[:10], scorer, journal=journal, cache=cache)
    with Journal(tmp_path / "b") as journal:
        score_pairs(flat[10:16], scorer, journal=journal)
        means = Means(scorer=scorer, journal=journal, cache=cache)
        found = measure(groups(50), means, sample_s=10, clock=scorer.clock)
        assert (found.requests, found.in_journal, found.in_cache) == (100, 6, 10)
        assert found.sampled + found.left == 84
        score_pairs(flat, scorer, journal=journal, cache=cache)
        assert sorted(scorer.asked) == sorted(pair.id for pair in flat)
        done = measure(groups(50), means, clock=scorer.clock)
    assert (done.left, done.sampled, done.seconds, done.characters) == (0, 0, 0, 0)


def test_nothing_to_do_takes_no_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        found = measure([], Means(scorer=FLAT, journal=journal))
    assert (found.requests, found.left, found.seconds) == (0, 0, 0)


@dataclass
class CountingScorer(SlowScorer):
    """Two characters are a token, and what two prompts share is read once: here, four tokens."""

    counting_s: float = 0.0

    def count(self, pairs: Sequence[Pair]) -> Tokens:
        self.now += self.counting_s
        return Tokens(total=5 * len(pairs), distinct=5 * len(pairs) - 4, targets=len(pairs))


def test_tokens_are_those_of_what_is_left(tmp_path: Path) -> None:
    scorer = CountingScorer(loads_s=0)
    with Journal(tmp_path / "j") as journal:
        found = measure(
            groups(50), Means(scorer=scorer, journal=journal), sample_s=20, clock=scorer.clock
        )
    left = found.left
    assert found.tokens == Tokens(total=5 * left, distinct=3 * left, targets=left)
    assert found.is_counted
    assert found.seconds == pytest.approx(left)


def test_where_counting_takes_too_long_some_are_counted(tmp_path: Path) -> None:
    scorer = CountingScorer(loads_s=0, counting_s=2)
    with Journal(tmp_path / "j") as journal:
        found = measure(
            groups(50), Means(scorer=scorer, journal=journal), sample_s=20, clock=scorer.clock
        )
    assert not found.is_counted
    left = found.left
    assert found.tokens == Tokens(total=5 * left, distinct=3 * left, targets=left)
    assert found.seconds == pytest.approx(left)


def test_a_local_scorer_counts_what_its_model_reads(tiny_model: Path) -> None:
    scorer = load_scorer(f"hf:{tiny_model}")
    assert isinstance(scorer, LocalScorer)
    assert isinstance(scorer, CountsTokens)
    assert not isinstance(FLAT, CountsTokens)
    pairs = [
        Pair(id="1", prompt="abcdef", target="xy"),
        Pair(id="2", prompt="abcdef", target="z"),
        Pair(id="none", prompt="abc", target=""),
    ]
    lengths = [len(result.token_ids) for result in scorer.score(pairs)]
    assert lengths == [2, 1, 0]
    assert scorer.count(pairs) == Tokens(total=15, distinct=9, targets=3)
