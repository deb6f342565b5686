import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_by_hand import open_braces, open_environments, paragraph, prose

from foreword.cuts import (
    CutResult,
    ProseRules,
    count_reasons,
    cut_again,
    cut_paper,
    cut_prose,
    explain,
    lies_at,
    make_rules,
)
from foreword.cuts.choose import random_for
from foreword.cuts.passages import draw_apart, site_of
from foreword.cuts.sentences import sentence_ends
from foreword.errors import SourceError
from foreword.papers import read_paper
from foreword.records import Paper
from foreword.stages import cut_papers

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "src/foreword/samples"
CORPUS = ROOT.parent / "shared/tex"
SHORT = ProseRules(min_context=500, hidden=300, asked=200, budget=100, per_paper=3)


def check(made: Paper, rules: ProseRules, result: CutResult) -> None:
    """What holds of every result."""
    sites = [site_of(cut.id) for cut in result.cuts]
    rejected = [rejection.display for rejection in result.rejected]
    assert len({*sites, *rejected}) == len(sites) + len(rejected)
    assert sites == sorted(sites)
    assert len(sites) == min(rules.per_paper, result.num_possible)
    assert all(after - before >= rules.hidden for before, after in pairwise(sites))
    for site, cut in zip(sites, result.cuts, strict=True):
        assert (cut.kind, cut.environment, cut.opening, cut.prefix) == ("prose", "", "", "")
        assert cut.context + cut.hidden == made.text[site - rules.min_context : site + rules.hidden]
        assert (len(cut.context), len(cut.hidden)) == (rules.min_context, rules.hidden)
        assert (cut.question.length_hint, cut.budget) == (rules.asked, rules.budget)
        assert cut.question.kind == "prose"
        assert cut.hidden[:200].strip() not in cut.context


def long_paper(**parts: str) -> Paper:
    blocks = [paragraph(n) for n in range(40)]
    return prose([*blocks[:20], *parts.values(), *blocks[20:]])


def test_cuts_are_the_papers_own_text_and_never_overlap() -> None:
    made = long_paper()
    result = cut_prose(made, SHORT)
    check(made, SHORT, result)
    assert len(result.cuts) == 3
    assert result.cuts[0].file == "main.tex"
    places = [made.locate(site_of(cut.id)) for cut in result.cuts]
    assert [(cut.file, cut.line) for cut in result.cuts] == places


def test_the_draw_depends_on_the_seed_and_the_paper_alone() -> None:
    made = long_paper()
    assert cut_prose(made, SHORT) == cut_prose(made, SHORT)
    ids = [[cut.id for cut in cut_prose(made, SHORT, seed=seed).cuts] for seed in (0, 1)]
    assert ids[0] != ids[1]


def test_no_cut_stands_in_an_environment_and_none_runs_into_a_part_left_out() -> None:
    theorem = "\\begin{theorem}\n" + "\n\n".join(paragraph(100 + n) for n in range(5))
    made = long_paper(theorem=theorem + "\n\\end{theorem}", head=r"\section{Related work}")
    rules = ProseRules(min_context=500, hidden=300, per_paper=1000)
    result = cut_prose(made, rules)
    check(made, rules, result)
    end = made.text.index(r"\section{Related")
    assert result.cuts
    for cut in result.cuts:
        assert open_environments(made.text, site_of(cut.id)) == []
        assert site_of(cut.id) + rules.hidden <= end
    reasons = count_reasons(result.rejected)
    assert reasons["nested"] == 29
    assert reasons["section"]
    more = cut_prose(made, ProseRules(
        min_context=500, hidden=300, per_paper=1000, also_in=("related work",),
    ))  # fmt: skip
    assert len(more.cuts) > len(result.cuts)


def test_every_end_of_a_sentence_is_cut_or_has_its_reason() -> None:
    made = long_paper()
    result = cut_prose(made, SHORT)
    sites = {site_of(cut.id) for cut in result.cuts} | {one.display for one in result.rejected}
    assert sites == set(sentence_ends(made.text))
    reasons = count_reasons(result.rejected)
    assert set(reasons) == {"early", "too short", "not chosen"}
    lines = explain(result.rejected)
    assert any("end of a sentence at character" in line for line in lines)


def test_a_passage_that_was_shown_or_cut_before_is_not_cut() -> None:
    made = long_paper()
    twice = Paper(id="q", text=made.text + "\n" + made.text)
    rules = ProseRules(min_context=500, hidden=300, per_paper=1000)
    reasons = count_reasons(cut_prose(twice, rules).rejected)
    assert reasons["repeated"] > 100
    cuts, rejected = cut_papers([made, Paper(id="q", text=made.text)], rules, seed=0)
    assert {cut.paper_id for cut in cuts} == {"p"}
    assert count_reasons(rejected)["repeated"] > 100
    shown = prose([paragraph(1), paragraph(1), paragraph(2)])
    small = ProseRules(min_context=480, hidden=200)
    assert count_reasons(cut_prose(shown, small).rejected)["answer in context"]


def test_a_cut_is_made_again_by_its_id() -> None:
    made = long_paper()
    cuts = cut_paper(made, SHORT).cuts
    rules = make_rules(SHORT.settings)
    assert rules == SHORT
    assert cut_again(made, [cut.id for cut in cuts], rules, seed=0) == list(cuts)
    start, end, site = lies_at(made, cuts[0])
    assert made.text[start:end] == cuts[0].hidden
    assert site == 0
    with pytest.raises(ValueError, match="no prose to be cut"):
        cut_again(made, ["p/prose/3"], rules, seed=0)
    with pytest.raises(ValueError, match="no cut of prose"):
        cut_again(made, ["p/3/17"], rules, seed=0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"hidden": 0}, "hidden is 0"), ({"min_context": -1}, "min_context is -1"),
     ({"also_in": ("preface",)}, "no part 'preface'")],
)  # fmt: skip
def test_rules_that_can_not_be_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ProseRules(**wrong)  # type: ignore[arg-type]


@given(
    st.lists(st.integers(0, 300), unique=True).map(sorted),
    st.integers(1, 60),
    st.integers(1, 12),
    st.integers(0, 3),
)
def test_as_many_texts_are_drawn_as_can_lie_apart(
    sites: list[int], length: int, most: int, seed: int
) -> None:
    drawn, possible = draw_apart(sites, length, most, random_for(seed))
    greedy, free = 0, 0
    for site in sites:
        if site >= free:
            greedy, free = greedy + 1, site + length
    assert possible == greedy
    assert len(drawn) == min(most, greedy)
    assert set(drawn) <= set(sites)
    assert all(after - before >= length for before, after in pairwise(drawn))


@pytest.mark.parametrize("folder", sorted(p.name for p in SAMPLES.iterdir() if p.is_dir()))
def test_the_sample_papers_give_cuts_of_prose(folder: str) -> None:
    made = read_paper(SAMPLES / folder)
    rules = ProseRules()
    result = cut_prose(made, rules)
    check(made, rules, result)
    assert result.cuts


LEFT_OUT = re.compile(
    r"\\(?:sub)*section\*?\{(?:Related work|Acknowledge?ments?|References|Appendix)"
    r"|\\appendix\b|\\(?:print)?bibliography\b|\\begin\{(?:abstract|thebibliography)"
)
"""The usual headings of what is left out, by a pattern of its own."""


def read_real(folder: Path) -> Paper:
    try:
        return read_paper(folder)
    except SourceError:
        meta = json.loads((folder / "META.json").read_text(encoding="utf-8"))
        return read_paper(folder, main=meta["main_files"][0])


UNEVEN = {"dnest4-jss"}
"""Projects whose listings show half a pair of braces, which the simple counter can't know."""
NAMES = [path.name for path in sorted(CORPUS.glob("*")) if path.is_dir()]


@pytest.mark.skipif(not NAMES, reason="the corpus is not beside the repository")
@pytest.mark.parametrize("name", NAMES)
def test_real_projects_are_cut_outside_of_every_environment(name: str) -> None:
    made = read_real(CORPUS / name)
    rules = ProseRules(per_paper=1000)
    result = cut_prose(made, rules)
    check(made, rules, result)
    for cut in result.cuts:
        site = site_of(cut.id)
        assert open_environments(made.text, site) == [], cut.id
        assert name in UNEVEN or open_braces(made.text, site) == 0, cut.id
        assert not LEFT_OUT.search(cut.hidden), cut.id
        assert not any(display.start < site < display.end for display in made.displays)
