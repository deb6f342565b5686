"""How much there is to score, and about how long it takes: counted, and tried on a little of it."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from foreword.records import Pair
from foreword.scores.reuse import is_done, recall
from foreword.scores.score import Means, compute_left, left_to_do, with_keys
from foreword.scores.scorer import Scorer

Item = TypeVar("Item")
Group = Mapping[str, Pair]
_COUNTING_S = 20.0
"""After so long the tokens of the rest are taken to be as many a character."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What a model reads when it scores some requests."""

    total: int
    """Of prompts and targets."""
    distinct: int
    """The same with what goes through the model once for several requests counted once."""
    targets: int
    """Those that are scored."""


@runtime_checkable
class CountsTokens(Protocol):
    """A scorer that has its tokenizer at hand."""

    def count(self, pairs: Sequence[Pair]) -> Tokens:
        """The tokens of requests that are scored together; those that can't be scored have none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What a scoring run has to do; each request counts once, however often it is asked for."""

    scorer_id: str
    requests: int
    in_journal: int
    """Scored before, in this study."""
    in_cache: int
    """Scored before, in another."""
    sampled: int
    """Scored just now, to see how long it takes; they are kept."""
    left: int
    characters: int
    """Of the prompts and targets of what is left, as all numbers below."""
    tokens: Tokens | None
    """None for a scorer whose tokenizer is not here."""
    is_counted: bool
    """Whether all of `tokens` were counted; else some were, and the rest by its characters."""
    seconds: float | None
    """About how long it takes; 0 where nothing is left, None where nothing could be tried."""


def measure(
    groups: Sequence[Sequence[Pair]],
    means: Means,
    *,
    sample_s: float = 10.0,
    clock: Callable[[], float] = time.perf_counter,
) -> Workload:
    """What there is to do, from groups spread over all of it that are scored now, and kept.

    Args:
        groups: requests that are scored together.
        means: by what; what its cache has is put into its journal.
        sample_s: how long to score for, in seconds; but a group for each worker in any case.
        clock: in seconds.
    """
    scorer, journal = means.scorer, means.journal
    keyed = with_keys(groups, scorer.scorer_id, statistics=means.statistics)
    keys = list(dict.fromkeys(key for group in keyed for key, _ in group))
    in_journal = sum(is_done(key, journal) for key in keys)
    in_cache = recall(keys, scorer.scorer_id, journal, means.cache)
    todo = spread(left_to_do(keyed, journal))
    counted = _count(todo, scorer, clock)

    def score(some: Sequence[Group]) -> None:
        compute_left(some, means)

    trial = _try_out(todo, score, workers=scorer.workers, most_s=sample_s, clock=clock)
    rest = todo[trial.done :]
    return Workload(
        scorer_id=scorer.scorer_id,
        requests=len(keys),
        in_journal=in_journal,
        in_cache=in_cache,
        sampled=sum(map(len, todo[: trial.done])),
        left=sum(map(len, rest)),
        characters=sum(map(_characters, rest)),
        tokens=_tokens(todo, counted, trial.done) if isinstance(scorer, CountsTokens) else None,
        is_counted=len(counted) == len(todo),
        seconds=_seconds(_weights(todo, counted), trial),
    )


def spread(items: Sequence[Item]) -> list[Item]:
    """In an order whose first few come from all over, however many are taken.

    >>> "".join(spread("abcdefgh"))
    'aecgbfdh'
    """
    bits = len(items).bit_length()
    order = sorted(range(len(items)), key=lambda index: f"{index:0{bits}b}"[::-1])
    return [items[index] for index in order]


def _count(todo: Sequence[Group], scorer: Scorer, clock: Callable[[], float]) -> list[Tokens]:
    """The tokens of the first groups: as many as can be counted in a reasonable time."""
    counted: list[Tokens] = []
    if isinstance(scorer, CountsTokens):
        start = clock()
        for group in todo:
            counted.append(scorer.count(list(group.values())))
            if clock() - start > _COUNTING_S:
                break
    return counted


@dataclass(frozen=True, slots=True)
class _Trial:
    """Groups that were scored to see how long it takes: the first ones."""

    done: int
    warm: int
    """From which group on time was taken: in the first round a model may have been loaded."""
    taken_s: float


def _try_out(
    todo: Sequence[Group],
    score: Callable[[Sequence[Group]], None],
    *,
    workers: int,
    most_s: float,
    clock: Callable[[], float],
) -> _Trial:
    """Score the first groups, in rounds of twice as many, for as long as there is time."""
    rounds: list[tuple[int, float]] = []
    done, size, spent_s = 0, workers, 0.0
    while size > 0 and done < len(todo):
        some = todo[done : done + size]
        start = clock()
        score(some)
        took_s = max(clock() - start, 1e-9)
        rounds.append((len(some), took_s))
        done += len(some)
        spent_s += took_s
        fit = int(len(some) * (most_s - spent_s) / took_s) // workers * workers
        size = max(min(2 * size, fit), workers if spent_s < most_s / 2 else 0)
    warm = rounds[0][0] if len(rounds) > 1 else 0
    return _Trial(done, warm, sum(took_s for _, took_s in rounds[1:] or rounds))


def _weights(todo: Sequence[Group], counted: Sequence[Tokens]) -> list[float]:
    """How much work each group is: distinct tokens, or characters where none can be counted."""
    sizes = [float(_characters(group)) for group in todo]
    if not counted:
        return sizes
    each = sum(tokens.distinct for tokens in counted) / (sum(sizes[: len(counted)]) or 1.0)
    return [float(t.distinct) for t in counted] + [each * size for size in sizes[len(counted) :]]


def _seconds(weights: Sequence[float], trial: _Trial) -> float | None:
    left = sum(weights[trial.done :])
    tried = sum(weights[trial.warm : trial.done])
    if not weights[trial.done :]:
        return 0.0
    return trial.taken_s * left / tried if tried else None


def _tokens(todo: Sequence[Group], counted: Sequence[Tokens], done: int) -> Tokens:
    """Of the groups that are left; by their characters, where not all were counted."""
    share = 1.0
    if len(counted) < len(todo):
        characters = sum(map(_characters, todo[: len(counted)]))
        share = sum(map(_characters, todo[done:])) / max(characters, 1)
        done = 0
    left = counted[done:]
    return Tokens(
        total=round(share * sum(each.total for each in left)),
        distinct=round(share * sum(each.distinct for each in left)),
        targets=round(share * sum(each.targets for each in left)),
    )


def _characters(group: Group) -> int:
    return sum(len(pair.prompt) + len(pair.target) for pair in group.values())
