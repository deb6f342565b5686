from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.errors import UsageError
from foreword.records import Cut, Forecast
from foreword.scores import (
    check_condition,
    control_prompt,
    controls_of,
    forecast_prompt,
    requests,
    target,
)

CONTEXT = "".join(f"Here is the sentence number {n} of the context. " for n in range(250))
HIDDEN = "".join(f"And this is the hidden sentence number {n} \\alpha. " for n in range(60))


def prose_cut(context: str = CONTEXT + "\n\n") -> Cut:
    return Cut(
        id="p/prose/12000",
        paper_id="p",
        environment="",
        context=context,
        opening="",
        prefix="",
        hidden=HIDDEN,
        closing="",
        kind="prose",
        asked=1_800,
        room=1_000,
    )


def comments(prompt: str) -> list[str]:
    """The lines of the scaffold between the two contexts."""
    inside = prompt[2_000:-2_000].removeprefix("\n")
    assert inside.endswith("\n")
    return inside.splitlines()


def test_the_scaffold_is_the_published_one() -> None:
    cut = prose_cut()
    recent = cut.context[-2_000:]
    assert forecast_prompt(cut, "Z one.\nZ two.") == (
        f"{recent}% Notes about what's next:\n% Z one.\n% Z two.\n"
        f"% Returning to paper text:\n{recent}"
    )
    assert target(cut) == HIDDEN


def test_a_context_that_ends_in_its_line_gets_an_end_of_line_before_the_comment() -> None:
    cut = prose_cut(CONTEXT.rstrip())
    assert f"{cut.context[-2_000:]}\n% Notes" in forecast_prompt(cut, "Z")
    assert forecast_prompt(cut, "Z").endswith(f":\n{cut.context[-2_000:]}")


def test_the_control_is_contiguous_and_has_no_scaffold() -> None:
    cut = prose_cut()
    assert control_prompt(cut, "same-budget", seed=0) == cut.context[-3_000:]


def test_the_context_in_the_scaffold_is_what_the_control_adds() -> None:
    cut = prose_cut()
    inside = control_prompt(cut, "context-in-scaffold", seed=0)
    assert inside == forecast_prompt(cut, cut.context[-3_000:-2_000])


def test_the_true_suffix_is_the_beginning_of_the_target() -> None:
    lines = comments(control_prompt(prose_cut(), "true-suffix", seed=0))
    assert lines[0] == "% Notes about what's next:"
    said = lines[1].removeprefix("% ")
    assert HIDDEN.startswith(said)
    assert 990 <= len(said) <= 1_000


def test_the_empty_scaffold_has_an_empty_comment() -> None:
    assert comments(control_prompt(prose_cut(), "empty", seed=0)) == [
        "% Notes about what's next:",
        "%",
        "% Returning to paper text:",
    ]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_no_forecast_leaves_its_comment(forecast: str) -> None:
    for text in (forecast, f"a{forecast}\r\u2028\v\\end{{document}}"):
        assert all(line.startswith("%") for line in comments(forecast_prompt(prose_cut(), text)))


def test_a_forecast_has_its_budget_and_no_more() -> None:
    lines = comments(forecast_prompt(prose_cut(), "x" * 5_000))
    assert lines[1] == "% " + "x" * 1_000
    lines = comments(forecast_prompt(prose_cut(), "x" * 997 + r"\alpha"))
    assert lines[1] == "% " + "x" * 997


@pytest.mark.parametrize("control", controls_of("prose"))
def test_every_prompt_ends_in_the_same_context(control: str) -> None:
    cut = prose_cut()
    assert control_prompt(cut, control, seed=0).endswith(cut.context[-2_000:])
    holds = HIDDEN[:400] in control_prompt(cut, control, seed=0)
    assert holds == (control == "true-suffix")


def test_too_little_context_is_a_reason() -> None:
    rows = requests([prose_cut("short.\n")], [], controls=controls_of("prose"), seed=0)
    failures = {row.condition: row.failure for row, pair in rows[0] if pair is None}
    assert set(failures) == {"same-budget", "context-in-scaffold"}
    assert "has 7 characters, this control needs 3000" in (failures["same-budget"] or "")


def test_forecasts_of_prose_are_scored_in_its_scaffold() -> None:
    cut = prose_cut()
    forecast = Forecast(cut_id=cut.id, predictor="mine", text="So.")
    ((row, pair),) = requests([cut], [forecast], controls=(), seed=0)[0]
    assert row.condition == "forecast:mine"
    assert pair is not None
    assert pair.prompt == forecast_prompt(cut, "So.")
    assert pair.target == HIDDEN


def test_prose_has_controls_of_its_own() -> None:
    assert check_condition("empty", "prose") == "empty"
    with pytest.raises(UsageError, match="did you mean 'true-suffix'"):
        check_condition("true_suffix", "prose")
    with pytest.raises(UsageError, match=r"prose has no control 'reveal:0\.5'"):
        check_condition("reveal:0.5", "prose")
    with pytest.raises(ValueError, match="no control 'triple-budget'"):
        control_prompt(prose_cut(), "triple-budget", seed=0)
    assert replace(prose_cut(), room=None).budget == len(HIDDEN) + 40
