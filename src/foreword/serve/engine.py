"""A loaded scorer, and what the routes must know of it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from foreword.errors import ModelError
from foreword.models import load_model, window
from foreword.scores import LocalScorer, Span
from foreword.scores.request import Request, check_tokenizer
from foreword.serve.vocabulary import Vocabulary

Rows = list[list[float]]
"""What the model says of each scored token of a request."""
LOGPROB, TOP_ID, TOP_LOGPROB = 0, -2, -1
"""Columns of `scores.distribution.read_rows`; the last two where `Wanted.top` is set."""
_TOP_COLUMNS = 2
NO_SPAN = Span(first=0, texts=(), first_byte=0, prompt_bytes=0)
"""Of requests whose text is placed elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A loaded scorer, and what the routes must know of it."""

    scorer: LocalScorer
    vocabulary: Vocabulary
    window: int | None
    """Tokens that the model reads at most; None where there is no limit."""

    @property
    def name(self) -> str:
        """What clients call the model: its name without folders."""
        return self.scorer.scorer_id.rpartition("@")[0]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be said of each token, more than its log-probability."""

    statistics: bool = False
    top: bool = False
    """The most probable token."""

    def __or__(self, other: "Wanted") -> "Wanted":
        return Wanted(self.statistics or other.statistics, self.top or other.top)

    def of(self, rows: Rows, said: "Wanted") -> Rows:
        """Of rows that say at least so much, what is wanted.

        >>> Wanted(top=True).of([[-0.5, 1, 2, 3, 4, 5, 17, -0.25]], Wanted(True, True))
        [[-0.5, 17, -0.25]]
        """
        end = len(rows[0]) - _TOP_COLUMNS * said.top if rows else 0
        cut = end if self.statistics else 1
        return [[*row[:cut], *(row[end:] if self.top else ())] for row in rows]


class Work(Protocol):
    """What one body asks of the model, and how the answer is made of what the model says."""

    @property
    def requests(self) -> Sequence[Request]:
        """For the model."""
        ...

    @property
    def wanted(self) -> Wanted:
        """What the model is to say of each token."""
        ...

    def answer(self, engine: Engine, rows: Sequence[Rows]) -> bytes:
        """The body of the answer, from the rows of each request.

        Raises:
            RefusedError: what the model said is no log-probability.
        """
        ...


def load_engine(scorer: LocalScorer) -> Engine:
    """The scorer with its model on all its devices, each of which has computed something.

    Raises:
        ModelError: the model can't be loaded, or not be used to score.
    """
    for device in scorer.devices:
        load_model(scorer.files, dtype=scorer.dtype, device=device)
    model, tokenizer = load_model(scorer.files, dtype=scorer.dtype, device=scorer.devices[0])
    check_tokenizer(tokenizer, scorer.files.name)
    _try_out(scorer)
    return Engine(scorer=scorer, vocabulary=Vocabulary.of(model, tokenizer), window=window(model))


def _try_out(scorer: LocalScorer) -> None:
    """What is slow the first time is done before there is a client."""
    with ThreadPoolExecutor(scorer.workers) as pool:
        asked = [Request([0, 0, 0], 1, NO_SPAN)]
        tried = [
            pool.submit(scorer.rows, asked, statistics=True, top=True)
            for _ in range(scorer.workers)
        ]
    try:
        for each in tried:
            each.result()
    except RuntimeError as error:  # as torch raises them
        cause = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{scorer.files.name} was loaded but can't compute: {cause}") from error
