"""The target's tokens under one condition, each coloured by its log-probability.

A reader sees which parts of the ending a forecast made likely. Colour is not alone: tokens beyond
the clip at −2 are underlined with dots, those beyond −5 with a thick line, and each token's number
is its tooltip. The markup is terse because a page holds some ten thousand tokens.
"""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from foreword.report.visible import clipped, visible

STEPS: Sequence[tuple[float, str, str]] = (
    (-0.1, "a", "above −0.1"),
    (-0.5, "b", "−0.1 to −0.5"),
    (-1.0, "c", "−0.5 to −1"),
    (-2.0, "d", "−1 to −2"),
    (-5.0, "e", "−2 to −5"),
    (float("-inf"), "f", "below −5"),
)
"""Lower end in nats, class in the style sheet, words for the legend."""

_TOKEN_CHARACTERS = 80


def step(logprob: float) -> str:
    """Class of the colour step of a log-probability in nats.

    >>> step(-0.03), step(-2.0), step(-2.01), step(-7.3)
    ('a', 'd', 'e', 'f')
    """
    return next(name for low, name, _ in STEPS if logprob >= low)


def strip(texts: Sequence[str], logprobs: Sequence[float]) -> Markup:
    r"""One element a token: its class is the step, its title the log-probability in nats.

    >>> strip(["a<", "\n"], [-0.021, -6.5])
    Markup('<b class=a title=-0.02>a&lt;</b><b class=f title=-6.50>↵</b>')

    Raises:
        ValueError: not as many texts as numbers.
    """
    return Markup(  # noqa: S704 (classes and numbers are ours, texts are escaped)
        "".join(
            f"<b class={step(logprob)} title={logprob:.2f}>{_shown(text)}</b>"
            for text, logprob in zip(texts, logprobs, strict=True)
        )
    )


def _shown(text: str) -> str:
    text = visible(clipped(text, _TOKEN_CHARACTERS)).replace("\n", "↵")
    return escape(text.replace("\t", "⇥"), quote=False)
