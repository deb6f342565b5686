"""Several forecasts a cut: each with a seed of its own, none asked for twice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from questions import make_cut

from foreword.forecasts import Answer, forecast_all
from foreword.forecasts.predictor import answer_seed, sample_seed
from foreword.records import MOST_SAMPLES, Forecast, Question
from foreword.store import JSON, Journal, fingerprint, to_row

CUTS = [make_cut(number) for number in range(3)]


class Killed(BaseException):
    pass


@dataclass(frozen=True)
class Drawing:
    """Writes its seed, so that every draw shows; dies after so many answers."""

    asked: list[tuple[str, int]] = field(default_factory=list)
    dies_after: int = 1_000
    name: str = "drawing"

    @property
    def identity(self) -> Mapping[str, JSON]:
        return {"kind": "drawing"}

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
        for question in questions:
            if len(self.asked) == self.dies_after:
                raise Killed
            self.asked.append((question.cut_id, seed))
            own = answer_seed(seed, question.cut_id)
            yield Answer(cut_id=question.cut_id, raw=f"y+{own}", seed=own)


def forecasts(folder: Path, predictor: Drawing, samples: int) -> list[Forecast]:
    with Journal(folder / "j.jsonl") as journal:
        return forecast_all(CUTS, predictor, seed=5, journal=journal, samples=samples)


def test_the_first_sample_has_the_seed_and_the_key_of_a_single_forecast(tmp_path: Path) -> None:
    predictor = Drawing()
    first = forecasts(tmp_path, predictor, 1)
    assert [one.seed for one in first] == [answer_seed(5, cut.id) for cut in CUTS]
    question = to_row(CUTS[0].question)
    del question["kind"]
    key = fingerprint({"forecast": {"kind": "drawing"}, "seed": 5, "question": question})
    with Journal(tmp_path / "j.jsonl") as journal:
        assert key in journal


def test_more_samples_ask_for_those_alone_and_leave_the_first_rows_as_they_are(
    tmp_path: Path,
) -> None:
    first = forecasts(tmp_path, Drawing(), 1)
    predictor = Drawing()
    three = forecasts(tmp_path, predictor, 3)
    assert three[: len(CUTS)] == first
    assert [one.sample for one in three] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert predictor.asked == [
        (cut.id, sample_seed(5, sample)) for sample in (1, 2) for cut in CUTS
    ]
    assert len({one.text for one in three}) == len(three)
    assert forecasts(tmp_path, predictor, 1) == first


@pytest.mark.parametrize("after", [1, 3, 4, 8])
def test_a_kill_at_any_sample_changes_nothing_in_the_end(after: int, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole = forecasts(tmp_path / "whole", Drawing(), 3)
    with pytest.raises(Killed):
        forecasts(tmp_path, Drawing(dies_after=after), 3)
    predictor = Drawing()
    assert forecasts(tmp_path, predictor, 3) == whole
    assert len(predictor.asked) == 9 - after


@pytest.mark.parametrize("samples", [0, -1, MOST_SAMPLES + 1])
def test_a_number_of_samples_that_can_not_be_is_refused(samples: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"samples is {samples}; it must be from 1"):
        forecasts(tmp_path, Drawing(), samples)


def test_no_seed_of_a_sample_is_that_of_the_run_or_of_another() -> None:
    seeds = [sample_seed(seed, sample) for seed in range(20) for sample in range(50)]
    assert len(set(seeds)) == len(seeds)
    assert sample_seed(11, 0) == 11
