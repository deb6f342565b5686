import dataclasses
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_records import EQUATIONS, make_cut

from foreword.records import Cut, Macro
from foreword.report.mathml import RefusedError, parse, write
from foreword.report.typeset import typeset


def cut_of(prefix: str, environment: str = "equation", macros: tuple[Macro, ...] = ()) -> Cut:
    return dataclasses.replace(
        make_cut(0), prefix=prefix, environment=environment, hidden="y", macros=macros
    )


@pytest.mark.parametrize("number", range(len(EQUATIONS)))
def test_the_sample_equations_are_typeset_and_marked(number: int) -> None:
    cut = make_cut(number)
    result = typeset(cut, cut.hidden)
    assert result.problem is None
    assert result.marked


@pytest.mark.parametrize(
    ("prefix", "ending"),
    [
        (r"\frac", "{a}{b}"),
        ("x^", "{2}"),
        (r"\mathrm{ab", "c}"),
        (r"\text{if ", "so}"),
    ],
)
def test_a_cut_that_can_not_be_marked_leaves_the_equation_alone(prefix: str, ending: str) -> None:
    result = typeset(cut_of(prefix), ending)
    assert result.markup is not None
    assert not result.marked
    assert "cut" not in result.markup


def test_a_cut_inside_of_a_group_is_marked() -> None:
    result = typeset(cut_of(r"\left( a \le"), r"-b \right)")
    assert result.marked


def test_the_mark_changes_neither_symbols_nor_their_spacing() -> None:
    whole = typeset(cut_of(""), "a=-b").markup
    marked = typeset(cut_of("a="), "-b").markup
    assert marked is not None
    assert whole is not None
    without = marked.replace('<mtext class="cut">▏</mtext>', "").replace(' class="p"', "")
    assert without == whole.replace('<mtext class="cut">▏</mtext>', "")


@pytest.mark.parametrize(
    ("environment", "body", "rows"),
    [
        ("align*", r"a&=b\\c&=d\tag{3}", 2),
        ("eqnarray", r"a&=&b\\ &&+c\nonumber", 2),
        ("alignat", r"{2}a&=b&c&=d", 1),
        ("gather", r"a\\b", 2),
        ("multline", r"a\\b\label{x}", 2),
        ("equation", r"\begin{split}a&=b\\&=c\end{split}", 2),
        ("subequations", r"\begin{align}a&=b\end{align}", 1),
        ("$$", r"\begin{smallmatrix}a&b\end{smallmatrix}", 1),
        ("[", r"\sum_{\substack{i\\j}} x_i \quad\text{for $i<j$}", 0),
    ],
)
def test_environments_are_put_into_known_ones(environment: str, body: str, rows: int) -> None:
    result = typeset(cut_of("", environment), body)
    assert result.problem is None
    assert result.markup is not None
    assert result.markup.count("<mtr") == rows


@pytest.mark.parametrize(
    "ending",
    [
        "{" * 10_000,
        "{" * 10_000 + "}" * 10_000,
        "}" * 5_000 + "{" * 5_000,
        r"\sqrt " * 5_000 + "x",
        r"\frac1" * 4_000 + "x",
        r"\left(" * 3_000 + r"\right)" * 3_000,
        "x" + "^{x" * 3_000 + "}" * 3_000,
        "x" * 100_000,
        r"\label{" * 3_000,
        r"\begin{eqnarray}" * 1_000,
        r"\text{$" * 200,
    ],
    ids=lambda ending: ending[:12],
)
def test_endless_nesting_is_refused_before_it_meets_the_typesetter(ending: str) -> None:
    result = typeset(cut_of("x="), ending)
    assert result.markup is None
    assert result.problem


@pytest.mark.parametrize(
    "ending",
    ["\x00", "\ud800", "a\u202eb", "\u200b", "\ue000", r"\href{javascript:alert(1)}{x}", r"\foo"],
)
def test_what_can_not_be_typeset_says_why(ending: str) -> None:
    result = typeset(cut_of("x="), ending)
    assert result.markup is None
    assert result.problem


def test_hidden_characters_of_a_macro_are_found() -> None:
    spy = Macro(name="spy", num_args=0, default=None, body="a\u202eb")
    result = typeset(cut_of(r"\spy=", macros=(spy,)), "1")
    assert result.problem == "it holds the character U+202E"


def test_text_stays_text() -> None:
    result = typeset(cut_of("x="), r"\text{<script>alert(1)</script>} < \mathrm{\&amp;}")
    assert result.markup is not None
    assert "<script" not in result.markup
    assert "&lt;script&gt;" in result.markup


@pytest.mark.parametrize(
    "markup",
    [
        "<math><script>1</script></math>",
        "<math><mtext><script>1</script></mtext></math>",
        "<math><mtext><a href='javascript:1'>x</a></mtext></math>",
        "<math><b>x</b></math>",
        "<math><annotation-xml>x</annotation-xml></math>",
        "<svg></svg>",
        "<math><mi>x</math>",
        "<math xmlns='http://www.w3.org/1998/Math/MathML'><mi>x</mi></math>",
        "<math>" + "<mrow>" * 500 + "</mrow>" * 500 + "</math>",
    ],
)
def test_markup_that_is_not_on_the_list_is_refused(markup: str) -> None:
    with pytest.raises(RefusedError):
        parse(markup)


def test_attributes_that_are_not_on_the_list_are_dropped() -> None:
    markup = (
        '<math onload="x()" display="block"><mi href="x" style="background:url(x)" id="i" '
        'mathvariant="normal" class="evil">a</mi><mtd style="text-align: right;"/></math>'
    )
    assert write(parse(markup)) == (
        '<math display="block"><mi mathvariant="normal">a</mi><mtd class="tr"></mtd></math>'
    )


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=r"\abcdefghijklmnopqrstuvwxyz{}[]^_&<>'$%#~ 012+-=" + '"', max_size=50))
def test_any_ending_gives_allowed_markup_or_a_reason(ending: str) -> None:
    result = typeset(cut_of("x="), ending)
    assert (result.markup is None) == (result.problem is not None)
    for tag in re.findall(r"<([^\s/>]+)", result.markup or ""):
        assert re.fullmatch("m[a-z]+|b|i|em|code|s|u|span", tag)
