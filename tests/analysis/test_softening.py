import math

import jaxtyping
import numpy as np
import pytest
from beartype import beartype
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.analysis import RULES, clip, soften, softening
from foreword.analysis.softening import clip_rule, floor
from foreword.records import Rule

logprobs = st.lists(st.floats(-1e4, 0.0), min_size=1, max_size=30)


def by_definition(x: float, rule: Rule) -> float:
    if rule == "raw":
        return x
    if rule == "sqrt":
        return -math.sqrt(-x)
    if rule == "log1p":
        return -math.log(1 - x)
    return max(x, -float(rule.removeprefix("clip")))


def test_the_six_rules_come_in_the_order_of_the_tables() -> None:
    assert RULES == ("raw", "clip2", "clip3", "clip5", "sqrt", "log1p")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None)
@given(values=logprobs)
def test_soften_is_its_definition_in_a_plain_loop(
    rule: Rule, dtype: type[np.floating], values: list[float]
) -> None:
    given_values = np.array(values, dtype=dtype)
    expected = [by_definition(float(x), rule) for x in given_values]
    softened = soften(given_values, rule)
    assert softened.dtype == np.float64
    np.testing.assert_allclose(softened, expected, rtol=1e-12, atol=1e-15)


@settings(deadline=None)
@given(values=logprobs)
def test_a_lower_floor_never_raises_a_token(values: list[float]) -> None:
    x = np.array(values)
    raw, clip2, clip3, clip5 = (soften(x, rule) for rule in RULES[:4])
    assert (clip2 >= clip3).all()
    assert (clip3 >= clip5).all()
    assert (clip5 >= raw).all()


@pytest.mark.parametrize("rule", RULES)
@settings(deadline=None)
@given(values=logprobs)
def test_every_rule_keeps_the_order_of_tokens(rule: Rule, values: list[float]) -> None:
    assert (np.diff(soften(np.sort(values), rule)) >= 0).all()


@pytest.mark.parametrize("rule", RULES)
def test_certain_is_the_best_score_and_rounding_above_it_is_no_gain(rule: Rule) -> None:
    assert soften(np.array([0.0, -0.0, 1e-7, 1e-6]), rule).tolist() == [0.0] * 4


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("wrong", [2e-6, 1.0, math.nan, math.inf, -math.inf])
def test_soften_refuses_what_is_no_log_probability(rule: Rule, wrong: float) -> None:
    with pytest.raises(ValueError, match=r"token 1 has .*no log-probability"):
        soften(np.array([-1.0, wrong]), rule)


def test_an_unknown_rule_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'clip4'.*raw, clip2"):
        soften(np.array([-1.0]), "clip4")  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", RULES)
def test_soften_keeps_the_shape_it_declares(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(softening, "Float", jaxtyping.Float, raising=False)
    checked = jaxtyping.jaxtyped(typechecker=beartype)(soften)
    for length in (0, 1, 7):
        assert checked(np.full(length, -1.0), rule).shape == (length,)
    with pytest.raises(jaxtyping.TypeCheckError):
        checked(np.full((2, 2), -1.0), rule)


def test_soften_leaves_its_input_as_it_was() -> None:
    x = np.array([1e-7, -3.0])
    soften(x, "clip2")
    assert x.tolist() == [1e-7, -3.0]


@settings(deadline=None)
@given(values=logprobs, k=st.floats(1e-3, 1e3))
def test_clip_at_any_k_is_its_definition_in_a_plain_loop(values: list[float], k: float) -> None:
    assert clip(np.array(values), k).tolist() == [max(x, -k) for x in values]
    assert soften(np.array(values), clip_rule(k)).tolist() == clip(np.array(values), k).tolist()
    assert floor(clip_rule(k)) == -k


@pytest.mark.parametrize("k", [2, 3.0, 5])
def test_a_clip_that_has_a_name_keeps_it(k: float) -> None:
    assert clip_rule(k) == f"clip{k:g}"
    assert clip(np.array([-9.0]), k).tolist() == soften(np.array([-9.0]), f"clip:{k}").tolist()


@pytest.mark.parametrize("k", [0.0, -1.0, math.nan, math.inf])
def test_nothing_is_clipped_at_zero_or_beyond_all(k: float) -> None:
    with pytest.raises(ValueError, match="nothing can be clipped"):
        clip(np.array([-1.0]), k)


@pytest.mark.parametrize(
    "rule", ["clip:0", "clip:", "clip:-1", "clip:1e3", "clip:nan", "clip2 ", "raw"]
)
def test_a_rule_without_a_floor_has_none(rule: str) -> None:
    with pytest.raises(ValueError, match="no clip rule is called"):
        floor(rule)
