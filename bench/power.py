"""Is a study's smallest difference found in 80 % of repetitions?

    python bench/power.py

Draws the studies of `coverage.py`, a tenth of the variance between papers, moved by the smallest
difference that `foreword.analysis.smallest_difference` states for their true standard error, and
counts the intervals (CRV1) above 0. The error is the standard deviation of the drawn means. Prints
a Markdown table with what quantiles of t and normal ones come to; both promise 80 %.
"""

import argparse
import itertools

import numpy as np

from coverage import LAWS, SIZES, draw, ends
from foreword.analysis import clustered_mean, smallest_difference
from foreword.analysis.power import Law

PAPERS = (3, 5, 8, 20, 80)
BETWEEN = 0.1
POWERS: tuple[Law, ...] = ("t", "normal")


def errors(law: Law, num_papers: int) -> float:
    """How many standard errors the smallest difference of so many papers is."""
    study = clustered_mean([float(paper % 2) for paper in range(num_papers)], range(num_papers))
    difference = smallest_difference(study, law=law)
    assert difference is not None
    assert study.standard_error is not None
    return difference / study.standard_error


def found(num_papers: int, sizes: str, law: str, args: argparse.Namespace) -> dict[Law, float]:
    rng = np.random.default_rng([args.seed, num_papers])
    drawn = draw(rng, LAWS[law], SIZES[sizes](rng, (args.studies, num_papers)), BETWEEN)
    parts = [ends(part, "crv1") for part in drawn]
    means = np.concatenate([part.mean for part in parts])
    low = np.concatenate([part.low for part in parts])
    return {
        each: float((low + errors(each, num_papers) * means.std() > 0).mean()) for each in POWERS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=20_000, help="studies drawn for each row")
    args = parser.parse_args()
    print("| papers | cuts a paper | law | by t | by normal quantiles |\n|---:|---|---|---:|---:|")
    for num_papers, sizes, law in itertools.product(
        PAPERS, ("equal", "alike"), ("normal", "skew 1")
    ):
        shares = found(num_papers, sizes, law, args)
        cells = " | ".join(f"{100 * shares[each]:.1f}" for each in POWERS)
        print(f"| {num_papers} | {sizes} | {law} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
