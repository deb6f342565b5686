"""How often does the 95 % interval of `clustered_mean` cover the truth?

    python bench/coverage.py --seed 1

Draws studies whose true mean is 0: papers of 1 to 10 cuts, each paper with an effect of its own.
Cuts and papers vary once by a normal and once by a skewed (exponential) law. The last column takes
every cut for independent, as if papers did not matter. Prints a Markdown table; the same seed
gives the same table.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

from foreword.analysis import clustered_mean
from foreword.records import Estimate

PAPERS = (5, 10, 20, 50, 138)
MOST_CUTS = 10

Draw = Callable[[np.random.Generator, int], np.ndarray]


def normal(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.normal(size=size)


def skewed(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.exponential(size=size) - 1


def draw_study(
    rng: np.random.Generator, num_papers: int, between: float, draw: Draw
) -> tuple[np.ndarray, np.ndarray]:
    """Values of mean 0 and variance 1, a share `between` of it between papers; and the papers."""
    papers = np.repeat(np.arange(num_papers), rng.integers(1, MOST_CUTS + 1, num_papers))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=4000, help="studies drawn for each row")
    parser.add_argument(
        "--between", type=float, default=0.2, help="share of the variance that is between papers"
    )
    args = parser.parse_args()
    print("| papers | normal | skewed | normal, papers ignored |")
    print("|---:|---:|---:|---:|")
    for num_papers in PAPERS:
        print(coverage(num_papers, args))
    error = math.sqrt(0.95 * 0.05 / args.studies)
    print(
        f"\n{args.studies} studies a row: chance moves a share near 95 % by about {2 * error:.1%}."
    )


if __name__ == "__main__":
    main()
