import pytest
from findings_made import draw_study

from foreword.analysis import (
    analyse,
    contrast,
    holm,
    papers_needed,
    smallest_difference,
    t_p,
    wild_cluster_p,
)
from foreword.analysis.evidence import with_evidence
from foreword.analysis.pairing import differences, mean_scores


def test_each_contrast_has_what_the_functions_say_of_it() -> None:
    made = draw_study()
    papers = {cut.id: cut.paper_id for cut in made.cuts}
    means = mean_scores(made.scores, "clip2")
    pairs = [("forecast:high", "forecast:low"), ("forecast:none", "forecast:copy")]
    found = with_evidence(pairs, means, papers, "clip2", seed=3)
    corrected = holm([t_p(contrast(made.scores, *pair)) for pair in pairs])
    for one, pair, p_holm in zip(found, pairs, corrected, strict=True):
        d = differences(means, *pair)
        own = contrast(made.scores, *pair)
        assert one.difference == own
        assert one.evidence is not None
        assert one.evidence.p_t == t_p(own)
        assert one.evidence.p_wild == wild_cluster_p(
            list(d.values()), [papers[cut] for cut in d], seed=3
        )
        assert (one.evidence.p_holm, one.evidence.num_tests) == (p_holm, 2)
        assert one.evidence.smallest_difference == smallest_difference(own)
        assert one.evidence.papers_needed == papers_needed(own, own.mean)


def test_a_pair_without_a_p_is_no_test_and_has_none() -> None:
    means = {"a": {"x": -0.5, "y": -0.5}, "b": {"x": -1.0, "y": -1.0}, "c": {"x": -0.5, "y": -0.25}}
    same, other, none = with_evidence(
        [("a", "b"), ("c", "a"), ("a", "d")], means, {"x": "p", "y": "q"}, "clip2", seed=0
    )
    assert same.evidence is not None
    assert other.evidence is not None
    assert none.evidence is not None
    assert (same.evidence.p_t, same.evidence.p_wild, same.evidence.p_holm) == (None, None, None)
    assert other.evidence.p_holm == other.evidence.p_t
    assert {one.evidence.num_tests for one in (same, other, none) if one.evidence} == {1}
    assert (none.difference.num_cuts, none.evidence.smallest_difference) == (0, None)
    assert none.evidence.papers_needed is None


def test_predictors_that_tie_need_no_number_of_papers() -> None:
    means = {"a": {"x": -0.5, "y": -0.75}, "b": {"x": -0.75, "y": -0.5}}
    (one,) = with_evidence([("a", "b")], means, {"x": "p", "y": "q"}, "clip2", seed=0)
    assert one.evidence is not None
    assert one.difference.mean == 0
    assert (one.evidence.p_t, one.evidence.papers_needed) == (pytest.approx(1.0), None)


def test_the_analysis_tests_neighbours_under_the_headline_rule_alone() -> None:
    made = draw_study(num_papers=5)
    analysis = analyse(made.cuts, made.forecasts, made.scores, rule="raw")
    assert {c.rule for c in analysis.contrasts if c.evidence} == {"raw"}
    assert len([c for c in analysis.contrasts if c.evidence]) == 3
