import math

import pytest
from analysis_records import make_cut

from foreword.analysis import analyse
from foreword.errors import TableError
from foreword.records import Forecast

CUTS = ("p/0/1", "p/1/1", "q/0/1")


def test_means_are_over_forecasts_whose_number_is_known_missing_ones_included() -> None:
    rows = [
        Forecast(cut_id=CUTS[0], predictor="a", text="y", reasoning_tokens=100, cost_usd=0.5),
        Forecast(cut_id=CUTS[1], predictor="a", text=None, missing="unfinished",
                 reasoning_tokens=900),
        Forecast(cut_id=CUTS[2], predictor="a", text="y", reasoning_tokens=200),
        Forecast(cut_id=CUTS[0], predictor="b", text="y"),
    ]  # fmt: skip
    a, b = analyse([make_cut(cut) for cut in CUTS], rows, []).findings.usage
    assert (a.condition, a.num_forecasts, a.reasoning_tokens.mean) == ("forecast:a", 3, 400.0)
    assert (a.reasoning_tokens.num_papers, a.cost_usd.num_cuts) == (2, 1)
    assert (b.num_forecasts, b.reasoning_tokens.mean, b.cost_usd.mean) == (1, None, None)


@pytest.mark.parametrize("cost", [math.nan, math.inf, -0.5])
def test_a_cost_that_can_not_be_is_refused(cost: float) -> None:
    row = Forecast(cut_id=CUTS[0], predictor="a", text="y", cost_usd=cost)
    with pytest.raises(TableError, match=r"by a for p/0/1 has cost_usd of .*; give a number"):
        analyse([make_cut(CUTS[0])], [row], [])
