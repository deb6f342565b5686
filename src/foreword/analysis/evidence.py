"""Contrasts with all that is asked of them: p-values, their correction, and power."""

from collections.abc import Mapping, Sequence

from foreword.analysis.bootstrap import wild_cluster_p
from foreword.analysis.pairing import Means, differences, estimate
from foreword.analysis.planned import holm, t_p
from foreword.analysis.power import papers_needed, smallest_difference
from foreword.findings import Contrast, Estimate, Evidence, Rule


def with_evidence(
    pairs: Sequence[tuple[str, str]],
    means: Means,
    papers: Mapping[str, str],
    rule: Rule,
    *,
    seed: int,
) -> tuple[Contrast, ...]:
    """Pairs of conditions, first minus second on the cuts that both have, each with its evidence.

    The pairs are one family of tests: Holm's correction counts all of them that have a p-value.

    Args:
        pairs: conditions.
        means: condition → cut → mean score under the rule.
        papers: cut → its paper.
        rule: under which the means are.
        seed: of the wild cluster bootstrap.

    >>> means = {"a": {"x": -0.5, "y": -0.25}, "b": {"x": -0.75, "y": -1.0}}
    >>> (one,) = with_evidence([("a", "b")], means, {"x": "p", "y": "q"}, "clip2", seed=0)
    >>> one.difference.mean, round(one.evidence.p_t, 3), one.evidence.num_tests
    (0.5, 0.295, 1)
    """
    values = [differences(means, first, second) for first, second in pairs]
    found = [estimate(each, papers) for each in values]
    p_values = [t_p(each) for each in found]
    counted = [p for p in p_values if p is not None]
    corrected = iter(holm(counted))
    return tuple(
        Contrast(
            first=first,
            second=second,
            rule=rule,
            difference=difference,
            evidence=Evidence(
                p_t=p,
                p_wild=wild_cluster_p(list(each.values()), _clusters(each, papers), seed=seed),
                p_holm=None if p is None else next(corrected),
                num_tests=len(counted),
                smallest_difference=smallest_difference(difference),
                papers_needed=_papers_needed(difference),
            ),
        )
        for (first, second), each, difference, p in zip(pairs, values, found, p_values, strict=True)
    )


def _clusters(values: Mapping[str, float], papers: Mapping[str, str]) -> list[str]:
    return [papers[cut] for cut in values]


def _papers_needed(difference: Estimate) -> int | None:
    return papers_needed(difference, difference.mean) if difference.mean else None
