import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.errors import UsageError
from foreword.models import load_model
from foreword.records import Pair, TokenScores
from foreword.scores import LocalScorer, Scorer, load_scorer

TEXTS = st.text(alphabet=" =+x\\{}()leftright∀𝓁é\r\n\u0301\U0001d4c1<end>", min_size=1, max_size=20)


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> LocalScorer:
    scorer = load_scorer(f"hf:{tiny_model}")
    assert isinstance(scorer, LocalScorer)
    return scorer


def one(scorer: LocalScorer, prompt: str, target: str) -> TokenScores:
    [result] = scorer.score([Pair(id="1", prompt=prompt, target=target)])
    return result


def by_definition(
    scorer: LocalScorer, result: TokenScores, prompt: str, target: str
) -> list[float]:
    """One whole pass in float32, the full log-softmax, and a loop over the target's tokens."""
    import torch

    model, tokenizer = load_model(scorer.files)
    text = prompt + target
    ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0].double()
    table = torch.log_softmax(logits, dim=-1)
    first = len(ids) - len(result.token_ids)
    return [float(table[t - 1, ids[t]]) for t in range(first, len(ids))]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=TEXTS, target=TEXTS)
def test_scores_equal_the_definition(tiny: LocalScorer, prompt: str, target: str) -> None:
    result = one(tiny, prompt, target)
    if result.failure:
        assert "no begin-of-text token" in result.failure
        return
    expected = by_definition(tiny, result, prompt, target)
    assert result.logprobs == pytest.approx(expected, abs=1e-5)
    data = (prompt + target).encode()
    assert result.first_byte is not None
    assert "".join(result.token_texts) == data[result.first_byte :].decode("utf-8", "replace")
    assert result.first_byte <= len(prompt.encode())


def test_a_tiny_model_is_a_scorer_known_by_its_id(tiny: LocalScorer) -> None:
    assert isinstance(tiny, Scorer)
    other = load_scorer(tiny.files.name, boundary="paper")
    assert tiny.scorer_id != other.scorer_id
    assert tiny.scorer_id == load_scorer(tiny.files.name).scorer_id


def test_no_number_depends_on_what_is_scored_beside_it(tiny: LocalScorer) -> None:
    pairs = [Pair(id=str(n), prompt="x = " * (7 * n + 1), target=r"\left(x") for n in range(5)]
    together = tiny.score(pairs)
    assert together == [one(tiny, pair.prompt, pair.target) for pair in pairs]
    assert together[::-1] == tiny.score(pairs[::-1])


def test_an_empty_prompt_without_a_begin_token_is_a_failure(tiny: LocalScorer) -> None:
    result = one(tiny, "", "x")
    assert "no begin-of-text token" in (result.failure or "")
    assert result.logprobs == ()


def test_an_empty_target_is_a_failure(tiny: LocalScorer) -> None:
    assert one(tiny, "x", "").failure == "the target is empty"


@pytest.mark.parametrize(("extra", "fits"), [(-1, True), (0, True), (1, False)])
def test_what_does_not_fit_the_window_is_a_failure_and_is_not_cut(
    tiny: LocalScorer, extra: int, fits: bool
) -> None:
    model, tokenizer = load_model(tiny.files)
    window = model.config.max_position_embeddings
    prompt = ""
    while len(tokenizer(prompt + "(")["input_ids"]) < window + extra:
        prompt += "{"
    result = one(tiny, prompt, "(")
    assert (result.failure is None) == fits
    if not fits:
        assert f"{window + 1} tokens, the model reads {window}" in (result.failure or "")


def test_special_tokens_written_in_a_text_are_text(tiny: LocalScorer) -> None:
    _, tokenizer = load_model(tiny.files)
    result = one(tiny, "x <end> ", "<end>y")
    assert tokenizer.eos_token_id not in result.token_ids
    assert result.failure is None


def test_the_paper_rule_scores_a_token_less_where_one_straddles(tiny: LocalScorer) -> None:
    prompt, target = r"x\le", "ft(x"
    exact = one(tiny, prompt, target)
    paper = one(load_scorer(tiny.files.name, boundary="paper"), prompt, target)
    assert exact.prompt_bytes
    assert exact.token_ids[1:] == paper.token_ids
    assert exact.logprobs[1:] == pytest.approx(paper.logprobs, abs=1e-6)
    assert paper.prompt_bytes == 0


def test_unknown_rules_and_precisions_are_refused(tiny: LocalScorer) -> None:
    with pytest.raises(UsageError, match=r"did you mean 'exact'.*exact or paper"):
        load_scorer(tiny.files.name, boundary="exakt")
    with pytest.raises(UsageError, match="auto or float32 or bfloat16 or float16"):
        load_scorer(tiny.files.name, dtype="int8")


def test_the_embedded_model_knows_an_exact_forecast_from_a_wrong_one() -> None:
    """The order of table 1 in the paper: exact > reordered > wrong symbol > empty."""
    scorer = load_scorer("smollm2")

    def clipped(forecast: str) -> float:
        equation = "\\begin{equation}\nZ="
        prompt = (
            f"% First equation:\n{equation}{forecast}\n\\end{{equation}}\n\n"
            f"% Same equation:\n{equation}"
        )
        values = one(scorer, prompt, "X+A+B").logprobs
        return math.fsum(max(value, -2.0) for value in values) / len(values)

    exact, reordered, wrong, empty = map(clipped, ("X+A+B", "X+B+A", "X+Y", ""))
    assert exact > reordered > wrong > empty
