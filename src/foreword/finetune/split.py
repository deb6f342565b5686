"""Which papers an adapter is trained on, and which are kept from it."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from foreword.adapters import on_both_sides, work_of
from foreword.errors import UsageError
from foreword.store import fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Papers, by their ids; two versions of one paper are on the same side.

    Raises:
        UsageError: a paper is on both sides, or a side is empty.
    """

    trained_on: tuple[str, ...]
    held_out: tuple[str, ...]

    def __post_init__(self) -> None:
        both = on_both_sides(self.trained_on, self.held_out)
        if both:
            raise UsageError(
                f"paper {both[0]} is on both sides of the split: what is judged on papers that "
                "it was trained on tells nothing; leave it on one side"
            )
        for name in ("trained_on", "held_out"):
            if not getattr(self, name):
                raise UsageError(f"no paper is {name.replace('_', ' ')}: the split needs both")


def draw_split(papers: Iterable[str], share: float, *, seed: int) -> Split:
    """A split with a share of the papers held out: one at least, and not all.

    Args:
        papers: ids, as often as they come; their order does not matter.
        share: of the papers, counted without their versions.
        seed: of the draw.

    Raises:
        UsageError: there is no second paper.

    >>> draw_split(["a", "b", "c", "d"], 0.25, seed=0)
    Split(trained_on=('a', 'c', 'd'), held_out=('b',))
    """
    ids = sorted(set(papers))
    works = sorted({work_of(paper) for paper in ids})
    if len(works) < 2:
        raise UsageError(
            f"these cuts are of {len(works)} paper{'s' * (len(works) != 1)}: "
            "some have to be held out, so give cuts of two or more"
        )
    count = min(max(1, round(share * len(works))), len(works) - 1)
    draw = random.Random(fingerprint(["split", seed]))  # noqa: S311 (no secret)
    kept = set(draw.sample(works, count))
    return Split(
        trained_on=tuple(paper for paper in ids if work_of(paper) not in kept),
        held_out=tuple(paper for paper in ids if work_of(paper) in kept),
    )


def read_split(path: Path, papers: Iterable[str]) -> Split:
    """The split that a JSON file states: `{"trained_on": […], "held_out": […]}`, and more or not.

    An adapter's `training.json` is such a file. Papers of neither side are not used.

    Args:
        path: of the file.
        papers: those there are cuts of.

    Raises:
        UsageError: it is no such file, a paper is on both sides, or a side has no paper here.
    """
    try:
        sides = _Sides.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} can't be read; check the path") from error
    except ValidationError as error:
        raise UsageError(
            f'{path} is no split: it has to be JSON with "trained_on" and "held_out", each a list '
            "of papers' ids"
        ) from error
    # As it stands it has to hold too, whatever papers there are.
    stated = Split(trained_on=tuple(sides.trained_on), held_out=tuple(sides.held_out))
    there = sorted(set(papers))
    trained_on, held_out = (set(map(work_of, x)) for x in (stated.trained_on, stated.held_out))
    return Split(
        trained_on=tuple(paper for paper in there if work_of(paper) in trained_on),
        held_out=tuple(paper for paper in there if work_of(paper) in held_out),
    )


class _Sides(BaseModel, strict=True):
    trained_on: list[str]
    held_out: list[str]


def drawn(items: Sequence[str], most: int | None, *, seed: int, what: str) -> set[str]:
    """At most so many of some ids, drawn by a seed; all where there is no bound."""
    if most is None or len(items) <= most:
        return set(items)
    draw = random.Random(fingerprint(["examples", what, seed]))  # noqa: S311 (no secret)
    return set(draw.sample(sorted(items), most))
