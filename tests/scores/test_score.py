import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cuts_made import a_cut

from foreword.records import Forecast, Pair, TokenScores
from foreword.scores import (
    CONTROLS,
    Scorer,
    ScriptedScorer,
    in_threads,
    score_all,
    score_pairs,
)
from foreword.store import Journal

FLAT = ScriptedScorer(lambda before, letter: -1.0)


@dataclass
class CountingScorer:
    """A fake that counts what it is asked and can die after some answers."""

    dies_after: int = 10**9
    asked: list[Pair] = field(default_factory=list)
    scorer_id: str = "scripted"
    workers: int = 1
    has_statistics: bool = True

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        if len(self.asked) >= self.dies_after:
            raise KeyboardInterrupt
        self.asked += pairs
        return FLAT.score(pairs)


@dataclass(frozen=True)
class FickleScorer:
    """A fake whose target tokens depend on the prompt."""

    scorer_id: str = "fickle"
    workers: int = 1
    has_statistics: bool = True

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        return [
            TokenScores(
                token_ids=(len(pair.prompt),),
                token_texts=("x",),
                logprobs=(-1.0,),
                first_byte=0,
                prompt_bytes=0,
            )
            for pair in pairs
        ]


@dataclass(frozen=True)
class HangingScorer:
    """A fake that answers the first request, and no other until it is let go."""

    let_go: threading.Event
    scorer_id: str = "hanging"
    workers: int = 2
    has_statistics: bool = False

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        if pairs[0].id != "0":
            self.let_go.wait()
        return FLAT.score(pairs)


def forecast(text: str | None, predictor: str = "copy") -> Forecast:
    missing = "empty" if text is None else None
    return Forecast(cut_id="p/3/9", predictor=predictor, text=text, missing=missing)


def test_a_scripted_scorer_is_a_scorer() -> None:
    assert isinstance(FLAT, Scorer)


def test_one_row_a_condition_and_none_for_a_missing_forecast(tmp_path: Path) -> None:
    forecasts = [forecast("x+y"), forecast(None, "silent")]
    with Journal(tmp_path / "j") as journal:
        scores = score_all([a_cut()], forecasts, FLAT, controls=CONTROLS, seed=0, journal=journal)
    assert [score.condition for score in scores] == [*CONTROLS, "forecast:copy"]
    assert len({score.token_ids for score in scores}) == 1
    assert all(score.scorer_id == "scripted" for score in scores)


def test_work_done_before_a_kill_is_not_done_again(tmp_path: Path) -> None:
    cuts = [a_cut(), replace(a_cut(hidden="\\beta + \\gamma\n"), id="p/4/9")]
    dying, second = CountingScorer(dies_after=len(CONTROLS)), CountingScorer()
    for scorer in (dying, second):
        with Journal(tmp_path / "j") as journal:
            try:
                score_all(cuts, [], scorer, controls=CONTROLS, seed=0, journal=journal)
            except KeyboardInterrupt:
                assert scorer is dying
    assert {pair.id.split()[0] for pair in dying.asked} == {"p/3/9"}
    assert {pair.id.split()[0] for pair in second.asked} == {"p/4/9"}


def test_who_stops_does_not_wait_for_requests_that_hang() -> None:
    scorer = HangingScorer(threading.Event())
    timer = threading.Timer(60, scorer.let_go.set)  # so that a failure is no hang
    timer.start()
    groups = [[Pair(id=str(number), prompt="a", target="b")] for number in range(8)]
    found = in_threads(groups, scorer, False)
    assert isinstance(found, Generator)
    assert next(found)[0] == 0
    found.close()
    assert not scorer.let_go.is_set()
    timer.cancel()
    scorer.let_go.set()


def test_a_cut_half_kept_is_completed_and_its_kept_rows_stay(tmp_path: Path) -> None:
    scorer = CountingScorer()
    with Journal(tmp_path / "j") as journal:
        for controls in (CONTROLS[:2], CONTROLS):
            score_all([a_cut()], [], scorer, controls=controls, seed=0, journal=journal)
    assert [pair.id.split()[1] for pair in scorer.asked] == list(CONTROLS)


def test_equal_requests_are_computed_once(tmp_path: Path) -> None:
    scorer = CountingScorer()
    forecasts = [forecast("same"), forecast("same", "twin")]
    with Journal(tmp_path / "j") as journal:
        scores = score_all(
            [a_cut()], forecasts, scorer, controls=["empty"], seed=0, journal=journal
        )
    assert len(scorer.asked) == 2
    assert len(scores) == 3


def test_a_cut_whose_target_tokens_differ_is_invalid_everywhere(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        scores = score_all(
            [a_cut()], [], FickleScorer(), controls=CONTROLS, seed=0, journal=journal
        )
    assert all("invalid cut" in (score.failure or "") for score in scores)
    assert all(score.logprobs == () and score.token_ids == () for score in scores)


def test_pairs_come_back_in_order_with_their_ids(tmp_path: Path) -> None:
    pairs = [Pair(id="b", prompt="p", target="xy"), Pair(id="a", prompt="p", target="z")]
    with Journal(tmp_path / "j") as journal:
        rows = score_pairs(pairs, FLAT, journal=journal)
    assert [row.id for row in rows] == ["b", "a"]
    assert rows[0].token_texts == ("x", "y")
    assert rows[0].first_byte == 1
