import pytest
from paper_by_hand import displays, macro
from prose_by_hand import paragraph, prose

from foreword.cuts.nesting import is_inside, open_stretches, without_listings
from foreword.records import Macro, Paper


def inside(text: str, word: str, macros: tuple[Macro, ...] = ()) -> bool:
    """Whether something is open where a word stands."""
    paper = Paper(id="p", text=text, displays=displays(text), macros=macros)
    return is_inside(text.index(word), open_stretches(paper, without_listings(text)))


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{theorem}a. HERE b\end{theorem}",
        r"\begin{a}\begin{b}x\end{b} HERE\end{a}",
        r"\begin{a}\begin{b}x\end{a}\begin{c} HERE \end{c}",
        r"\textbf{so. HERE it}",
        r"\cite[p. HERE]{x}",
        r"\section[a][b. HERE]{x}",
        r"$a. HERE$",
        r"\(a. HERE\)",
        r"\[a. HERE\]",
        "\\begin{verbatim}\nx } $ \\end{b}\n HERE\n\\end{verbatim}",
        r"\begingroup so. HERE \endgroup",
        r"{\bf so. HERE}",
        r"so \begin{never} ends. HERE we are",
    ],
)
def test_nothing_is_cut_where_something_is_open(text: str) -> None:
    assert inside(text, "HERE")


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{theorem}a.\end{theorem} HERE b",
        r"a } HERE {b}",
        r"\{ HERE",
        r"\verb|{| HERE",
        "\\begin{verbatim}\n{ $ \\begin{a}\n\\end{verbatim} HERE",
        r"costs \$5 HERE and \$6",
        r"\end{a} HERE",
        r"\\[2pt] HERE [a]",
        r"[HERE]",
        r"$a$ HERE $b$",
        r"\url{a_{b} HERE",
    ],
)
def test_what_is_closed_leaves_no_trace(text: str) -> None:
    assert not inside(text, "HERE")


def test_environments_that_macros_open_and_close_count() -> None:
    macros = (
        macro("bthm", r"\begin{theorem}\it"),
        macro("ethm", r"\end{theorem}"),
        macro("bboth", r"\bthm\begin{b}"),
        macro("whole", r"\begin{b}#1\end{b}", 1),
        macro("loop", r"\loop\begin{b}"),
    )
    assert inside(r"\bthm a. HERE \ethm", "HERE", macros)
    assert inside(r"\bboth a.\end{b} HERE \ethm", "HERE", macros)
    assert not inside(r"\bboth a.\end{b}\ethm HERE", "HERE", macros)
    assert not inside(r"\whole{a}. HERE", "HERE", macros)
    assert inside(r"\loop a. HERE", "HERE", macros)


def test_an_empty_paper_has_nothing_open() -> None:
    assert open_stretches(prose([""]), "") == []
    assert not is_inside(5, open_stretches(prose([paragraph(1)]), paragraph(1)))


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{a}" * 20_000,
        r"\begin{a}" * 20_000 + r"\end{b}" * 20_000,
        r"\begin{verbatim}" * 20_000,
        r"\a[" * 50_000,
        "{" * 100_000,
        r"\verb|" * 20_000,
    ],
)
def test_what_never_closes_is_gone_through_but_once(text: str) -> None:
    paper = Paper(id="p", text=text)
    open_stretches(paper, without_listings(text))
