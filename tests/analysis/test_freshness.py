from dataclasses import replace

import numpy as np
import pytest
from analysis_records import make_cut, make_forecast, make_score
from findings_made import draw_study

from foreword.analysis import Asked, analyse, analysis_json, clustered_mean, leaderboard_text
from foreword.analysis.freshness import freshness_line, unpaired, without_model
from foreword.dates import first_public
from foreword.errors import UsageError
from foreword.findings import FreshLift, Freshness
from foreword.forecasts import CopyPredictor
from foreword.records import Analysis

CUTS = [make_cut(f"{paper}/{n}/2") for paper, count in
        (("2401.00001v2", 2), ("2402.00001", 1), ("2404.00001", 2), ("2405.00001v1", 1),
         ("notes", 2))
        for n in range(count)]  # fmt: skip
"""Five papers; `notes` has no date."""


def analysed(asked: Asked, *names: str) -> Analysis:
    scores = [make_score(cut.id, "same-budget", -1.0) for cut in CUTS]
    scores += [
        make_score(cut.id, f"forecast:{name}", -0.9 + 0.1 * at)
        for name in names
        for at, cut in enumerate(CUTS)
    ]
    forecasts = [make_forecast(cut.id, name) for cut in CUTS for name in names]
    return analyse(CUTS, forecasts, scores, asked=asked)


def found_in(analysis: Analysis) -> Freshness:
    assert analysis.findings.freshness is not None
    return analysis.findings.freshness


def counts(row: FreshLift) -> dict[str, tuple[int, int]]:
    return {one.group: (one.num_papers, one.num_cuts) for one in row.groups}


def test_papers_before_after_and_unknown_are_three_groups_that_sum_to_all() -> None:
    asked = Asked(cutoffs={"forecast:a": "2024-03-31", "scorer": "2024-04"})
    own, by_scorer = found_in(analysed(asked, "a")).lifts
    assert counts(own) == {"before": (2, 3), "after": (2, 3), "unknown": (1, 2)}
    assert counts(by_scorer) == {"before": (2, 3), "after": (1, 1), "unknown": (2, 4)}
    assert (own.by_scorer, own.cutoff) == (False, "2024-03-31")
    assert (by_scorer.by_scorer, by_scorer.cutoff) == (True, "2024-04")
    before, after, unknown = (one.lift for one in own.groups)
    assert before.mean == pytest.approx(0.2)
    assert after.mean == pytest.approx(0.5)
    assert (unknown.num_cuts, unknown.num_papers, unknown.low) == (2, 1, None)


def test_without_a_cutoff_everything_is_unknown_and_nothing_is_clean() -> None:
    for row in found_in(analysed(Asked(), "a")).lifts:
        assert counts(row) == {"before": (0, 0), "after": (0, 0), "unknown": (5, 8)}
        assert row.groups[1].lift.mean is None
        assert row.after_minus_before is None


def test_a_papers_date_may_come_from_elsewhere_than_its_id() -> None:
    dates = {"notes": first_public("notes", stated="2024-05-02")}
    asked = Asked(cutoffs={"forecast:a": "2024-03-31"}, dates=dates)
    own, _ = found_in(analysed(asked, "a")).lifts
    assert counts(own) == {"before": (2, 3), "after": (3, 5), "unknown": (0, 0)}


def test_a_predictor_without_a_model_has_read_nothing_and_is_known_by_its_settings() -> None:
    made = draw_study(num_papers=3)  # `copy` has the settings that CopyPredictor writes
    dates = {cut.paper_id: first_public("", stated="1999-01-01") for cut in made.cuts}
    dates.pop("paper1")
    found = found_in(analyse(made.cuts, made.forecasts, made.scores, asked=Asked(dates=dates)))
    rows = {row.condition: row for row in found.lifts if not row.by_scorer}
    assert [row.condition for row in found.lifts if not row.has_model] == ["forecast:copy"]
    assert [one.num_papers for one in rows["forecast:copy"].groups] == [0, 2, 1]
    assert [one.num_papers for one in rows["forecast:high"].groups] == [0, 0, 3]


def test_the_name_copy_is_not_enough_and_one_row_of_a_model_is_too_much() -> None:
    kind = CopyPredictor().identity["kind"]
    own = replace(make_forecast("p/0/1", "mine"), settings=f'{{"kind": "{kind}"}}')
    assert without_model([own]) == {"forecast:mine"}
    for other in (
        '{"kind": "api"}',
        "{}",
        "[1]",
        "no json",
        "[" * 100_000,
        '"copy"',
        '{"kind": 1}',
    ):
        assert without_model([own, replace(own, cut_id="p/0/2", settings=other)]) == set()
        assert without_model([replace(make_forecast("p/0/1", "copy"), settings=other)]) == set()


def test_a_cutoff_of_a_predictor_without_a_model_is_refused() -> None:
    made = draw_study(num_papers=2)
    with pytest.raises(UsageError, match="'copy' has no model that could have read a paper"):
        analyse(made.cuts, made.forecasts, made.scores,
                asked=Asked(cutoffs={"forecast:copy": "2024-01"}))  # fmt: skip


def test_the_difference_of_unequal_groups_is_that_of_welch() -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(0)
    a, b = rng.normal(0.3, 1.0, 9), rng.normal(0.0, 0.2, 5)
    found = unpaired(clustered_mean(a.tolist(), range(9)), clustered_mean(b.tolist(), range(5)))
    assert found is not None
    theirs = ttest_ind(a, b, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert found.degrees == pytest.approx(theirs.df)
    assert found.mean / found.standard_error == pytest.approx(theirs.statistic)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_there_is_no_difference_with_one_paper_in_a_group_or_no_spread_at_all() -> None:
    two, one = clustered_mean([0.1, 0.3], ["a", "b"]), clustered_mean([0.1, 0.3], ["a", "a"])
    flat, none = clustered_mean([0.5, 0.5], ["a", "b"]), clustered_mean([], [])
    papers = list("aaabbbb") + list("aab")
    tenths, sevenths = (
        clustered_mean([value] * len(names), names)
        for value, names in ((0.1, papers[:7]), (0.7, papers[7:]))
    )
    assert tenths.standard_error == sevenths.standard_error == 0  # sums round
    assert unpaired(tenths, sevenths) is None
    for pair in ((two, one), (one, two), (one, one), (flat, flat), (two, none), (none, two)):
        assert unpaired(*pair) is None
    assert unpaired(two, flat) is not None


def test_the_terminal_has_a_line_only_where_a_cutoff_was_stated() -> None:
    without = leaderboard_text(analysed(Asked(), "a", "b"))
    assert "cutoff" not in without
    stated = {"forecast:a": "2024-03-31", "scorer": "2024-04"}
    text = leaderboard_text(analysed(Asked(cutoffs=stated), "a", "b"))
    assert text == (f"{without}\n\nPapers after a stated knowledge cutoff, of 5: a 2, the scorer 1")
    assert freshness_line(None) == []


def test_the_line_is_one_line_whatever_the_names_are() -> None:
    names = [f"pre dictor\n\x1b[31m{n}" * 9 for n in range(20)]
    stated = {f"forecast:{name}": "2024-03" for name in names}
    (line,) = freshness_line(found_in(analysed(Asked(cutoffs=stated), *names)))
    assert len(line) <= 100
    assert line.isprintable()
    assert line.endswith("…")


def test_no_cut_has_no_freshness_and_the_json_has_it() -> None:
    assert analyse([], [], []).findings.freshness is None
    row = analysis_json(analysed(Asked(cutoffs={"forecast:a": "2024-03-31"}), "a"))
    found = row["findings"]["freshness"]
    assert found["papers"][0] == {
        "paper_id": "2401.00001v2", "first": "2024-01-01", "last": "2024-01-31",
        "source": "identifier",
    }  # fmt: skip
    assert [one["group"] for one in found["lifts"][0]["groups"]] == ["before", "after", "unknown"]
