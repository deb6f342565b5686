"""Scores: how probable the scorer model finds the true suffix, under each condition."""

from foreword.scores.boundary import Boundary, Span, byte_ends, span_to_score
from foreword.scores.conditions import CONTROLS, context_prompt, reveal
from foreword.scores.described import CONTEXT_ONLY, described, trained_control
from foreword.scores.load import load_scorer
from foreword.scores.local import LocalScorer
from foreword.scores.probe import Probe, probe
from foreword.scores.prose_conditions import SCORER_CONTEXT
from foreword.scores.reuse import Prove, is_identified, proved
from foreword.scores.scaffolds import (
    check_condition,
    control_prompt,
    controls_of,
    forecast_prompt,
    target,
)
from foreword.scores.score import (
    SEEN,
    Engine,
    Means,
    filled,
    grouped,
    in_threads,
    of_same_tokens,
    request_key,
    requests,
    score_all,
    score_pairs,
)
from foreword.scores.scorer import Scorer, ScriptedScorer, check_statistics, papers_seen
from foreword.scores.workload import CountsTokens, Tokens, Workload, measure

__all__ = [
    "CONTEXT_ONLY",
    "CONTROLS",
    "SCORER_CONTEXT",
    "SEEN",
    "Boundary",
    "CountsTokens",
    "Engine",
    "LocalScorer",
    "Means",
    "Probe",
    "Prove",
    "Scorer",
    "ScriptedScorer",
    "Span",
    "Tokens",
    "Workload",
    "byte_ends",
    "check_condition",
    "check_statistics",
    "context_prompt",
    "control_prompt",
    "controls_of",
    "described",
    "filled",
    "forecast_prompt",
    "grouped",
    "in_threads",
    "is_identified",
    "load_scorer",
    "measure",
    "of_same_tokens",
    "papers_seen",
    "probe",
    "proved",
    "request_key",
    "requests",
    "reveal",
    "score_all",
    "score_pairs",
    "span_to_score",
    "target",
    "trained_control",
]
