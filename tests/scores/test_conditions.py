from dataclasses import replace

import pytest
from cuts_made import SUFFIX, a_cut
from hypothesis import given
from hypothesis import strategies as st

from foreword.errors import UsageError
from foreword.scores import (
    CONTROLS,
    check_condition,
    control_prompt,
    forecast_prompt,
    reveal,
    target,
)


def test_the_scaffold_is_the_published_one() -> None:
    assert forecast_prompt(a_cut(), "Z_1") == (
        "% First equation:\n\\begin{equation}\n\\mathcal{L} =Z_1\n\\end{equation}\n\n"
        "% Same equation:\n\\begin{equation}\n\\mathcal{L} ="
    )


def test_the_true_suffix_completes_the_equation_as_the_paper_has_it() -> None:
    cut = a_cut()
    whole = cut.opening + cut.prefix + cut.hidden + cut.closing
    assert whole in control_prompt(cut, "true-suffix", seed=0)


def test_same_budget_is_recent_context_without_a_scaffold() -> None:
    cut = a_cut()
    prompt = control_prompt(cut, "same-budget", seed=0)
    recent = prompt.removesuffix(cut.opening + cut.prefix)
    assert cut.context.endswith(recent)
    assert len(recent) == len(cut.hidden) + 40
    assert len(control_prompt(cut, "triple-budget", seed=0)) - len(prompt) == 2 * cut.budget


def test_the_context_in_the_scaffold_is_that_of_the_same_budget() -> None:
    cut = a_cut()
    recent = control_prompt(cut, "same-budget", seed=0).removesuffix(cut.opening + cut.prefix)
    in_scaffold = control_prompt(cut, "context-in-scaffold", seed=0)
    assert in_scaffold == forecast_prompt(cut, recent)


@pytest.mark.parametrize("control", CONTROLS)
def test_every_prompt_ends_where_the_target_starts(control: str) -> None:
    cut = a_cut()
    assert control_prompt(cut, control, seed=0).endswith(cut.opening + cut.prefix)
    assert target(cut) == cut.hidden + cut.closing


def test_only_conditions_made_with_the_answer_contain_it() -> None:
    cut = a_cut()
    for control in CONTROLS:
        holds = SUFFIX in control_prompt(cut, control, seed=0)
        assert holds == (control == "true-suffix")


def test_a_control_word_is_not_glued_to_the_forecast() -> None:
    assert r"\le x" in forecast_prompt(a_cut(prefix=r"\phi \le"), "x")
    assert r"\le2" in forecast_prompt(a_cut(prefix=r"\phi \le"), "2")


def test_too_little_context_is_a_reason() -> None:
    short = replace(a_cut(), context="few")
    with pytest.raises(ValueError, match="the context has 3 characters"):
        control_prompt(short, "same-budget", seed=0)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 5))
def test_a_larger_share_reveals_all_that_a_smaller_one_does(a: float, b: float, seed: int) -> None:
    low, high = sorted((a, b))
    less, more = reveal(a_cut(), low, seed=seed), reveal(a_cut(), high, seed=seed)
    assert len(less) == len(more) == len(SUFFIX)
    kept_less = {i for i, c in enumerate(less) if c == SUFFIX[i]}
    agree = sum(1 for i in kept_less if more[i] == SUFFIX[i])
    assert agree == len(kept_less)


@given(st.floats(0, 1))
def test_reveal_keeps_about_its_share(share: float) -> None:
    text = reveal(a_cut(), share, seed=1)
    same = sum(1 for x, y in zip(text, SUFFIX, strict=True) if x == y) / len(SUFFIX)
    assert same >= share - 20 / len(SUFFIX)


def test_reveal_is_the_same_for_the_same_seed() -> None:
    assert reveal(a_cut(), 0.5, seed=3) == reveal(a_cut(), 0.5, seed=3)
    assert reveal(a_cut(), 0.5, seed=3) != reveal(a_cut(), 0.5, seed=4)


def test_reveal_needs_filler() -> None:
    bare = replace(a_cut(), filler="abc")
    with pytest.raises(ValueError, match="other equations give 3 characters"):
        reveal(bare, 0.5, seed=0)
    assert reveal(bare, 1, seed=0) == SUFFIX


@pytest.mark.parametrize("name", ["reveal:0", "reveal:1", "reveal:.25", "reveal:0.75", "empty"])
def test_known_controls(name: str) -> None:
    assert check_condition(name) == name


@pytest.mark.parametrize("name", ["reveal:2", "reveal:", "reveal:-1", "", "reveal:nan"])
def test_unknown_controls_are_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(UsageError, match="reveal:P"):
        check_condition(name)


def test_a_misspelt_control_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'same-budget'"):
        check_condition("same_budget")
