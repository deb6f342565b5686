from dataclasses import replace

import pytest
from analysis_records import make_failed, make_score

from foreword.analysis import contrast, lifts


def test_a_lift_is_paired_on_the_cut_and_failures_are_left_out() -> None:
    scores = [
        make_score("p/0/1", "same-budget", -1.0),
        make_score("p/0/1", "forecast:a", -0.25),
        make_score("p/1/1", "same-budget", -1.5),
        make_failed("p/1/1", "forecast:a"),
        make_failed("q/0/1", "same-budget"),
        make_score("q/0/1", "forecast:a", -0.5),
        make_score("q/1/1", "forecast:a", -0.5),
    ]
    (only,) = lifts(scores)
    assert (only.cut_id, only.paper_id, only.condition) == ("p/0/1", "p", "forecast:a")
    assert (only.over, only.rule, only.value) == ("same-budget", "clip2", 0.75)


def test_a_lift_is_softened_before_it_is_averaged() -> None:
    control = make_score("p/0/1", "empty", -1.0)
    forecast = replace(control, condition="forecast:a", logprobs=(0.0, 0.0, 0.0, -10.0))
    assert lifts([control, forecast], over="empty")[0].value == 0.5
    assert lifts([control, forecast], over="empty", rule="raw")[0].value == -1.5


def test_equal_tokens_give_exactly_no_lift() -> None:
    control = replace(make_score("p/0/1", "same-budget", 0), logprobs=(-0.1, -0.7, -3.3, -0.2))
    assert lifts([control, replace(control, condition="forecast:a")])[0].value == 0.0


def test_the_true_suffix_is_lifted_like_any_other_condition() -> None:
    scores = [make_score("p/0/1", c, x) for c, x in (("same-budget", -1), ("true-suffix", -0.1))]
    assert [lift.condition for lift in lifts(scores)] == ["true-suffix"]


def test_a_baseline_that_was_never_scored_is_named() -> None:
    with pytest.raises(ValueError, match="'same-budget'; the conditions are: empty"):
        lifts([make_score("p/0/1", "empty", -1.0)])


def test_a_contrast_uses_the_cuts_that_both_have_and_needs_no_baseline() -> None:
    scores = [
        make_score("p/0/1", "forecast:a", -0.25),
        make_score("p/0/1", "forecast:b", -0.75),
        make_score("q/0/1", "forecast:a", -0.5),
        make_score("q/0/1", "forecast:b", -0.75),
        make_score("q/1/1", "forecast:a", -0.5),
    ]
    estimate = contrast(scores, "forecast:a", "forecast:b")
    assert (estimate.num_cuts, estimate.num_papers, estimate.mean) == (2, 2, 0.375)
    assert contrast(scores, "forecast:b", "forecast:a").mean == -0.375


def test_a_contrast_of_predictors_without_a_common_cut_has_no_mean() -> None:
    scores = [make_score("p/0/1", "forecast:a", -1), make_score("p/1/1", "forecast:b", -1)]
    assert contrast(scores, "forecast:a", "forecast:b").mean is None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"token_ids": (11, 12, 13, 99)}, "other target tokens than under same-budget"),
        ({"token_ids": (11,), "logprobs": (-1.0,)}, "other target tokens"),
        ({"scorer_id": "another"}, "two scorers, s and another"),
        ({"paper_id": "q"}, "paper q"),
        ({"logprobs": (-1.0,)}, "4 tokens, 1 log-prob"),
        ({"logprobs": (), "token_ids": ()}, "no failure that says why"),
        ({"logprobs": (-1.0, float("nan"), -1.0, -1.0)}, "forecast:a: token 1 has nan"),
        ({"logprobs": (0.5, -1.0, -1.0, -1.0)}, "token 0 has 0.5"),
        ({"condition": "same-budget"}, "scored twice"),
        ({"failure": "too long"}, "it can't have both"),
    ],
)
def test_scores_that_contradict_each_other_are_refused(
    change: dict[str, object], complaint: str
) -> None:
    good = make_score("p/0/1", "same-budget", -1.0)
    bad = replace(good, **{"condition": "forecast:a", **change})
    with pytest.raises(ValueError, match=complaint):
        lifts([good, bad])


def test_a_lift_does_not_depend_on_the_other_rows() -> None:
    control = replace(make_score("p/0/1", "same-budget", 0), logprobs=(-0.1, -0.7, -3.3, -0.2))
    forecast = replace(control, condition="forecast:a", logprobs=(-0.3, -0.1, -0.1, -7.1))
    others = [make_score(f"q/{i}/1", "same-budget", -i / 7) for i in range(9)]
    failed = [make_failed("p/2/1", "same-budget")]
    assert lifts([*others, control, *failed, forecast]) == lifts([control, forecast])
