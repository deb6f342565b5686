import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from audited_cuts import a_cut, cuts_of, forecasts_of, likes

from foreword.audit.descend import descend
from foreword.audit.evolve import evolve
from foreword.audit.objective import Objective, universal
from foreword.audit.priming import Priming, choose_priming, primed
from foreword.errors import ForewordError
from foreword.records import Cut, Pair, TokenScores
from foreword.scores import Means
from foreword.store import Journal

MakeMeans = Callable[..., Means]


class DyingScorer:
    """A fake that dies after some requests, and counts those it was asked."""

    workers = 1
    has_statistics = False
    scorer_id = "likes &"

    def __init__(self, lives: int) -> None:
        self.lives = lives

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        self.lives -= len(pairs)
        if self.lives < 0:
            raise KeyboardInterrupt
        return likes("&").score(pairs)


class AddingProposer:
    """A fake that proposes the text with one character replaced by `&`, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def propose(
        self, text: str, cuts: Sequence[Cut], *, count: int, most: int, draw: random.Random
    ) -> list[str]:
        self.calls += 1
        places = [draw.randrange(len(text)) for _ in range(count)]
        return [text[:at] + "&" + text[at + 1 :] for at in places]


def test_the_objective_is_the_mean_of_the_clipped_scores(means_of: MakeMeans) -> None:
    cuts = (a_cut("p", 0), a_cut("q", 1))
    objective = Objective(cuts=cuts, means=means_of(likes("&")))
    some, none, far = objective.values([universal("&&"), universal(""), universal("&" * 30)])
    assert none == pytest.approx(-1.9)
    assert some == pytest.approx(-1.8)
    assert far == pytest.approx(-0.4)


def test_the_evolutionary_search_finds_what_a_scorer_likes(means_of: MakeMeans) -> None:
    objective = Objective(cuts=tuple(cuts_of("p")), means=means_of(likes("&")))
    found = evolve(objective, ["x = y", "+"], most=40, requests=160, seed=0)
    assert found.value > found.start == pytest.approx(-1.9)
    assert "&" in found.text
    assert len(found.text) <= 40
    assert found.requests <= 160
    assert found.value == objective.values([universal(found.text)])[0]


def test_a_search_that_was_killed_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    cuts = tuple(cuts_of("p"))

    def searched(scorer: DyingScorer, name: str) -> tuple[str, float]:
        with Journal(tmp_path / name) as journal:
            objective = Objective(cuts=cuts, means=Means(scorer=scorer, journal=journal))
            found = evolve(objective, ["x = y"], most=40, requests=100, seed=3)
            return found.text, found.value

    whole = DyingScorer(10_000)
    expected = searched(whole, "whole")
    first = DyingScorer(50)
    with pytest.raises(KeyboardInterrupt):
        searched(first, "killed")
    second = DyingScorer(10_000)
    assert searched(second, "killed") == expected
    assert 10_000 - second.lives < 10_000 - whole.lives


def test_the_descent_takes_the_best_and_keeps_what_was_proposed(
    means_of: MakeMeans,
) -> None:
    means = means_of(likes("&"))
    objective = Objective(cuts=tuple(cuts_of("p")), means=means)
    proposer = AddingProposer()
    how = {"most": 20, "steps": 5, "batch": 3, "seed": 0, "what": "test"}
    found = descend(objective, proposer, "xxxxxxxx", **how)  # type: ignore[arg-type]
    assert found.value > found.start
    assert "&" in found.text
    assert proposer.calls == 5
    assert descend(objective, proposer, "xxxxxxxx", **how) == found  # type: ignore[arg-type]
    assert proposer.calls == 5


def test_a_search_on_cuts_that_cannot_be_scored_says_so(means_of: MakeMeans) -> None:
    class Mute(DyingScorer):
        def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
            return [TokenScores(failure="too long") for _ in pairs]

    objective = Objective(cuts=(a_cut(),), means=means_of(Mute(1)))
    with pytest.raises(ForewordError, match="can be scored"):
        evolve(objective, ["x"], most=9, requests=9, seed=0)
    with pytest.raises(ForewordError, match="can't be scored"):
        descend(objective, AddingProposer(), "x", most=9, steps=1, batch=1, seed=0, what="test")


@pytest.mark.parametrize("place", ["before", "after"])
def test_priming_keeps_the_forecast_whole_and_the_budget(place: str) -> None:
    priming = Priming(name="x", text="% the same & the same\n", place=place)  # type: ignore[arg-type]
    for budget in range(10, 60):
        text = primed("a forecast", priming, budget)
        assert len(text) <= budget
        assert "a forecast" in text
        assert all("a forecast" not in line for line in text.split("\n") if "%" in line)


def test_the_priming_is_the_one_that_does_most(means_of: MakeMeans) -> None:
    cuts = cuts_of("p")
    objective = Objective(cuts=tuple(cuts), means=means_of(likes("&")))
    texts = {"bare": "x", "good": "& & &", "nothing": " "}
    forecasts = {each.cut_id: each.text or "" for each in forecasts_of(cuts)}
    found = choose_priming(objective, forecasts, texts)
    assert found is not None
    assert found.name == "good"
    assert choose_priming(objective, forecasts, {"nothing": ""}) is None
