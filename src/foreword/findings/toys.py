"""What a scorer makes of toy equations: the mechanism behind a lift."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyLine:
    """The items of a kind under one condition, in nats per target token."""

    kind: str
    """`all` for the items of all kinds."""
    condition: str
    num_items: int
    raw: float
    """Mean over items of an item's mean log-probability of a token."""
    clip2: float
    """The same with each token's clipped from below at −2."""
    over_empty: float
    """Mean of the items' `clip2` minus that under `empty`."""
    lowest: float
    """The least of these differences in one item."""
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyRecovery:
    """Mean probability of the right token at the recovery point, under each condition."""

    kind: str
    num_items: int
    num_reaching: int
    """Items in which that token begins before the recovery point."""
    probabilities: Mapping[str, float]
    num_above_empty: Mapping[str, int]
    """Items in which the token is more probable than under `empty`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toys:
    """A probe of a study's scorer, as a report shows it."""

    num_items: int
    """Those that were scored under every condition."""
    lines: tuple[ToyLine, ...]
    recoveries: tuple[ToyRecovery, ...]
    sha256: str
    """Of the probe's table."""
