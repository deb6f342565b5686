from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.records import Macro
from foreword.report.expand import MAX_CHARACTERS, ExpansionError, expand


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
    ],
)
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
