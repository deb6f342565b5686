from hypothesis import given
from hypothesis import strategies as st
from questions import CONTEXT, make_cut

from foreword.forecasts import PROMPT_VERSION, chat_prompt, plain_prompt
from foreword.forecasts.predictor import answer_seed, visible_context
from foreword.store import fingerprint


def test_the_prompt_asks_for_the_rounded_length_and_names_the_closing() -> None:
    question = make_cut().question
    prompt = chat_prompt(question, 10_000)
    assert f"about {question.length_hint} characters" in prompt
    assert r"do not write \end{align}" in prompt
    assert question.cut_id not in prompt


@given(st.text(alphabet="~\nab", max_size=40), st.text(alphabet="~{}x", max_size=20))
def test_no_text_of_a_paper_can_end_the_part_that_is_material(context: str, prefix: str) -> None:
    question = make_cut(context=context, prefix=prefix).question
    prompt = chat_prompt(question, 10_000)
    fence = prompt.splitlines()[0].rpartition(" ")[2] if "~" not in prompt.splitlines()[0] else ""
    fence = next(word for word in prompt.split() if set(word.strip(".")) == {"~"}).strip(".")
    assert prompt.splitlines().count(fence) == 3
    assert f"\n{fence}\n{context}\n{fence}\n{question.opening}{prefix}\n{fence}\n" in prompt


def test_only_the_end_of_the_context_is_shown() -> None:
    question = make_cut().question
    assert visible_context(question, 10) == CONTEXT[-10:]
    assert visible_context(question, 0) == ""
    assert visible_context(question, 10**6) == CONTEXT
    assert CONTEXT[:40] not in chat_prompt(question, 100)


def test_a_language_model_sees_the_paper_and_nothing_else() -> None:
    question = make_cut().question
    expected = (CONTEXT + question.opening + question.prefix).rstrip()
    assert plain_prompt(question, 10_000) == expected


@given(st.integers(), st.text())
def test_the_seed_of_an_answer_is_a_positive_int32(seed: int, cut_id: str) -> None:
    assert 0 <= answer_seed(seed, cut_id) < 2**31


def test_another_prompt_has_another_version() -> None:
    """Answers are kept by the prompt's version: one that asks otherwise must not reuse them."""
    question = make_cut().question
    asked = fingerprint([chat_prompt(question, 100), plain_prompt(question, 100)])
    assert {PROMPT_VERSION: asked[:16]} == {"1": "9260466659764e3f"}
