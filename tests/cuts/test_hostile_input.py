"""Whatever is in a paper, reading and cutting it ends: in a result, or in a clear error."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.cuts import CutRules, cut_equations
from foreword.errors import SourceError
from foreword.papers import read_paper
from foreword.records import Paper

BENCH = Path(__file__).parents[2] / "bench" / "bounded_input.py"
SPEC = importlib.util.spec_from_file_location("bounded_input", BENCH)
assert SPEC is not None
assert SPEC.loader is not None
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

ALL = list(bench.inputs(20_000))
REPEATED = [one for one in ALL if one[0].startswith("many ")]
INPUTS = [*REPEATED[::5], *(one for one in ALL if not one[0].startswith("many "))]
"""Every kind once; of what is repeated in seven places, in one or two of them."""
PIECES = [
    *(word.replace("·", " ").replace("↵", "\n") for word in bench.UNITS.split()),
    *(word.replace("·", " ") for word in bench.OWN_UNITS.split()),
    *bench.NESTED,
    *bench.NESTED.values(),
    *("\\end{equation}", "\\end{align}", "\\end{comment}", "\\end{document}", "\u200b", "x+1=y"),
]


def check(path: Path, text: str, rules: CutRules) -> None:
    """Read and cut a text: each display stands in it, and is cut or rejected."""
    path.write_text(text, encoding="utf-8")
    try:
        paper = read_paper(path)
    except SourceError as error:
        assert error.state in ("too large", "empty body", "no main")  # noqa: PT017
        return
    result = cut_equations(paper, rules)
    assert len(result.cuts) + len(result.rejected) == len(paper.displays)
    assert_nothing_is_invented(paper, text.replace("\r", "\n"))


def assert_nothing_is_invented(paper: Paper, text: str) -> None:
    """Each display opens where the source has what opens it, and they do not overlap."""
    lines = text.split("\n")
    end = 0
    for display in paper.displays:
        assert end <= display.start < display.body_start <= display.body_end < display.end
        end = display.end
        _, line, column = paper.place(display.start)
        opening = paper.text[display.start : display.start + 2]
        assert lines[line - 1][column - 1 :].startswith(opening)
        assert opening[0] in "\\$"


@pytest.mark.parametrize("start", range(0, len(INPUTS), 100))
def test_every_kind_of_input_ends_in_a_result_or_an_error(tmp_path: Path, start: int) -> None:
    for _, text in INPUTS[start : start + 100]:
        check(tmp_path / "paper.tex", text, CutRules())


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.booleans(),
)
def test_any_pieces_in_any_order_end_in_a_result_or_an_error(
    tmp_path: Path, preamble: str, body: str, expand: bool
) -> None:
    rules = CutRules(min_context=0, min_hidden=1, expand_macros=expand)
    check(tmp_path / "paper.tex", bench.document(bench.OWN + preamble, body), rules)
