from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_by_hand import equation, macro, paper

from foreword.cuts import CutResult, CutRules, count_reasons, cut_equations
from foreword.cuts.content import likeness, substance, tidy
from foreword.cuts.reasons import Reason
from foreword.papers import read_paper
from foreword.records import Display, Paper, Segment
from foreword.stages import cut_papers

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "src/foreword/samples"
CORPUS = ROOT.parent / "shared/tex"
SHORT = CutRules(min_context=30, min_hidden=8, max_hidden=60, per_paper=3)


def check(made: Paper, rules: CutRules, result: CutResult) -> None:
    """What holds of every result."""
    indices = [int(cut.id.split("/")[-2]) for cut in result.cuts]
    rejected = [rejection.display for rejection in result.rejected]
    assert sorted(indices + rejected) == list(range(len(made.displays)))
    assert indices == sorted(indices)
    assert rejected == sorted(rejected)
    assert len(indices) <= rules.per_paper
    for index, cut in zip(indices, result.cuts, strict=True):
        display = made.displays[index]
        body = made.text[display.body_start : display.body_end]
        assert cut.prefix + cut.hidden == body
        assert cut.id == f"{made.id}/{index}/{len(cut.prefix)}"
        assert len(body) <= 3 * len(cut.prefix) <= 2 * len(body)
        assert substance(cut.hidden) >= rules.min_hidden
        assert len(cut.hidden.rstrip()) <= rules.max_hidden
        assert cut.hidden.strip() not in cut.context + cut.opening
        assert cut.hidden.strip() not in cut.prefix
        assert tidy(cut.hidden) not in cut.filler
        assert len(cut.context) == rules.min_context
        whole = cut.context + cut.opening + body + cut.closing
        assert made.text[display.start - rules.min_context : display.end] == whole


def reasons(made: Paper, rules: CutRules = CutRules()) -> list[Reason | None]:  # noqa: B008
    result = cut_equations(made, rules)
    check(made, rules, result)
    by_display = {rejection.display: rejection.reason for rejection in result.rejected}
    return [by_display.get(i) for i in range(len(made.displays))]


def test_a_cut_holds_the_papers_own_text_and_its_place() -> None:
    made = paper([rf"\HH = \label{{eq:1}} {equation(1)} \nonumber "], macros=[
        macro("K", r"\mathcal K"), macro("HH", r"\hat{\K}"), macro("unused", "u"),
    ])  # fmt: skip
    (cut,) = cut_equations(made).cuts
    assert cut.paper_id == made.id
    assert (cut.opening, cut.closing, cut.environment) == ("\\[", "\\]", "[")
    assert cut.hidden.endswith(r" \nonumber ")
    assert (cut.file, cut.line) == ("main.tex", 3)
    assert [m.name for m in cut.macros] == ["HH", "K"]
    assert cut.context.endswith("So much for 0; now\n")


def test_each_equation_has_the_first_reason_that_holds() -> None:
    good = equation(7)
    early = paper([good], before="Soon. ")
    assert reasons(early) == ["early"]
    made = paper(
        [
            good,
            r"\begin{tikzcd} A \arrow[r] & B \end{tikzcd} " + equation(1),
            equation(2) + " }",
            rf"{good} \label{{again}}",
            r"\exp\left(" + equation(3) + r"\right)",
            "a = b",
            "x " * 60 + r" = y + \label{" + "long" * 60 + "}",
            "y " * 250 + "= " + "z" * 450,
            "v = " + "w" * 60 + " = " + "w" * 60,
            equation(4),
        ]
    )
    assert reasons(made) == [
        None, "diagram", "unbalanced", "repeated", "no site", "too short", "no site", "too long",
        "answer in context", None,
    ]  # fmt: skip


def test_a_rest_of_labels_and_white_space_is_too_short() -> None:
    label = r" \label{eq:" + "a" * 10 + r"} \nonumber"
    made = paper(["f(x,y,z) + f(x,z,y) + f(z,y,x) + 1 = g(x)" + label])
    assert reasons(made, CutRules(min_hidden=7)) == ["too short"]
    assert reasons(made, CutRules(min_hidden=6)) == [None]
    assert reasons(paper(["abcdefghi = jklmnopq" + " " * 9]), CutRules(min_hidden=8)) == [None]
    assert reasons(paper(["abcdefghi = jklmnopq" + " " * 9]), CutRules(min_hidden=9)) == [
        "too short"
    ]


def test_trailing_white_space_is_kept_and_not_counted() -> None:
    made = paper(["abcdefgh = ijklmnopq \n "])
    rules = CutRules(min_hidden=9, max_hidden=10)
    (cut,) = cut_equations(made, rules).cuts
    assert cut.hidden == " ijklmnopq \n "
    assert reasons(made, CutRules(min_hidden=9, max_hidden=9)) == ["too long"]


def test_the_next_site_is_taken_where_the_nearest_leaves_too_much() -> None:
    made = paper(["a" * 20 + " = " + "b" * 12 + " = " + "c" * 18])
    (cut,) = cut_equations(made, CutRules(min_hidden=5, max_hidden=20)).cuts
    assert cut.hidden == " " + "c" * 18


def test_the_answer_may_not_stand_in_the_visible_beginning() -> None:
    assert reasons(paper(["abcdefgh = abcdefgh"]), CutRules(min_hidden=5)) == ["answer in context"]


def test_ten_of_many_are_taken_spread_over_the_paper() -> None:
    made = paper([equation(i) for i in range(100)])
    result = cut_equations(made, seed=3)
    check(made, CutRules(), result)
    assert [int(cut.id.split("/")[1]) // 10 for cut in result.cuts] == list(range(10))
    assert count_reasons(result.rejected) == {"not chosen": 90}
    assert result == cut_equations(made, seed=3)
    assert result != cut_equations(made, seed=4)
    renamed = paper([equation(i) for i in range(100)], name="2604.00002")
    assert [c.hidden for c in cut_equations(renamed, seed=3).cuts] != [
        c.hidden for c in result.cuts
    ]


def test_the_result_depends_on_no_other_paper() -> None:
    one, other = paper([equation(1)] * 3), paper([equation(1), "{"], name="b")
    before = cut_equations(one)
    cut_equations(other)
    assert cut_equations(one) == before


def test_a_paper_without_a_source_map_is_cut_all_the_same() -> None:
    made = paper([equation(1), "a"])
    bare = Paper(id=made.id, text=made.text, displays=made.displays)
    result = cut_equations(bare)
    assert (result.cuts[0].file, result.cuts[0].line) == ("", 0)
    assert (result.rejected[0].file, result.rejected[0].line) == ("", 0)


def test_a_paper_without_displays_gives_nothing() -> None:
    assert cut_equations(paper([])) == CutResult(cuts=(), rejected=())


def test_the_place_of_a_rejected_equation_is_its_own_file_and_line() -> None:
    made = paper(["a", "b"])
    start = made.displays[1].start
    segments = (*made.segments, Segment(start=start, file="part/two.tex", line=40, column=1))
    mapped = Paper(id="p", text=made.text, displays=made.displays, segments=segments)
    assert [(r.file, r.line) for r in cut_equations(mapped).rejected] == [
        ("main.tex", 3),
        ("part/two.tex", 40),
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"min_context": -1}, "min_context is -1; it must be at least 0"),
        ({"min_hidden": 0}, "min_hidden is 0; it must be at least 1"),
        ({"per_paper": 0}, "per_paper is 0; it must be at least 1"),
        ({"min_hidden": 60, "max_hidden": 50}, "max_hidden is 50, less than min_hidden, 60"),
    ],
)
def test_impossible_rules_are_refused(wrong: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CutRules(**wrong)


bodies = st.lists(
    st.text(alphabet="ab1=+-{}_^&| \n", max_size=40)
    | st.sampled_from(["a=b+cdefgh=ij", r"\le\left(a=b\right)+c", "abcdefghijk=lmnopqrstu"]),
    max_size=12,
)


@settings(max_examples=60)
@given(bodies, st.integers(0, 5))
def test_every_display_ends_as_one_cut_or_one_rejection(texts: list[str], seed: int) -> None:
    made = paper(texts, before="x" * 20)
    check(made, SHORT, cut_equations(made, SHORT, seed=seed))


@pytest.mark.parametrize("folder", sorted(p.name for p in SAMPLES.iterdir() if p.is_dir()))
def test_the_sample_papers_give_ten_cuts_each(folder: str) -> None:
    made = read_paper(SAMPLES / folder)
    result = cut_equations(made)
    check(made, CutRules(), result)
    assert len(result.cuts) == 10
    assert all(len(cut.filler) >= 600 and cut.file for cut in result.cuts)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")
@pytest.mark.parametrize("folder", ["amortized-opt", "msd-errors", "carleson-paper", "lu-siam"])
def test_real_papers_are_cut_where_tex_may_be_cut(folder: str) -> None:
    made = read_paper(CORPUS / folder)
    result = cut_equations(made)
    check(made, CutRules(), result)
    assert result.cuts
    assert Counter(r.reason for r in result.rejected)["unbalanced"] == 0
    for cut in result.cuts:
        assert not cut.prefix.endswith(("\\", "{"))
        assert not (cut.prefix[-1].isalpha() and cut.hidden[0].isalpha())


def test_an_answer_that_differs_in_labels_and_spaces_alone_is_in_the_context() -> None:
    first = r"A_{11} = b_1 + b_2 + b_3 + b_4 + b_5 , \label{one}"
    second = r"C_{99} = b_1+b_2 +b_3 + b_4 + b_5\,. \label{two}"
    result = cut_equations(paper([first, second]), CutRules(min_hidden=5))
    reasons = [rejection.reason for rejection in result.rejected]
    assert "answer in context" in reasons


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
def test_of_two_versions_of_a_paper_each_equation_is_cut_once() -> None:
    folder = CORPUS / "lu-siam"
    papers = [
        replace(read_paper(folder, main=main), id=main) for main in ("main.tex", "arxiv/main.tex")
    ]
    rules = CutRules(per_paper=1000)
    alone = [cut_equations(paper, rules, seed=0) for paper in papers]
    cuts, rejected = cut_papers(papers, rules, seed=0)
    said = [likeness(cut.prefix + cut.hidden) for cut in cuts]
    assert len(said) == len(set(said))
    repeated = [one for one in rejected if one.reason == "repeated"]
    assert any(one.detail == "as in main.tex" for one in repeated)
    assert len(cuts) < sum(len(result.cuts) for result in alone)


def test_an_equation_that_stands_too_early_keeps_no_later_one_out() -> None:
    formula = r"E = m c^2 + \frac{p^2}{2m} + V(x)"
    display = rf"\[{formula}\]"
    text = f"Early {display} and much later, after more words, again {display} and {display}"
    starts = [at for at in range(len(text)) if text.startswith(r"\[", at)]
    displays = tuple(
        Display(
            environment="[",
            start=at,
            body_start=at + 2,
            body_end=at + 2 + len(formula),
            end=at + 4 + len(formula),
        )
        for at in starts
    )
    paper = Paper(id="p", text=text, displays=displays)
    result = cut_equations(paper, CutRules(min_context=20, min_hidden=5))
    assert [cut.id.split("/")[1] for cut in result.cuts] == ["1"]
    assert [(one.display, one.reason, one.detail) for one in result.rejected] == [
        (0, "early", "6 of 20 characters before it"),
        (2, "repeated", "as equation 1"),
    ]
