import re
from contextlib import suppress
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.latex.expand import MAX_CHARACTERS, Expander, ExpansionError, expand, join
from foreword.latex.expandable import why_kept
from foreword.records import Macro


def macro(name: str, body: str, num_args: int = 0, default: str | None = None) -> Macro:
    return Macro(name=name, num_args=num_args, default=default, body=body)


@pytest.mark.parametrize(
    ("macros", "source", "expected"),
    [
        ([macro("R", r"\mathbb{R}")], r"x\in\R^n", r"x\in\mathbb{R}^n"),
        ([macro("R", r"\mathbb{R}")], r"\Rightarrow", r"\Rightarrow"),
        ([macro("a", r"\alpha")], r"\a b", r"\alpha b"),
        ([macro("a", r"\alpha")], r"\a{}b", r"\alpha{}b"),
        ([macro("x", "y")], r"\alpha\x", r"\alpha y"),
        ([macro("h", r"\tfrac12")], r"2^\h", r"2^{\tfrac12}"),
        ([macro("h", "a+b")], r"\frac\h2", r"\frac{a+b}2"),
        ([macro("h", "a+b")], r"\frac{x}\h", r"\frac{x}{a+b}"),
        ([macro("f", r"\bar#1", 1)], r"\f x", r"\bar x"),
        ([macro("f", "[#1|#2]", 2)], r"\f{a}b", "[a|b]"),
        ([macro("f", "[#1|#2]", 2, "0")], r"\f[{]}]{b}", "[{]}|b]"),
        ([macro("f", "[#1|#2]", 2, "0")], r"\f{b}", "[0|b]"),
        ([macro("f", r"\g{#1}{#1}", 1), macro("g", "#2#1", 2)], r"\f{\f{a}}", "aaaa"),
        ([macro("bb", r"\mathbb")], r"\bb R", r"\mathbb R"),
        ([macro("1", r"\mathsf{1}")], r"\1+1", r"\mathsf{1}+1"),
        # an argument is taken unread
        ([macro("cL", r"\mathcal{L}"), macro("til", r"\tilde{#1}", 1)], r"\til\cL",
         r"\tilde{\mathcal{L}}"),
        ([macro("p", "(#1)", 1, "x")], r"\p[\textsc{head}]+\p", r"(\textsc{head})+(x)"),
        ([macro("t", r"\f"), macro("f", r"\bar{#1}", 1)], r"\t xy", r"\bar{x}y"),
        # braces where an argument had none
        ([macro("h", r"\tfrac12")], r"\sqrt[\h]\h+\mathring\h", r"\sqrt[\tfrac12]{\tfrac12}+"
         r"\mathring{\tfrac12}"),
        ([macro("bb", r"\mathbb")], r"x^\bb R", r"x^\mathbb R"),
        ([macro("kb", r"\mathfrak b")], r"\pmod \kb", r"\pmod {\mathfrak b}"),
        ([macro("T", r"{\mathrm{T}}")], r"x^\T+\T", r"x^{\mathrm{T}}+{\mathrm{T}}"),
        ([macro("T", r"{a}{b}")], r"x^\T", r"x^{{a}{b}}"),
        ([macro("X", "x_1")], r"\left\X", r"\left x_1"),
        ([macro("O", r"\operatorname*{a}")], r"\underset x\O", r"\underset x{\operatorname*{a}}"),
        ([macro("Tr", r"\operatorname{Tr}")], r"\Tr\rho", r"\operatorname{Tr}\rho"),
        # names and listings
        ([macro("a", "A")], r"\label{\a}\eqref{\a}\cite[\a]{\a}\a",
         r"\label{\a}\eqref{\a}\cite[\a]{\a}A"),
        ([macro("a", "A")], r"\begin{\a}\end{\a}\verb|\a|\verb*+\a+",
         r"\begin{\a}\end{\a}\verb|\a|\verb*+\a+"),
        ([macro("a", "A")], "% \\a\n\\a", "% \\a\nA"),
        ([macro("a", "A\n\n B")], "x\n\\a\n", "x\nA B\n"),
        # words
        ([macro("eg", "e.g."), macro("R", r"\mathbb{R}")], r"\text{\eg{} for $x\in\R$ \eg so}",
         r"\text{e.g.{} for $x\in\mathbb{R}$ e.g.so}"),
        ([macro("R", r"\ensuremath{\mathbb R}\xspace")], r"\hat\R\text{ in \R now, \R, \R}",
         r"\hat{\mathbb R}\text{ in $\mathbb R$ now, $\mathbb R$, $\mathbb R$}"),
        ([macro("R", r"\ensuremath{R}")], r"\text{$\R$, \R}\tag*{\R}\R",
         r"\text{$R$, $R$}\tag*{$R$}R"),
        ([macro("m", r"\ifmmode\mu\else mu\fi")], r"\m=\text{a \m}", r"\mu=\text{a mu}"),
        ([macro("c", r"\mathchoice{#1}{#1}{a}{b}", 1)], r"\c x", r"\mathchoice{x}{x}{a}{b}"),
        # what asks or does something stays, and what stands in it is written out
        ([macro("k", r"\@ifstar{\a}{\b}"), macro("a", "A")], r"\k*{\a}", r"\k*{A}"),
        ([macro("k", r"\ifx#1y z\fi", 1), macro("a", "A+A")], r"\k\a", r"\k{A+A}"),
        ([macro("k", r"\begin{align}"), macro("a", "A")], r"\k\a", r"\k A"),
        ([macro("my@a", "A"), macro("k", r"\my@a+1")], r"\k", "A+1"),
        # environments
        ([macro("begin{mat}", r"\begin{pmatrix}[#1]", 1), macro("end{mat}", r"\end{pmatrix}")],
         r"\begin{mat}{c}a\end{mat}\begin{b}", r"\begin{pmatrix}[c]a\end{pmatrix}\begin{b}"),
    ],
)  # fmt: skip
def test_macros_are_written_out(macros: list[Macro], source: str, expected: str) -> None:
    assert expand(source, macros) == expected


@pytest.mark.parametrize(
    ("macros", "source"),
    [
        ([macro("a", r"\a")], r"\a"),
        ([macro("a", r"\b"), macro("b", r"\a")], r"\a"),
        ([macro("a", r"\a\a")], r"\a"),
        ([macro("a", r"x\a")], r"\a"),
        ([macro("a", r"\a{#1#1}", 1)], r"\a{x}"),
        ([macro("a", r"\a{#1}", 1)], r"\a{" + "x" * 15_000 + "}"),
        ([macro(chr(97 + n), rf"\{chr(98 + n)}\{chr(98 + n)}") for n in range(24)], r"\a"),
        ([macro("a", "#1" * 9_999, 1)], r"\a{\a{xyz}}"),
    ],
)
def test_what_would_never_end_is_refused(macros: list[Macro], source: str) -> None:
    with pytest.raises(ExpansionError):
        expand(source, macros)


@pytest.mark.parametrize("source", [r"\f", r"\f{", r"{\f}", r"\f{a}"])
def test_a_lacking_argument_is_named(source: str) -> None:
    with pytest.raises(ExpansionError, match=r"\\f"):
        expand(source, [macro("f", "#1#2", 2)])


@given(
    st.text(alphabet=r"\abfg{}[]#1^_ ", max_size=60), st.text(alphabet=r"\abfg{}#12 ", max_size=30)
)
def test_any_source_is_expanded_or_refused(source: str, body: str) -> None:
    macros = [macro("a", body), macro("f", body, 1), macro("g", body, 2, "b")]
    with suppress(ExpansionError):
        assert len(expand(source, macros)) <= MAX_CHARACTERS + 1


PIECES = [
    r"\a", r"\b", r"\f", r"\g", r"\k", r"\q", r"\R", "{", "}", "[", "]", "x", " ", "^", "_", "1",
    r"\text{", r"\label{", r"\begin{e}", r"\hat", r"\frac", "$", r"\ensuremath", r"\xspace",
    r"\alpha", "\n", r"\sqrt", r"\operatorname", "*", r"\\", "&", r"\tag",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
BODIES = st.lists(st.sampled_from([*PIECES, "#1", "#2", r"\ifmmode", r"\else", r"\fi"]),
                  max_size=8).map("".join)  # fmt: skip
NAMED = re.compile(r"\\(?:label|begin|end)\s*\{[^{}]*\}|\\([A-Za-z]+|(?s:.))")


@given(TEXTS, BODIES, BODIES)
def test_once_is_as_good_as_twice_and_what_is_left_has_a_reason(
    source: str, body: str, other: str
) -> None:
    macros = [
        macro("a", body), macro("f", other, 1), macro("g", body, 2, other), macro("b", "x"),
        macro("k", r"\@ifnextchar[{\a}{\b}"), macro("q", r"\ifx#1#2\fi", 2), macro("R", r"\mathbb"),
        macro("begin{e}", other, 1), macro("end{e}", body),
    ]  # fmt: skip
    try:
        once = expand(source, macros)
    except ExpansionError:
        return
    assert expand(once, macros) == once
    named = {found.name: found for found in macros}
    for name in NAMED.findall(once):
        assert name not in named or why_kept(named[name], named)


@pytest.mark.parametrize("unit", [r"\a", r"\f{", r"\g[", r"\g", r"\d{x}", r"{\R", r"\label{\R",
                                  r"\begin{\R", r"\text{$\R", r"\R%", r"[\sqrt[\R", r"\verb\R",
                                  r"\R\ensuremath{", r"\R\xspace"])  # fmt: skip
@pytest.mark.parametrize("length", [19_000, 100_000])
def test_hostile_text_ends_within_a_second(unit: str, length: int) -> None:
    macros = [
        macro("a", r"\a"), macro("f", "#1", 1), macro("g", "[#1]", 2, "z"),
        macro("d", r"\d{#1#1}", 1), macro("R", r"\mathbb{R}"),
    ]  # fmt: skip
    source = (unit * length)[:length]
    start = perf_counter()
    with suppress(ExpansionError):
        expand(source, macros)
    assert perf_counter() - start < 1


@pytest.mark.parametrize("unit", [r"\ifmmode", r"\ifmmode\else ", r"\begin{", "$", "#1", r"\@x"])
def test_a_hostile_body_is_judged_within_a_second(unit: str) -> None:
    start = perf_counter()
    why_kept(macro("a", (unit * 100_000)[:100_000], 1))
    assert perf_counter() - start < 1


def test_all_formulas_of_a_paper_share_one_budget_of_work() -> None:
    expander = Expander([macro("a", r"\a"), macro("b", "b")], work=20_000)
    refused = 0
    for _ in range(20):
        with pytest.raises(ExpansionError) as caught:
            expander.expand(r"\a")
        refused += "too much work" in str(caught.value)
    assert refused > 10
    assert expander.expand("no macro") == "no macro"


@pytest.mark.parametrize(
    ("body", "word"),
    [(r"\ifx\a\b x\fi", r"\ifx"), (r"\def\x{y}", r"\def"), (r"\z@", r"\z@"), (r"\[", "display"),
     (r"\mathpalette\f{#1}", r"\mathpalette"), (r"a\else b", r"\else")],
)  # fmt: skip
def test_what_stays_has_its_reason_in_words(body: str, word: str) -> None:
    assert word in (why_kept(macro("m", body)) or "")
    assert expand(r"\m", [macro("m", body)]) == r"\m"


def test_if_and_only_if_is_no_question() -> None:
    assert expand(r"a\m b", [macro("m", r"\iff\not")]) == r"a\iff\not b"


def test_pieces_are_joined_as_two() -> None:
    assert join(r"\alpha", "x") == r"\alpha x"
    assert join(r"50\%", "x") == r"50\%x"
    assert join(r"\alpha", "2") == r"\alpha2"
