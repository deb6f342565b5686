"""What was found, as text for a terminal and as JSON for a program."""

from collections.abc import Sequence
from dataclasses import asdict

from foreword.records import Rule
from foreword.store import JSON
from foreword.toys.findings import ORDER, Findings, Order, token_mean
from foreword.toys.item import ALL, CONDITIONS, ToyScore

_UNITS: dict[Rule, str] = {"clip2": "clip 2", "raw": "not clipped"}


def findings_text(found: Findings) -> str:
    """Tables of the scores, of the recovery, and of the order of conditions under each rule."""
    scored = found.num_items - found.num_left_out
    heading = f"{scored} of {found.num_items} toy equations, scorer {found.scorer_id}"
    if not scored:
        return f"{heading}\n\nNo item was scored under every condition."
    blocks = [heading, _scores(found), _recoveries(found)]
    for rule, unit in _UNITS.items():
        blocks.append(_orders([order for order in found.orders if order.rule == rule], unit))
    return "\n\n".join(blocks)


def findings_json(found: Findings, rows: Sequence[ToyScore]) -> dict[str, JSON]:
    """The same, and each item's numbers; what could not be scored has its reason and no number."""
    items = [
        {
            "item": row.item,
            "kind": row.kind,
            "condition": row.condition,
            "raw": None if row.failure else token_mean(row, "raw"),
            "clip2": None if row.failure else token_mean(row, "clip2"),
            "recovery_probability": row.recovery_probability,
            "recovery_bytes": row.recovery_bytes,
            "no_recovery": row.no_recovery,
            "failure": row.failure,
        }
        for row in rows
    ]
    return {**asdict(found), "unit": "nats per target token", "items": items}


def _scores(found: Findings) -> str:
    rows = [
        [
            line.kind,
            line.condition,
            _number(line.raw),
            _number(line.clip2),
            _number(line.over_empty, "+"),
            f"{_number(line.lowest, '+')} to {_number(line.highest, '+')}",
        ]
        for line in found.lines
    ]
    names = ("kind", "condition", "raw", "clip 2", "over empty", "in single items")
    return (
        "Nats per target token, means over items; over empty: of clip 2\n\n"
        f"{_table(names, rows, to_the_left=2)}"
    )


def _recoveries(found: Findings) -> str:
    if not found.recoveries:
        return "No item has a token at the recovery point."
    rows = [
        [each.kind, str(each.num_items), *(_number(each.probabilities[c]) for c in CONDITIONS)]
        for each in found.recoveries
    ]
    whole = found.recoveries[-1]
    above = ", ".join(f"{name} {count}" for name, count in whole.num_above_empty.items())
    lines = [
        "Probability of the right token at the recovery point, means over items",
        "",
        _table(("kind", "items", *CONDITIONS), rows),
        f"of {whole.num_items} items, more probable than under empty: {above}",
    ]
    if whole.num_reaching:
        lines.append(f"of {whole.num_items} items, that token begins earlier: {whole.num_reaching}")
    return "\n".join(lines)


def _orders(orders: Sequence[Order], unit: str) -> str:
    """Whether the order holds, kind by kind, and the items in which it doesn't."""
    rows = [
        [
            order.kind,
            "yes" if order.in_the_mean else "no",
            f"{order.num_ordered} of {order.num_items}",
            *map(str, order.steps.values()),
        ]
        for order in orders
    ]
    whole = next(order for order in orders if order.kind == ALL)
    claim = " > ".join(ORDER)
    holds = "holds" if whole.in_the_mean else "does not hold"
    names = ("kind", "in the mean", "in items", *whole.steps)
    lines = [
        f"{claim}, {unit}: {holds} in the mean, and in {whole.num_ordered} of "
        f"{whole.num_items} items",
        "",
        _table(names, rows),
        *(f"{name}: not {', not '.join(steps)}" for name, steps in whole.broken.items()),
    ]
    return "\n".join(lines)


def _number(value: float, sign: str = "") -> str:
    """Three decimals; what rounds to zero has no sign."""
    text = f"{value:{sign}.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], to_the_left: int = 1) -> str:
    """Aligned columns: the first ones to the left, the others, which are numbers, to the right."""
    lines = [list(names), *(list(row) for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < to_the_left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
