"""Which of a predictor's several forecasts of a cut the page shows."""

from collections.abc import Mapping, Sequence

from foreword.records import Forecast, Score
from foreword.report.conditions import FORECAST, is_forecast


class Samples:
    """One forecast a cut and predictor: the first with a text, or the first.

    >>> rows = [Forecast(cut_id="p/0/1", predictor="me", text=text, sample=n)
    ...         for n, text in enumerate((None, "y"))]
    >>> found = Samples(rows, [])
    >>> found.shown["p/0/1", "me"].text, found.words("p/0/1", "me")
    ('y', 'sample 2 of 2')
    """

    def __init__(self, forecasts: Sequence[Forecast], scores: Sequence[Score]) -> None:
        self.shown: Mapping[tuple[str, str], Forecast]
        """By cut and predictor."""
        of: dict[tuple[str, str], dict[int, Forecast]] = {}
        for one in forecasts:
            of.setdefault((one.cut_id, one.predictor), {})[one.sample] = one
        self.shown = {key: min(rows.values(), key=_place) for key, rows in of.items()}
        self._numbers: dict[tuple[str, str], set[int]] = {key: set(of[key]) for key in of}
        for score in scores:
            if is_forecast(score.condition):
                key = score.cut_id, score.condition.removeprefix(FORECAST)
                self._numbers.setdefault(key, set()).add(score.sample)

    def _number(self, key: tuple[str, str]) -> int:
        """Of the sample that is shown."""
        shown = self.shown.get(key)
        return shown.sample if shown else min(self._numbers.get(key, {0}))

    def shows(self, score: Score) -> bool:
        """Whether a score is a control's, or of the sample that is shown."""
        if not is_forecast(score.condition):
            return True
        return score.sample == self._number((score.cut_id, score.condition.removeprefix(FORECAST)))

    def words(self, cut_id: str, predictor: str) -> str:
        """Which of how many is shown; nothing where there is one."""
        key = cut_id, predictor
        numbers = sorted(self._numbers.get(key, ()))
        if len(numbers) < 2:
            return ""
        return f"sample {numbers.index(self._number(key)) + 1} of {len(numbers)}"


def _place(forecast: Forecast) -> tuple[bool, int]:
    return forecast.text is None, forecast.sample
