"""The loss curve as an SVG file that stands alone: readable in print, in the light, in the dark.

The two lines differ in their dashes as well as in their colours. Coordinates are in CSS pixels.
"""

from collections.abc import Callable, Sequence

from foreword.finetune.train import LossRow
from foreword.report.charts import ticks

_WIDTH, _TOP, _BOTTOM, _LEFT, _RIGHT = 780, 34.0, 320.0, 56, 600
_STYLE = """
svg { background: #fff; font: 13px system-ui, sans-serif; fill: #1a1f25; }
.grid { stroke: #d8dee4; fill: none; } .held { stroke: #1b5e9e; fill: #1b5e9e; }
.train { stroke: #b0510b; stroke-dasharray: 5 4; } .line { fill: none; stroke-width: 2; }
.quiet { fill: #57616c; } .end { text-anchor: end; } .middle { text-anchor: middle; }
@media (prefers-color-scheme: dark) {
  svg { background: #13171b; fill: #e3e7eb; } .grid { stroke: #323a42; }
  .held { stroke: #78b4ec; fill: #78b4ec; } .train { stroke: #f2a45f; } .quiet { fill: #9ba7b3; }
}
"""


def loss_svg(rows: Sequence[LossRow]) -> str:
    """The objective by step: on the held-out papers as a line with points, on each step's own.

    Args:
        rows: the log; its first row has a held-out loss.
    """
    held_out = [(row.step, row.held_out_loss) for row in rows if row.held_out_loss is not None]
    trained_on = [(row.step, row.loss) for row in rows if row.loss is not None]
    values = [value for _, value in [*held_out, *trained_on]]
    across = ticks(0, max(1, rows[-1].step))
    up = ticks(min(values), max(values))
    x, y = _scale(across, _LEFT, _RIGHT), _scale(up, _BOTTOM, _TOP)
    parts = [_grid(across, up, x, y)]
    if trained_on:
        parts.append(f'<path class="line train" d="{_path(trained_on, x, y)}"/>')
    parts.append(f'<path class="line held" d="{_path(held_out, x, y)}"/>')
    parts += [
        f'<circle class="held" cx="{x(step):.1f}" cy="{y(value):.1f}" r="3.5"/>'
        for step, value in held_out
    ]
    parts.append(_legend(held_out[0][1], held_out[-1][1]))
    said = f"Held-out loss {held_out[0][1]:.3f} before and {held_out[-1][1]:.3f} after training"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} 370" '
        f'width="{_WIDTH}" height="370"><title>{said}</title><style>{_STYLE}</style>'
        f"{''.join(parts)}</svg>\n"
    )


def _scale(marks: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    """From a value to its place between two, the first and the last mark at the ends."""
    low, high = marks[0], marks[-1]
    return lambda value: start + (value - low) / (high - low) * (end - start)


def _path(
    points: Sequence[tuple[int, float]],
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> str:
    return "M" + "L".join(f"{x(step):.1f} {y(value):.1f}" for step, value in points)


def _grid(
    across: Sequence[float],
    up: Sequence[float],
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> str:
    decimals = max(len(f"{mark:g}".partition(".")[2]) for mark in up)
    parts = []
    for mark in up:
        parts.append(f'<path class="grid" d="M{_LEFT} {y(mark):.1f}H{_RIGHT}"/>')
        parts.append(
            f'<text class="quiet end" x="{_LEFT - 8}" y="{y(mark) + 4:.1f}">'
            f"{mark:.{decimals}f}</text>"
        )
    parts += [
        f'<text class="quiet middle" x="{x(mark):.1f}" y="{_BOTTOM + 20}">{mark:g}</text>'
        for mark in across
    ]
    middle = (_LEFT + _RIGHT) / 2
    parts.append(f'<text class="quiet middle" x="{middle}" y="{_BOTTOM + 42}">step</text>')
    parts.append('<text class="quiet" x="8" y="16">loss, nats per target token</text>')
    return "".join(parts)


def _legend(before: float, after: float) -> str:
    x = _RIGHT + 16
    return (
        f'<path class="line held" d="M{x} 44h30"/><circle class="held" cx="{x + 15}" cy="44" '
        f'r="3.5"/><text x="{x + 38}" y="48">held-out papers</text>'
        f'<text class="quiet" x="{x + 38}" y="64">{before:.3f} → {after:.3f}</text>'
        f'<path class="line train" d="M{x} 88h30"/><text x="{x + 38}" y="92">each step</text>'
    )
