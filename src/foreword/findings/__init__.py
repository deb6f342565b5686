"""What the analysis finds: means with their uncertainty, and how far each of them can be trusted.

`records.Analysis` holds these records; the report shows them, and computes none of them. An
interval of whole papers resampled is a `Resampled`, one from the t distribution is in `Estimate`.
"""

from foreword.findings.attacks import AttackGroup, AttackLift, Attacks, AttackShare, Base
from foreword.findings.estimates import (
    FEW_PAPERS,
    UNEVEN,
    Contrast,
    Estimate,
    Evidence,
    Influence,
    Kind,
    RankInterval,
    Resampled,
    Rule,
    Steadiness,
    WindowLift,
)
from foreword.findings.fresh import (
    DateSource,
    FreshLift,
    Freshness,
    Group,
    GroupLift,
    PaperDate,
    Unpaired,
)
from foreword.findings.noise import Advised, Component, Level, Source, Step, Uncertainty
from foreword.findings.scorers import OtherScorer, SharedContrast, SharedLift
from foreword.findings.subsets import Clipped, Copies, Copy, CopyLift, Family, HardCuts, Usage
from foreword.findings.toys import ToyLine, ToyRecovery, Toys
from foreword.findings.whole import Findings

__all__ = [
    "FEW_PAPERS",
    "UNEVEN",
    "Advised",
    "AttackGroup",
    "AttackLift",
    "AttackShare",
    "Attacks",
    "Base",
    "Clipped",
    "Component",
    "Contrast",
    "Copies",
    "Copy",
    "CopyLift",
    "DateSource",
    "Estimate",
    "Evidence",
    "Family",
    "Findings",
    "FreshLift",
    "Freshness",
    "Group",
    "GroupLift",
    "HardCuts",
    "Influence",
    "Kind",
    "Level",
    "OtherScorer",
    "PaperDate",
    "RankInterval",
    "Resampled",
    "Rule",
    "SharedContrast",
    "SharedLift",
    "Source",
    "Steadiness",
    "Step",
    "ToyLine",
    "ToyRecovery",
    "Toys",
    "Uncertainty",
    "Unpaired",
    "Usage",
    "WindowLift",
]
