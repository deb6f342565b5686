"""Statistics of each token's distribution against their plain definitions, ties among them.

The definitions are computed in float64 from the hidden states that the scorer's own pass gave.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import MERGES
from foreword.models import load_model
from foreword.records import Pair, TokenScores
from foreword.scores import LocalScorer, load_scorer
from foreword.scores.distribution import ROWS_AT_ONCE, read_rows, statistics_of
from tiny_model import byte_tokenizer, save_model_of

FAMILIES = ("llama", "gpt_neox")
"""One that is packed, and one that is not."""
DTYPES = ("float32", "bfloat16")
PAIR = Pair(id="1", prompt=r"\left(x = y + ∀", target=r"\right) = 𝓁 \frac{1}{2} x x x x le")


def with_ties(model: Any) -> None:
    """Each fourth token has the row of the one before it, and each eighth that of two before."""
    weight = model.get_output_embeddings().weight
    weight *= 20
    weight[3::4] = weight[2 : len(weight) - 1 : 4]
    weight[8::8] = weight[6 : len(weight) - 2 : 8]


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model_of(
        tmp_path_factory.mktemp(request.param),
        byte_tokenizer(MERGES),
        window=2048,
        family=request.param,
        change=with_ties,
        eos_token="<end>",
    )


def scorer_of(folder: Path, dtype: str) -> LocalScorer:
    scorer = load_scorer(f"hf:{folder}", dtype=dtype)
    assert isinstance(scorer, LocalScorer)
    return scorer


@contextmanager
def hidden_states(model: Any) -> Iterator[list[Any]]:
    """The last hidden states of each pass that is made meanwhile."""
    found: list[Any] = []
    hook = model.base_model.register_forward_hook(
        lambda _module, _given, output: found.append(output.last_hidden_state[0])
    )
    try:
        yield found
    finally:
        hook.remove()


def logits_and_targets(scorer: LocalScorer, pair: Pair) -> tuple[Any, list[int], TokenScores]:
    """In float64, and equal where the rows of the output matrix are; shape (targets, head)."""
    import torch

    model, tokenizer = load_model(scorer.files, dtype=scorer.dtype)
    with hidden_states(model) as found:
        [result] = scorer.score([pair], statistics=True)
    [hidden] = found
    text = pair.prompt + pair.target
    ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    first = len(ids) - len(result.token_ids)
    rows = hidden[first - 1 : len(ids) - 1].double()
    weight = model.get_output_embeddings().weight.double()
    assert hidden.dtype == getattr(torch, scorer.dtype)
    return (rows[:, None, :] * weight[None]).sum(-1), ids[first:], result


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_statistic_is_what_its_definition_says(folder: Path, dtype: str) -> None:
    logits, targets, result = logits_and_targets(scorer_of(folder, dtype), PAIR)
    found = result.statistics
    assert found is not None
    assert result.token_ids == tuple(targets)
    tied = 0
    for t, target in enumerate(targets):
        row = logits[t].tolist()
        largest = max(row)
        total = math.fsum(math.exp(x - largest) for x in row)
        shares = [math.exp(x - largest) / total for x in row]
        entropy = -math.fsum(share * math.log(share) for share in shares if share) / math.log(
            len(row)
        )
        ties = sum(x == row[target] for x in row) - 1
        rank = 1 + sum(x > row[target] for x in row)
        assert not any(0 < abs(x - row[target]) < 1e-6 for x in row), "choose another seed"
        tied += ties
        assert found.ranks[t] == rank
        assert found.ties[t] == ties
        tops = (found.top_1[t], found.top_2[t], found.top_3[t], found.top_5[t])
        assert tops == (rank <= 1, rank <= 2, rank <= 3, rank <= 5)
        assert found.entropies[t] == pytest.approx(entropy, abs=1e-5)
        assert found.largest_probabilities[t] == pytest.approx(max(shares), abs=1e-6)
        assert found.probabilities[t] == pytest.approx(shares[target], abs=1e-6)
        assert result.logprobs[t] == pytest.approx(
            row[target] - largest - math.log(total), abs=1e-5
        )
    assert tied > 3


@pytest.mark.parametrize("dtype", DTYPES)
def test_asking_for_statistics_changes_no_bit_of_a_score(folder: Path, dtype: str) -> None:
    scorer = scorer_of(folder, dtype)
    pairs = [PAIR, Pair(id="2", prompt=r"\left(x = y + ∀", target="left"), PAIR]
    bare, full = scorer.score(pairs), scorer.score(pairs, statistics=True)
    assert [one.logprobs for one in bare] == [one.logprobs for one in full]
    assert all(one.statistics is None for one in bare)
    assert all(one.statistics is not None for one in full)


LOGITS = st.sampled_from([-math.inf, -9.0, -1.0, -0.75, 0.0, 0.5, 30.0])


@given(
    st.lists(LOGITS, min_size=2, max_size=40).filter(lambda row: max(row) > -math.inf), st.data()
)
def test_a_row_of_ties_and_of_impossible_tokens_is_read_by_definition(
    row: list[float], data: st.DataObject
) -> None:
    import torch

    row = [*row, 0.25]
    target = data.draw(st.sampled_from([i for i, x in enumerate(row) if x > -math.inf]))
    [found] = read_rows(torch.tensor([row]), torch.tensor([target]), statistics=True).tolist()
    total = math.fsum(map(math.exp, row))
    shares = [math.exp(x) / total for x in row]
    entropy = -math.fsum(share * math.log(share) for share in shares if share) / math.log(len(row))
    [logprob] = read_rows(torch.tensor([row]), torch.tensor([target]), statistics=False)[0].tolist()
    assert logprob == found[0] == pytest.approx(math.log(shares[target]), abs=1e-6)
    named = statistics_of([found])
    assert named is not None
    assert named.ranks == (1 + sum(x > row[target] for x in row),)
    assert named.ties == (row.count(row[target]) - 1,)
    assert named.entropies[0] == pytest.approx(entropy, abs=1e-6)
    assert named.largest_probabilities[0] == pytest.approx(max(shares), abs=1e-6)
    assert named.probabilities[0] == pytest.approx(shares[target], abs=1e-6)


@contextmanager
def sizes_made() -> Iterator[list[int]]:
    """Elements of every tensor that torch makes meanwhile."""
    from torch import Tensor
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[int] = []

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            made = func(*args, **(kwargs or {}))
            found.extend(
                each.numel()
                for each in (made if isinstance(made, tuple | list) else (made,))
                if isinstance(each, Tensor)
            )
            return made

    with Counting():
        yield found


@pytest.mark.parametrize("statistics", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_tensor_has_a_row_of_the_vocabulary_for_each_token_of_a_prompt(
    family: str, statistics: bool, tmp_path: Path
) -> None:
    many = [(chr(a), chr(b)) for a in range(0x21, 0x7F) for b in range(0x41, 0x61)]
    tokenizer = byte_tokenizer(many)
    save_model_of(tmp_path, tokenizer, window=2048, family=family, eos_token="<end>")
    scorer = scorer_of(tmp_path, "float32")
    head = tokenizer.get_vocab_size()
    assert head > 3000
    scorer.score([PAIR])
    peaks = []
    for length in (50, 1500):
        pair = Pair(id="1", prompt="x" * length, target="left" * 3)
        with sizes_made() as sizes:
            [result] = scorer.score([pair], statistics=statistics)
        assert len(result.token_ids) == 12
        peaks.append(max(sizes))
    assert peaks[0] <= 16 * head
    assert peaks[1] <= max(16 * head, 8 * 1536 * 32)  # attention: queries of a block x all keys
    if family == "llama":  # a long target goes through the output matrix in parts
        pair = Pair(id="1", prompt="x", target="x" * 1500)
        with sizes_made() as sizes:
            scorer.score([pair], statistics=statistics)
        assert max(sizes) <= ROWS_AT_ONCE * head
