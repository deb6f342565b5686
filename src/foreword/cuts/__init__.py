"""Cuts: split equations, or prose, into what is seen and what is to be forecast."""

from foreword.cuts.cut import CutResult, CutRules, cut_equations, cuts_again
from foreword.cuts.headings import PARTS, Part
from foreword.cuts.kinds import Rules, cut_again, cut_paper, lies_at, make_rules
from foreword.cuts.passages import ProseRules, cut_prose
from foreword.cuts.reasons import REASONS, Reason, Rejection, count_reasons, explain

__all__ = [
    "PARTS",
    "REASONS",
    "CutResult",
    "CutRules",
    "Part",
    "ProseRules",
    "Reason",
    "Rejection",
    "Rules",
    "count_reasons",
    "cut_again",
    "cut_equations",
    "cut_paper",
    "cut_prose",
    "cuts_again",
    "explain",
    "lies_at",
    "make_rules",
]
