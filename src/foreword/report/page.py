"""One self-contained HTML file: two pages, no script, nothing from outside.

The style sheet is inline and named by its hash in the content-security policy; every value passes
through `visible.finalize` and then through the template engine's escaping. Examples are rendered
one by one, because the page has a size limit and shows as many as fit.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from foreword.errors import ForewordError
from foreword.findings import Attacks, Toys
from foreword.records import Analysis, Cut, Forecast, Score
from foreword.report.attacks import by_scorer
from foreword.report.examples import Example, Examples
from foreword.report.freshness import Fresh
from foreword.report.further import Further
from foreword.report.leaderboard import Leaderboard
from foreword.report.numbers import (
    amount,
    counted,
    ends,
    interval,
    p_value,
    percent,
    plain,
    share_ends,
    signed,
)
from foreword.report.others import Others
from foreword.report.papers import Slate
from foreword.report.strips import STEPS
from foreword.report.variance import Variance
from foreword.report.visible import clipped, finalize, shortened
from foreword.store import disk_errors, write_text

if TYPE_CHECKING:
    from jinja2 import Environment


def write_report(
    path: Path,
    *,
    title: str,
    analysis: Analysis,
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
    facts: Mapping[str, str],
    rejected: Mapping[str, int],
    slate: Slate | None = None,
    attacks: Attacks | None = None,
    toys: Toys | None = None,
    max_examples: int = 40,
    max_bytes: int = 2_000_000,
) -> None:
    """Write a study's report as one HTML file that needs nothing else and asks nothing outside.

    Equal arguments give equal bytes. Texts from papers and models are escaped, and characters that
    hide or reorder others are spelt out.

    Args:
        path: the file; it is there whole or not at all.
        title: of the study.
        analysis: the numbers.
        cuts: all cuts of the study.
        forecasts: of all predictors, missing ones included.
        scores: of all conditions, failed ones included.
        facts: label to value, in order, for the table of provenance.
        rejected: reason to the number of equations that were not cut for it.
        slate: which papers were taken and left out, and why; None where that is not on record.
        attacks: an audit of the study; None where there is none.
        toys: a probe of its scorer; None where there is none.
        max_examples: cuts that the page of examples shows at most.
        max_bytes: size of the file; there are fewer examples where they would not fit.

    Raises:
        ForewordError: the page is larger than `max_bytes` without any example, or it can't be
            written.

    >>> from tempfile import TemporaryDirectory
    >>> nothing = Analysis(num_cuts=0, num_papers=0, scorer_id="", standings=(), contrasts=(),
    ...                    lifts=(), missing=())
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     write_report(path, title="Empty", analysis=nothing, cuts=[], forecasts=[], scores=[],
    ...                  facts={}, rejected={})
    ...     path.read_text(encoding="utf-8").splitlines()[0]
    '<!doctype html>'
    """
    leaderboard = Leaderboard(analysis, forecasts)
    examples = Examples(analysis, cuts, forecasts, scores, leaderboard.predictors)
    rendered = _rendered(examples)
    values = {
        "title": clipped(title, 200),
        "board": leaderboard,
        "further": Further(leaderboard),
        "others": Others(leaderboard),
        "fresh": Fresh(analysis.findings.freshness),
        "variance": Variance(leaderboard),
        "attacks": attacks,
        "toys": toys,
        "by_attack": by_scorer(attacks),
        "facts": {clipped(label, 200): clipped(value, 2_000) for label, value in facts.items()},
        "rejected": {clipped(reason, 300): number for reason, number in rejected.items()},
        "slate": slate,
    }
    shown = examples.choose(max_examples)
    while True:
        page = _page(values, examples, [rendered(cut) for cut in shown])
        excess = len(page.encode("utf-8")) - max_bytes
        if excess <= 0:
            break
        if not shown:
            raise ForewordError(
                f"the report is {excess:,} bytes over {max_bytes:,} even without examples; "
                "allow it more"
            )
        average = sum(len(rendered(cut)[0].encode("utf-8")) for cut in shown) / len(shown)
        shown = examples.choose(max(0, min(len(shown) - 1, int(len(shown) - excess / average))))
    with disk_errors(path):
        write_text(path, page)


Rendered = tuple[Markup, Sequence[int]]
"""An example's markup, and its numbers of equations, of typeset ones, of marked ones."""


def _rendered(examples: Examples) -> Callable[[Cut], Rendered]:
    """Renders each example once, however often the page is put together."""
    template = _templates().get_template("example.html")
    done: dict[str, Rendered] = {}

    def render(cut: Cut) -> Rendered:
        if cut.id not in done:
            example = examples.example(cut)
            markup = Markup(template.render(example=example))  # noqa: S704 (autoescaped)
            done[cut.id] = markup, _counts(example)
        return done[cut.id]

    return render


def _counts(example: Example) -> Sequence[int]:
    formulas = [ending.formula for ending in example.endings if ending.formula]
    return (
        len(formulas),
        sum(formula.markup is not None for formula in formulas),
        sum(formula.marked for formula in formulas),
    )


def _page(values: Mapping[str, object], examples: Examples, rendered: Sequence[Rendered]) -> str:
    style = Markup(files("foreword.report").joinpath("style.css").read_text("utf-8"))  # noqa: S704
    num_equations, num_typeset, num_marked = (
        sum(counts[n] for _, counts in rendered) for n in range(3)
    )
    return (
        _templates()
        .get_template("page.html")
        .render(
            **values,
            style=style,
            style_hash=_csp_hash(style),
            examples=[markup for markup, _ in rendered],
            num_ranked=len(examples.ranked),
            num_cuts=len(examples.ranked) + len(examples.unranked),
            num_withheld=examples.num_withheld,
            num_equations=num_equations,
            num_typeset=num_typeset,
            num_marked=num_marked,
            steps=STEPS,
        )
    )


def _csp_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode(
        "ascii"
    )


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("foreword", "report"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "amount": amount,
        "clipped": clipped,
        "counted": counted,
        "ends": ends,
        "interval": interval,
        "p_value": p_value,
        "percent": percent,
        "plain": plain,
        "share_ends": share_ends,
        "shortened": shortened,
        "signed": signed,
    }
    return environment
