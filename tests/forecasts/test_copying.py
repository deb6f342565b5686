from predictor_checks import check_predictor
from questions import make_cut

from foreword.forecasts import CopyPredictor, PredictorSettings


def only_answer(**parts: str) -> str | None:
    [answer] = CopyPredictor().answers([make_cut(**parts).question], seed=0)
    return answer.raw


def test_it_passes_the_checks_of_every_predictor() -> None:
    answers = check_predictor(CopyPredictor(), repeats=True)
    assert [answer.missing for answer in answers] == [None, "empty", None, "empty", "empty", None]


def test_it_goes_on_as_the_most_similar_equation_did() -> None:
    context = r"First \[ a = b + c_1 \] then \[ E = m v^2 + \lambda \phi^4 \] and \[ x = y \]"
    copied = only_answer(context=context, prefix=r"H = m v^2 +", hidden="p^4 + q")
    assert copied == r" \lambda \phi^4"


def test_of_equal_places_it_takes_the_latest() -> None:
    context = r"\[ a = b + c + c + c \] and \[ a = b + d + d + d \]"
    assert only_answer(context=context, prefix="a = b +", hidden="x") == " d + d + d"


def test_a_place_that_too_little_follows_comes_last() -> None:
    context = r"\[ a = b + c + c + c \] and \[ a = b + d \]"
    assert only_answer(context=context, prefix="a = b +", hidden="x") == " c + c + c"
    assert only_answer(context=r"\[ a = b + d \]", prefix="a = b +", hidden="x" * 50) == " d"


def test_it_copies_whole_tokens_up_to_the_length_asked_for() -> None:
    context = r"\[ a = " + r"\alpha+" * 30 + r"\]"
    copied = only_answer(context=context, prefix="b =", hidden="x" * 10) or ""
    assert copied.strip() == r"\alpha+" * 7


def test_it_looks_no_further_back_than_it_is_shown() -> None:
    context = r"\[ a = b + c \]" + "x" * 100
    question = make_cut(context=context, prefix="a =").question
    predictor = CopyPredictor(settings=PredictorSettings(context_characters=50))
    [answer] = predictor.answers([question], seed=0)
    assert (answer.missing, answer.raw) == ("empty", None)
    assert "no displayed equation" in (answer.failure or "")


def test_it_reads_displays_that_open_with_a_papers_own_words() -> None:
    context = r"\beq a = b + c \eeq and \beqn a = d \eeqn"
    copied = only_answer(
        context=context, prefix="a =", opening=r"\beq", closing=r"\eeq", hidden="x"
    )
    assert copied == " b + c"


def test_a_hostile_context_is_read_soon() -> None:
    for context in (
        r"\[x" * 3000,
        r"\[" + "x" * 10_000 + r"\]",
        r"\begin{align}" * 800,
        "$$" * 5000,
    ):
        only_answer(context=context, prefix="x" * 2000)
