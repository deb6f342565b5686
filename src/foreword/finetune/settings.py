"""What a training run is told: the published setting unless something else is said."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from foreword.scores import Boundary

Route = Literal["context-only", "scaffold-aware"]
CONTEXTS = ("same-budget", "triple-budget", "context-in-scaffold")
"""The controls that a context-only adapter can be trained on: those that hold no answer."""
MODULES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""All seven matrices of a layer, by the names that Llama and its kin give them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an adapter is trained.

    The defaults are those published for the context-only control (arXiv 2605.10810); weight decay
    and the bound on the gradient are not told there, and are the usual ones.
    """

    rank: int = 32
    alpha: float = 64.0
    """The product B A is scaled by alpha / rank."""
    dropout: float = 0.05
    modules: tuple[str, ...] = MODULES
    learning_rate: float = 2e-4
    """At its highest: after the warm-up, before the cosine."""
    warmup_share: float = 0.03
    """Of the steps, rounded up."""
    epochs: int = 2
    batch_size: int = 4
    """Examples that go through the model at once."""
    accumulation: int = 4
    """Batches in a step."""
    clip_nats: float = 2.0
    """A token's loss counts up to this much."""
    raw_weight: float = 0.05
    """Of the unclipped loss, which gives a clipped token a gradient."""
    weight_decay: float = 0.0
    max_gradient_norm: float = 1.0
    boundary: Boundary = "exact"
    seed: int = 0
    """Of the order of examples, the first weights and the dropout."""

    def __post_init__(self) -> None:
        above: tuple[str, ...] = (
            "rank",
            "alpha",
            "learning_rate",
            "epochs",
            "batch_size",
            "accumulation",
        )
        above += ("clip_nats", "max_gradient_norm")
        for name in above:
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise ValueError(f"{name} has to be above 0, not {value}")
        for name, end in (("dropout", 1), ("warmup_share", 1), ("raw_weight", math.inf)):
            if not 0 <= getattr(self, name) < end:
                raise ValueError(f"{name} can't be {getattr(self, name)}")
        if self.learning_rate > 1:
            raise ValueError(f"learning_rate can't be above 1, so not {self.learning_rate}")
        if not (self.weight_decay >= 0 and math.isfinite(self.weight_decay)):
            raise ValueError(f"weight_decay can't be {self.weight_decay}")
        if not self.modules or not all(self.modules):
            raise ValueError("name at least one module")

    @property
    def examples_a_step(self) -> int:
        """How many examples one step of the optimiser sees."""
        return self.batch_size * self.accumulation


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be trained, on what, and where: the arguments of `foreword finetune`."""

    cuts: Path
    forecasts: tuple[Path, ...] = ()
    model: str = "smollm2"
    route: Route
    control: str = "same-budget"
    """Of the context-only route: which context."""
    held_out: float = 0.25
    """Share of the papers that is held out, where no split is given."""
    split: Path | None = None
    """A JSON file with the split."""
    most_examples: int | None = None
    """To train on, drawn by the seed; None for all."""
    most_held_out: int | None = 100
    """To measure the loss on."""
    settings: Settings = Settings()
    dtype: str = "auto"
    device: str = "auto"
    evaluate_every: int = 10
    """Steps between two looks at the held-out papers; the last step has one in any case."""
    checkpoint_every: int = 5
    """Steps that a kill can cost; the result is the same whatever it is."""


def learning_rate(step: int, steps: int, settings: Settings) -> float:
    """The rate of a step, from 0: a straight warm-up, then half a cosine that ends near zero.

        step < w:   rate · (step + 1) / w            w = ⌈warmup_share · steps⌉
        else:       rate · (1 + cos(π (step − w) / (steps − w))) / 2

    No step has a rate of zero, where transformers' schedule gives the first one none.

    >>> half = Settings(learning_rate=1.0, warmup_share=0.5)
    >>> [round(learning_rate(step, 4, half), 3) for step in range(4)]
    [0.5, 1.0, 1.0, 0.5]
    """
    warmup = math.ceil(settings.warmup_share * steps)
    if step < warmup:
        return settings.learning_rate * (step + 1) / warmup
    turned = math.pi * (step - warmup) / max(1, steps - warmup)
    return settings.learning_rate * (1 + math.cos(turned)) / 2
