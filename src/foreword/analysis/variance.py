"""Where the noise comes from: papers, their cuts, a predictor's samples, a scorer's repeats.

Shapes: N values, one a scorer repeat, nested in samples, those in cuts, those in G papers.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import get_args

import numpy as np

from foreword.analysis.estimates import numbered
from foreword.findings import Component as Component
from foreword.findings import Level as Level
from foreword.findings import Step as Step

LEVELS: tuple[Level, ...] = get_args(Level)
"""From the outermost to the innermost."""
_ROUNDING = 1e-12


def variance_components(
    values: Sequence[float],
    papers: Sequence[Hashable],
    cuts: Sequence[Hashable],
    samples: Sequence[Hashable] | None = None,
) -> tuple[Component, ...] | None:
    """How much papers, cuts, samples and repeats each add to the variance of a value.

    The model: value = mean + paper + cut in paper + sample in cut + repeat in sample, all
    independent. The sums of squares between the units of each level in those of
    the level above are set equal to what they are expected to be, and solved from the innermost
    level outwards (method of moments; Henderson 1953, method I; Searle, Casella and McCulloch 1992,
    chapter 5). With T_l = Σ_units n · mean², where n is the number of values in a unit of level l,
    and T_0 the same of the whole:

        T_l − T_{l−1} = Σ_{k ≥ l} (C_lk − C_{l−1,k}) σ²_k,    C_lk = Σ_{h of level k} n_h² / n_g(h)

    with g(h) the unit of level l around h. For equal sizes it is the nested analysis of variance.
    Units may have unequal numbers; repeats of some units alone are enough.

    Args:
        values: one a scorer repeat, N of them; a repeat needs no name.
        papers: of each value.
        cuts: of each value; names count within their paper.
        samples: of each value, names count within their cut; None where each has one of its own.

    Returns:
        A component a level, outermost first. A level whose units are as many as those of the level
        above has no repeats: its variance is part of that level's, and `levels` names both. None
        with fewer than two papers, for one paper can't tell how papers differ.

    Raises:
        ValueError: the lengths differ, a value is not finite, or something has no name.

    Two cuts in each of two papers, sampled and scored once:

    >>> paper, fine = variance_components([0.0, 0.2, 1.0, 1.2], list("ppqq"), list("abab"))
    >>> paper.levels, round(paper.variance, 3)
    (('paper',), 0.49)
    >>> fine.levels, round(fine.variance, 3)
    (('cut', 'sample', 'repeat'), 0.02)
    """
    d, of_level = _numbered_levels(values, papers, cuts, samples)
    if len(d) == 0 or of_level[0].max() == 0:
        return None
    merged: list[tuple[Level, ...]] = []
    units: list[np.ndarray] = []
    for level, unit_of in zip(LEVELS, of_level, strict=True):
        if units and unit_of.max() == units[-1].max():  # as many as around them: one in each
            merged[-1] = (*merged[-1], level)
        else:
            merged.append((level,))
            units.append(unit_of)
    found = moments(d, units)
    rounding = _ROUNDING * float(np.abs(found).max())
    return tuple(
        Component(
            levels=levels,
            variance=max(0.0, float(variance)),
            is_negative=bool(variance < -rounding),
            num_units=int(unit_of.max()) + 1,
        )
        for levels, unit_of, variance in zip(merged, units, found, strict=True)
    )


def moments(d: np.ndarray, units: Sequence[np.ndarray]) -> np.ndarray:
    """The variance of each level by the method of moments; negative where it comes out so.

    Args:
        d: the values, shape (N,).
        units: for each level, outermost first, the number of each value's unit; each level has more
            units than the one before, and the last has N.

    >>> moments(np.array([0.0, 0.2, 1.0, 1.2]), [np.array([0, 0, 1, 1]), np.arange(4)]).round(3)
    array([0.49, 0.02])
    """
    around = [np.zeros(len(d), dtype=np.intp), *units]  # the whole, then the levels
    centred = d - d.mean()
    squares = [(np.bincount(u, weights=centred) ** 2 / np.bincount(u)).sum() for u in around]
    expected = np.array([[_coefficient(outer, inner) for inner in units] for outer in around])
    return np.asarray(np.linalg.solve(np.diff(expected, axis=0), np.diff(squares)))


def _coefficient(outer: np.ndarray, inner: np.ndarray) -> float:
    """What one unit of the inner level's variance adds to the expected T of the outer level.

    Σ over all pairs of values that share both units, of 1 / size of their outer unit. Where the
    "inner" level is the coarser one, or the same, that is N.
    """
    if inner.max() <= outer.max():
        return float(len(outer))
    sizes = np.bincount(inner)
    size_around = np.zeros(len(sizes))
    size_around[inner] = np.bincount(outer)[outer]
    return float((sizes**2 / size_around).sum())


def _numbered_levels(
    values: Sequence[float],
    papers: Sequence[Hashable],
    cuts: Sequence[Hashable],
    samples: Sequence[Hashable] | None,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The values, and for each level the number of each value's unit; inner names are local."""
    d, paper_of, _ = numbered(values, papers)
    of_level = [paper_of]
    for names in (cuts, samples):
        if names is not None:
            numbered(values, names)  # each has a name
            pairs = list(zip(of_level[-1].tolist(), names, strict=True))
            of_level.append(numbered(values, pairs)[1])
    each = np.arange(len(d))
    return d, [*of_level, *[each] * (len(LEVELS) - len(of_level))]


def advice(components: Sequence[Component], costs: Mapping[Level, float]) -> tuple[Step, ...]:
    """Which unit to add next: the one that lowers the variance of the mean most for its cost.

    With U_k units of level k, equal numbers in each, the mean has the variance Σ_k σ²_k / U_k. One
    more unit of level l brings as much inside it as the others have, U_k/U_l units of each k ≥ l:

        saved_l = Σ_{k ≥ l} σ²_k / U_k / (U_l + 1);    cost_l = Σ_{k ≥ l} cost_k · U_k / U_l

    More repeats can't lower what papers add, so where papers are cheap they always come first.
    Unequal numbers make the variance a little larger than assumed.

    Args:
        components: of `variance_components`.
        costs: of one paper without its cuts, one cut without its samples, one sample without its
            repeats, and one repeat; in any one unit, such as tokens or seconds.

    Returns:
        The steps, best first. Of merged levels there is one step, of the outermost: what more
        repeats of the others would save is not known.

    Raises:
        ValueError: a cost is missing, negative or not finite, or a step would cost nothing.

    >>> paper = Component(levels=("paper",), variance=0.04, is_negative=False, num_units=9)
    >>> fine = Component(levels=("cut", "sample", "repeat"), variance=0.36, is_negative=False,
    ...                  num_units=18)
    >>> costs = {"paper": 50.0, "cut": 1.0, "sample": 5.0, "repeat": 1.0}
    >>> [(step.level, round(step.saved, 5), step.cost) for step in advice([paper, fine], costs)]
    [('cut', 0.00105, 7.0), ('paper', 0.00244, 64.0)]
    """
    for level in LEVELS:
        if not 0 <= costs.get(level, -1) < np.inf:
            raise ValueError(f"the cost of one {level} has to be a number from 0 up")
    steps = []
    for at, first in enumerate(components):
        within = components[at:]
        cost = sum(each.num_units * sum(costs[name] for name in each.levels) for each in within)
        if cost == 0:
            raise ValueError(f"one more {first.levels[0]} costs nothing: take as many as there are")
        noise = sum(each.variance / each.num_units for each in within)
        steps.append(
            Step(
                level=first.levels[0],
                saved=noise / (first.num_units + 1),
                cost=cost / first.num_units,
            )
        )
    return tuple(sorted(steps, key=lambda step: -step.saved_per_cost))
