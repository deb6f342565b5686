import pytest
from findings_made import draw_study

from foreword.analysis import analyse, contrast


def test_every_predictor_is_paired_with_every_control() -> None:
    study = draw_study(num_papers=4, per_paper=4)
    found = analyse(study.cuts, study.forecasts, study.scores).findings.advantages
    assert len(found) == 4 * 3
    for one in found:
        assert one.difference == contrast(study.scores, one.first, one.second)
        assert one.rule == "clip2"


def test_a_control_scored_on_some_papers_is_compared_on_those() -> None:
    study = draw_study(num_papers=4, per_paper=4)
    kept = [
        score
        for score in study.scores
        if score.condition != "true-suffix" or score.paper_id in ("paper0", "paper2")
    ]
    found = analyse(study.cuts, study.forecasts, kept).findings.advantages
    (one,) = (one for one in found if (one.first, one.second) == ("forecast:copy", "true-suffix"))
    assert one.difference.num_papers == 2
    assert one.difference.mean is not None
    assert one.difference.mean < 0
    rows = {(s.cut_id, s.condition) for s in kept}
    both = {cut for cut, name in rows if name == "true-suffix"}
    assert one.difference.num_cuts == len(both)


def test_a_control_that_shares_no_cut_has_no_line() -> None:
    study = draw_study(num_papers=2, per_paper=2)
    kept = [score for score in study.scores if score.condition != "empty"]
    found = analyse(study.cuts, study.forecasts, kept).findings.advantages
    assert {one.second for one in found} == {"same-budget", "true-suffix"}
    assert [one.difference.mean for one in found] == pytest.approx(
        [contrast(kept, one.first, one.second).mean for one in found]
    )
