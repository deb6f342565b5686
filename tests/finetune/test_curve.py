import re
from xml.etree import ElementTree

from foreword.finetune.curve import loss_svg
from foreword.finetune.train import LossRow


def a_log(steps: int) -> list[LossRow]:
    rows = [LossRow(step=0, held_out_loss=1.5)]
    for step in range(1, steps + 1):
        seen = 1.5 - 0.1 * step if step % 2 == 0 or step == steps else None
        rows.append(LossRow(step=step, loss=1.6 - 0.1 * step, held_out_loss=seen))
    return rows


def test_the_curve_has_a_point_for_each_look_at_the_held_out_papers() -> None:
    svg = loss_svg(a_log(5))
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    points = [float(y) for y in re.findall(r'cx="[\d.]+" cy="([\d.]+)" r="3.5"/><c', svg)]
    assert svg.count('class="held" cx') == 4 + 1  # and one in the legend
    assert points == sorted(points)  # lower loss stands lower, where y is larger
    assert "1.500 → 1.000" in svg


def test_a_log_without_a_step_has_a_curve_too() -> None:
    ElementTree.fromstring(loss_svg(a_log(0)))
