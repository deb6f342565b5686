import pytest
from paper_by_hand import macro

from foreword.cuts.headings import PARTS, TITLES, left_out, part_of
from foreword.records import Macro


def parts(text: str, macros: tuple[Macro, ...] = ()) -> list[tuple[str, str]]:
    return [(text[region.start : region.end], region.part) for region in left_out(text, macros)]


@pytest.mark.parametrize(
    ("title", "part"),
    [
        ("Related Work", "related work"),
        ("RELATED WORKS", "related work"),
        (r"Background \& related work", "related work"),
        ("2.1. Prior work", "related work"),
        (r"Comparison with \emph{previous} works", "related work"),
        ("A literature review", "related work"),
        ("Acknowledgments", "acknowledgements"),
        ("Acknowledgements and funding", "acknowledgements"),
        ("ACKNOWLEDGMENT", "acknowledgements"),
        ("Data Availability Statement", "acknowledgements"),
        (r"References\label{refs}", "bibliography"),
        ("Bibliography", "bibliography"),
        ("Appendix", "appendix"),
        ("Appendix A: Proof of Theorem 1", "appendix"),
        ("Supplementary Material", "appendix"),
        (r"\texorpdfstring{Abstract}{}", "abstract"),
        ("Abstract nonsense", None),
        ("Works related to surgery", None),
        ("Reference frames", None),
        ("Literature and physics", None),
        ("Summary", None),
        ("Conclusions and outlook", None),
        ("Fundings", None),
        ("", None),
    ],
)
def test_parts_are_known_by_their_titles(title: str, part: str | None) -> None:
    assert part_of(title) == part


def test_every_part_has_titles_in_small_letters() -> None:
    assert set(TITLES) == set(PARTS)
    for titles in TITLES.values():
        assert all(title == " ".join(title.lower().split()) for title in titles)


def test_a_part_goes_to_the_next_heading_of_its_level() -> None:
    text = r"\section{One} a \section*{Prior work} b \subsection{Theirs} c \chapter{Two} d"
    assert parts(text) == [(r"\section*{Prior work} b \subsection{Theirs} c ", "related work")]


def test_an_appendix_goes_to_the_end_and_thanks_to_the_next_heading() -> None:
    text = r"\section{One} \acknowledgments We thank. \section{Two} a \appendix \section{B} b"
    assert parts(text) == [
        (r"\acknowledgments We thank. ", "acknowledgements"),
        (r"\appendix \section{B} b", "appendix"),
    ]


def test_environments_and_the_bibliography_count_too() -> None:
    text = r"\begin{abstract}a\end{abstract} b \bibliography{x} c \section{D} d"
    assert parts(text) == [
        (r"\begin{abstract}a", "abstract"),
        (r"\bibliography{x} c ", "bibliography"),
    ]


def test_a_macro_that_is_a_heading_counts_as_it() -> None:
    macros = (macro("sect", r"\section*{#1}", 1), macro("ack", r"\mathrm{ack}"))
    text = r"\sect{Related work} a \sect{Ours} b \ack"
    assert parts(text, macros) == [(r"\sect{Related work} a ", "related work")]


def test_an_option_and_a_star_stand_before_the_title() -> None:
    assert parts(r"\section*[Short]{References} a") == [
        (r"\section*[Short]{References} a", "bibliography")
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{abstract}" * 20_000,
        r"\section{Appendix}\appendix" * 10_000,
        r"\section{" * 20_000,
        r"\section[" * 20_000,
    ],
)
def test_headings_without_an_end_are_gone_through_but_once(text: str) -> None:
    left_out(text)
