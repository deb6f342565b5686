"""Cuts: split displayed equations into what is seen and what is to be forecast."""

from foreword.cuts.cut import CutResult, CutRules, cut_equations, cuts_again
from foreword.cuts.reasons import REASONS, Reason, Rejection, count_reasons, explain

__all__ = [
    "REASONS",
    "CutResult",
    "CutRules",
    "Reason",
    "Rejection",
    "count_reasons",
    "cut_equations",
    "cuts_again",
    "explain",
]
