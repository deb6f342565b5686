"""A toy equation, and what a scorer said of it under one condition."""

import math
from dataclasses import dataclass
from typing import Literal

from foreword.records import Cut, Float32
from foreword.scores import context_prompt, forecast_prompt

Condition = Literal["exact", "reordered", "wrong", "context", "empty"]
CONDITIONS: tuple[Condition, ...] = ("exact", "reordered", "wrong", "context", "empty")
"""In the order that appendix A of arXiv 2605.10810 found under clip 2."""
ALL = "all"
"""In place of a kind: the items of all kinds."""


def num_alike(first: str, second: str) -> int:
    """How many characters two texts have in common before they part.

    >>> num_alike("X+A+B", "X+B+A"), num_alike("X", "X+A")
    (2, 1)
    """
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    r"""An equation with an equivalent way to write what is hidden of it.

    >>> toy = Toy(name="one", kind="sum", prefix="Z=", before="X+A+", after="B",
    ...           reordered="X+B+A", wrong="X+D+C", context="Some sums.")
    >>> toy.target, toy.target[: toy.num_shared]
    ('X+A+B', 'X+')
    >>> print(toy.prompt("reordered"))
    % First equation:
    \begin{equation}
    Z=X+B+A
    \end{equation}
    <BLANKLINE>
    % Same equation:
    \begin{equation}
    Z=
    """

    name: str
    kind: str
    """What kind of equivalence: `sum`, `product`, `renaming`, `fraction`, or any other word."""
    prefix: str
    before: str
    """The target up to the recovery point: past the place where an equivalent forecast is wrong."""
    after: str
    """The rest: what such a forecast should have made likely."""
    reordered: str
    """The same in value, in another order or other names."""
    wrong: str
    """As `reordered` is written, with other symbols."""
    context: str
    """A sentence that says no more than what kind of equation follows."""

    @property
    def target(self) -> str:
        """What is scored: the hidden rest without the closing delimiter, as the paper's toys."""
        return self.before + self.after

    @property
    def num_shared(self) -> int:
        """How many characters of the target come before it and `reordered` part."""
        return num_alike(self.target, self.reordered.rstrip())

    @property
    def cut(self) -> Cut:
        """The toy as a real cut is, so that its prompts are made by the same scaffold."""
        return Cut(
            id=self.name,
            paper_id=self.kind,
            environment="equation",
            context=f"{self.context}\n",
            opening=r"\begin{equation}",
            prefix=f"\n{self.prefix}",
            hidden=f"{self.target}\n",
            closing=r"\end{equation}",
        )

    def prompt(self, condition: Condition) -> str:
        """What the scorer reads before the target."""
        cut = self.cut
        if condition == "context":
            return context_prompt(cut, cut.context)
        written = {"exact": self.target, "reordered": self.reordered, "wrong": self.wrong}
        return forecast_prompt(cut, written.get(condition, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyScore:
    """One toy under one condition: the target's tokens and their log-probabilities in nats."""

    item: str
    kind: str
    condition: Condition
    scorer_id: str
    token_ids: tuple[int, ...] = ()
    token_texts: tuple[str, ...] = ()
    logprobs: tuple[Float32, ...] = ()
    first_byte: int | None = None
    """Where in the UTF-8 bytes of prompt + target the first scored token starts."""
    prompt_bytes: int | None = None
    """How many bytes of the prompt that token carries."""
    recovery_token: int | None = None
    """Which of the tokens, from 0, holds the first byte after the recovery point."""
    recovery_bytes: int | None = None
    """How many bytes before the recovery point that token carries."""
    no_recovery: str | None = None
    """Why there is no such token, where the target was scored."""
    failure: str | None = None
    """Why there is no score: the row then has no tokens and no numbers."""

    @property
    def recovery_probability(self) -> float | None:
        """Of the token at the recovery point, given the true target before it; 0 to 1."""
        if self.recovery_token is None:
            return None
        return min(1.0, math.exp(self.logprobs[self.recovery_token]))
