"""Stage: analysis. From stored token log-probabilities to lifts, contrasts and a leaderboard."""

from foreword.analysis.estimates import clustered_mean
from foreword.analysis.leaderboard import analysis_json, leaderboard_text
from foreword.analysis.pairing import contrast, lifts
from foreword.analysis.softening import RULES, soften
from foreword.analysis.standings import analyse

__all__ = [
    "RULES",
    "analyse",
    "analysis_json",
    "clustered_mean",
    "contrast",
    "leaderboard_text",
    "lifts",
    "soften",
]
