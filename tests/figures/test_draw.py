import subprocess
import sys
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from studies_drawn import HOSTILE, draw_models, draw_windows

from foreword.figures.draw import DARK, LIGHT, Format, drawn, spelt
from foreword.figures.panels import Drawing, Figure, Forest, figures
from foreword.figures.study import Shown


@pytest.fixture(scope="module")
def made() -> dict[str, Figure]:
    analysis = draw_models({"large": ("high", "low", "none"), "small": ("high", "low")}, ("copy",))
    found, left_out = figures(Shown(analysis), draw_windows())
    assert left_out == {}
    return {figure.name: figure for figure in found}


@pytest.fixture(scope="module")
def bitten() -> list[Figure]:
    found, _ = figures(Shown(draw_models({}, HOSTILE, num_papers=3)))
    return found


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_equal_figures_have_equal_bytes(made: dict[str, Figure], kind: Format) -> None:
    for figure in made.values():
        assert drawn(figure.drawing, kind) == drawn(figure.drawing, kind)


def test_a_pdf_has_its_fonts_as_publishers_want_them(made: dict[str, Figure]) -> None:
    for figure in made.values():
        pdf = drawn(figure.drawing, "pdf", about="scores abc")
        assert b"/Type3" not in pdf
        assert b"/FontFile2" in pdf
        assert b"CreationDate" not in pdf
        assert b"scores abc" in pdf


def test_an_svg_holds_no_script_no_link_and_no_text(bitten: list[Figure]) -> None:
    for figure in bitten:
        root = ElementTree.fromstring(drawn(figure.drawing, "svg", about="<script>x</script>"))
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not tags & {"script", "text", "image", "foreignObject", "a"}


def test_names_that_bite_are_drawn(bitten: list[Figure]) -> None:
    assert {figure.name for figure in bitten} >= {"figure-lift", "figure-contrasts"}
    for figure in bitten:
        assert drawn(figure.drawing, "pdf")


def test_a_name_keeps_its_dollars_and_its_backslashes() -> None:
    assert spelt(r"$x$ \alpha") == r"$x$ \alpha"


def test_the_dark_variant_has_the_same_shape_and_other_colours(made: dict[str, Figure]) -> None:
    drawing = made["figure-lift"].drawing
    light, dark = (drawn(drawing, "svg", ink=ink) for ink in (LIGHT, DARK))
    assert light != dark
    sizes = [ElementTree.fromstring(one).get("viewBox") for one in (light, dark)]
    assert sizes[0] == sizes[1]


def test_the_users_settings_are_neither_heeded_nor_changed(made: dict[str, Figure]) -> None:
    drawing = made["figure-reasoning"].drawing
    usual = drawn(drawing, "svg")
    with mpl.rc_context({"text.usetex": True, "lines.linewidth": 9, "text.color": "red"}):
        before = dict(mpl.rcParams)
        assert drawn(drawing, "svg") == usual
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", ["figure-lift", "figure-controls", "figure-windows"])
def test_a_figure_fits_a_column_or_a_page(made: dict[str, Figure], name: str) -> None:
    drawing = made[name].drawing
    assert isinstance(drawing, Forest)
    width = 6.8 if drawing.is_wide else 3.3
    assert _inches(drawing)[0] == pytest.approx(width)


def test_height_grows_with_the_predictors() -> None:
    some, many = (
        next(
            one.drawing
            for one in figures(Shown(draw_models({}, names, num_papers=2)))[0]
            if one.name == "figure-lift"
        )
        for names in (("a", "b"), tuple(f"predictor-{n}" for n in range(12)))
    )
    assert _inches(many)[1] - _inches(some)[1] == pytest.approx(10 * 0.17, abs=1e-6)


def _inches(drawing: Drawing) -> tuple[float, float]:
    box = ElementTree.fromstring(drawn(drawing, "svg")).get("viewBox") or ""
    _, _, width, height = map(float, box.split())
    return width / 72, height / 72


def test_one_paper_has_points_without_bars() -> None:
    found, _ = figures(Shown(draw_models({}, ("a", "b"), num_papers=1)))
    for figure in found:
        assert drawn(figure.drawing, "pdf")


def test_nothing_global_is_imported() -> None:
    code = (
        "import sys, foreword.figures.draw\n"
        "print('matplotlib.pyplot' in sys.modules, 'foreword.toys' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False False"


def test_steps_of_effort_are_drawn_family_by_family(made: dict[str, Figure]) -> None:
    drawing = made["figure-contrasts"].drawing
    assert isinstance(drawing, Forest)
    (panel,) = drawing.panels
    assert [(bar.label, bar.under, bar.starts) for bar in panel.bars] == [
        ("large-high", "− large-low", False),
        ("large-low", "− large-none", False),
        ("small-high", "− small-low", True),
    ]
