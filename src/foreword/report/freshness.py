"""Which papers a model can have read, as the page shows it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from foreword.findings import DateSource, FreshLift, Freshness, PaperDate
from foreword.report.conditions import FORECAST
from foreword.report.numbers import counted

_LISTED_PAPERS = 500
_SOURCES: Mapping[DateSource | None, str] = {
    "listing": "the day its first version was submitted, from arXiv’s listing",
    "stated": "stated by the user",
    "identifier": "the month of its arXiv identifier",
    None: "not known",
}


class Fresh:
    """What the page says of papers' dates and models' cutoffs; empty where there is no cut."""

    def __init__(self, found: Freshness | None) -> None:
        self.found = found

    @property
    def tables(self) -> Sequence[tuple[str, Sequence[FreshLift]]]:
        """By the predictors' own cutoffs and by the scorer's, each with its caption."""
        rows = self.found.lifts if self.found else ()
        return [
            ("By each predictor’s own cutoff", [row for row in rows if not row.by_scorer]),
            ("By the scorer’s cutoff", [row for row in rows if row.by_scorer]),
        ]

    def name(self, row: FreshLift) -> str:
        """The predictor of a row."""
        return row.condition.removeprefix(FORECAST)

    def cutoff(self, row: FreshLift) -> str:
        """The cutoff of a row, or why there is none."""
        if not row.has_model:
            return "no model"
        return row.cutoff or "not stated"

    @property
    def has_modelless(self) -> bool:
        """Whether a predictor has no model that could have read anything."""
        return any(not row.has_model for row in self._own)

    @property
    def warning(self) -> str:
        """The sentence for the head of the page; empty where all lifts are of later papers."""
        models = [row for row in self._own if row.has_model]
        lifted = {group: _with_lift(models, group) for group in ("before", "unknown")}
        doubtful = lifted["before"] | lifted["unknown"]
        if not doubtful:
            return ""
        whys = {
            "before": "were public by its stated knowledge cutoff",
            "unknown": "can’t be dated against a stated knowledge cutoff",
        }
        why = " or ".join(words for group, words in whys.items() if lifted[group])
        have = "has" if len(doubtful) == 1 else "have"
        return (
            f"{len(doubtful)} of {counted(len(self._own), 'predictor')} {have} a lift from papers "
            f"that the model may have read, because they {why}"
        )

    @property
    def sources(self) -> Sequence[tuple[str, int]]:
        """Where the papers' dates come from, with the number of papers."""
        counts = Counter(paper.source for paper in self._papers)
        return [(words, counts[source]) for source, words in _SOURCES.items() if counts[source]]

    @property
    def listed(self) -> Sequence[tuple[str, str]]:
        """The first papers, each with its date in words."""
        return [(one.paper_id, _words(one)) for one in self._papers[:_LISTED_PAPERS]]

    @property
    def num_unlisted(self) -> int:
        """Papers that the list leaves out."""
        return max(0, len(self._papers) - _LISTED_PAPERS)

    @property
    def _own(self) -> Sequence[FreshLift]:
        """By the predictors' own cutoffs."""
        return [row for row in (self.found.lifts if self.found else ()) if not row.by_scorer]

    @property
    def _papers(self) -> Sequence[PaperDate]:
        return self.found.papers if self.found else ()


def _with_lift(rows: Sequence[FreshLift], group: str) -> set[str]:
    """The conditions whose lift rests on papers of a group, at least in part."""
    return {
        row.condition
        for row in rows
        for one in row.groups
        if one.group == group and one.lift.num_cuts
    }


def _words(paper: PaperDate) -> str:
    """A paper's date and who says so."""
    if paper.first is None or paper.last is None:
        return "not known"
    days = paper.first if paper.first == paper.last else f"{paper.first} to {paper.last}"
    return f"{days}, {_SOURCES[paper.source]}"
