"""Toy equations: how a scorer takes a forecast that is right in other words."""

from foreword.toys.findings import Findings, find
from foreword.toys.item import CONDITIONS, Toy, ToyScore
from foreword.toys.paper import write_probe
from foreword.toys.read import BUILT_IN, read_toys
from foreword.toys.score import failures_of, score_toys, toy_pairs, toy_rows
from foreword.toys.words import findings_json, findings_text

__all__ = [
    "BUILT_IN",
    "CONDITIONS",
    "Findings",
    "Toy",
    "ToyScore",
    "failures_of",
    "find",
    "findings_json",
    "findings_text",
    "read_toys",
    "score_toys",
    "toy_pairs",
    "toy_rows",
    "write_probe",
]
