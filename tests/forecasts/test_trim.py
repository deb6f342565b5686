import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions import make_cut

from foreword.forecasts import trim
from foreword.latex.tokens import tokens

QUESTION = make_cut().question
PREFIX = QUESTION.prefix


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("12 u r", "12 u r"),
        ("Sure! Here is the continuation:\n\n12 u r", "12 u r"),
        ("The rest is:\n12 u r", "12 u r"),
        (r"a : b", r"a : b"),
        ("```latex\n12 u r\n```", "12 u r"),
        ("Here it is:\n```\n12 u r\n```\nI hope this helps.", "12 u r"),
        ("```latex\n12 u r", "12 u r"),
        (r"12 u r \end{align}", "12 u r"),
        (r"12 u r \end {align} Thus", "12 u r"),
        (r"12 u r\end{equation}", "12 u r"),
        (r"12 u r \] and so", "12 u r"),
        (r"12 u r $$", "12 u r"),
        ("$12 u r$", "12 u r"),
        ("12 u r\n\nThis follows from the above.", "12 u r"),
        (r"a \\[2pt] b \\] c", r"a \\[2pt] b \\] c"),
        (r"\text{if $r > 0$} \end{align}", r"\text{if $r > 0$}"),
        (r"\begin{cases} a \\ b \end{cases} + c", r"\begin{cases} a \\ b \end{cases} + c"),
        (PREFIX + "12 u r", "12 u r"),
        (r"\begin{align}" + PREFIX + "12 u r" + r"\end{align}", "12 u r"),
        (r"\begin{align*}" + "\n" + PREFIX + "12 u r", "12 u r"),
        (r"\[" + PREFIX.replace(" ", "") + "12 u r" + r"\]", "12 u r"),
        (r"12 u - \frac{r}{2} 12 u r", "12 u r"),
        (r"{2} 12 u r", "{2} 12 u r"),
        ("\n\n  12 u r \n", "12 u r"),
        ("12 u r \\", "12 u r"),
        (r"12 u\ ", r"12 u\ "),
        ("", ""),
        (" \n\n", ""),
        (r"\end{align}", ""),
        (r"\begin{align}" + PREFIX + r"\end{align}", ""),
    ],
)
def test_trim_keeps_the_continuation_and_nothing_else(raw: str, kept: str) -> None:
    assert trim(raw, QUESTION, 200) == kept


def test_white_space_at_the_beginning_stays_when_the_prefix_has_none() -> None:
    question = make_cut(prefix="x =").question
    assert trim(" y", question, 50) == " y"
    assert trim("\n\n y", question, 50) == "\ny"


def test_a_papers_own_closing_ends_the_forecast_and_longer_words_do_not() -> None:
    question = make_cut(opening=r"\be", closing=r"\ee").question
    assert trim(r"a + \eeta + b \ee Thus", question, 50) == r"a + \eeta + b"
    assert trim(r"\be a + b\ee", question, 50) == "a + b"
    assert trim(r"\beta + b\ee", question, 50) == r"\beta + b"


def test_the_end_of_an_environment_that_the_prefix_began_is_no_end() -> None:
    question = make_cut(
        opening=r"\begin{equation}", prefix=r"\begin{split} x &=", closing=r"\end{equation}"
    ).question
    raw = r"y \end{split} \label{a} \end{equation} Thus"
    assert trim(raw, question, 99) == r"y \end{split} \label{a}"


def test_a_dollar_in_braces_that_the_prefix_opened_is_no_end() -> None:
    question = make_cut(prefix=r"x = \text{where ").question
    assert trim("$y$ holds} + 1", question, 99) == "$y$ holds} + 1"


@pytest.mark.parametrize(
    ("budget", "kept"),
    [(5, ""), (6, r"\alpha"), (7, r"\alpha"), (8, r"\alpha\,"), (9, r"\alpha\,x")],
)
def test_the_budget_leaves_no_part_of_a_control_sequence(budget: int, kept: str) -> None:
    assert trim(r"\alpha\,xyz", QUESTION, budget) == kept


ODD = st.text(alphabet="\\ab{}$[] \n%&`", max_size=60)


@given(raw=ODD, prefix=ODD, opening=st.sampled_from([r"\[", "$$", r"\be", r"\begin{align}"]))
def test_a_forecast_is_part_of_the_answer_fits_and_ends_between_tokens(
    raw: str, prefix: str, opening: str
) -> None:
    question = make_cut(prefix=prefix, opening=opening, closing=r"\]").question
    for budget in (0, 1, 7, 40):
        text = trim(raw, question, budget)
        assert len(text) <= budget
        assert text.strip() in raw
        assert not text.endswith("\n")
        last = list(tokens(text))[-1:]
        assert all(token.text != "\\" for token in last)
        whole = {t.text for t in tokens(raw)} | {"\\"}
        assert all(t.text in whole for t in last if t.kind == "symbol")


def test_a_long_hostile_answer_is_trimmed_soon() -> None:
    for raw in ("```" * 50_000, "\\begin{a}" * 20_000, "$" * 100_000, " " * 100_000, "{" * 100_000):
        assert len(trim(raw, QUESTION, 100)) <= 100
