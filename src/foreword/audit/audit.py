"""The audit: attacks fitted on some papers, judged on others, beside honest forecasts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreword.audit.descend import Proposer
from foreword.audit.objective import universal, within_budget
from foreword.audit.priming import primed
from foreword.audit.rows import CONTEXTS, REFERENCES, AuditRow, Entry, as_forecasts, audit_rows
from foreword.audit.search import CEILING, AuditRules, Searched, search, some
from foreword.audit.split import Split, split_papers
from foreword.audit.strategies import STRATEGIES, cut_to, nearest_context, room
from foreword.records import Cut, Forecast, Score
from foreword.scores import Means, score_all
from foreword.scores.score import Progress

CONTROLS = (*REFERENCES, *CONTEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """All that an audit found."""

    rows: tuple[AuditRow, ...]
    split: Split
    searched: Searched


def audit_cuts(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    means: Sequence[Means],
    *,
    rules: AuditRules,
    proposer: Proposer | None,
    progress: Progress = iter,
) -> Audited:
    """Attack a scorer, and judge every attack, forecast and control on the same cuts.

    Args:
        cuts: of two papers or more.
        forecasts: honest ones, of any number of predictors.
        means: of the scorer that is attacked; then of others, to see what transfers to them.
        rules: the seed, and how hard to try.
        proposer: for the gradient searches; None where the scorer has no gradient.
        progress: wraps the requests of the final scoring that are to be computed.

    Raises:
        ForewordError: there is one paper only, or nothing can be scored.
    """
    split = split_papers((cut.paper_id for cut in cuts), seed=rules.seed)
    fit = some(cuts, split.fit, rules.fit_cuts)
    judged = some(cuts, split.judge, rules.judge_cuts)
    both = [*fit, *judged]
    honest = _by_predictor(forecasts, both)
    searched = search(fit, judged, _said(honest), means[0], rules=rules, proposer=proposer)
    entries = [
        *_written(both),
        *_found(searched, both),
        *_honest(honest),
        *_primed(searched, honest, both),
        *_primed_context(searched, both),
    ]
    rows: list[AuditRow] = []
    for how in means:
        scores = _scored(both, entries, how, rules.seed, progress)
        rows += audit_rows(scores, entries, both, split)
    return Audited(rows=tuple(rows), split=split, searched=searched)


def _scored(
    cuts: Sequence[Cut], entries: Sequence[Entry], how: Means, seed: int, progress: Progress
) -> list[Score]:
    """Everything and the controls, by one scorer."""
    return score_all(
        cuts,
        as_forecasts(entries),
        how.scorer,
        controls=CONTROLS,
        seed=seed,
        journal=how.journal,
        cache=how.cache,
        engine=how.engine,
        progress=progress,
    )


Texts = Mapping[str, Mapping[str, str | None]]
"""Predictor → cut → its forecast, of several samples the first, or None where it gave none."""


def _by_predictor(forecasts: Sequence[Forecast], cuts: Sequence[Cut]) -> Texts:
    wanted = {cut.id for cut in cuts}
    found: dict[str, dict[str, str | None]] = {}
    for each in sorted(forecasts, key=lambda one: one.sample):
        if each.cut_id in wanted:
            found.setdefault(each.predictor, {}).setdefault(each.cut_id, each.text)
    return found


def _said(honest: Texts) -> dict[str, dict[str, str]]:
    """Without what is missing."""
    return {
        name: {cut: text for cut, text in texts.items() if text} for name, texts in honest.items()
    }


def _written(cuts: Sequence[Cut]) -> list[Entry]:
    """The strategies; each sees the question alone."""
    return [
        Entry(
            name=name,
            group="attack",
            texts={cut.id: cut_to(strategy(cut.question), cut.budget) for cut in cuts},
        )
        for name, strategy in STRATEGIES.items()
    ]


def _found(searched: Searched, cuts: Sequence[Cut]) -> list[Entry]:
    """What the searches found."""
    entries = [
        Entry(
            name=name,
            group="attack",
            texts={cut.id: within_budget(universal(found.text), cut) for cut in cuts},
        )
        for name, found in searched.universal.items()
    ]
    texts = {cut: found.text for cut, found in searched.ceiling.items()}
    return [*entries, Entry(name=CEILING, group="ceiling", texts=texts)] if texts else entries


def _honest(honest: Texts) -> list[Entry]:
    return [Entry(name=name, group="forecast", texts=texts) for name, texts in honest.items()]


def _primed(searched: Searched, honest: Texts, cuts: Sequence[Cut]) -> list[Entry]:
    priming = searched.priming
    if priming is None:
        return []
    budgets = {cut.id: cut.budget for cut in cuts}
    return [
        Entry(
            name=name,
            group="primed",
            texts={
                cut: primed(text, priming, budgets[cut]) if text else None
                for cut, text in texts.items()
            },
        )
        for name, texts in honest.items()
    ]


def _primed_context(searched: Searched, cuts: Sequence[Cut]) -> list[Entry]:
    """Half of the room for the last context, the rest for the priming: no forecast at all."""
    if searched.priming is None:
        return []
    texts = {}
    for cut in cuts:
        recent = nearest_context(cut.question)[-(room(cut.question) // 2) :]
        texts[cut.id] = primed(recent, searched.priming, cut.budget)
    return [Entry(name="primed-context", group="attack", texts=texts)]
