"""The searches of an audit, one after the other: what they found, and what was left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreword.audit.descend import Proposer, descend
from foreword.audit.evolve import evolve
from foreword.audit.objective import Found, Objective, Plan
from foreword.audit.priming import Priming, choose_priming
from foreword.audit.strategies import FIXED, cut_to, room
from foreword.records import Cut
from foreword.scores import Means
from foreword.scores.workload import spread
from foreword.store import JSON, to_row

UNIVERSAL = "universal-search"
GRADIENT = "gradient-blind"
CEILING = "gradient-with-Y"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRules:
    """How hard an audit tries."""

    seed: int = 0
    search_requests: int = 200
    """To the scorer, by the universal search; 0 leaves it out."""
    gradient_steps: int = 4
    """Of each gradient search; 0 leaves them out."""
    gradient_batch: int = 8
    """Proposals that are scored at each step."""
    gradient_cuts: int = 4
    """Cuts on which the search with sight of Y is run."""
    fit_cuts: int = 4
    """Cuts that attacks are fitted on, spread over the papers for that."""
    judge_cuts: int | None = None
    """Cuts that everything is judged on; None: all of the papers for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What the searches of an audit found."""

    universal: Mapping[str, Found]
    """By attack: texts that are the same for every cut, found without sight of the judged ones."""
    ceiling: Mapping[str, Found]
    """By cut: texts found with sight of its Y."""
    priming: Priming | None
    """What goes best with honest forecasts."""
    left_out: tuple[str, ...]
    """Attacks that were not made, each with the reason."""

    @property
    def notes(self) -> dict[str, JSON]:
        """All of it, for the provenance of the table."""
        every = {**self.universal, **{f"{CEILING} {cut}": f for cut, f in self.ceiling.items()}}
        chosen = self.priming
        return {
            "searches": {name: to_row(found) for name, found in every.items()},
            "priming": chosen and [chosen.name, chosen.place, chosen.text],
            "left_out": list(self.left_out),
        }


def some(cuts: Sequence[Cut], papers: Sequence[str], most: int | None) -> list[Cut]:
    """Cuts of some papers, at most so many, from all over, in their order."""
    of_papers = [cut for cut in cuts if cut.paper_id in papers]
    if most is None or len(of_papers) <= most:
        return of_papers
    chosen = {cut.id for cut in spread(of_papers)[:most]}
    return [cut for cut in of_papers if cut.id in chosen]


def search(
    fit: Sequence[Cut],
    judged: Sequence[Cut],
    forecasts: Mapping[str, Mapping[str, str]],
    means: Means,
    *,
    rules: AuditRules,
    proposer: Proposer | None,
) -> Searched:
    """Run the searches: on the cuts for fitting, but for the ceiling, which sees each judged cut.

    Args:
        fit: cuts of the papers for fitting.
        judged: cuts of the other papers.
        forecasts: honest ones, by predictor and cut.
        means: of the scorer that is attacked.
        rules: how hard to try.
        proposer: for the gradient searches; None where the scorer has no gradient.

    Raises:
        ForewordError: the cuts can't be scored.
    """
    universal, left_out = _universal(fit, means, rules, proposer)
    ceiling: Mapping[str, Found] = {}
    if GRADIENT in universal and proposer is not None:
        ceiling = _ceiling(judged, proposer, universal[GRADIENT].text, means, rules)
    texts = {**FIXED, **{name: found.text for name, found in universal.items()}}
    priming = _priming(fit, forecasts, texts, means)
    if priming is None:
        left_out.append("forecasts with priming: no forecast of the papers for fitting was scored")
    return Searched(universal=universal, ceiling=ceiling, priming=priming, left_out=tuple(left_out))


def _universal(
    fit: Sequence[Cut], means: Means, rules: AuditRules, proposer: Proposer | None
) -> tuple[dict[str, Found], list[str]]:
    """One text for all cuts, by either search; and which attacks are left out, with the reason."""
    fitted, most = Objective(cuts=tuple(fit), means=means), _most(fit)
    found: dict[str, Found] = {}
    left_out: list[str] = []
    if asked := rules.search_requests:
        starts = list(FIXED.values())
        found[UNIVERSAL] = evolve(fitted, starts, most=most, requests=asked, seed=rules.seed)
    else:
        left_out.append(f"{UNIVERSAL}: no requests were given to it")
    if proposer is not None and rules.gradient_steps:
        begin = found[UNIVERSAL].text if found else FIXED["format"]
        found[GRADIENT] = _descend(fitted, proposer, begin, most, rules, GRADIENT)
    else:
        why = "no steps were given to it" if proposer else "this scorer is no local model"
        left_out += [f"{GRADIENT}: {why}", f"{CEILING}: {why}"]
    return found, left_out


def _most(cuts: Sequence[Cut]) -> int:
    """Characters that one text may have for all of these cuts."""
    return min(room(cut.question) for cut in cuts)


def _ceiling(
    judged: Sequence[Cut], proposer: Proposer, start: str, means: Means, rules: AuditRules
) -> dict[str, Found]:
    """By cut: what a search finds that sees its Y."""
    papers = [cut.paper_id for cut in judged]
    return {
        cut.id: _descend(
            Objective(cuts=(cut,), means=means),
            proposer,
            start,
            room(cut.question),
            rules,
            f"{CEILING} {cut.id}",
        )
        for cut in some(judged, papers, rules.gradient_cuts)
    }


def _descend(
    objective: Objective, proposer: Proposer, start: str, most: int, rules: AuditRules, what: str
) -> Found:
    return descend(
        objective,
        proposer,
        cut_to(start, most),
        most=most,
        steps=rules.gradient_steps,
        batch=rules.gradient_batch,
        seed=rules.seed,
        what=what,
    )


def _priming(
    fit: Sequence[Cut],
    forecasts: Mapping[str, Mapping[str, str]],
    texts: Mapping[str, str],
    means: Means,
) -> Priming | None:
    """What goes best with the forecasts of the predictor that is best on the cuts for fitting."""
    cuts = tuple(cut for cut in fit if all(cut.id in each for each in forecasts.values()))
    if not cuts or not forecasts:
        return None
    objective = Objective(cuts=cuts, means=means)
    names = list(forecasts)
    values = objective.values([_honest(forecasts[name]) for name in names])
    scored = [(v, -i) for i, v in enumerate(values) if v is not None]
    if not scored:
        return None
    return choose_priming(objective, forecasts[names[-max(scored)[1]]], texts)


def _honest(texts: Mapping[str, str]) -> Plan:
    def plan(cut: Cut) -> str:
        return texts[cut.id]

    return plan
