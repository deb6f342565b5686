"""What a score has to hold to, with a list of where each point is proven.

    the boundary, on every kind of tokenizer     test_tokenizers, test_boundary
    a score is the definition's, in float64      test_tokenizers; whatever the text, test_local
    packed as plain, family by family            test_packed
    no room in the window, an empty prompt       test_tokenizers
    target ids that differ between conditions    test_score
    statistics, ties, memory, bfloat16           test_statistics
    repeated is near zero, shuffled is not       test_probe
    resume, equal requests once                  test_score, test_reuse
    a folder's hash                              test_models

Here: refusals without numbers, company that changes nothing, one sum, the scorer's id.
"""

import math
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_made import beginning, gpt2

from conftest import MERGES
from foreword.analysis.softening import soften
from foreword.models import find_model, load_model
from foreword.records import Pair, TokenScores
from foreword.scores import LocalScorer, Span, load_scorer, local, packed
from foreword.scores.request import make_request, refusal, result
from tiny_model import byte_tokenizer, save_model_of, save_tiny_model

FLOORS = ("clip2", "clip3", "clip5", "raw")
PAIRS = [
    Pair(id=f"{number}", prompt="x = " * repeats + ending, target=target)
    for number, (repeats, ending, target) in enumerate(
        [
            (1, "", r"\left(x"),
            (40, "", r"\left(x"),
            (40, "", r"\right)" * 30),
            (40, r"\le", "ft(y ∀"),
            (70, "y", "𝓁" * 9),
            (3, r"\le", "ft(y ∀"),
            (1, "", "x"),
        ]
    )
]


@pytest.fixture(scope="module", params=["llama", "gpt_neox"])
def scorer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LocalScorer:
    """Of a family that is packed, and of one that is not."""
    folder = tmp_path_factory.mktemp(request.param)
    tokenizer = byte_tokenizer(MERGES)
    save_model_of(folder, tokenizer, window=2048, family=request.param, eos_token="<end>")
    return scorer_of(folder)


def scorer_of(folder: Path, **how: Any) -> LocalScorer:
    found = load_scorer(f"hf:{folder}", **how)
    assert isinstance(found, LocalScorer)
    return found


def one(scorer: LocalScorer, prompt: str, target: str) -> TokenScores:
    [found] = scorer.score([Pair(id="1", prompt=prompt, target=target)], statistics=True)
    return found


def assert_refused(found: TokenScores, why: str) -> None:
    """No number, no token: a reason alone."""
    assert why in (found.failure or "")
    assert found == TokenScores(failure=found.failure)


def assert_same(found: list[TokenScores], expected: list[TokenScores]) -> None:
    """The same tokens, and each value within a hundred-thousandth."""
    for one_, other in zip(found, expected, strict=True):
        assert replace(one_, logprobs=(), statistics=None) == replace(
            other, logprobs=(), statistics=None
        )
        assert one_.logprobs == pytest.approx(other.logprobs, abs=1e-5)


SPAN = Span(first=1, texts=("a", "b"), first_byte=1, prompt_bytes=0)


@pytest.mark.parametrize(
    ("ids", "values", "why"),
    [
        ([7, 8], [-1.0], "there are 1 log-probabilities for 2 tokens"),
        ([7, 8], [-1.0, -1.0, -1.0], "there are 3 log-probabilities for 2 tokens"),
        ([7], [-1.0, -1.0], "there are 1 token ids for 2 tokens"),
        ([7, 8], [-1.0, None], "token 2 of 2 is missing"),
        ([7, 8], [math.nan, -1.0], "token 1 of 2 is not a number"),
        ([7, 8], [-1.0, 2e-6], "token 2 of 2 is 2e-06, above zero"),
        ([7, 8], [math.inf, -1.0], "token 1 of 2 is inf, above zero"),
        ([7, 8], [-math.inf, -1.0], "token 1 of 2 is -inf, which stands for a missing value"),
        ([7, 8], [-1.0, -9999.0], "token 2 of 2 is -9999.0, which stands for a missing value"),
        ([7, 8], [-1.0, -1000.0], "token 2 of 2 is -1000.0, which stands for a missing value"),
    ],
)
def test_what_is_no_log_probability_is_refused_with_its_reason_and_without_numbers(
    ids: list[int], values: list[float | None], why: str
) -> None:
    assert_refused(result(ids, SPAN, values), why)


def test_rounding_above_zero_is_kept_and_no_token_is_no_score() -> None:
    assert result([7, 8], SPAN, [1e-7, -999.0]).failure is None
    assert refusal(0, 0, []) == "the target has no token"


def poisoned(folder: Path, change: Callable[[Any], None]) -> LocalScorer:
    save_model_of(folder, byte_tokenizer(MERGES), change=change, eos_token="<end>")
    return scorer_of(folder)


def test_a_model_that_gives_no_numbers_is_refused(tmp_path: Path) -> None:
    def spoil(model: Any) -> None:
        model.lm_head.weight[5] = math.nan

    assert_refused(one(poisoned(tmp_path, spoil), "x=", "y"), "token 1 of 1 is not a number")


def test_a_model_that_finds_another_token_infinitely_probable_is_refused(tmp_path: Path) -> None:
    def spoil(model: Any) -> None:
        model.lm_head.weight[5] = math.inf

    assert_refused(one(poisoned(tmp_path, spoil), "x=", "y"), "token 1 of 1 is not a number")


@pytest.mark.parametrize(("size", "why"), [(1e38, "-inf"), (600.0, "-2"), (1e4, "-3")])
def test_a_token_that_a_model_finds_impossible_is_refused(
    size: float, why: str, tmp_path: Path
) -> None:
    """Its row of the output matrix points away from where the hidden state is."""
    prompt, target = "x=", "y"
    scorer = poisoned(tmp_path / "plain", lambda model: None)
    model, tokenizer = load_model(scorer.files)
    import torch

    with torch.inference_mode():
        hidden = model.model(torch.tensor([tokenizer(prompt)["input_ids"]])).last_hidden_state[0]
    [row] = tokenizer(target)["input_ids"]

    def spoil(model: Any) -> None:
        model.lm_head.weight[row] = -size * hidden[-1] / hidden[-1].square().sum() ** 0.5

    found = one(poisoned(tmp_path / "spoilt", spoil), prompt, target)
    assert_refused(found, f"the log-probability of token 1 of 1 is {why}")
    assert_refused(found, "which stands for a missing value")


def test_an_empty_target_is_refused(scorer: LocalScorer) -> None:
    assert_refused(one(scorer, "x", ""), "the target is empty")


def test_one_pair_that_is_refused_changes_nothing_for_its_neighbours(scorer: LocalScorer) -> None:
    with_empty = [PAIRS[0], Pair(id="e", prompt="x", target=""), *PAIRS[1:]]
    found = scorer.score(with_empty)
    assert_refused(found.pop(1), "the target is empty")
    assert found == scorer.score(PAIRS)


@dataclass
class Deaf:
    """A tokenizer that reads special tokens in a text as such, whatever it is told."""

    tokenizer: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tokenizer, name)

    def __call__(self, text: str, *, split_special_tokens: bool = False, **how: Any) -> Any:
        return self.tokenizer(text, **how)


def test_a_begin_token_that_a_text_would_repeat_is_refused(tmp_path: Path) -> None:
    save_model_of(tmp_path, beginning(gpt2()), bos_token="<s>", eos_token="<end>")
    tokenizer = Deaf(load_model(scorer_of(tmp_path).files)[1])
    assert make_request(Pair(id="1", prompt="x", target="y"), tokenizer, "exact", None).ids[0] == 1
    for prompt, target in (("x<s>", "y"), ("x", "<s>y"), ("<s>", "y")):
        with pytest.raises(ValueError, match="there would be two"):
            make_request(Pair(id="1", prompt=prompt, target=target), tokenizer, "exact", None)


def test_half_a_character_is_refused(scorer: LocalScorer) -> None:
    assert "surrogate" in (one(scorer, "x\ud800", "y").failure or "")


@pytest.mark.parametrize("seed", range(3))
def test_no_score_depends_on_order_or_company(scorer: LocalScorer, seed: int) -> None:
    alone = [scorer.score([pair])[0] for pair in PAIRS]
    order = list(range(len(PAIRS))) * 2
    random.Random(seed).shuffle(order)
    found = scorer.score([PAIRS[i] for i in order])
    assert_same(found, [alone[i] for i in order])


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (local, "_PACK", 1),
        (local, "_PACK", 300),
        (local, "_MOST_GATHERED", 500),
        (packed, "ROWS_AT_ONCE", 1),
        (packed, "ROWS_AT_ONCE", 17),
        (packed, "ROWS_AT_ONCE", 10_000),
        (packed, "_BLOCK", 1),
        (packed, "_BLOCK", 7),
        (packed, "_BLOCK", 1024),
        (packed, "_ROWS", 1),
        (packed, "_ROWS", 64),
    ],
)
def test_no_score_depends_on_how_much_is_computed_at_once(
    tiny_model: Path, module: Any, name: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = scorer_of(tiny_model)
    before = scorer.score(PAIRS, statistics=True)
    monkeypatch.setattr(module, name, value)
    after = scorer.score(PAIRS, statistics=True)
    assert_same(after, before)
    for one_, other in zip(after, before, strict=True):
        assert one_.statistics is not None
        assert other.statistics is not None
        assert one_.statistics.ranks == other.statistics.ranks
        assert one_.statistics.entropies == pytest.approx(other.statistics.entropies, abs=1e-5)


def test_the_sum_over_a_target_is_one_cross_entropy(scorer: LocalScorer) -> None:
    import torch

    model, tokenizer = load_model(scorer.files)
    for pair, found in zip(PAIRS, scorer.score(PAIRS), strict=True):
        ids = torch.tensor(tokenizer(pair.prompt + pair.target)["input_ids"])
        count = len(found.token_ids)
        with torch.inference_mode():
            logits = model(ids[None]).logits[0].double()
        loss = torch.nn.functional.cross_entropy(
            logits[-count - 1 : -1], ids[-count:], reduction="sum"
        )
        assert math.fsum(found.logprobs) == pytest.approx(-float(loss), abs=1e-5 * count)


@given(st.lists(st.floats(-100, 0), min_size=1))
def test_a_lower_floor_never_raises_a_clipped_score(logprobs: list[float]) -> None:
    values = [soften(np.array(logprobs), floor).mean() for floor in FLOORS]
    assert values == sorted(values, reverse=True)


def test_a_clipped_score_of_a_model_falls_with_its_floor(scorer: LocalScorer) -> None:
    for found in scorer.score(PAIRS):
        values = [float(soften(np.array(found.logprobs), floor).mean()) for floor in FLOORS]
        assert values[0] >= -2
        assert values == sorted(values, reverse=True)


def test_the_id_is_of_what_can_change_a_number_and_of_nothing_else(
    tiny_model: Path, tmp_path: Path
) -> None:
    base = scorer_of(shutil.copytree(tiny_model, tmp_path / "model"))
    ids = {base.scorer_id}

    def is_new(scorer: LocalScorer) -> bool:
        before = len(ids)
        ids.add(scorer.scorer_id)
        return len(ids) > before

    other_weights = save_tiny_model(tmp_path / "1" / "model", seed=1, merges=MERGES, window=2048)
    assert is_new(scorer_of(other_weights))
    for number, (name, old, new) in enumerate(
        [
            ("tokenizer.json", "<end>", "<fin>"),
            ("tokenizer_config.json", "<end>", "<fin>"),
            ("config.json", '"rms_norm_eps": 1e-06', '"rms_norm_eps": 1e-05'),
        ]
    ):
        folder = shutil.copytree(tiny_model, tmp_path / f"changed-{number}" / "model")
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
        assert is_new(scorer_of(folder))
    assert is_new(scorer_of(tmp_path / "model", dtype="bfloat16"))
    assert is_new(scorer_of(tmp_path / "model", boundary="paper"))
    assert is_new(replace(base, devices=("cuda:0",)))

    assert not is_new(replace(base, devices=("cpu", "cpu")))
    assert not is_new(replace(base, devices=("cuda:1", "cuda:2")))
    elsewhere = shutil.copytree(tiny_model, tmp_path / "elsewhere" / "model")
    assert not is_new(scorer_of(elsewhere))
    (elsewhere / "README.md").write_text("no part of the model")
    base.score(PAIRS[:2])
    assert not is_new(scorer_of(elsewhere))
    renamed = scorer_of(elsewhere.rename(tmp_path / "renamed"))
    assert renamed.scorer_id == base.scorer_id.replace("model@", "renamed@")
    assert find_model(f"hf:{tmp_path / 'renamed'}").sha256 == base.files.sha256
