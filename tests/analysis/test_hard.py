import pytest
from findings_made import draw_study

from foreword.analysis import Asked, analyse, contrast, lifts
from foreword.errors import UsageError
from foreword.findings import HardCuts


def hard(reference: str | None = None) -> HardCuts:
    made = draw_study()
    asked = Asked(reference=reference)
    found = analyse(made.cuts, made.forecasts, made.scores, asked=asked).findings.hard
    assert found is not None
    return found


def test_the_hard_cuts_are_the_fifth_on_which_the_reference_gains_least() -> None:
    found = hard()
    of = {
        one.cut_id: one.value
        for one in lifts(draw_study().scores)
        if one.condition == "forecast:copy"
    }
    assert found.reference == "forecast:copy"  # the weakest
    assert len(found.cut_ids) == -(-len(of) // 5)
    assert found.num_ranked == len(of)
    assert found.highest == max(of[cut] for cut in found.cut_ids)
    assert min(of[cut] for cut in of.keys() - set(found.cut_ids)) >= found.highest
    assert [of[cut] for cut in found.cut_ids] == sorted(of[cut] for cut in found.cut_ids)


def test_contrasts_are_on_the_hard_cuts_and_leave_the_reference_out() -> None:
    found = hard("low")
    assert [(one.first, one.second) for one in found.contrasts] == [
        ("forecast:high", "forecast:none"), ("forecast:none", "forecast:copy")
    ]  # fmt: skip
    there = [score for score in draw_study().scores if score.cut_id in found.cut_ids]
    for one in found.contrasts:
        assert one.difference == contrast(there, one.first, one.second)
        assert one.evidence is not None
        assert one.evidence.num_tests == 2


def test_a_predictor_of_noise_does_not_turn_the_order_of_others_round() -> None:
    """Chosen by one of the two, the cuts would favour the other."""
    levels = {f"forecast:{name}": -1.0 for name in ("a", "b", "noise")}
    gaps = []
    for seed in range(40):
        made = draw_study(seed=seed, levels=levels)
        asked = Asked(reference="noise")
        found = analyse(made.cuts, made.forecasts, made.scores, asked=asked).findings.hard
        assert found is not None
        (one,) = found.contrasts
        assert one.difference.mean is not None
        gaps.append(one.difference.mean * (1 if one.first == "forecast:a" else -1))
    assert abs(sum(gaps) / 40) < 0.06


def test_an_unknown_reference_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UsageError, match="'medium'; there are: high, low, none, copy"):
        hard("medium")
    with pytest.raises(UsageError, match="'a'; there are: none"):
        analyse([], [], [], asked=Asked(reference="a"))


def test_two_predictors_leave_nothing_to_compare() -> None:
    levels = {"forecast:a": -0.5, "forecast:b": -1.0}
    made = draw_study(levels=levels)
    found = analyse(made.cuts, made.forecasts, made.scores).findings.hard
    assert found is not None
    assert (found.reference, found.contrasts) == ("forecast:b", ())
