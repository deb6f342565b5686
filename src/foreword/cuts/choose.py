"""A fixed draw: which of a paper's equations are taken, spread over the paper."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def random_for(seed: int, *names: str) -> Random:
    """A generator that depends on the seed and the names alone, the same in every process.

    >>> random_for(0, "a").random() == random_for(0, "a").random() != random_for(0, "b").random()
    True
    """
    key = "\x1f".join([str(seed), *names])
    return Random(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest())  # noqa: S311


def spread(items: Sequence[Item], most: int, random: Random) -> list[Item]:
    """At most `most` of the items, in their order: one drawn from each of `most` even stretches.

    Only `random.random()` is used, the one method whose sequence Python keeps between versions.

    >>> spread("abc", 3, random_for(0)), len(spread("abcdefghij", 3, random_for(0)))
    (['a', 'b', 'c'], 3)

    Raises:
        ValueError: `most` is less than one.
    """
    if most < 1:
        raise ValueError(f"can't take {most} items; take at least one")
    if len(items) <= most:
        return list(items)
    bounds = [i * len(items) // most for i in range(most + 1)]
    return [items[low + int(random.random() * (high - low))] for low, high in pairwise(bounds)]
