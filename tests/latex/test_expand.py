import re
from contextlib import suppress
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.latex.expand import MAX_CHARACTERS, Expander, ExpansionError, expand, join
from foreword.latex.expandable import why_kept
from foreword.latex.macros import used_macros
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
        ([macro("k", r"\@ifnextchar*{\a}{\b}"), macro("a", "A")], r"\k*{\a}", r"\k*{A}"),
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


def document_command(name: str, arguments: str, body: str) -> Macro:
    return Macro(name=name, num_args=0, default=None, body=body, arguments=arguments)


KINDS = [
    document_command("s", "s m", r"\IfBooleanTF{#1}{\left|#2\right|}{|#2|}"),
    document_command("t", "s", r"\IfBooleanTF#1{\quad}{\;}\to"),
    document_command("o", "o m m", r"\frac{#2}{#3}\IfValueT{#1}{^#1}\IfNoValueT{#1}{!}"),
    document_command("g", "O{d} o m", r"\IfNoValueTF{#2}{#1#3}{#1^#2#3}"),
    document_command("f", "o m", r"\g[\partial][#1]{#2}"),
    document_command("d", "d() D<>{k} m", r"\IfValueTF{#1}{#1}{-}#2#3"),
    document_command("p", "t+ r|| +m", r"\IfBooleanF{#1}{n}(#2)#3"),
    document_command("b", "O{}", r"x\IfBlankF{#1}{_{#1}}"),
    document_command("k", "s m", r"\IfBooleanTF{#1}{\ifx#2a b\fi}{}"),
    document_command("shown", "o", "#1"),
    macro("h", r"\tfrac12"),
    macro("norm", r"\@ifstar{\s}{\s*}"),
    macro("Tr", r"\@ifstar\s{\s*}"),
    macro("e", r"x\ifx\\#1\\\else^{#1}\fi", 1, ""),
    macro("q", r"\if\relax\detokenize{#1}\relax y\else z\fi", 1, ""),
    macro("u", r"\ifthenelse{\equal{#1}{}}{y}{z#1}", 1, ""),
    macro("n", r"\ifblank{#1}{y}{z}", 1),
]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\s{x}\s*{x}\s *x", r"|x|\left|x\right|\left|x\right|"),
        (r"\s{\s*{\h}}", r"|\left|\tfrac12\right||"),
        (r"x^\s a", r"x^{|a|}"),
        (r"a\t b\t*c", r"a\;\to b\quad\to c"),
        (r"\o xy\o[2]{x}y\o [\h] x y", r"\frac{x}{y}!\frac{x}{y}^2\frac{x}{y}^{\tfrac12}"),
        (r"\g x\g[D]x\g[D][2]x\f y\f[3]y", r"dxDxD^2x\partial y\partial^3y"),
        (r"\o[a[b]c]xy", r"\frac{x}{y}^a[b]c"),
        (r"\d(a(b))x\d<l>x\d{y}", r"a(b)kx-lx-ky"),
        (r"\p|x|y\p+|x|{yz}", r"n(x)y(x)yz"),
        (r"\b+\b[]+\b[i]", r"x+x+x_{i}"),
        (r"\k{\h}\k*{\h}", r"\k{\tfrac12}\k*{\tfrac12}"),
        (r"\norm{x}\norm*{x}\Tr{x}\Tr*{x}", r"\left|x\right||x|\left|x\right||x|"),
        (r"\e+\e[]+\e[2]+\q+\q[ab]+\u+\u[2]+\n{ }+\n{a}",
         r"x+x+x^{2}+y+z+y+z2+y+z"),
    ],
)  # fmt: skip
def test_arguments_are_read_as_xparse_says(source: str, expected: str) -> None:
    assert expand(source, KINDS) == expected


@pytest.mark.parametrize(
    "source", [r"\shown", r"\unknown{\o xy}\f", r"\p x", r"\s*", r"\s{\delimsize|}", r"\e[\\]"]
)
def test_what_has_no_meaning_without_an_argument_is_refused(source: str) -> None:
    with pytest.raises(ExpansionError):
        expand(source, KINDS)


def test_delimiters_with_a_size_are_written_as_everybody_does() -> None:
    norm = document_command("norm", "s o m", r"\mathopen#2\lVert#3\mathclose#2\rVert")
    assert expand(r"\norm[\Big]{x}", [norm]) == r"\Bigl\lVert x\Bigr\rVert"


def test_an_alias_of_what_is_redefined_is_latexs_own() -> None:
    macros = [
        document_command("Phi", "=", r"\phi"), macro("phi", r"\varphi"), macro("f", r"\Phi_#1", 1),
        document_command("oldeps", "=", r"\epsilon"), macro("epsilon", r"\oldeps'"),
        document_command("root", "=", r"\sqrt"), macro("sqrt", r"\root[3]{#1}", 1),
    ]  # fmt: skip
    assert expand(r"\Phi\phi\f\phi x^\Phi", macros) == r"\phi\varphi\phi_{\varphi} x^{\phi}"
    assert expand(r"\epsilon+\oldeps", macros) == r"\epsilon'+\epsilon"
    assert expand(r"\sqrt\phi", macros) == r"\sqrt[3]{\varphi}"
    assert [found.name for found in used_macros(r"\Phi", macros)] == ["Phi"]


def test_an_alias_stays_with_what_it_could_be_taken_for() -> None:
    macros = [document_command("old", "=", r"\phi"), macro("phi", r"\@ifnextchar[{\old}{x}")]
    assert expand(r"\old\phi", macros) == r"\old\phi"
    assert "@ifnextchar" in (why_kept(macros[0], {found.name: found for found in macros}) or "")


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
    r"\alpha", "\n", r"\sqrt", r"\operatorname", "*", r"\\", "&", r"\tag", r"\s", r"\d", "(", ")",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
BODIES = st.lists(st.sampled_from([*PIECES, "#1", "#2", r"\ifmmode", r"\else", r"\fi", "#3",
                                   r"\IfNoValueTF{#2}", r"\IfBooleanT{#1}", r"\ifx\\#1\\"]),
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
        document_command("s", "s o m", other), document_command("d", "O{x} d()", body),
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
                                  r"\R\ensuremath{", r"\R\xspace", r"\o", r"\o[", r"\o*[[", r"\o%",
                                  r"\o\IfNoValueTF{", r"\o{\IfBooleanTF", r"\o(\o("])  # fmt: skip
@pytest.mark.parametrize("length", [19_000, 100_000])
def test_hostile_text_ends_within_a_second(unit: str, length: int) -> None:
    macros = [
        macro("a", r"\a"), macro("f", "#1", 1), macro("g", "[#1]", 2, "z"),
        macro("d", r"\d{#1#1}", 1), macro("R", r"\mathbb{R}"),
        document_command("o", "s o d() o m", r"\IfNoValueTF{#2}{\IfBooleanTF{#1}{#5}{#5}}{#5#5}"),
    ]  # fmt: skip
    source = (unit * length)[:length]
    start = perf_counter()
    with suppress(ExpansionError):
        expand(source, macros)
    assert perf_counter() - start < 1


@pytest.mark.parametrize("unit", [r"\ifmmode", r"\ifmmode\else ", r"\begin{", "$", "#1", r"\@x",
                                  r"\ifx\\#1\\", r"\ifx&#1&\else", r"\@ifstar", r"\ifthenelse{",
                                  r"\if\relax\detokenize{#1}\relax"])  # fmt: skip
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


def test_a_papers_own_word_is_its_own_also_where_latex_has_one_of_that_name() -> None:
    own = [Macro(name="path", num_args=1, default=None, body=r"\gamma_{#1}")]
    assert expand(r"\path{a} + \url{b}", own) == r"\gamma_{a} + \url{b}"
