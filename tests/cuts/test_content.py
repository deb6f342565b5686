from paper_by_hand import macro

from foreword.cuts.content import substance, without_bookkeeping
from foreword.latex.diagrams import is_diagram
from foreword.latex.macros import used_macros


def test_bookkeeping_is_no_substance() -> None:
    assert substance(r" \label{eq:x} \nonumber \notag \tag{1} \tag*{A} ") == 0
    assert substance(r"\labelled + x") == 11
    assert without_bookkeeping(r"a\label{b{c}d}e") == "ae"
    assert without_bookkeeping(r"a\label{b") == "a{b"


def test_macros_are_found_through_each_other_and_their_defaults() -> None:
    macros = [
        macro("a", r"\b"),
        macro("b", r"#1 \a", num_args=1, default=r"\c"),
        macro("c", "old"),
        macro("c", "new"),
        macro("d", r"\a"),
        macro("le", r"\leqslant"),
    ]
    assert [(m.name, m.body) for m in used_macros(r"\left( \a", macros)] == [
        ("a", r"\b"),
        ("b", r"#1 \a"),
        ("c", "new"),
    ]


def test_a_diagram_is_known_by_its_environment_its_words_or_its_macros() -> None:
    assert is_diagram("mathpar", "x", [])
    assert is_diagram("equation", r"\begin{tikzpicture*} \end{tikzpicture*}", [])
    assert is_diagram("equation", r"\fig", [macro("fig", r"\includegraphics{a}")])
    assert not is_diagram("equation", r"\xy + \begin{pmatrix} a \end{pmatrix}", [macro("xy", "x")])
