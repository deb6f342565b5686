"""Tables of numbers for a terminal: aligned, at most 100 columns wide."""

from collections.abc import Sequence

WIDTH = 100
NOTHING = "–"


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns: the first to the left and cut short to fit `WIDTH`, numbers to the right.

    >>> print(table(["name", "lift"], [["a", "+0.1"]]))
    name  lift
    a     +0.1
    """
    lines = [list(names), *(list(row) for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    widths[0] = min(widths[0], WIDTH - sum(width + 2 for width in widths[1:]))
    return "\n".join(
        "  ".join(
            [short_name(line[0], widths[0]).ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    )


def short_name(name: str, width: int) -> str:
    """A name in at most `width` characters, its middle left out; nothing that moves a cursor.

    >>> short_name("forecast", 5)
    'fo…st'
    """
    plain = "".join(c if c.isprintable() else "\ufffd" for c in name)
    if len(plain) <= width:
        return plain
    tail = (width - 1) // 2
    return plain[: width - 1 - tail] + "…" + plain[len(plain) - tail :]


def signed(value: float | None) -> str:
    """Three decimals and a sign; what rounds to zero has none.

    >>> signed(0.25), signed(-0.0001), signed(None)
    ('+0.250', '0.000', '–')
    """
    if value is None:
        return NOTHING
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")
