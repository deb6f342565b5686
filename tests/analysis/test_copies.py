from dataclasses import replace

import pytest
from analysis_records import make_cut, make_forecast, make_score

from foreword.analysis import analyse, find_traces
from foreword.analysis.copies import RUN, runs, squeezed
from foreword.analysis.findings import Asked
from foreword.records import Cut, Display, Paper

ANSWER = r"\frac{a+b}{c}\sum_{n=1}^{N} x_n^2 + \int_0^T f(s)\,ds - \lambda \norm{u}"
OTHER = "The quick brown fox jumps over the lazy dog, and comes back again the next day."
FILLER = " ".join(f"word{n}" for n in range(300))


def paper_and_cut(early: str, late: str, hidden: str = ANSWER) -> tuple[Paper, Cut]:
    """A paper with `early` far before the cut, and `late` in its context."""
    context = f"{late} and so on: "
    text = f"{early} {FILLER} {context}"
    display = Display(
        environment="[", start=len(text), body_start=len(text) + 2,
        body_end=len(text) + 9 + len(hidden), end=len(text) + 11 + len(hidden),
    )  # fmt: skip
    cut = replace(
        make_cut("p/0/2"), context=context, opening=r"\[", prefix="x=", hidden=hidden, closing=r"\]"
    )
    after = rf"\[x={hidden}\] {hidden} {ANSWER}"
    return Paper(id="p", text=text + after, displays=(display,)), cut


def test_an_exact_copy_is_found_wherever_it_stands_before_the_cut_and_not_after() -> None:
    spaced = ANSWER.replace("+", "\n +  ") + r"\label{eq:one}"
    for early, late, in_paper, in_context in (
        (spaced, OTHER, True, False),
        (OTHER, spaced, True, True),
        (OTHER, OTHER, False, False),
    ):
        paper, cut = paper_and_cut(early, late, hidden=ANSWER + " ,")
        trace = find_traces([cut], {"p": paper})["p/0/2"]
        assert (trace.is_exact, trace.is_exact_in_context) == (in_paper, in_context)
        assert trace.is_copy == in_paper
        assert trace.is_whole


def test_a_near_copy_shares_most_of_its_runs() -> None:
    changed = ANSWER.replace(r"\lambda", r"\mu")
    paper, cut = paper_and_cut(changed, OTHER)
    trace = find_traces([cut], {"p": paper})["p/0/2"]
    assert not trace.is_exact
    assert trace.is_copy
    assert not trace.is_copy_in_context
    own = runs(squeezed(ANSWER))
    assert trace.shared == len(own & runs(squeezed(changed))) / len(own)


def test_without_the_paper_the_context_alone_is_searched() -> None:
    paper, cut = paper_and_cut(ANSWER, OTHER)
    for texts in ({}, {"q": paper}, {"p": replace(paper, displays=())}):
        trace = find_traces([cut], texts)["p/0/2"]
        assert not trace.is_whole
        assert not trace.is_copy
    other_id = replace(cut, id="made elsewhere")
    assert not find_traces([other_id], {"p": paper})["made elsewhere"].is_whole


def test_cuts_of_one_paper_each_see_what_stands_before_them() -> None:
    text = f"{FILLER}\\[a={ANSWER}\\] {OTHER} \\[b={ANSWER}\\]"
    starts = [text.index("\\[a"), text.index("\\[b")]
    displays = tuple(
        Display(environment="[", start=at, body_start=at + 2, body_end=at + 4 + len(ANSWER),
                end=at + 6 + len(ANSWER))
        for at in starts
    )  # fmt: skip
    cuts = [replace(make_cut(f"p/{n}/2"), context="", prefix="a=", hidden=ANSWER) for n in range(2)]
    found = find_traces(cuts[::-1], {"p": Paper(id="p", text=text, displays=displays)})
    assert {cut: trace.is_exact for cut, trace in found.items()} == {"p/0/2": False, "p/1/2": True}


def test_an_answer_shorter_than_a_run_can_be_exact_and_not_near() -> None:
    paper, cut = paper_and_cut("we find y+1, surely", OTHER, hidden="y + 1")
    trace = find_traces([cut], {"p": paper})["p/0/2"]
    assert (trace.is_exact, trace.shared) == (True, 0.0)
    assert len(squeezed(cut.hidden)) < RUN
    paper, cut = paper_and_cut("nothing of the kind", OTHER, hidden="y + 1")
    assert not find_traces([cut], {"p": paper})["p/0/2"].is_exact


def test_an_answer_of_labels_alone_is_no_copy() -> None:
    paper, cut = paper_and_cut(OTHER, OTHER, hidden=r"\label{eq:x} . \nonumber")
    assert not find_traces([cut], {"p": paper})["p/0/2"].is_exact


def test_the_analysis_counts_copies_and_gives_lifts_without_them() -> None:
    paper, cut = paper_and_cut(ANSWER, OTHER)
    clean = replace(make_cut("q/0/2"), hidden=OTHER)
    unknown = replace(make_cut("r/0/2"), hidden="")
    cuts = [cut, clean, unknown]
    scores = [make_score(one.id, "same-budget", -1.0) for one in cuts]
    scores += [
        make_score(one.id, "forecast:a", value)
        for one, value in zip(cuts, (-0.1, -0.5, -0.9), strict=True)
    ]
    forecasts = [make_forecast(one.id, "a") for one in cuts]
    asked = Asked(texts={"p": paper})
    found = analyse(cuts, forecasts, scores, asked=asked).findings.copies
    assert found is not None
    assert (found.num_searched, found.num_whole, found.num_unknown) == (2, 1, 1)
    assert [(one.cut_id, one.is_exact, one.in_context) for one in found.found] == [
        ("p/0/2", True, False)
    ]
    (row,) = found.lifts
    assert row.every.num_cuts == 2
    assert row.every.mean == pytest.approx(0.7)
    assert row.without.mean == row.without_exact.mean == pytest.approx(0.5)


def test_no_cut_has_no_copies() -> None:
    assert analyse([], [], []).findings.copies is None
