"""Scores: how probable the scorer model finds the true suffix, under each condition."""

from foreword.scores.boundary import Boundary, Span, byte_ends, span_to_score
from foreword.scores.conditions import (
    CONTROLS,
    check_condition,
    control_prompt,
    forecast_prompt,
    reveal,
    target,
)
from foreword.scores.local import LocalScorer, load_scorer
from foreword.scores.score import score_all, score_pairs
from foreword.scores.scorer import Scorer, ScriptedScorer

__all__ = [
    "CONTROLS",
    "Boundary",
    "LocalScorer",
    "Scorer",
    "ScriptedScorer",
    "Span",
    "byte_ends",
    "check_condition",
    "control_prompt",
    "forecast_prompt",
    "load_scorer",
    "reveal",
    "score_all",
    "score_pairs",
    "span_to_score",
    "target",
]
