"""The training loop: LoRA on a frozen model, the same from a seed whether it was killed or not.

What a step does follows from its number and the state before it: its examples, its rate and the
seed of its dropout are computed from the number, so that weights and moments are all that a
checkpoint has to hold.
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foreword.adapters import lora_config, require_peft, with_layers
from foreword.errors import ForewordError, TableError
from foreword.finetune.checkpoint import read_state, restore, save_checkpoint, trained
from foreword.finetune.examples import Examples
from foreword.finetune.objective import objective, token_costs
from foreword.finetune.settings import Settings, Task, learning_rate
from foreword.scores.request import Request
from foreword.store import fingerprint, from_row, to_row


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRow:
    """One line of the log, in nats per target token; None where nothing was measured."""

    step: int
    """How many steps were done; 0 is the model as it was."""
    learning_rate: float | None = None
    loss: float | None = None
    """The objective on the step's examples, with dropout, before the step."""
    held_out_loss: float | None = None
    """The objective on the held-out papers, after the step, without dropout."""
    held_out_clipped: float | None = None
    """Its clipped part: minus clipLL."""
    held_out_raw: float | None = None
    """The mean of the tokens' −log p, unclipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the loop needs to know beside the model and the examples."""

    settings: Settings
    checkpoint: Path
    key: str
    """The hash of all that can change the result: a checkpoint of another is refused."""
    evaluate_every: int
    checkpoint_every: int

    @classmethod
    def of(cls, task: Task, *, checkpoint: Path, key: str) -> "Run":
        """The run that a task asks for."""
        return cls(
            settings=task.settings,
            checkpoint=checkpoint,
            key=key,
            evaluate_every=task.evaluate_every,
            checkpoint_every=task.checkpoint_every,
        )


Keep = Callable[[Sequence[LossRow]], None]
Progress = Callable[[Sequence[int]], Iterable[int]]


def train(
    model: Any, examples: Examples, run: Run, *, keep: Keep, progress: Progress = iter
) -> tuple[Any, list[LossRow]]:
    """Train an adapter, from the last checkpoint if there is one.

    Args:
        model: of transformers, of nobody else; it is given the adapter's layers.
        examples: of both sides.
        run: how.
        keep: is given the log each time that a checkpoint is on disk.
        progress: wraps the numbers of the steps to be done.

    Returns:
        peft's model with the trained adapter, and the log.

    Raises:
        ForewordError: the loss is no number any more.
        TableError: the checkpoint is damaged, or of another run.
    """
    require_peft()
    import torch

    settings, here = run.settings, model.device
    with torch.random.fork_rng(devices=[here] if here.type == "cuda" else []):
        adapted, optimizer = _begun(model, settings)
        rows = _resumed(adapted, optimizer, run)
        if not rows:
            rows = [_looked(adapted, LossRow(step=0), examples.held_out, settings)]
        steps = steps_of(len(examples.trained_on), settings)
        for number in progress(range(rows[-1].step, len(steps))):
            chosen = [examples.trained_on[index] for index in steps[number]]
            row = _step(adapted, optimizer, chosen, number, len(steps), settings)
            is_last = number + 1 == len(steps)
            if is_last or (number + 1) % run.evaluate_every == 0:
                row = _looked(adapted, row, examples.held_out, settings)
            rows.append(row)
            if is_last or (number + 1) % run.checkpoint_every == 0:
                state = {"key": run.key, "rows": [to_row(each) for each in rows]}
                save_checkpoint(run.checkpoint, adapted, optimizer, state)
                keep(rows)
    return adapted.eval(), rows


def steps_of(count: int, settings: Settings) -> list[list[int]]:
    """The examples of each step, by their numbers: every epoch has each once, in its own order.

    >>> two = Settings(batch_size=2, accumulation=1, epochs=2)
    >>> [sorted(step) for step in steps_of(3, two)]
    [[1, 2], [0], [0, 2], [1]]
    """
    steps = []
    for epoch in range(settings.epochs):
        order = list(range(count))
        draw = random.Random(fingerprint(["epoch", settings.seed, epoch]))  # noqa: S311 (no secret)
        draw.shuffle(order)
        size = settings.examples_a_step
        steps += [order[start : start + size] for start in range(0, count, size)]
    return steps


def batches(examples: Sequence[Request], size: int) -> Iterator[list[Request]]:
    """Examples some at a time, those of like length together, so that little is filled up."""
    ordered = sorted(examples, key=lambda each: len(each.ids), reverse=True)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def _begun(model: Any, settings: Settings) -> tuple[Any, Any]:
    """The model with a new adapter, and its optimiser; torch's state is left anywhere."""
    import peft
    import torch

    config = lora_config(
        peft,
        rank=settings.rank,
        alpha=settings.alpha,
        modules=settings.modules,
        dropout=settings.dropout,
    )
    torch.manual_seed(_seed("weights", settings.seed))
    try:
        adapted = with_layers(model, config)
    except ValueError as error:
        first = (str(error).splitlines() or ["?"])[0]
        raise ForewordError(
            f"this model can't be given an adapter: {first[:300]}; name its own matrices with "
            "--module"
        ) from error
    weights = [weight for _, weight in trained(adapted)]
    optimizer = torch.optim.AdamW(weights, lr=0.0, weight_decay=settings.weight_decay)
    return adapted, optimizer


def _resumed(model: Any, optimizer: Any, run: Run) -> list[LossRow]:
    """The log up to the checkpoint whose numbers are now in place; empty where there is none."""
    state = read_state(run.checkpoint)
    if state is None:
        return []
    if state["key"] != run.key:
        raise TableError(
            f"{run.checkpoint.parent} holds a training that was begun with other settings or "
            "tables: give --overwrite to begin anew, or another --out"
        )
    restore(run.checkpoint, model, optimizer)
    return [from_row(row, LossRow) for row in state["rows"]]


def _step(
    model: Any,
    optimizer: Any,
    examples: Sequence[Request],
    number: int,
    steps: int,
    settings: Settings,
) -> LossRow:
    """One step of the optimiser on the mean objective of some examples."""
    import torch

    torch.manual_seed(_seed("step", settings.seed, number))  # of the dropout
    rate = learning_rate(number, steps, settings)
    for group in optimizer.param_groups:
        group["lr"] = rate
    model.train()
    total = 0.0
    for batch in batches(examples, settings.batch_size):
        costs = token_costs(model, batch)
        loss = sum(_objective(each, settings) for each in costs) / len(examples)
        loss.backward()
        total += float(loss.detach())
    _check_finite(total, number + 1)
    torch.nn.utils.clip_grad_norm_([w for _, w in trained(model)], settings.max_gradient_norm)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return LossRow(step=number + 1, learning_rate=rate, loss=total)


def _looked(model: Any, row: LossRow, held_out: Sequence[Request], settings: Settings) -> LossRow:
    """The row with the losses on the held-out papers: means over examples of means over tokens."""
    import torch

    model.eval()
    losses, clipped, raw = [], [], []
    with torch.inference_mode():
        for batch in batches(held_out, settings.batch_size):
            for costs in token_costs(model, batch):
                losses.append(float(_objective(costs, settings)))
                clipped.append(float(costs.clamp(max=settings.clip_nats).mean()))
                raw.append(float(costs.mean()))
    _check_finite(math.fsum(losses), row.step)
    return LossRow(
        step=row.step,
        learning_rate=row.learning_rate,
        loss=row.loss,
        held_out_loss=math.fsum(losses) / len(losses),
        held_out_clipped=math.fsum(clipped) / len(clipped),
        held_out_raw=math.fsum(raw) / len(raw),
    )


def _check_finite(loss: float, step: int) -> None:
    if not math.isfinite(loss):
        raise ForewordError(
            f"the loss is {loss} at step {step}: lower --learning-rate and give --overwrite"
        )


def _objective(costs: Any, settings: Settings) -> Any:
    return objective(costs, clip_nats=settings.clip_nats, raw_weight=settings.raw_weight)


def _seed(*parts: object) -> int:
    """A seed for torch from what it is the seed of."""
    return int(fingerprint(["finetune", *parts])[:15], 16)
