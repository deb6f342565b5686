"""The audit's table: a row for each attack, forecast or control, each cut and each scorer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from foreword.audit.objective import clip2_mean
from foreword.audit.split import Half, Split
from foreword.findings import AttackGroup as Group
from foreword.records import Cut, Float32, Forecast, Score

CONTEXTS = ("same-budget", "context-in-scaffold", "triple-budget")
REFERENCES = ("empty", "true-suffix")
_SILENT = "it has nothing to send for this cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """What one scorer says of one cut when it is shown one attack, forecast or control."""

    name: str
    """Of the attack (`nearest-context`), the predictor, or the control (`same-budget`)."""
    group: Group
    half: Half
    """`fit`: of a paper that attacks were fitted on; only `judge` counts."""
    cut_id: str
    paper_id: str
    scorer_id: str
    text: str | None
    """Z; None for a control, and where there is none."""
    score: float | None
    """Mean over target tokens of max(log-probability, −2), in nats; None where there is none."""
    over_empty: float | None
    """The same minus the score of the empty scaffold on this cut; None where one is missing."""
    over_same_budget: float | None
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[Float32, ...] = ()
    """In nats, one a token of the target: what `score` is computed from."""
    failure: str | None = None
    """Why there is no score."""

    @property
    def is_silent(self) -> bool:
        """Whether there is no score because there was nothing to score."""
        return self.failure == _SILENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One attack, or one predictor: what it sends for each cut."""

    name: str
    group: Group
    texts: Mapping[str, str | None]
    """Z by cut; None where it has nothing to send. A cut that is not here is none of its cuts."""

    @property
    def label(self) -> str:
        """What it is called among forecasts: no two entries are called the same."""
        return f"{self.group}:{self.name}"


def as_forecasts(entries: Iterable[Entry]) -> list[Forecast]:
    """What the entries send, as the ordinary scoring stage takes it."""
    return [
        Forecast(cut_id=cut_id, predictor=entry.label, text=text)
        for entry in entries
        for cut_id, text in entry.texts.items()
        if text
    ]


def audit_rows(
    scores: Sequence[Score], entries: Sequence[Entry], cuts: Sequence[Cut], split: Split
) -> list[AuditRow]:
    """The rows of one scorer: of its scores, and of what the entries left unsaid."""
    sent = {(f"forecast:{e.label}", cut): text for e in entries for cut, text in e.texts.items()}
    rows = [_row(score, sent.get((score.condition, score.cut_id)), split) for score in scores]
    baselines = {(row.cut_id, row.name): row.score for row in rows if row.group in _BASES}
    rows = [
        replace(
            row,
            over_empty=_difference(row.score, baselines.get((row.cut_id, "empty"))),
            over_same_budget=_difference(row.score, baselines.get((row.cut_id, "same-budget"))),
        )
        for row in rows
    ]
    scorer_id = scores[0].scorer_id if scores else ""
    return rows + list(_unsaid(entries, {cut.id: cut for cut in cuts}, split, scorer_id))


_BASES = ("reference", "context")


def _row(score: Score, text: str | None, split: Split) -> AuditRow:
    group, name = _group_and_name(score.condition)
    return AuditRow(
        name=name,
        group=group,
        half=split.half_of(score.paper_id),
        cut_id=score.cut_id,
        paper_id=score.paper_id,
        scorer_id=score.scorer_id,
        text=text,
        score=None if score.failure else clip2_mean(score.logprobs),
        over_empty=None,
        over_same_budget=None,
        token_ids=score.token_ids,
        logprobs=score.logprobs,
        failure=score.failure,
    )


def _group_and_name(condition: str) -> tuple[Group, str]:
    if condition in CONTEXTS:
        return "context", condition
    if condition in REFERENCES:
        return "reference", condition
    _, group, name = condition.split(":", 2)
    return cast(Group, group), name


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _unsaid(
    entries: Sequence[Entry], cuts: Mapping[str, Cut], split: Split, scorer_id: str
) -> Iterator[AuditRow]:
    """A row without a score for each cut for which an entry has nothing to send."""
    for entry in entries:
        for cut_id, text in entry.texts.items():
            if not text:
                yield AuditRow(
                    name=entry.name,
                    group=entry.group,
                    half=split.half_of(cuts[cut_id].paper_id),
                    cut_id=cut_id,
                    paper_id=cuts[cut_id].paper_id,
                    scorer_id=scorer_id,
                    text=None,
                    score=None,
                    over_empty=None,
                    over_same_budget=None,
                    failure=_SILENT,
                )
