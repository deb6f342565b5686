"""All that the analysis says beyond means and contrasts."""

from dataclasses import dataclass

from foreword.findings.estimates import UNEVEN, Contrast, Steadiness, WindowLift
from foreword.findings.fresh import Freshness
from foreword.findings.noise import Uncertainty
from foreword.findings.scorers import OtherScorer
from foreword.findings.subsets import Clipped, Copies, Family, HardCuts, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the analysis says beyond means and contrasts."""

    seed: int = 0
    """Of every draw."""
    draws: int = 2_000
    """Of papers, for medians, shares and ranks."""
    steadiness: tuple[Steadiness, ...] = ()
    """Of each predictor, in the order of the leaderboard."""
    families: tuple[Family, ...] = ()
    clipped: tuple[Clipped, ...] = ()
    """Conditions in the order of the standings, each under every clip rule."""
    usage: tuple[Usage, ...] = ()
    hard: HardCuts | None = None
    """None where no predictor has a lift."""
    copies: Copies | None = None
    """None where there is no cut."""
    windows: tuple[WindowLift, ...] = ()
    """Of prose: each condition over `same-budget` by the number of tokens that count."""
    verdicts: tuple[Contrast, ...] = ()
    """Each predictor minus each trained control, `trained:NAME`, on papers that it was not trained
    on; the tests are corrected for each other."""
    scorers: tuple[OtherScorer, ...] = ()
    """The study by its other scorers."""
    freshness: Freshness | None = None
    """None where there is no cut."""
    advantages: tuple[Contrast, ...] = ()
    """Each predictor minus each control, on the cuts that both have; the best predictor first."""
    uncertainty: tuple[Uncertainty, ...] = ()
    """Of each predictor with a lift, in the order of the leaderboard."""
    repeat_noise: float | None = None
    """Of the scorer: the largest difference, in nats, of a token's values when the same requests
    were made again; None where that is not on record."""

    @property
    def uneven(self) -> Steadiness | None:
        """The line whose papers differ most in cuts, if so much that CRV1 is not to be trusted."""
        known = [(one.evenness, one) for one in self.steadiness if one.evenness is not None]
        share, least = min(known, key=lambda each: each[0], default=(1.0, None))
        return least if share < UNEVEN else None
