"""How often does the 95 % interval of after minus before cover the truth?

    python bench/unpaired.py --seed 1

Draws two groups of papers whose true means are both 0, with laws and sizes of papers as in
`coverage.py`: once alike, once with three times the variance in the second group. Prints a Markdown
table; the same seed gives the same table.
"""

import argparse
import math

import numpy as np

from coverage import Draw, draw_study, normal, skewed
from foreword.analysis import clustered_mean, unpaired
from foreword.records import Estimate

GROUPS = ((3, 3), (5, 5), (10, 10), (5, 40), (40, 5), (40, 40))
"""Papers before and after."""
BETWEEN = 0.2
COLUMNS: tuple[tuple[Draw, float], ...] = ((normal, 1), (skewed, 1), (normal, 3), (skewed, 3))
"""Law of both groups, and the variance of the second."""


def one_group(rng: np.random.Generator, num_papers: int, draw: Draw, variance: float) -> Estimate:
    values, papers = draw_study(rng, num_papers, BETWEEN, draw)
    return clustered_mean((math.sqrt(variance) * values).tolist(), papers.tolist())


def coverage(
    before: int, after: int, draw: Draw, variance: float, studies: int, seed: int
) -> float:
    rng = np.random.default_rng([seed, before, after])
    hits = 0
    for _ in range(studies):
        first = one_group(rng, before, draw, 1)
        found = unpaired(one_group(rng, after, draw, variance), first)
        assert found is not None
        hits += found.low <= 0 <= found.high
    return hits / studies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=2000, help="studies drawn for each cell")
    args = parser.parse_args()
    print("| papers before | after | normal | skewed | normal, uneven | skewed, uneven |")
    print("|---:" * 6 + "|")
    for before, after in GROUPS:
        shares = [
            coverage(before, after, draw, variance, args.studies, args.seed)
            for draw, variance in COLUMNS
        ]
        cells = " | ".join(f"{share:.1%}" for share in shares)
        print(f"| {before} | {after} | {cells} |", flush=True)
    error = math.sqrt(0.95 * 0.05 / args.studies)
    print(f"\n{args.studies} studies a cell: chance moves a share by about {2 * error:.1%}.")


if __name__ == "__main__":
    main()
