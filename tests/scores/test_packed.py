"""The packed pass against a plain one: each sequence alone, the model's own attention."""

import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.models import find_model, load_model
from foreword.records import Pair
from foreword.scores import load_scorer
from foreword.scores.packed import can_pack, packed_rows, tree_of

SHAPE = {
    "vocab_size": 50,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "pad_token_id": None,
}


def made(family: str, **settings: Any) -> Any:
    """A model of random weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        import transformers
    config = transformers.AutoConfig.for_model(family, **{**SHAPE, **settings})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return transformers.AutoModelForCausalLM.from_config(config).eval()


def plain(model: Any, sequence: Sequence[int], first: int) -> list[float]:
    import torch

    with torch.inference_mode():
        table = torch.log_softmax(model(torch.tensor([sequence])).logits[0].double(), dim=-1)
    return [float(table[t - 1, sequence[t]]) for t in range(first, len(sequence))]


def sequences(seed: int = 0) -> list[list[int]]:
    """Of many lengths, with shared beginnings, one equal to another's beginning, one doubled."""
    draw = random.Random(seed)
    longest = [draw.randrange(50) for _ in range(150)]
    kept_and_added = ((40, 1), (40, 63), (100, 5), (0, 31), (0, 32), (0, 33))
    branches = [longest[:kept] + [draw.randrange(50) for _ in range(added)]
                for kept, added in kept_and_added]  # fmt: skip
    return [*branches, longest, longest[:64], longest]


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("llama", {}),
        ("llama", {"num_key_value_heads": 4}),
        ("mistral", {"sliding_window": 40}),
        ("qwen2", {}),
        ("qwen2", {"use_sliding_window": True, "sliding_window": 20, "max_window_layers": 1}),
        ("qwen3", {}),
        ("gemma3_text", {"sliding_window": 33, "sliding_window_pattern": 2}),
    ],
)
def test_packed_equals_one_at_a_time(family: str, settings: dict[str, Any]) -> None:
    model = made(family, **settings)
    assert can_pack(model)
    firsts = [max(1, len(sequence) - 20) for sequence in sequences()]
    found = packed_rows(model, sequences(), firsts)
    for values, sequence, first in zip(found, sequences(), firsts, strict=True):
        assert [value for (value,) in values] == pytest.approx(
            plain(model, sequence, first), abs=1e-5
        )
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("family", ["llama", "qwen3", "mistral"])
def test_the_kernel_for_gpus_gives_the_same_here(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreword.scores.packed._has_kernel", lambda device: True)
    model = made(family, **({"sliding_window": None} if family == "mistral" else {}))
    firsts = [max(1, len(sequence) - 20) for sequence in sequences()]
    found = packed_rows(model, sequences(), firsts)
    for values, sequence, first in zip(found, sequences(), firsts, strict=True):
        found_here = [value for (value,) in values]
        assert found_here == pytest.approx(plain(model, sequence, first), abs=1e-5)


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("gpt_neox", {}),
        ("gemma2", {}),
        ("gemma3_text", {"final_logit_softcapping": 30.0}),
        ("gemma3_text", {"use_bidirectional_attention": True}),
        ("llama", {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}),
    ],
)
def test_what_was_not_tried_is_not_packed(family: str, settings: dict[str, Any]) -> None:
    assert not can_pack(made(family, **settings))


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12), max_size=6))
def test_a_tree_spells_its_sequences_and_holds_each_beginning_once(paths: list[list[int]]) -> None:
    tree = tree_of(paths)
    assert [[tree.tokens[node] for node in path] for path in tree.paths] == paths
    beginnings = {tuple(path[: n + 1]) for path in paths for n in range(len(path))}
    assert len(tree.tokens) == len(beginnings)
    for path in tree.paths:
        assert [tree.positions[node] for node in path] == list(range(len(path)))


def test_the_embedded_model_gives_equal_bytes_in_any_company() -> None:
    """Not a promise of the arithmetic, but so on every processor that runs these tests."""
    scorer = load_scorer("smollm2")
    prompts = ["Let $x", "% First equation:\n$x=y+z$\n\n% Same equation:\n$x", "$x", "$a+b" * 20]
    pairs = [Pair(id=prompt, prompt=prompt, target="=y+z$") for prompt in prompts]
    together = scorer.score(pairs)
    assert together == [scorer.score([pair])[0] for pair in pairs]
    assert together[::-1] == scorer.score(pairs[::-1])


def test_the_embedded_model_packed_equals_its_plain_pass() -> None:
    model, tokenizer = load_model(find_model("smollm2"))
    texts = ["The energy is $E = mc^2$.", "The energy is $E = \\hbar\\omega$.", "$a+b$ " * 30]
    ids = [tokenizer(text)["input_ids"] for text in texts]
    found = packed_rows(model, ids, [1] * len(ids))
    for values, sequence in zip(found, ids, strict=True):
        assert [value for (value,) in values] == pytest.approx(plain(model, sequence, 1), abs=1e-4)
