"""What the rows of toys say: means by kind, the order of conditions, recovery.

The numbers describe these items and no others: nobody drew them from anything, so none has a
standard error (docs/design/toys.md).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from foreword.analysis import soften
from foreword.findings import ToyLine as Line
from foreword.findings import ToyRecovery as Recovery
from foreword.records import Rule
from foreword.toys.item import ALL, CONDITIONS, Condition, ToyScore

ORDER: tuple[Condition, ...] = ("exact", "reordered", "wrong", "empty")
"""Best first, as appendix A of arXiv 2605.10810 has it under both of its scorers."""
RULES: tuple[Rule, ...] = ("clip2", "raw")
Item = Mapping[Condition, ToyScore]
"""Condition → its row, of one item."""
Values = Mapping[Condition, float]
"""Condition → a number of one item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Whether exact > reordered > wrong > empty, strictly, under a rule."""

    kind: str
    rule: Rule
    num_items: int
    in_the_mean: bool
    num_ordered: int
    """Items in which it holds."""
    steps: Mapping[str, int]
    """`exact > reordered` and so on → items in which this one step holds."""
    broken: Mapping[str, tuple[str, ...]]
    """Item → the steps that don't hold in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that the table shows. An item without a score under some condition is in none of it."""

    scorer_id: str
    num_items: int
    num_left_out: int
    lines: tuple[Line, ...]
    recoveries: tuple[Recovery, ...]
    orders: tuple[Order, ...]


def find(rows: Sequence[ToyScore]) -> Findings:
    """What the rows of one scorer say, by kind and over all.

    An item counts where it was scored under every condition, so that all means are of the same
    items; for the recovery, where the token was found too.
    """
    of_items: dict[str, dict[Condition, ToyScore]] = {}
    for row in rows:
        of_items.setdefault(row.item, {})[row.condition] = row
    whole = {name: item for name, item in of_items.items() if _is_whole(item)}
    groups = _groups(whole)
    means = {rule: {name: _means(item, rule) for name, item in whole.items()} for rule in RULES}
    return Findings(
        scorer_id=rows[0].scorer_id if rows else "",
        num_items=len(of_items),
        num_left_out=len(of_items) - len(whole),
        lines=tuple(
            _line(kind, condition, [(means["raw"][name], means["clip2"][name]) for name in items])
            for kind, items in groups.items()
            for condition in CONDITIONS
        ),
        recoveries=tuple(
            found
            for kind, items in groups.items()
            if (found := _recovery(kind, list(items.values())))
        ),
        orders=tuple(
            _order(kind, rule, {name: means[rule][name] for name in items})
            for rule in RULES
            for kind, items in groups.items()
        ),
    )


def _is_whole(item: Item) -> bool:
    return len(item) == len(CONDITIONS) and all(row.failure is None for row in item.values())


def _groups(items: Mapping[str, Item]) -> dict[str, dict[str, Item]]:
    """The items of each kind, and after them all items."""
    kinds: dict[str, dict[str, Item]] = {}
    for name, item in items.items():
        kinds.setdefault(item["exact"].kind, {})[name] = item
    return {**kinds, ALL: dict(items)} if items else {}


def token_mean(row: ToyScore, rule: Rule) -> float:
    """Mean score of a target's tokens under a rule.

    >>> row = ToyScore(item="a", kind="sum", condition="empty", scorer_id="", logprobs=(-1, -4))
    >>> token_mean(row, "raw"), token_mean(row, "clip2")
    (-2.5, -1.5)

    Raises:
        ValueError: a value is no log-probability.
    """
    return _mean(soften(np.array(row.logprobs), rule))


def _means(item: Item, rule: Rule) -> Values:
    """An item's mean token score under each condition."""
    return {condition: token_mean(row, rule) for condition, row in item.items()}


def _mean(values: Iterable[float]) -> float:
    """The mean, the same in any order of the values."""
    found = [float(value) for value in values]
    return math.fsum(found) / len(found)


def _line(kind: str, condition: Condition, items: Sequence[tuple[Values, Values]]) -> Line:
    over_empty = [clip2[condition] - clip2["empty"] for _, clip2 in items]
    return Line(
        kind=kind,
        condition=condition,
        num_items=len(items),
        raw=_mean(raw[condition] for raw, _ in items),
        clip2=_mean(clip2[condition] for _, clip2 in items),
        over_empty=_mean(over_empty),
        lowest=min(over_empty),
        highest=max(over_empty),
    )


def _recovery(kind: str, items: Sequence[Item]) -> Recovery | None:
    found: list[tuple[Values, bool]] = []
    for item in items:
        given = {c: row.recovery_probability for c, row in item.items()}
        known = {c: value for c, value in given.items() if value is not None}
        if len(known) == len(CONDITIONS):
            found.append((known, bool(item["exact"].recovery_bytes)))
    if not found:
        return None
    return Recovery(
        kind=kind,
        num_items=len(found),
        num_reaching=sum(reaches for _, reaches in found),
        probabilities={c: _mean(item[c] for item, _ in found) for c in CONDITIONS},
        num_above_empty={
            c: sum(item[c] > item["empty"] for item, _ in found) for c in CONDITIONS if c != "empty"
        },
    )


def _order(kind: str, rule: Rule, items: Mapping[str, Values]) -> Order:
    steps = {f"{better} > {worse}": (better, worse) for better, worse in pairwise(ORDER)}
    mean = {c: _mean(item[c] for item in items.values()) for c in ORDER}
    broken = {
        name: tuple(step for step, (a, b) in steps.items() if not item[a] > item[b])
        for name, item in items.items()
    }
    return Order(
        kind=kind,
        rule=rule,
        num_items=len(items),
        in_the_mean=all(mean[a] > mean[b] for a, b in steps.values()),
        num_ordered=sum(not wrong for wrong in broken.values()),
        steps={
            step: sum(item[a] > item[b] for item in items.values())
            for step, (a, b) in steps.items()
        },
        broken={name: wrong for name, wrong in broken.items() if wrong},
    )
