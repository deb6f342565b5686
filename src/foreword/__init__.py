"""foreword: how well does a language model foresee science it has not read?

    >>> import foreword
    >>> foreword.clustered_mean([0.1, 0.3, 0.2], ["paper 1", "paper 1", "paper 2"]).num_papers
    2

Each public name is imported when it is first used, so that `import foreword` takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foreword.analysis import analyse as analyse
    from foreword.analysis import clustered_mean as clustered_mean
    from foreword.analysis import contrast as contrast
    from foreword.analysis import lifts as lifts
    from foreword.analysis import soften as soften
    from foreword.catalogue import Candidate as Candidate
    from foreword.cuts import CutRules as CutRules
    from foreword.cuts import cut_equations as cut_equations
    from foreword.errors import ForewordError as ForewordError
    from foreword.forecasts import Predictor as Predictor
    from foreword.forecasts import PredictorSettings as PredictorSettings
    from foreword.forecasts import ScriptedPredictor as ScriptedPredictor
    from foreword.forecasts import forecast_all as forecast_all
    from foreword.forecasts import load_predictor as load_predictor
    from foreword.papers import read_paper as read_paper
    from foreword.papers import read_papers as read_papers
    from foreword.pipeline import prepare as prepare
    from foreword.pipeline import run as run
    from foreword.records import Analysis as Analysis
    from foreword.records import Cut as Cut
    from foreword.records import Forecast as Forecast
    from foreword.records import Pair as Pair
    from foreword.records import Paper as Paper
    from foreword.records import Question as Question
    from foreword.records import Score as Score
    from foreword.records import TokenScores as TokenScores
    from foreword.report import write_report as write_report
    from foreword.scores import Scorer as Scorer
    from foreword.scores import ScriptedScorer as ScriptedScorer
    from foreword.scores import control_prompt as control_prompt
    from foreword.scores import forecast_prompt as forecast_prompt
    from foreword.scores import load_scorer as load_scorer
    from foreword.scores import score_all as score_all
    from foreword.scores import score_pairs as score_pairs
    from foreword.slate import Criteria as Criteria
    from foreword.slate import choose_slate as choose_slate
    from foreword.store import Journal as Journal
    from foreword.store import read_table as read_table
    from foreword.store import write_table as write_table
    from foreword.study import Study as Study
    from foreword.study_file import read_study as read_study

_PLACES = {
    "analysis": ("analyse", "clustered_mean", "contrast", "lifts", "soften"),
    "catalogue": ("Candidate",),
    "cuts": ("CutRules", "cut_equations"),
    "errors": ("ForewordError",),
    "forecasts": (
        "Predictor",
        "PredictorSettings",
        "ScriptedPredictor",
        "forecast_all",
        "load_predictor",
    ),
    "papers": ("read_paper", "read_papers"),
    "pipeline": ("prepare", "run"),
    "records": (
        "Analysis",
        "Cut",
        "Forecast",
        "Pair",
        "Paper",
        "Question",
        "Score",
        "TokenScores",
    ),
    "report": ("write_report",),
    "scores": (
        "Scorer",
        "ScriptedScorer",
        "control_prompt",
        "forecast_prompt",
        "load_scorer",
        "score_all",
        "score_pairs",
    ),
    "slate": ("Criteria", "choose_slate"),
    "store": ("Journal", "read_table", "write_table"),
    "study": ("Study",),
    "study_file": ("read_study",),
}
_PLACE = {name: place for place, names in _PLACES.items() for name in names}

__all__ = sorted(_PLACE)


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError(f"foreword has no {name}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"foreword.{_PLACE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
