from dataclasses import replace

import pytest
from audited_cuts import CONTEXT, a_cut, other_hidden
from hypothesis import given
from hypothesis import strategies as st

from foreword.audit import STRATEGIES
from foreword.audit.strategies import cut_to, room

TEXTS = st.text(alphabet="ab \\{}$%\n=+[]\u00e9", max_size=300)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_keeps_the_budget_and_never_sees_the_answer(name: str) -> None:
    for length in range(50, 71):
        cut = a_cut(hidden="y" * length)
        said = STRATEGIES[name](cut.question)
        assert 0 < len(said) <= cut.budget
        assert said == STRATEGIES[name](other_hidden(cut).question)


@pytest.mark.parametrize("name", STRATEGIES)
@given(context=TEXTS, prefix=TEXTS)
def test_a_strategy_takes_any_text(name: str, context: str, prefix: str) -> None:
    question = replace(a_cut(), context=context, prefix=prefix).question
    assert len(STRATEGIES[name](question)) <= room(question)


def test_strategies_say_what_their_names_say() -> None:
    question = a_cut(hidden="y" * 60).question
    said = {name: strategy(question) for name, strategy in STRATEGIES.items()}
    assert CONTEXT.endswith(said["nearest-context"] + " ")
    assert said["previous-equation"] == r"E = \frac{1}{2} m v^2 + \lambda x^4 ."
    assert said["reordered-context"].startswith("so the flow exists.")
    assert sorted(said["reordered-context"].split()) == sorted(said["nearest-context"].split())
    assert said["listed-symbols"].startswith(r"\lambda, x, E, \frac, m, v")
    assert said["repeated-prefix"].startswith(r"\lambda x = \lambda x =")
    assert said["sameness"].startswith("% ")


@given(text=TEXTS, most=st.integers(min_value=0, max_value=300))
def test_a_text_is_cut_between_words(text: str, most: int) -> None:
    kept = cut_to(text, most)
    assert len(kept) <= most
    assert text.startswith(kept)
