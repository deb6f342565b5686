from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from questions import make_cut

from foreword.errors import ForewordError
from foreword.forecasts import Answer, CopyPredictor, ScriptedPredictor, forecast_all
from foreword.records import Cut, Forecast, Question
from foreword.store import Journal, read_table, write_table

CUTS = [make_cut(number) for number in range(4)]


@dataclass(frozen=True)
class Counting:
    """Answers in reverse, and notes what it was asked."""

    inner: ScriptedPredictor
    asked: list[str] = field(default_factory=list)
    name: str = "counting"

    @property
    def identity(self) -> dict[str, object]:
        return dict(self.inner.identity)

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
        for question in reversed(questions):
            self.asked.append(question.cut_id)
            yield from self.inner.answers([question], seed=seed)


def answer(missing: str | None = None, raw: str | None = None, **more: object) -> Answer:
    return Answer(cut_id="", raw=raw, missing=missing, **more)  # type: ignore[arg-type]


def test_forecasts_come_in_the_order_of_the_cuts_trimmed_with_both_texts(tmp_path: Path) -> None:
    script = {cut.id: f"```\n{i} u r \\end{{align}}\n```" for i, cut in enumerate(CUTS)}
    predictor = Counting(ScriptedPredictor(script=script))
    with Journal(tmp_path / "j.jsonl") as journal:
        forecasts = forecast_all(CUTS, predictor, seed=0, journal=journal)
    assert [forecast.cut_id for forecast in forecasts] == [cut.id for cut in CUTS]
    assert [forecast.text for forecast in forecasts] == ["0 u r", "1 u r", "2 u r", "3 u r"]
    assert [forecast.raw for forecast in forecasts] == list(script.values())
    assert {forecast.predictor for forecast in forecasts} == {"counting"}


def test_a_forecast_never_exceeds_its_budget(tmp_path: Path) -> None:
    script = {cut.id: r"\alpha + " * 100 for cut in CUTS}
    with Journal(tmp_path / "j.jsonl") as journal:
        forecasts = forecast_all(CUTS, ScriptedPredictor(script=script), seed=0, journal=journal)
    for cut, forecast in zip(CUTS, forecasts, strict=True):
        assert len(forecast.text or "") <= cut.budget < len(forecast.raw or "")


def test_what_is_missing_has_its_reason_and_no_text(tmp_path: Path) -> None:
    script = {
        CUTS[0].id: answer("refused", raw="I can't help with that."),
        CUTS[1].id: answer("unfinished", finish_reason="max_tokens"),
        CUTS[2].id: r"\end{align}",
    }
    with Journal(tmp_path / "j.jsonl") as journal:
        forecasts = forecast_all(CUTS, ScriptedPredictor(script=script), seed=0, journal=journal)
    assert [f.missing for f in forecasts] == ["refused", "unfinished", "empty", "empty"]
    assert [f.text for f in forecasts] == [None] * 4
    assert forecasts[0].raw == "I can't help with that."
    assert "nothing is left" in (forecasts[2].failure or "")
    path = tmp_path / "forecasts.parquet"
    write_table(path, forecasts, Forecast, {})
    assert read_table(path, Forecast) == forecasts


def test_a_second_run_asks_only_what_failed(tmp_path: Path) -> None:
    script = {
        CUTS[0].id: "12 u r",
        CUTS[1].id: answer("failed", failure="the network was down"),
        CUTS[2].id: answer("refused"),
        CUTS[3].id: answer("empty"),
    }
    predictor = Counting(ScriptedPredictor(script=script))
    with Journal(tmp_path / "j.jsonl") as journal:
        first = forecast_all(CUTS, predictor, seed=0, journal=journal)
    predictor.asked.clear()
    with Journal(tmp_path / "j.jsonl") as journal:
        assert forecast_all(CUTS, predictor, seed=0, journal=journal) == first
        assert predictor.asked == [CUTS[1].id]
        predictor.asked.clear()
        assert forecast_all(CUTS, predictor, seed=0, journal=journal, retry_failed=False) == first
        assert predictor.asked == []


def test_an_answer_that_is_there_is_used_only_for_the_same_question_seed_and_predictor(
    tmp_path: Path,
) -> None:
    script = {cut.id: "12 u r" for cut in CUTS}
    predictor = Counting(ScriptedPredictor(script=script))
    with Journal(tmp_path / "j.jsonl") as journal:
        forecast_all(CUTS, predictor, seed=0, journal=journal)
        asked = len(predictor.asked)
        forecast_all(CUTS, predictor, seed=1, journal=journal)
        assert len(predictor.asked) == 2 * asked
        forecast_all([make_cut(0, prefix="x =")], predictor, seed=0, journal=journal)
        assert len(predictor.asked) == 2 * asked + 1
        other = Counting(ScriptedPredictor(script=script | {"more": "x"}))
        forecast_all(CUTS, other, seed=0, journal=journal)
        assert len(other.asked) == asked


def test_what_was_answered_before_a_kill_is_kept(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    @dataclass(frozen=True)
    class Dying(Counting):
        def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
            for count, one in enumerate(super().answers(questions, seed=seed)):
                if count == 2:
                    raise Killed
                yield one

    script = {cut.id: "12 u r" for cut in CUTS}
    with Journal(tmp_path / "j.jsonl") as journal, pytest.raises(Killed):
        forecast_all(CUTS, Dying(ScriptedPredictor(script=script)), seed=0, journal=journal)
    predictor = Counting(ScriptedPredictor(script=script))
    with Journal(tmp_path / "j.jsonl") as journal:
        forecast_all(CUTS, predictor, seed=0, journal=journal)
    assert len(predictor.asked) == 2


@pytest.mark.parametrize("given", [[], ["paper/9/40"], [CUTS[0].id, CUTS[0].id]])
def test_a_predictor_that_does_not_answer_each_question_once_is_refused(
    given: list[str], tmp_path: Path
) -> None:
    @dataclass(frozen=True)
    class Wrong(Counting):
        def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
            return (Answer(cut_id=cut_id, raw="x") for cut_id in given)

    with (
        Journal(tmp_path / "j.jsonl") as journal,
        pytest.raises(ForewordError, match="must answer each question once"),
    ):
        forecast_all(CUTS, Wrong(ScriptedPredictor()), seed=0, journal=journal)


def test_two_cuts_with_one_id_are_refused(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "j.jsonl") as journal,
        pytest.raises(ForewordError, match="share an id"),
    ):
        forecast_all([CUTS[0], CUTS[0]], CopyPredictor(), seed=0, journal=journal)


def test_progress_is_given_the_cuts_that_are_asked(tmp_path: Path) -> None:
    seen: list[Sequence[Cut]] = []

    def progress(cuts: Sequence[Cut]) -> Iterator[Cut]:
        seen.append(cuts)
        return iter(cuts)

    with Journal(tmp_path / "j.jsonl") as journal:
        forecast_all(CUTS[:1], CopyPredictor(), seed=0, journal=journal)
        forecast_all(CUTS, CopyPredictor(), seed=0, journal=journal, progress=progress)
    assert [len(cuts) for cuts in seen] == [3]


def test_half_a_surrogate_pair_in_an_answer_can_be_stored(tmp_path: Path) -> None:
    predictor = ScriptedPredictor(script={CUTS[0].id: "x \ud800 y"})
    with Journal(tmp_path / "j.jsonl") as journal:
        forecasts = forecast_all(CUTS[:1], predictor, seed=0, journal=journal)
    write_table(tmp_path / "forecasts.parquet", forecasts, Forecast, {})
    assert forecasts[0].text == "x ? y"
