from collections.abc import Sequence
from dataclasses import replace

import pytest
from audited_cuts import cuts_of, forecasts_of, likes, other_hidden
from test_searches import AddingProposer, MakeMeans

from foreword.analysis import clustered_mean
from foreword.audit import (
    Audited,
    AuditRow,
    AuditRules,
    audit_cuts,
    audit_text,
    findings,
    shares,
    split_papers,
)
from foreword.audit.objective import clip2_mean
from foreword.audit.rows import CONTEXTS, REFERENCES
from foreword.records import Cut, Forecast

RULES = AuditRules(seed=0, search_requests=60, gradient_steps=2, gradient_batch=3, gradient_cuts=2)


def audited(means_of: MakeMeans, cuts: Sequence[Cut], forecasts: Sequence[Forecast]) -> Audited:
    means = [means_of(likes("&")), means_of(likes("+"), "second")]
    return audit_cuts(cuts, forecasts, means, rules=RULES, proposer=AddingProposer())


@pytest.fixture
def whole(means_of: MakeMeans) -> Audited:
    cuts = cuts_of("a", "b", "c")
    return audited(means_of, cuts, forecasts_of(cuts))


def test_all_is_judged_on_the_same_cuts_of_papers_that_nothing_was_fitted_on(
    whole: Audited,
) -> None:
    judged = {(row.scorer_id, row.name): set[str]() for row in whole.rows}
    for row in whole.rows:
        assert (row.half == "fit") == (row.paper_id in whole.split.fit)
        if row.half == "judge" and row.group != "ceiling":
            judged[row.scorer_id, row.name].add(row.cut_id)
    expected = {f"{paper}/{n}/9" for paper in whole.split.judge for n in range(2)}
    for (_, name), cuts in judged.items():
        assert cuts == (set() if name == "gradient-with-Y" else expected), name
    names = {row.name for row in whole.rows}
    assert names >= {*CONTEXTS, *REFERENCES, "universal-search", "gradient-blind", "mine"}
    assert {row.scorer_id for row in whole.rows} == {"likes &", "likes +"}


def test_every_score_follows_from_the_stored_tokens(whole: Audited) -> None:
    empty = {(r.scorer_id, r.cut_id): r.score for r in whole.rows if r.name == "empty"}
    for row in whole.rows:
        assert row.score is not None
        assert row.score == pytest.approx(clip2_mean(row.logprobs))
        base = empty[row.scorer_id, row.cut_id]
        assert base is not None
        assert row.over_empty == pytest.approx(row.score - base)


def test_what_is_sent_keeps_the_budget(whole: Audited) -> None:
    budgets = {cut.id: cut.budget for cut in cuts_of("a", "b", "c")}
    assert all(len(row.text) <= budgets[row.cut_id] for row in whole.rows if row.text)


def test_the_searches_find_what_the_scorer_likes_and_it_does_not_transfer(whole: Audited) -> None:
    lifts = {(one.scorer_id, one.name): one.over_empty.mean for one in findings(whole.rows)}
    assert (lifts["likes &", "universal-search"] or 0) > 0.1
    assert (lifts["likes +", "universal-search"] or 0) < 0.1


def test_no_attack_without_y_depends_on_the_answers_it_is_judged_on(
    means_of: MakeMeans,
) -> None:
    cuts = cuts_of("a", "b", "c")
    judged = split_papers("abc", seed=RULES.seed).judge
    others = [other_hidden(cut) if cut.paper_id in judged else cut for cut in cuts]
    forecasts = forecasts_of(cuts)
    sent = []
    for number, these in enumerate((cuts, others)):
        means = [means_of(likes("&"), f"of {number}")]
        found = audit_cuts(these, forecasts, means, rules=RULES, proposer=AddingProposer())
        sent.append({(r.name, r.cut_id): r.text for r in found.rows if r.group == "attack"})
    assert sent[0] == sent[1]


def test_a_finding_is_the_clustered_mean_of_its_judged_rows(whole: Audited) -> None:
    [one] = [f for f in findings(whole.rows) if (f.scorer_id, f.name) == ("likes &", "sameness")]
    rows = [
        row
        for row in whole.rows
        if (row.scorer_id, row.name, row.half) == ("likes &", "sameness", "judge")
    ]
    values = [row.over_same_budget for row in rows if row.over_same_budget is not None]
    assert one.over_same_budget == clustered_mean(values, [row.paper_id for row in rows])


def test_without_forecasts_there_is_no_share_and_no_priming(means_of: MakeMeans) -> None:
    found = audited(means_of, cuts_of("a", "b"), [])
    assert {row.group for row in found.rows} == {"attack", "ceiling", "context", "reference"}
    assert {one.share for one in shares(found.rows)} == {None}
    assert "no attack and no forecast were scored on the same cut" in audit_text(found.rows)
    assert "forecasts with priming" in found.searched.left_out[-1]


def test_a_missing_forecast_is_a_row_without_a_number(means_of: MakeMeans) -> None:
    cuts = cuts_of("a", "b")
    forecasts = [replace(each, text=None, missing="empty") for each in forecasts_of(cuts)]
    found = audited(means_of, cuts, forecasts[:1] + forecasts_of(cuts)[1:])
    silent = [row for row in found.rows if row.is_silent]
    assert {(row.name, row.group, row.score) for row in silent} == {
        ("mine", "forecast", None),
        ("mine", "primed", None),
    }


def _rows(name: str, group: str, lifts: Sequence[float]) -> list[AuditRow]:
    return [
        AuditRow(
            name=name,
            group=group,  # type: ignore[arg-type]
            half="judge" if number else "fit",
            cut_id=f"p{number}/0/1",
            paper_id=f"p{number}",
            scorer_id="s",
            text="x",
            score=-1.0 + lift,
            over_empty=lift,
            over_same_budget=lift - 0.5,
        )
        for number, lift in enumerate(lifts)
    ]


def test_the_share_is_that_of_the_best_attack_in_the_best_forecast() -> None:
    rows = [
        *_rows("weak", "attack", [9.0, 0.0, 0.1]),
        *_rows("strong", "attack", [0.0, 0.1, 0.1]),
        *_rows("ceiling", "ceiling", [0.0, 9.0, 9.0]),
        *_rows("good", "forecast", [0.0, 0.5, 0.3]),
        *_rows("bad", "forecast", [9.0, 0.0, 0.1]),
    ]
    over_empty, over_context = shares(rows)
    assert (over_empty.attack, over_empty.honest) == ("strong", "good")
    assert over_empty.share == pytest.approx(0.25)
    assert over_empty.num_attacks == 2
    assert over_context.share is None
    said = audit_text(rows).splitlines()[-1]
    assert "over empty: the best of 2 attacks without Y, strong (+0.100), reaches 25 %" in said
    assert "over same-budget: the best honest lift, by good (−0.100), is not above zero" in said


def test_a_hostile_name_moves_no_cursor() -> None:
    rows = [
        *_rows("x", "attack", [0.0, 0.1]),
        *_rows("\x1b[2J\nevil", "forecast", [0.0, 0.5]),
    ]
    text = audit_text(rows)
    assert "\x1b" not in text
    assert "evil" in text
