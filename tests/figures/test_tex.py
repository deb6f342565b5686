import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies_drawn import HOSTILE

from foreword.figures.tex import Table, amount, booktabs, escaped, interval, with_error
from foreword.findings import Estimate

_WORDS = re.compile(
    r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar"
    r"|dots|ss|ae|AE|o|O|l|L|i)\{\}"
    r"|\$(-|\\mathdollar|\\times|\\pm|\\cdot|\\langle|\\rangle)\$"
    r"|\\[`'^~=u.\"rHvc]\{[A-Za-z]?\}"
    r"|\\[{}&#%_]|\{[\[*]\}|\{\}"
)
"""All that an escaped text may hold beside harmless characters."""


@given(st.text(max_size=40))
def test_no_text_leaves_anything_that_tex_would_act_on(text: str) -> None:
    rest = _WORDS.sub("", escaped(text))
    assert rest.isascii()
    assert not set(rest) & set('\\{}$&#%_^~[*<>|"\n\r\t\x00')


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_bites_takes_one_line(name: str) -> None:
    table = Table(name="t", caption="C.", heads=("A", "B"), groups=(((escaped(name), "1"),),))
    assert len(booktabs(table, escaped(name)).split("\n")) == 11


def test_two_characters_that_tex_would_join_stay_two() -> None:
    assert escaped("a--b---c,,d''e") == "a-{}-b-{}-{}-c,{},d'{}'e"
    assert escaped("?`!`") == r"?\`{}!\`{}"


def test_what_an_end_of_row_would_take_as_its_argument_stands_in_braces() -> None:
    assert escaped("[6pt]").startswith("{[}")
    assert escaped("*x").startswith("{*}")


def test_accents_stay_and_other_scripts_become_numbers() -> None:
    assert escaped("Čé模") == r"\v{C}\'{e}{[}U+6A21]"


def test_a_table_says_what_it_needs_and_where_it_is_from() -> None:
    row = (("mine", "1"),)
    text = booktabs(
        Table(name="t", caption="C.", heads=("A", "B"), groups=(row, row)), "scores abc"
    )
    assert text.count(r"\midrule") == 2
    assert r"% Needs: \usepackage{booktabs}" in text
    assert "% From: scores abc" in text
    assert text.index(r"\begin{tabular}{@{}lr@{}}") < text.index(r"\toprule")


def test_numbers_that_do_not_exist_are_dashes() -> None:
    one_paper = Estimate(
        num_cuts=3,
        num_papers=1,
        mean=-0.5,
        standard_error=None,
        low=None,
        high=None,
        median=-0.5,
        share_positive=0.0,
    )
    assert interval(one_paper) == "--"
    assert with_error(one_paper) == "$-0.500$"
    assert with_error(None) == "--"
    assert amount(None) == "--"
