from dataclasses import replace

import pytest
from analysis_records import make_failed, make_score

from foreword.analysis import clustered_mean, verdicts
from foreword.records import Score

FROZEN = [
    make_score("p/0/1", "same-budget", -1.2),
    make_score("p/0/1", "forecast:a", -0.5),
    make_score("p/1/1", "forecast:a", -0.75),
    make_score("q/0/1", "forecast:a", -1.0),
    make_score("q/0/1", "forecast:b", -0.25),
    make_score("t/0/1", "forecast:a", -0.1),
]


def adapted(cut_id: str, logprob: float, condition: str = "same-budget") -> Score:
    return make_score(cut_id, condition, logprob, scorer_id="s+context-only")


ADAPTED = [
    adapted("p/0/1", -0.75),
    adapted("p/1/1", -0.5),
    adapted("q/0/1", -0.5),
    replace(make_failed("t/0/1", "same-budget", "trained"), scorer_id="s+context-only"),
]


def test_the_difference_is_by_cut_and_on_held_out_papers_alone() -> None:
    rows = {row.condition: row for row in verdicts(FROZEN, ADAPTED, held_out=["p", "q"])}
    assert dict(rows["forecast:a"].values) == {"p/0/1": 0.25, "p/1/1": -0.25, "q/0/1": -0.5}
    assert rows["forecast:a"].difference == clustered_mean([0.25, -0.25, -0.5], ["p", "p", "q"])
    assert list(rows) == ["forecast:b", "forecast:a"]  # best first
    only_q = verdicts(FROZEN, ADAPTED, held_out=["q"])
    assert {cut for row in only_q for cut in row.values} == {"q/0/1"}


def test_a_paper_is_held_out_in_every_version() -> None:
    frozen = [make_score("2604.19885v2/0/1", "forecast:a", -0.5)]
    trained = [adapted("2604.19885v2/0/1", -1.0)]
    [row] = verdicts(frozen, trained, held_out=["2604.19885v1"])
    assert row.difference.mean == 0.5


def test_a_paper_that_was_trained_on_is_left_out_even_if_it_was_scored() -> None:
    rows = verdicts(FROZEN, [*ADAPTED[:3], adapted("t/0/1", -2.0)], held_out=["p", "q"])
    assert all("t/0/1" not in row.values for row in rows)


def test_each_rule_softens_before_it_averages() -> None:
    frozen = [replace(FROZEN[1], logprobs=(0.0, 0.0, 0.0, -10.0))]
    trained = [adapted("p/0/1", -1.0)]
    [clipped] = verdicts(frozen, trained, held_out=["p"])
    [raw] = verdicts(frozen, trained, held_out=["p"], rule="raw")
    assert (clipped.difference.mean, raw.difference.mean) == (0.5, -1.5)


def test_conditions_that_are_named_come_as_they_are_named() -> None:
    rows = verdicts(FROZEN, ADAPTED, held_out=["p"], conditions=["same-budget", "forecast:a"])
    assert [row.condition for row in rows] == ["same-budget", "forecast:a"]
    assert rows[0].difference.mean == pytest.approx(-0.45)


def test_other_target_tokens_are_refused() -> None:
    other = [replace(score, token_ids=(11, 12, 13, 99)) for score in ADAPTED[:3]]
    with pytest.raises(ValueError, match="cut p/0/1 has other target tokens"):
        verdicts(FROZEN, other, held_out=["p", "q"])


@pytest.mark.parametrize(
    ("frozen", "trained", "held_out", "complaint"),
    [
        (FROZEN, [make_score("p/0/1", "same-budget", -1)], ["p"], "both tables are of the scorer"),
        (FROZEN, [adapted("p/0/1", -1, "empty")], ["p"], "no score of a held-out paper"),
        (FROZEN, ADAPTED, ["t2"], "no score of a held-out paper"),
        (FROZEN, [ADAPTED[0], make_score("p/1/1", "same-budget", -1)], ["p"], "two scorers"),
    ],
)
def test_tables_that_can_not_be_subtracted_are_refused(
    frozen: list[Score], trained: list[Score], held_out: list[str], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        verdicts(frozen, trained, held_out=held_out)


def test_a_condition_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no held-out score is of 'forecast:c'"):
        verdicts(FROZEN, ADAPTED, held_out=["p"], conditions=["forecast:c"])
