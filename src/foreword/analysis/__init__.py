"""Stage: analysis. From stored token log-probabilities to lifts, contrasts and a leaderboard."""

from foreword.analysis.absences import TRAINED
from foreword.analysis.agreement import agreement
from foreword.analysis.bootstrap import (
    bootstrap_interval,
    share_positive,
    wild_cluster_p,
)
from foreword.analysis.copies import find_traces
from foreword.analysis.estimates import clustered_mean
from foreword.analysis.findings import Asked
from foreword.analysis.freshness import SCORER, unpaired
from foreword.analysis.influence import leave_one_paper_out
from foreword.analysis.leaderboard import analysis_json, leaderboard_text
from foreword.analysis.pairing import contrast, lifts
from foreword.analysis.planned import holm, t_p, trend
from foreword.analysis.power import papers_needed, smallest_difference
from foreword.analysis.ranks import rank_intervals
from foreword.analysis.resampling import resampled_median, resampled_share
from foreword.analysis.softening import RULES, clip, soften
from foreword.analysis.standings import analyse
from foreword.analysis.uncertainty import check_costs
from foreword.analysis.variance import Component, Step, advice, variance_components
from foreword.analysis.verdict import Verdict, verdicts
from foreword.analysis.windows import (
    WINDOWS,
    first_tokens,
    headline_window,
    window_lifts,
    windows_text,
)
from foreword.findings import Influence, RankInterval, WindowLift

__all__ = [
    "RULES",
    "SCORER",
    "TRAINED",
    "WINDOWS",
    "Asked",
    "Component",
    "Influence",
    "RankInterval",
    "Step",
    "Verdict",
    "WindowLift",
    "advice",
    "agreement",
    "analyse",
    "analysis_json",
    "bootstrap_interval",
    "check_costs",
    "clip",
    "clustered_mean",
    "contrast",
    "find_traces",
    "first_tokens",
    "headline_window",
    "holm",
    "leaderboard_text",
    "leave_one_paper_out",
    "lifts",
    "papers_needed",
    "rank_intervals",
    "resampled_median",
    "resampled_share",
    "share_positive",
    "smallest_difference",
    "soften",
    "t_p",
    "trend",
    "unpaired",
    "variance_components",
    "verdicts",
    "wild_cluster_p",
    "window_lifts",
    "windows_text",
]
