"""How fast work goes and how long the rest takes: over the last minute, in numbers and in words."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

_WINDOW_S = 60.0
_FEWEST = 4  # moments that are kept however old they are: slow work has few in a minute
_TOGETHER_S = 0.1  # items done within this time are one moment: they were computed together


@dataclass(slots=True)
class Pace:
    """When how many items were done, as far back as it tells how fast it goes now."""

    clock: Callable[[], float] = time.monotonic
    _moments: deque[tuple[float, int]] = field(default_factory=deque)

    def note(self, done: int) -> bool:
        """Take down that so many items are done by now; the first call is the beginning.

        Returns:
            Whether this is another moment than that of the last call.
        """
        now = self.clock()
        same = bool(self._moments) and now - self._moments[-1][0] < _TOGETHER_S
        if same:
            self._moments[-1] = (self._moments[-1][0], done)
        else:
            self._moments.append((now, done))
        while len(self._moments) > _FEWEST and self._moments[1][0] < now - _WINDOW_S:
            self._moments.popleft()
        return not same

    @property
    def done(self) -> int:
        """Items that are done."""
        return self._moments[-1][1] if self._moments else 0

    @property
    def per_second(self) -> float | None:
        """Items a second, from the end of one moment to the end of another; None: not known yet.

        A moment counts when it is over; the time before the first items only where there is nothing
        else to go by, for a model may have been loaded then.
        """
        now = self.clock()
        over = [(start, done) for start, done in list(self._moments) if now - start >= _TOGETHER_S]
        if len(over) > 2 and over[0][1] == 0:
            del over[0]
        if len(over) < 2:
            return None
        (first_s, first), (last_s, last) = over[0], over[-1]
        return (last - first) / (last_s - first_s)


def pace_words(per_second: float | None, left: int) -> str:
    """How fast it goes, and how long the rest takes; nothing where that is not known.

    >>> pace_words(6.14, 720)
    '6.1 a second, 1 min 57 s left'
    >>> pace_words(0.05, 10)
    '3.0 a minute, 3 min 20 s left'
    >>> pace_words(None, 10)
    ''
    """
    if not per_second:
        return ""
    return f"{rate_words(per_second)}, {duration_words(left / per_second)} left"


def rate_words(per_second: float) -> str:
    """A rate in the unit that gives it a number of at least one, if there is one.

    >>> rate_words(1234.5), rate_words(0.5), rate_words(0.001)
    ('1,234 a second', '30 a minute', '3.6 an hour')
    """
    for seconds, unit in ((1, "a second"), (60, "a minute")):
        if per_second * seconds >= 1:
            return f"{_short(per_second * seconds)} {unit}"
    return f"{_short(per_second * 3600)} an hour"


def _short(value: float) -> str:
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def duration_words(seconds: float) -> str:
    """A time in its two largest units.

    >>> duration_words(7.4), duration_words(118), duration_words(3600), duration_words(1e6)
    ('7 s', '1 min 58 s', '1 h', '11 d 13 h')
    """
    left = round(seconds)
    units = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
    large = next((index for index, (size, _) in enumerate(units) if left >= size), len(units) - 1)
    parts: list[str] = []
    for size, unit in units[large : large + 2]:
        count, left = divmod(left, size)
        parts.append(f"{count} {unit}" if count or not parts else "")
    return " ".join(filter(None, parts))
