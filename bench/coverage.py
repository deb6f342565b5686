"""How often does the 95 % interval of `clustered_mean` cover the truth?

    python bench/coverage.py
    python bench/coverage.py --by-degrees

Draws studies whose true mean is 0 and counts the intervals that hold 0, for each kind of error.
Papers are of 4 cuts each (*equal*), of 1 to 10 as in real studies (*alike*), or of very unequal
size, most of about 3 and some of up to 100 (*unequal*). Cuts and papers vary by a normal law or by
a skewed one: a gamma law of skewness 1, about that of published differences, or 2 (exponential).
The three numbers of a cell are for 0, 10 and 30 % of the variance between papers. *ignored* takes
every cut for independent. With `--by-degrees` the studies are sorted by CR2's degrees of freedom
instead, as a share of G − 1. Prints Markdown tables; the same seed gives the same tables.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, get_args

import numpy as np
from scipy.special import stdtrit

from foreword.analysis import clustered_mean
from foreword.records import Kind

PAPERS = (5, 10, 20, 40, 80)
BETWEEN = (0.0, 0.1, 0.3)
KINDS: tuple[Kind, ...] = get_args(Kind)
COLUMNS = (*KINDS, "ignored")
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
"""Of G − 1, between which studies are sorted."""

Sizes = np.ndarray
"""Cuts of each paper, shape (studies, papers)."""


class Drawn(NamedTuple):
    """Studies, as far as any of the errors depends on them; arrays of (studies, papers)."""

    sums: np.ndarray
    squares: np.ndarray
    sizes: Sizes


class Ends(NamedTuple):
    """Of each study, shape (studies,)."""

    mean: np.ndarray
    error: np.ndarray
    degrees: np.ndarray

    @property
    def low(self) -> np.ndarray:
        """The lower end of the interval."""
        return self.mean - stdtrit(self.degrees, 0.975) * self.error

    @property
    def covers(self) -> np.ndarray:
        return np.abs(self.mean) <= self.mean - self.low


def equal(_: np.random.Generator, shape: tuple[int, int]) -> Sizes:
    return np.full(shape, 4)


def alike(rng: np.random.Generator, shape: tuple[int, int]) -> Sizes:
    return rng.integers(1, 11, shape)


def unequal(rng: np.random.Generator, shape: tuple[int, int]) -> Sizes:
    """Log-normal, from 1 to 100; the middle one has 3."""
    return np.clip(np.exp(rng.normal(1.1, 1.2, shape)).round(), 1, 100).astype(int)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.normal(size=shape)


def skew_1(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_gamma(4, shape) / 2 - 2


def skew_2(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_exponential(shape) - 1


LAWS = {"normal": normal, "skew 1": skew_1, "skew 2": skew_2}
SIZES = {"equal": equal, "alike": alike, "unequal": unequal}
Coverage = tuple[np.ndarray, dict[str, np.ndarray]]
"""CR2's degrees of freedom of each study, and by column whether it covers the truth."""
Law = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def draw(
    rng: np.random.Generator, law: Law, sizes: Sizes, between: float, *, most_at_once: int = 2**22
) -> Iterator[Drawn]:
    """Studies of values with mean 0 and variance 1, in parts that memory can hold."""
    step = max(1, most_at_once // int(sizes.sum(axis=1).max()))
    for start in range(0, len(sizes), step):
        part = sizes[start : start + step]
        starts = np.concatenate([[0], np.cumsum(part.ravel())[:-1]])
        effects = np.repeat(law(rng, part.shape).ravel(), part.ravel())
        d = math.sqrt(between) * effects + math.sqrt(1 - between) * law(rng, effects.shape)
        sums = np.add.reduceat(d, starts).reshape(part.shape)
        squares = np.add.reduceat(d**2, starts).reshape(part.shape)
        yield Drawn(sums, squares, part)


def satterthwaite(sizes: Sizes) -> np.ndarray:
    w = sizes / sizes.sum(axis=1, keepdims=True)
    a = w**2 / (1 - w)
    return 1 / ((w**2).sum(axis=1) + a.sum(axis=1) ** 2 - (a**2).sum(axis=1))


def ends(drawn: Drawn, kind: str) -> Ends:
    """`clustered_mean` of many studies at once; its docstring has the formulas."""
    sizes, num_papers = drawn.sizes, drawn.sizes.shape[1]
    num_cuts = sizes.sum(axis=1)
    mean = drawn.sums.sum(axis=1) / num_cuts
    few = np.full(len(sizes), num_papers - 1.0)
    if kind == "papers":
        means = drawn.sums / sizes
        return Ends(means.mean(axis=1), means.std(axis=1, ddof=1) / math.sqrt(num_papers), few)
    if kind == "ignored":
        variance = (drawn.squares.sum(axis=1) - num_cuts * mean**2) / (num_cuts - 1)
        return Ends(mean, np.sqrt(variance / num_cuts), num_cuts - 1.0)
    off = drawn.sums - sizes * mean[:, None]
    rest = 1 - sizes / num_cuts[:, None]
    if kind == "cr2":
        return Ends(mean, np.sqrt((off**2 / rest).sum(axis=1)) / num_cuts, satterthwaite(sizes))
    if kind == "jackknife":
        factor, off = (num_papers - 1) / num_papers, off / rest
    else:
        factor = num_papers / (num_papers - 1)
    return Ends(mean, np.sqrt(factor * (off**2).sum(axis=1)) / num_cuts, few)


def check(drawn: Drawn) -> None:
    """The first study's intervals are those of `clustered_mean`, so that this measures it.

    Its errors depend on the sums and sizes of papers alone, so each paper's mean stands in for its
    cuts.
    """
    papers = np.repeat(np.arange(drawn.sizes.shape[1]), drawn.sizes[0])
    values = (drawn.sums[0] / drawn.sizes[0])[papers]
    for kind in KINDS:
        one, many = clustered_mean(values.tolist(), papers.tolist(), kind), ends(drawn, kind)
        expected = [many.mean[0], many.error[0], many.degrees[0]]
        assert np.allclose([one.mean, one.standard_error, one.degrees], expected), kind


def coverage(
    num_papers: int, sizes: str, law: str, between: float, args: argparse.Namespace
) -> Coverage:
    """Of studies that are drawn so."""
    seed = [args.seed, num_papers, list(SIZES).index(sizes), list(LAWS).index(law)]
    rng = np.random.default_rng([*seed, round(10 * between)])
    drawn_sizes = SIZES[sizes](rng, (args.studies, num_papers))
    hits: dict[str, list[np.ndarray]] = {column: [] for column in COLUMNS}
    for part in draw(rng, LAWS[law], drawn_sizes, between):
        check(part)
        for column in COLUMNS:
            hits[column].append(ends(part, column).covers)
    found = {column: np.concatenate(parts) for column, parts in hits.items()}
    return satterthwaite(drawn_sizes), found


def print_table(args: argparse.Namespace) -> None:
    print("| papers | cuts a paper | law |", " | ".join(COLUMNS), "|")
    print("|---:|---|---|" + "---:|" * len(COLUMNS))
    for num_papers, sizes, law in itertools.product(PAPERS, SIZES, LAWS):
        runs = [coverage(num_papers, sizes, law, between, args)[1] for between in BETWEEN]
        cells = [" ".join(f"{100 * run[column].mean():.1f}" for run in runs) for column in COLUMNS]
        print(f"| {num_papers} | {sizes} | {law} |", " | ".join(cells), "|", flush=True)
    error = math.sqrt(0.95 * 0.05 / args.studies)
    print(f"\nIn %, {args.studies} studies a number: chance moves 95 by about {200 * error:.1f}.")


def print_by_degrees(args: argparse.Namespace) -> None:
    """The lowest coverage over the shares between papers, of 1,000 studies or more."""
    print("| law | papers | degrees / (G − 1) | studies |", " | ".join(KINDS), "|")
    print("|---|---:|---|---:|" + "---:|" * len(KINDS))
    for law, num_papers in itertools.product(LAWS, PAPERS):
        runs = [
            [coverage(num_papers, sizes, law, between, args) for sizes in ("alike", "unequal")]
            for between in BETWEEN
        ]
        for low, high in itertools.pairwise(SHARES):
            found = [_among(each, low * (num_papers - 1), high * (num_papers - 1)) for each in runs]
            num_studies = min(len(each) for each in found)
            if num_studies >= 1000:
                lowest = np.min([each.mean(axis=0) for each in found], axis=0)
                shares = " | ".join(f"{100 * share:.1f}" for share in lowest)
                span = f"{low} to {min(high, 1.0)}"
                print(f"| {law} | {num_papers} | {span} | {num_studies} | {shares} |", flush=True)


def _among(runs: list[Coverage], low: float, high: float) -> np.ndarray:
    """Whether studies with so many degrees cover the truth, shape (studies, kinds)."""
    degrees = np.concatenate([degrees for degrees, _ in runs])
    hits = np.column_stack([np.concatenate([found[kind] for _, found in runs]) for kind in KINDS])
    return hits[(degrees >= low) & (degrees < high)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=20_000, help="studies drawn for each row")
    parser.add_argument("--by-degrees", action="store_true", help="sorted by CR2's degrees")
    args = parser.parse_args()
    (print_by_degrees if args.by_degrees else print_table)(args)


if __name__ == "__main__":
    main()
