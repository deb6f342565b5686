"""What a scorer is, and one with prepared answers for tests, docs and dry runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from foreword.errors import UsageError
from foreword.records import Pair, TokenScores


@runtime_checkable  # the shared test suite calls isinstance
class Scorer(Protocol):
    """A frozen language model that says how probable each token of a target is."""

    @property
    def scorer_id(self) -> str:
        """Name and hash of all that can change a number. Known before the model is loaded."""
        ...

    @property
    def workers(self) -> int:
        """How many calls of `score` can run at the same time, each in a thread of its own."""
        ...

    @property
    def has_statistics(self) -> bool:
        """Whether it sees the whole distribution, and so can give its statistics."""
        ...

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> Sequence[TokenScores]:
        """One result a pair, in order. A pair that can't be scored has a failure, no numbers.

        The pairs may be computed together: what a caller holds for one unit of work.

        Args:
            pairs: what to score.
            statistics: whether to give the statistics of each token's distribution too.

        Raises:
            UsageError: statistics are asked for, and it has none.
        """
        ...


def check_statistics(scorer: Scorer, *, statistics: bool) -> None:
    """See that a scorer can give what is asked for, before anything is paid for.

    Raises:
        UsageError: statistics are asked for, and it has none.
    """
    if statistics and not scorer.has_statistics:
        raise UsageError(
            "this scorer has no statistics to give: like every scorer by URL, it tells the "
            "log-probability of the token that came, not the distribution; leave them out, or "
            "score with a local model"
        )


def papers_seen(scorer: Scorer) -> Sequence[str]:
    """Ids of the papers that a scorer's adapter was trained on: it can judge no forecast of them.

    Those that its model was trained on nobody knows.
    """
    found: Sequence[str] = getattr(scorer, "trained_on", ())
    return found


NO_ANSWER = "no answer"
"""So begins the failure of a request that a server did not answer."""


def may_pass(failure: str | None) -> bool:
    """Whether a failure may be gone the next time: a server gave no answer, and so no number.

    >>> may_pass("no answer: 503, 8 times over"), may_pass("the target is empty"), may_pass(None)
    (True, False, False)
    """
    return failure is not None and failure.startswith(f"{NO_ANSWER}:")


@dataclass(frozen=True, slots=True)
class ScriptedScorer:
    """A fake for tests and docs: one token a character, each with the log-probability you say."""

    logprob: Callable[[str, str], float]
    """From what stands before a character, and the character, to nats."""
    scorer_id: str = "scripted"
    workers: int = 1
    has_statistics: bool = False

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        """One token a character of the target.

        Raises:
            UsageError: statistics are asked for: it has no distribution.
        """
        check_statistics(self, statistics=statistics)
        return [
            TokenScores(
                token_ids=tuple(map(ord, pair.target)),
                token_texts=tuple(pair.target),
                logprobs=tuple(
                    self.logprob(pair.prompt + pair.target[:i], letter)
                    for i, letter in enumerate(pair.target)
                ),
                first_byte=len(pair.prompt.encode()),
                prompt_bytes=0,
            )
            for pair in pairs
        ]
