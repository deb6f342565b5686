"""One pass over many token sequences: what they share at the beginning is computed once.

The sequences are laid out as a tree, one node a distinct (beginning, token), and the nodes are the
rows of one batch of size one: nothing is padded. Everything but attention works on rows alone.
Attention gathers each sequence's own nodes again and takes the queries in blocks of fixed length,
so that what a row is computed from, and in which order, follows from its own sequence.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from foreword.scores.distribution import ROWS_AT_ONCE, read_rows

_BLOCK = 32  # queries that attend at once
_ROWS = 16  # MKL adds up a product of fewer than 12 rows in another order
_NAME = "foreword_packed"
_FAMILIES = frozenset({"gemma3_text", "llama", "mistral", "qwen2", "qwen3"})
"""Whose attention is all in the arguments that `_attention` is given; a test for each."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Token sequences with their shared beginnings held once."""

    tokens: list[int] = field(default_factory=list)
    """Token of each node; shape (nodes,)."""
    positions: list[int] = field(default_factory=list)
    """Position of each node in every sequence that it is in; shape (nodes,)."""
    paths: list[list[int]] = field(default_factory=list)
    """The nodes of each sequence, in order."""


def tree_of(sequences: Sequence[Sequence[int]]) -> Tree:
    """The tree of some token sequences.

    >>> tree_of([[5, 7, 8], [5, 7, 9]])
    Tree(tokens=[5, 7, 8, 9], positions=[0, 1, 2, 2], paths=[[0, 1, 2], [0, 1, 3]])
    """
    tree = Tree()
    children: dict[tuple[int, int], int] = {}
    for sequence in sequences:
        path: list[int] = []
        for position, token in enumerate(sequence):
            step = (path[-1] if path else -1, token)
            if step not in children:
                children[step] = len(tree.tokens)
                tree.tokens.append(token)
                tree.positions.append(position)
            path.append(children[step])
        tree.paths.append(path)
    return tree


def shared_beginning(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two sequences begin with alike.

    >>> shared_beginning([5, 7, 8], [5, 7, 9, 1])
    2
    """
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def can_pack(model: Any) -> bool:
    """Whether sequences of this model can be packed: it is of a family that was tried.

    Not where a setting makes rows depend on the longest sequence, or on what no argument says.
    """
    config = model.config
    rotary = getattr(config, "rope_parameters", None) or {}
    kinds = {rotary.get("rope_type")} | {
        each.get("rope_type") for each in rotary.values() if isinstance(each, dict)
    }
    return (
        config.model_type in _FAMILIES
        and not kinds & {"dynamic", "longrope"}
        and not getattr(config, "use_bidirectional_attention", None)
        and not getattr(config, "attn_logit_softcapping", None)
        and not getattr(config, "final_logit_softcapping", None)
    )


def packed_rows(
    model: Any,
    sequences: Sequence[Sequence[int]],
    firsts: Sequence[int],
    *,
    statistics: bool = False,
    top: bool = False,
) -> list[list[list[float]]]:
    """Of each sequence, what the model says of each token from the sequence's `first` on.

    Args:
        model: one that `can_pack` accepts.
        sequences: token ids; at least one sequence, none empty.
        firsts: index of the first token to score in each; from 1 on.
        statistics: whether to give more than log p(sequence[t] | sequence[:t]) in nats.
        top: whether to give the most probable token too.

    Returns:
        For each sequence a row a token, as `distribution.read_rows` makes them.
    """
    import torch

    tree = tree_of([sequence[:-1] for sequence in sequences])
    rows = [
        node for path, first in zip(tree.paths, firsts, strict=True) for node in path[first - 1 :]
    ]
    targets = [
        token
        for sequence, first in zip(sequences, firsts, strict=True)
        for token in sequence[first:]
    ]
    device = model.device
    filling = [0] * (-len(tree.tokens) % _ROWS)
    with torch.inference_mode(), _attending(model):
        hidden = model.model(
            torch.tensor([tree.tokens + filling], device=device),
            position_ids=torch.tensor([tree.positions + filling], device=device),
            use_cache=False,
            layout=_Layout.of(tree.paths, device),
        ).last_hidden_state[0]
        values = _head_rows(model.lm_head, hidden, rows, targets, statistics=statistics, top=top)
    found = iter(values)
    return [
        [next(found) for _ in sequence[first:]]
        for sequence, first in zip(sequences, firsts, strict=True)
    ]


def _head_rows(
    head: Any,
    hidden: Any,
    rows: Sequence[int],
    targets: Sequence[int],
    *,
    statistics: bool,
    top: bool,
) -> list[list[float]]:
    """What each row says of its target; output matrix and log-softmax in float32.

    Args:
        head: the output matrix.
        hidden: last hidden states; shape (all rows, width).
        rows: which of them predict a target; only these go through the head, some at a time.
        targets: token ids; shape as `rows`.
        statistics: as `read_rows` has it.
        top: as `read_rows` has it.
    """
    import torch

    weight = head.weight.float()
    found: list[list[float]] = []
    for start in range(0, len(rows), ROWS_AT_ONCE):
        chosen = list(rows[start : start + ROWS_AT_ONCE])
        wanted = torch.tensor(targets[start : start + ROWS_AT_ONCE], device=hidden.device)
        filling = chosen[:1] * (-len(chosen) % _ROWS)
        logits = torch.nn.functional.linear(hidden[chosen + filling].float(), weight, head.bias)
        found += read_rows(logits, wanted, statistics=statistics, top=top).tolist()
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Where attention finds each sequence's nodes among the rows of a pack."""

    nodes: Any
    """Longest first, each filled up to the longest; shape (sequences, length)."""
    live: list[int]
    """How many sequences reach into each block; shape (length / block,)."""
    owners: Any
    """Where each row's result stands in (sequences x length); shape (rows,)."""
    has_kernel: bool
    """Whether torch's own kernel is the better one on this device."""
    masks: dict[tuple[int | None, int], list[tuple[int, Any]]] = field(default_factory=dict)
    """For a window and a group: each block's first key, and what is added to its scores."""

    @classmethod
    def of(cls, paths: Sequence[Sequence[int]], device: Any) -> "_Layout":
        import torch

        ordered = sorted(paths, key=len, reverse=True)
        blocks = [-(-len(path) // _BLOCK) for path in ordered]
        length = blocks[0] * _BLOCK
        owners: dict[int, int] = {}
        for line, path in enumerate(ordered):
            for position, node in enumerate(path):
                owners.setdefault(node, line * length + position)
        rows = len(owners) + -len(owners) % _ROWS
        return cls(
            nodes=torch.tensor(
                [[*path, *([0] * (length - len(path)))] for path in ordered], device=device
            ),
            live=[sum(count > block for count in blocks) for block in range(blocks[0])],
            owners=torch.tensor([owners.get(row, 0) for row in range(rows)], device=device),
            has_kernel=_has_kernel(device),
        )

    def masks_for(self, window: int | None, group: int) -> list[tuple[int, Any]]:
        """Causal, and no further back than `window` keys; a row for each query head of a group."""
        if (window, group) not in self.masks:
            starts = range(0, len(self.live) * _BLOCK, _BLOCK)
            self.masks[window, group] = [
                _mask(start, window, group, self.nodes.device) for start in starts
            ]
        return self.masks[window, group]


def _has_kernel(device: Any) -> bool:
    """A processor's own results change with the length of a sequence, a GPU's round anyway."""
    found: bool = device.type == "cuda"
    return found


def _mask(start: int, window: int | None, group: int, device: Any) -> tuple[int, Any]:
    import torch

    first = 0 if window is None else max(0, start - window + 1)
    queries = torch.arange(start, start + _BLOCK, device=device)[:, None]
    keys = torch.arange(first, start + _BLOCK, device=device)
    seen = keys <= queries
    if window is not None:
        seen &= keys > queries - window
    bias = torch.zeros(seen.shape, device=device).masked_fill(~seen, -torch.inf)
    return first, bias.repeat_interleave(group, 0)


def _attention(
    _module: Any,
    query: Any,
    key: Any,
    value: Any,
    _mask: Any,
    *,
    scaling: float,
    layout: _Layout,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Softmax attention in float32 of each sequence's nodes over those before them.

    Transformers calls it with its layer and its mask too; what sees what is in `layout`.

    Args:
        query: shape (1, heads, rows, width).
        key: shape (1, key heads, rows, width); each serves heads / key heads queries.
        value: as `key`.
        scaling: factor on the scores.
        layout: where the sequences lie among the rows.
        sliding_window: keys that a query sees, its own among them; all, where it is None.

    Returns:
        Shape (1, rows, heads, width), and no weights.
    """
    import torch

    if layout.has_kernel and sliding_window is None:
        return _by_kernel(query, key, value, scaling, layout), None
    heads, rows, width = query.shape[1:]
    shared = key.shape[1]
    group = heads // shared
    count, length = layout.nodes.shape

    def gathered(states: Any) -> Any:
        """From (1, shared x group, rows, width) to (sequences x shared, length x group, width)."""
        each = states[0].float().view(shared, -1, rows, width).permute(2, 0, 1, 3)
        lines = each[layout.nodes.flatten()].view(count, length, shared, -1, width)
        return lines.transpose(1, 2).reshape(count * shared, -1, width)

    queries, keys, values = gathered(query), gathered(key).mT, gathered(value)
    found = torch.empty_like(queries)
    for block, (first, bias) in enumerate(layout.masks_for(sliding_window, group)):
        live = layout.live[block] * shared
        end = (block + 1) * _BLOCK
        here = slice(block * _BLOCK * group, end * group)
        scores = torch.baddbmm(bias, queries[:live, here], keys[:live, :, first:end], alpha=scaling)
        found[:live, here] = torch.softmax(scores, dim=-1).bmm(values[:live, first:end])
    lines = found.view(count, shared, length, group, width).transpose(1, 2)
    out = lines.reshape(count * length, heads, width)[layout.owners]
    return out[None].to(query.dtype), None


def _by_kernel(query: Any, key: Any, value: Any, scaling: float, layout: _Layout) -> Any:
    """The same by torch's own kernel, in the model's precision, all sequences in one call.

    A GPU starts a kernel in the time of many small products: blocks would leave it waiting.
    Arguments and result are those of `_attention`.
    """
    from torch.nn.functional import scaled_dot_product_attention

    heads, width = query.shape[1], query.shape[3]
    count, length = layout.nodes.shape

    def gathered(states: Any) -> Any:
        """From (1, heads, rows, width) to (sequences, heads, length, width)."""
        lines = states[0][:, layout.nodes.flatten()]
        return lines.view(-1, count, length, width).transpose(0, 1)

    found = scaled_dot_product_attention(
        gathered(query),
        gathered(key),
        gathered(value),
        is_causal=True,
        scale=scaling,
        enable_gqa=heads != key.shape[1],
    )
    lines = found.transpose(1, 2).reshape(count * length, heads, width)
    return lines[layout.owners][None]


@contextmanager
def _attending(model: Any) -> Iterator[None]:
    """The model with `_attention` as its attention, and its own again after the block."""
    from transformers import AttentionInterface

    AttentionInterface.register(_NAME, _attention)
    before = model.config._attn_implementation
    model.set_attn_implementation(_NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)
