"""The loss: what a token costs, clipped as the score clips it, with a little of the rest.

Shape letters: B examples, T target tokens of one.
"""

from collections.abc import Sequence
from typing import Any

from foreword.scores.request import Request


def token_costs(model: Any, examples: Sequence[Request]) -> list[Any]:
    """−log p of each target token in nats, of each example a tensor of shape (T,).

    Examples are filled up at the end to the longest. The model is causal, so that no token that
    counts sees the filling, and no mask is needed.

    Args:
        model: a causal language model of transformers, or peft's of one.
        examples: as the scorer makes them; B of them.
    """
    import torch

    longest = max(len(each.ids) for each in examples) - 1
    read = [[*each.ids[:-1], *([0] * (longest + 1 - len(each.ids)))] for each in examples]
    rows = sorted({row for each in examples for row in range(each.first - 1, len(each.ids) - 1)})
    place = {row: index for index, row in enumerate(rows)}
    device = model.device
    logits = model(
        input_ids=torch.tensor(read, device=device),
        logits_to_keep=torch.tensor(rows, device=device),
        use_cache=False,
    ).logits
    costs = []
    for line, each in enumerate(examples):
        kept = [place[row] for row in range(each.first - 1, len(each.ids) - 1)]
        targets = torch.tensor(each.ids[each.first :], device=device)
        costs.append(
            torch.nn.functional.cross_entropy(logits[line, kept].float(), targets, reduction="none")
        )
    return costs


def objective(costs: Any, *, clip_nats: float, raw_weight: float) -> Any:
    """One example's loss: the mean over its tokens of min(cost, clip) + raw_weight · cost.

    Minus the clipped part is the example's score, clipLL. The mean over a step's examples is
    taken next, so that, as in the score, an equation counts once however long it is.

    Args:
        costs: −log p of each target token in nats; shape (T,).
        clip_nats: what a token counts at most.
        raw_weight: of the unclipped cost.

    >>> import torch
    >>> round(float(objective(torch.tensor([1.0, 9.0]), clip_nats=2, raw_weight=0.05)), 3)
    1.75
    """
    return (costs.clamp(max=clip_nats) + raw_weight * costs).mean()
