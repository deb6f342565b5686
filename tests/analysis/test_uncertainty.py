"""Where the uncertainty of a lift comes from, of studies with known variances."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from analysis_records import make_cut

from foreword.analysis import Asked, advice, analyse, clustered_mean, leaderboard_text, lifts
from foreword.errors import TableError, UsageError
from foreword.findings import Level, Uncertainty
from foreword.records import Analysis, Cut, Forecast, Score

ME = "forecast:me"
COSTS: dict[Level, float] = {"paper": 20.0, "cut": 0.1, "sample": 0.02, "repeat": 0.001}


@dataclass(frozen=True)
class Made:
    cuts: list[Cut]
    forecasts: list[Forecast]
    scores: list[Score]

    def analysed(self, **asked: object) -> Analysis:
        how = Asked(**asked)  # type: ignore[arg-type]
        return analyse(self.cuts, self.forecasts, self.scores, asked=how)

    def found(self, **asked: object) -> Uncertainty:
        (one,) = self.analysed(**asked).findings.uncertainty
        return one


def drawn(
    *,
    papers: int = 8,
    cuts: int = 3,
    samples: int = 2,
    deviations: Sequence[float] = (0.05, 0.05, 0.05),
    tokens: int = 4,
    seed: int = 0,
) -> Made:
    """Lifts with so much deviation of papers, cuts and samples; nothing is near a clip."""
    rng = np.random.default_rng(seed)
    made = Made([], [], [])
    for paper in range(papers):
        of_paper = rng.normal(0, deviations[0])
        for number in range(cuts):
            cut = make_cut(f"p{paper}/{number}/2")
            made.cuts.append(cut)
            of_cut = of_paper + rng.normal(0, deviations[1])
            made.scores.append(score(cut, "same-budget", -1.3, 0, tokens))
            made.scores.append(score(cut, "empty", -1.4, 0, tokens))
            for sample in range(samples):
                value = -1.0 + of_cut + rng.normal(0, deviations[2])
                made.scores.append(score(cut, ME, value, sample, tokens))
                made.forecasts.append(forecast(cut, sample))
    return made


def score(cut: Cut, condition: str, value: float, sample: int = 0, tokens: int = 4) -> Score:
    return Score(
        cut_id=cut.id, paper_id=cut.paper_id, condition=condition, scorer_id="s", sample=sample,
        token_ids=tuple(range(tokens)), logprobs=(value,) * tokens,
    )  # fmt: skip


def forecast(cut: Cut, sample: int, **more: object) -> Forecast:
    return Forecast(cut_id=cut.id, predictor="me", text="y", sample=sample, **more)  # type: ignore[arg-type]


def test_known_variances_are_recovered_from_a_study_put_through_the_analysis() -> None:
    # 24 studies: the mean of their estimates is off by a few per cent at most.
    deviations = (0.04, 0.06, 0.08)
    found = [
        drawn(papers=30, cuts=4, samples=3, deviations=deviations, seed=seed).found()
        for seed in range(24)
    ]
    names = [source.component.levels for source in found[0].sources]
    assert names == [("paper",), ("cut",), ("sample", "repeat")]
    means = np.mean([[s.component.variance for s in one.sources] for one in found], axis=0)
    assert means == pytest.approx(np.square(deviations), rel=0.15)
    expected = 0.04**2 / 30 + 0.06**2 / 120 + 0.08**2 / 360
    errors = [one.standard_error or 0.0 for one in found]
    assert np.mean(np.square(errors)) == pytest.approx(expected, rel=0.15)


def test_of_a_balanced_study_the_error_by_sources_is_crv1() -> None:
    made = drawn(deviations=(0.2, 0.05, 0.05))
    one, analysis = made.found(), made.analysed()
    assert not any(source.component.is_negative for source in one.sources)
    (board,) = [
        s.lift
        for s in analysis.standings
        if (s.condition, s.over, s.rule) == (ME, "same-budget", "clip2")
    ]
    assert one.standard_error == pytest.approx(board.standard_error, rel=1e-12)
    assert [source.degrees for source in one.sources] == [7, 16, 24]
    assert math.fsum(source.share or 0 for source in one.sources) == pytest.approx(1)


def test_a_cut_counts_with_the_mean_over_its_samples() -> None:
    made = drawn(samples=3)
    values = {(s.cut_id, s.sample): s.logprobs[0] + 1.3 for s in made.scores if s.condition == ME}
    for lift in lifts(made.scores):
        if lift.condition == ME:
            own = [values[lift.cut_id, sample] for sample in range(3)]
            assert lift.value == pytest.approx(math.fsum(own) / 3, abs=1e-12)
    found = [lift for lift in made.analysed().lifts if lift.condition == ME]
    assert len(found) == 2 * len(made.cuts)  # over two baselines, whatever the samples


def test_one_sample_changes_no_digit() -> None:
    made = drawn(samples=1)
    analysis = made.analysed()
    values = [s.logprobs[0] - -1.3 for s in made.scores if s.condition == ME]
    papers = [s.paper_id for s in made.scores if s.condition == ME]
    (board,) = [
        s.lift
        for s in analysis.standings
        if (s.condition, s.over, s.rule) == (ME, "same-budget", "raw")
    ]
    assert board == clustered_mean(values, papers)
    one = made.found()
    assert [source.component.levels for source in one.sources] == [
        ("paper",),
        ("cut", "sample", "repeat"),
    ]
    assert one.most_samples == 1


def test_doubling_halves_what_a_level_and_all_inside_of_it_add() -> None:
    paper, cut, sample = drawn(deviations=(0.2, 0.1, 0.1)).found().sources
    adds = [paper.adds, cut.adds, sample.adds]
    assert paper.error_if_doubled == pytest.approx(math.sqrt(sum(adds) / 2))
    assert cut.error_if_doubled == pytest.approx(math.sqrt(adds[0] + (adds[1] + adds[2]) / 2))
    assert sample.error_if_doubled == pytest.approx(math.sqrt(adds[0] + adds[1] + adds[2] / 2))


def test_the_error_foretold_for_twice_the_samples_is_that_of_such_studies() -> None:
    deviations = (0.06, 0.06, 0.12)
    now = [drawn(papers=40, samples=2, deviations=deviations, seed=n).found() for n in range(16)]
    foretold = np.mean([one.sources[2].error_if_doubled ** 2 for one in now])
    truth = 0.06**2 / 40 + 0.06**2 / 120 + 0.12**2 / 480
    assert foretold == pytest.approx(truth, rel=0.15)


def test_unequal_numbers_of_samples_have_their_weights_in_the_mean() -> None:
    made = drawn(samples=3)
    kept = [s for s in made.scores if s.condition != ME or s.sample == 0 or s.cut_id[-3] != "0"]
    one = replace(made, scores=kept, forecasts=[]).found()
    sample = one.sources[-1]
    expected = sum((1 / 24 / k) ** 2 * k for k in [1] * 8 + [3] * 16)
    assert sample.adds == pytest.approx(sample.component.variance * expected)
    assert (one.num_cuts, one.num_samples, one.most_samples) == (24, 56, 3)


def test_one_paper_has_no_sources_and_no_advice() -> None:
    one = drawn(papers=1).found(costs=COSTS)
    assert (one.sources, one.standard_error, one.advised) == ((), None, ())
    assert one.not_advised == "one paper can't tell how papers differ"


def test_a_cut_is_missing_only_where_all_its_samples_are() -> None:
    made = drawn()
    first, second = made.cuts[0].id, made.cuts[1].id
    lost = {(first, 0), (first, 1), (second, 1)}
    forecasts = [
        replace(f, text=None, missing="refused") if (f.cut_id, f.sample) in lost else f
        for f in made.forecasts
    ]
    scores = [s for s in made.scores if s.condition != ME or (s.cut_id, s.sample) not in lost]
    scores = [
        Score(cut_id=s.cut_id, paper_id=s.paper_id, condition=ME, scorer_id="s", sample=1,
              failure="too long")
        if (s.condition, s.cut_id, s.sample) == (ME, made.cuts[2].id, 1) else s
        for s in scores
    ]  # fmt: skip
    study = Made(made.cuts, forecasts, scores)
    analysis = study.analysed()
    standing = next(s for s in analysis.standings if s.condition == ME)
    assert (standing.num_missing, standing.num_failed) == (1, 0)
    assert standing.lift.num_cuts == len(made.cuts) - 1
    assert [(f.stage, f.item, f.reason) for f in analysis.missing] == [
        ("forecasts", f"{first} me", "refused"),
        ("forecasts", f"{second} me sample 1", "refused"),
        ("scores", f"{made.cuts[2].id} {ME} sample 1", "too long"),
    ]
    one = study.found()
    assert (one.num_missing, one.num_failed, one.num_samples) == (3, 1, 44)
    text = leaderboard_text(analysis)
    assert "me: 44 samples of 23 cuts; 3 missing, 1 not scored" in text
    assert "samples of" not in leaderboard_text(drawn(samples=1).analysed())


def test_a_cut_with_a_missing_and_a_failed_sample_has_failed() -> None:
    cut = make_cut("p/0/2")
    rows = [forecast(cut, 0), replace(forecast(cut, 1), text=None, missing="empty")]
    failed = Score(cut_id=cut.id, paper_id="p", condition=ME, scorer_id="s", failure="too long")
    scores = [score(cut, "same-budget", -1.0), failed]
    standing = next(s for s in analyse([cut], rows, scores).standings if s.condition == ME)
    assert (standing.num_missing, standing.num_failed) == (0, 1)


def test_costs_and_tokens_are_means_over_forecasts_of_all_samples() -> None:
    cut = make_cut("p/0/2")
    rows = [forecast(cut, n, cost_usd=spent) for n, spent in enumerate((0.1, 0.2, 0.6))]
    (usage,) = analyse([cut], rows, []).findings.usage
    assert usage.num_forecasts == 3
    assert usage.cost_usd.mean == pytest.approx(0.3)


def test_tokens_at_the_floor_are_of_all_samples() -> None:
    cut = make_cut("p/0/2")
    scores = [score(cut, "same-budget", -1.0)]
    scores += [score(cut, ME, value, n) for n, value in enumerate((-1.0, -3.0))]
    found = analyse([cut], [forecast(cut, n) for n in range(2)], scores).findings.clipped
    row = next(one for one in found if (one.condition, one.rule) == (ME, "clip2"))
    assert (row.num_tokens, row.at_floor.value) == (8, 0.5)


def test_advice_is_that_of_the_components_at_the_stated_costs() -> None:
    one = drawn(deviations=(0.2, 0.1, 0.1)).found(costs=COSTS)
    steps = advice([source.component for source in one.sources], COSTS)
    assert [each.step for each in one.advised] == list(steps)
    assert all(0 < each.error_falls_by < (one.standard_error or 0) for each in one.advised)
    assert one.not_advised is None


def test_a_sample_costs_what_forecasts_did_unless_it_is_stated() -> None:
    made = drawn()
    priced = replace(made, forecasts=[replace(f, cost_usd=0.5) for f in made.forecasts])
    costs: dict[Level, float] = {"paper": 0, "cut": 0, "repeat": 0}
    of = {each.step.level: each.step.cost for each in priced.found(costs=costs).advised}
    assert of == pytest.approx({"sample": 0.5, "cut": 1.0, "paper": 3.0})
    assert "not known" in (made.found(costs=costs).not_advised or "")
    free = made.found(costs={**costs, "sample": 0})
    assert free.not_advised == "one more paper costs nothing: take as many as there are"


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({"cut": 1.0}, "the cost of one paper is not stated"),
        ({**COSTS, "cut": math.nan}, "the cost of one cut is nan"),
        ({**COSTS, "repeat": -1.0}, "the cost of one repeat is -1.0"),
        ({**COSTS, "paper": math.inf}, "the cost of one paper is inf"),
    ],
)
def test_costs_that_can_not_be_are_refused(costs: dict[Level, float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        drawn().found(costs=costs)


def test_the_scorers_noise_is_bounded_as_if_every_token_were_the_noisiest() -> None:
    one = drawn(tokens=4).found(repeat_noise=0.01)
    assert one.repeats == pytest.approx(0.01**2 / 4)
    assert drawn().found(repeat_noise=0.0).repeats == 0.0
    assert drawn().found().repeats is None
    made = drawn()
    rooted = analyse(
        made.cuts, made.forecasts, made.scores, rule="sqrt", asked=Asked(repeat_noise=0.01)
    )
    assert rooted.findings.uncertainty[0].repeats is None  # a root's slope has no bound


@pytest.mark.parametrize("sample", [-1, 1_000, 2**63])
def test_a_sample_that_can_not_be_is_refused_in_one_sentence(sample: int) -> None:
    cut = make_cut("p/0/2")
    with pytest.raises(TableError, match=f"is sample {sample}; give a number from 0 to 999"):
        analyse([cut], [forecast(cut, sample)], [])
    scores = [score(cut, "same-budget", -1.0), score(cut, ME, -1.0, sample)]
    with pytest.raises(TableError, match=f"sample {sample}, can't have that number"):
        analyse([cut], [], scores)


def test_a_sample_that_is_there_twice_is_refused() -> None:
    cut = make_cut("p/0/2")
    with pytest.raises(TableError, match="two forecasts for p/0/2"):
        analyse([cut], [forecast(cut, 1), forecast(cut, 1)], [])
    scores = [score(cut, "same-budget", -1.0), *[score(cut, ME, -1.0, 1)] * 2]
    with pytest.raises(TableError, match=r"sample 1, was scored twice"):
        analyse([cut], [], scores)


def test_a_control_has_no_samples() -> None:
    cut = make_cut("p/0/2")
    with pytest.raises(TableError, match="a control has no samples"):
        analyse([cut], [], [score(cut, "same-budget", -1.0, 1)])


def test_a_score_of_a_missing_sample_is_refused() -> None:
    cut = make_cut("p/0/2")
    rows = [forecast(cut, 0), replace(forecast(cut, 1), text=None, missing="empty")]
    scores = [score(cut, "same-budget", -1.0), *(score(cut, ME, -1.0, n) for n in range(2))]
    with pytest.raises(TableError, match="that forecast is missing"):
        analyse([cut], rows, scores)
