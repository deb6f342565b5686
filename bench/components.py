"""How well are the variances of papers, cuts and samples known from a study of some size?

    python bench/components.py --seed 1

Draws studies from known standard deviations (paper 0.04, cut 0.06, sample 0.08), all parts normal,
and estimates the variances from each. A cell is the mean estimate over the true variance, ± the
standard deviation of that ratio over studies, and the share of studies that found 0 or less. Prints
a Markdown table; the same seed gives the same table.
"""

import argparse

import numpy as np

from foreword.analysis import variance_components

DEVIATIONS = (0.04, 0.06, 0.08)
SIZES = ((3, 4, 4), (10, 4, 2), (30, 4, 2), (30, 4, 3), (100, 4, 2))
"""Papers, cuts a paper, samples a cut."""


def drawn(rng: np.random.Generator, papers: int, cuts: int, samples: int) -> np.ndarray:
    paper, cut, sample = DEVIATIONS
    x = rng.normal(0, paper, (papers, 1, 1)) + rng.normal(0, cut, (papers, cuts, 1))
    return (x + rng.normal(0, sample, (papers, cuts, samples))).ravel()


def ratios(rng: np.random.Generator, sizes: tuple[int, int, int], studies: int) -> np.ndarray:
    """Estimates over true variances, shape (studies, 3)."""
    papers, cuts, samples = sizes
    of_paper = np.repeat(np.arange(papers), cuts * samples).tolist()
    of_cut = np.repeat(np.arange(papers * cuts), samples).tolist()
    each = list(range(papers * cuts * samples))
    rows = []
    for _ in range(studies):
        found = variance_components(drawn(rng, *sizes).tolist(), of_paper, of_cut, each)
        assert found is not None
        rows.append([one.variance for one in found])
    return np.array(rows) / np.square(DEVIATIONS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=400)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print("| papers | cuts a paper | samples a cut | paper | cut | sample |")
    print("|---:|---:|---:|---:|---:|---:|")
    for sizes in SIZES:
        found = ratios(rng, sizes, given.studies)
        cells = [
            f"{column.mean():.2f} ± {column.std():.2f}, {100 * (column <= 0).mean():.0f}%"
            for column in found.T
        ]
        print(f"| {' | '.join([*map(str, sizes), *cells])} |")


if __name__ == "__main__":
    main()
