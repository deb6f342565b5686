import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.cuts.choose import random_for, spread


@given(st.integers(0, 60), st.integers(1, 15), st.integers())
def test_one_is_drawn_from_each_even_stretch(count: int, most: int, seed: int) -> None:
    chosen = spread(range(count), most, random_for(seed, "p"))
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(count, most)
    if count > most:
        for i, c in enumerate(chosen):
            assert i * count // most <= c < (i + 1) * count // most


def test_the_draw_depends_on_the_seed_and_the_names_alone() -> None:
    draws = {
        (seed, name): tuple(spread(range(1000), 10, random_for(seed, name)))
        for seed in (0, 1)
        for name in ("a", "b")
    }
    assert len(set(draws.values())) == 4
    assert draws[0, "a"] == (19, 148, 256, 371, 452, 534, 658, 762, 881, 987)


def test_over_many_seeds_every_item_of_a_stretch_is_drawn() -> None:
    seen = {item for seed in range(300) for item in spread(range(20), 4, random_for(seed))}
    assert seen == set(range(20))


def test_taking_none_is_a_callers_mistake() -> None:
    with pytest.raises(ValueError, match="at least one"):
        spread("abc", 0, random_for(0))
