"""Cuts of made papers, forecasts of them, and a scorer that likes one character."""

from dataclasses import replace

from foreword.records import Cut, Forecast
from foreword.scores import ScriptedScorer

CONTEXT = (
    "We begin. " * 60
    + r"The energy is \begin{equation} E = \frac{1}{2} m v^2 + \lambda x^4 . \end{equation} "
    + "It is bounded, and positive; so the flow exists. "
)


def a_cut(paper: str = "p", number: int = 0, hidden: str = "") -> Cut:
    return Cut(
        id=f"{paper}/{number}/9",
        paper_id=paper,
        environment="equation",
        context=CONTEXT,
        opening=r"\begin{equation}",
        prefix="\n\\lambda x =",
        hidden=hidden or f" m v + {number} \\lambda^2 " + "y + z " * 10,
        closing=r"\end{equation}",
        filler="a=b " * 100,
    )


def cuts_of(*papers: str, each: int = 2) -> list[Cut]:
    return [a_cut(paper, number) for paper in papers for number in range(each)]


def forecasts_of(cuts: list[Cut], name: str = "mine") -> list[Forecast]:
    return [Forecast(cut_id=cut.id, predictor=name, text=" m v + y") for cut in cuts]


def likes(letter: str) -> ScriptedScorer:
    """Each `letter` in the prompt makes every token likelier, up to thirty of them."""

    def logprob(before: str, _: str) -> float:
        return -1.9 + 0.05 * min(before.count(letter), 30)

    return ScriptedScorer(logprob, scorer_id=f"likes {letter}")


def other_hidden(cut: Cut) -> Cut:
    """The same question, another answer of the same length."""
    return replace(cut, hidden="#" * len(cut.hidden))
