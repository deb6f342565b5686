import pytest

from foreword.pace import Pace, duration_words, pace_words


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def in_groups(pace: Pace, clock: Clock, size: int, *, seconds: float, times: int) -> None:
    """Items that are done some at a time, as a scorer does them."""
    for _ in range(times):
        clock.now += seconds
        done = pace.done
        for item in range(done + 1, done + 1 + size):
            pace.note(item)
            clock.now += 0.0001


def test_the_pace_is_that_of_whole_groups_without_the_first() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0)
    assert pace.per_second is None
    in_groups(pace, clock, 10, seconds=50, times=1)
    assert pace.per_second is None
    in_groups(pace, clock, 10, seconds=2, times=1)
    assert pace.per_second == pytest.approx(10 / 50, rel=0.01)
    in_groups(pace, clock, 10, seconds=2, times=1)
    assert pace.per_second == pytest.approx(10 / 2, rel=0.01)
    clock.now += 1
    assert pace.per_second == pytest.approx(10 / 2, rel=0.01)
    assert pace.done == 30


def test_the_pace_is_that_of_the_last_minute() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0)
    in_groups(pace, clock, 1, seconds=10, times=20)
    in_groups(pace, clock, 1, seconds=0.5, times=200)
    assert pace.per_second == pytest.approx(2, rel=0.01)


def test_slow_work_has_a_pace_too() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0)
    in_groups(pace, clock, 1, seconds=300, times=5)
    clock.now += 1
    assert pace.per_second == pytest.approx(1 / 300, rel=0.01)


def test_many_quick_items_are_few_moments() -> None:
    clock = Clock()
    pace = Pace(clock)
    new = 0
    for done in range(10_000):
        new += pace.note(done)
        clock.now += 0.001
    assert new <= 101
    assert pace.per_second == pytest.approx(1000, rel=0.05)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (0.6, "1 s"), (59.4, "59 s"), (59.6, "1 min"), (3601, "1 h"), (90061, "1 d 1 h")],
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_no_pace_no_words() -> None:
    assert pace_words(None, 5) == ""
    assert pace_words(0.0, 5) == ""
