"""Attacks on the score: how much lift can be had without forecasting?"""

from foreword.audit.audit import Audited, audit_cuts
from foreword.audit.findings import check_halves, findings, shares
from foreword.audit.gradient import Gradient
from foreword.audit.rows import AuditRow
from foreword.audit.search import AuditRules, Searched
from foreword.audit.split import Split, split_papers
from foreword.audit.strategies import STRATEGIES
from foreword.audit.words import audit_json, audit_text, conclusion

__all__ = [
    "STRATEGIES",
    "AuditRow",
    "AuditRules",
    "Audited",
    "Gradient",
    "Searched",
    "Split",
    "audit_cuts",
    "audit_json",
    "audit_text",
    "check_halves",
    "conclusion",
    "findings",
    "shares",
    "split_papers",
]
