"""How often does the 95 % interval of `clustered_mean` cover the truth?

    python bench/coverage.py --seed 1
    python bench/coverage.py --seed 1 --kinds

Draws studies whose true mean is 0: papers of 1 to 10 cuts, each paper with an effect of its own.
Cuts and papers vary once by a normal and once by a skewed (exponential) law. The last column takes
every cut for independent, as if papers did not matter. With `--kinds`, the standard errors crv1,
cr2 and jackknife are compared instead, on the same studies: by the skewed law, with 30 % of the
variance between papers, for papers of 1 to 10 cuts and for papers of very unequal size, most of
about 3 and some of up to 100. Prints a Markdown table; the same seed gives the same table.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

from foreword.analysis import clustered_mean
from foreword.records import Estimate, Kind

PAPERS = (5, 10, 20, 50, 138)
MOST_CUTS = 10
KINDS: tuple[Kind, ...] = ("crv1", "cr2", "jackknife")
KINDS_PAPERS = (5, 10, 20, 40, 138)
KINDS_BETWEEN = 0.3

Draw = Callable[[np.random.Generator, int], np.ndarray]
"""So many numbers, or sizes of papers."""


def normal(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.normal(size=size)


def skewed(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.exponential(size=size) - 1


def alike(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.integers(1, MOST_CUTS + 1, size)


def unequal(rng: np.random.Generator, size: int) -> np.ndarray:
    """Log-normal, from 1 to 100; the middle one has 3."""
    return np.clip(np.exp(rng.normal(1.1, 1.2, size)).round(), 1, 100).astype(int)


def draw_study(
    rng: np.random.Generator, num_papers: int, between: float, draw: Draw, sizes: Draw = alike
) -> tuple[np.ndarray, np.ndarray]:
    """Values of mean 0 and variance 1, a share `between` of it between papers; and the papers."""
    papers = np.repeat(np.arange(num_papers), sizes(rng, num_papers))
    effects = math.sqrt(between) * draw(rng, num_papers)
    return effects[papers] + math.sqrt(1 - between) * draw(rng, len(papers)), papers


def covers(estimate: Estimate) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= 0 <= estimate.high


def coverage(num_papers: int, args: argparse.Namespace) -> str:
    rng = np.random.default_rng([args.seed, num_papers])
    hits = np.zeros(3)
    for _ in range(args.studies):
        values, papers = draw_study(rng, num_papers, args.between, normal)
        hits[0] += covers(clustered_mean(values.tolist(), papers.tolist()))
        hits[2] += covers(clustered_mean(values.tolist(), range(len(values))))
        values, papers = draw_study(rng, num_papers, args.between, skewed)
        hits[1] += covers(clustered_mean(values.tolist(), papers.tolist()))
    shares = " | ".join(f"{share:.1%}" for share in hits / args.studies)
    return f"| {num_papers} | {shares} |"


def coverage_by_kind(num_papers: int, args: argparse.Namespace) -> str:
    rng = np.random.default_rng([args.seed, num_papers])
    hits = np.zeros(2 * len(KINDS))
    for _ in range(args.studies):
        for column, sizes in enumerate((alike, unequal)):
            values, papers = draw_study(rng, num_papers, KINDS_BETWEEN, skewed, sizes)
            for at, kind in enumerate(KINDS):
                estimate = clustered_mean(values.tolist(), papers.tolist(), kind)
                hits[column * len(KINDS) + at] += covers(estimate)
    shares = " | ".join(f"{share:.1%}" for share in hits / args.studies)
    return f"| {num_papers} | {shares} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=4000, help="studies drawn for each row")
    parser.add_argument(
        "--between", type=float, default=0.2, help="share of the variance that is between papers"
    )
    parser.add_argument("--kinds", action="store_true", help="compare crv1, cr2 and jackknife")
    args = parser.parse_args()
    if args.kinds:
        print("| papers |", " | ".join([*KINDS, *(f"{kind}, unequal" for kind in KINDS)]), "|")
        print("|---:" * (1 + 2 * len(KINDS)) + "|")
        rows = (coverage_by_kind(num_papers, args) for num_papers in KINDS_PAPERS)
    else:
        print("| papers | normal | skewed | normal, papers ignored |")
        print("|---:|---:|---:|---:|")
        rows = (coverage(num_papers, args) for num_papers in PAPERS)
    for row in rows:
        print(row, flush=True)
    error = math.sqrt(0.95 * 0.05 / args.studies)
    print(
        f"\n{args.studies} studies a row: chance moves a share near 95 % by about {2 * error:.1%}."
    )


if __name__ == "__main__":
    main()
