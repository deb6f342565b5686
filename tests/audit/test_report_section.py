"""The audit on a report's page: from the table's rows, hostile texts and all."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from audited_cuts import cuts_of, forecasts_of

from foreword.audit import AuditRow
from foreword.audited import find_audit, read_attacks
from foreword.errors import TableError, UsageError
from foreword.records import Cut, Forecast, Score
from foreword.report_steps import make_report
from foreword.store import JSON, hash_file, write_table

HOSTILE = "\\lg <script>alert(1)</script>\u202e"
LIFTS = {
    ("attack", "previous-equation"): 0.2,
    ("attack", "sameness"): 0.1,
    ("forecast", "mine"): 0.4,
    ("primed", "mine"): 0.3,
    ("context", "same-budget"): 0.0,
    ("reference", "empty"): -0.1,
}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    cuts = cuts_of("a", "b", "c")
    write_table(tmp_path / "cuts.parquet", cuts, Cut, {})
    write_table(tmp_path / "forecasts-mine.parquet", forecasts_of(cuts), Forecast, {})
    scores = [
        Score(cut_id=cut.id, paper_id=cut.paper_id, condition=condition, scorer_id="s",
              token_ids=(7,), logprobs=(-1.0,))
        for cut in cuts
        for condition in ("empty", "same-budget", "forecast:mine")
    ]  # fmt: skip
    write_table(tmp_path / "scores.parquet", scores, Score, {})
    return tmp_path


def write_audit(study: Path, **changes: JSON) -> Path:
    rows = [
        AuditRow(
            name=name,
            group=group,  # type: ignore[arg-type]
            half="fit" if cut.paper_id == "a" else "judge",
            cut_id=cut.id,
            paper_id=cut.paper_id,
            scorer_id="s",
            text="z",
            score=lift - 1,
            over_empty=lift + 0.1,
            over_same_budget=lift,
        )
        for cut in cuts_of("a", "b", "c")
        for (group, name), lift in LIFTS.items()
    ]
    notes = {
        "split": {"seed": 0, "fit": ["a"], "judge": ["b", "c"]},
        "searches": {"universal-search": {"text": HOSTILE}},
        "priming": ["sameness", "before", "% same"],
        "left_out": [],
    }
    inputs: Mapping[str, JSON] = {
        "cuts": hash_file(study / "cuts.parquet"),
        "forecasts": [hash_file(study / "forecasts-mine.parquet")],
        "scorers": ["s"],
        "rules": {"seed": 0, "judge_cuts": None},
    }
    provenance = {"stage": "audit", "inputs": inputs, "notes": notes, **changes}
    (study / "audit").mkdir(exist_ok=True)
    write_table(study / "audit" / "audit.parquet", rows, AuditRow, provenance)
    return study / "audit"


def test_the_page_shows_attacks_beside_forecasts_and_their_share(study: Path) -> None:
    write_audit(study)
    page = make_report(study)[0].read_text()
    assert "reaches 50 % of the honest lift by mine" in page
    for name in ("previous-equation", "sameness", "mine + priming", "Empty scaffold"):
        assert name in page
    assert "<script>alert" not in page
    assert "⟨U+202E⟩" in page
    found = read_attacks(study / "audit" / "audit.parquet")
    assert found.judged_on == ("b", "c")
    assert {one.over_same_budget.num_papers for one in found.lifts} == {2}
    (primed,) = [one for one in found.lifts if one.group == "primed"]
    assert primed.over_forecast
    assert primed.over_forecast.mean == pytest.approx(-0.1)


def test_a_study_without_an_audit_says_so(study: Path) -> None:
    assert "score was not attacked" in make_report(study)[0].read_text()


def test_an_audit_of_another_study_is_left_out_or_refused(study: Path) -> None:
    folder = write_audit(study)
    cuts = cuts_of("a", "b", "c")
    cuts[0] = replace(cuts[0], prefix=cuts[0].prefix + " ")
    write_table(study / "cuts.parquet", cuts, Cut, {})
    path, why = find_audit(study)
    assert path is None
    assert "is an audit of other cuts" in why
    assert "score was not attacked" in make_report(study)[0].read_text()
    with pytest.raises(UsageError, match="audit of other cuts"):
        make_report(study, audit=folder)


def test_an_audit_that_is_not_there_or_does_not_tell_is_refused(study: Path) -> None:
    with pytest.raises(UsageError, match="there is no audit in"):
        make_report(study, audit=study / "nowhere")
    write_audit(study, notes={"split": 7})
    with pytest.raises(TableError, match="does not say how it was made"):
        make_report(study)
