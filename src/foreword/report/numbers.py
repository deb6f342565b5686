"""Numbers as the page shows them: a real minus sign, fixed decimals, a dash where there is none."""

from foreword.records import Estimate

NONE = "–"


def signed(value: float | None, decimals: int = 3) -> str:
    """A lift or a difference.

    >>> signed(0.2014), signed(-0.0331), signed(None), signed(-0.0001)
    ('+0.201', '−0.033', '–', '0.000')
    """
    if value is None:
        return NONE
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def plain(value: float | None, decimals: int = 3) -> str:
    """A number whose sign is not the point.

    >>> plain(-0.566), plain(None)
    ('−0.566', '–')
    """
    return signed(value, decimals).removeprefix("+")


def percent(value: float | None) -> str:
    """A share as a whole percentage.

    >>> percent(0.874), percent(None)
    ('87 %', '–')
    """
    return NONE if value is None else f"{100 * value:.0f} %"


def interval(estimate: Estimate | None, decimals: int = 3) -> str:
    """The 95 % interval, or why there is none.

    >>> one = Estimate(num_cuts=9, num_papers=1, mean=0.1, standard_error=None, low=None, high=None,
    ...                median=0.1, share_positive=0.8)
    >>> interval(one)
    'none (one paper)'
    """
    if estimate is None or estimate.mean is None:
        return NONE
    if estimate.low is None or estimate.high is None:
        return "none (one paper)"
    return f"{signed(estimate.low, decimals)} to {signed(estimate.high, decimals)}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "cut"), counted(1200, "cut"), counted(2, "loss", "losses")
    ('1 cut', '1,200 cuts', '2 losses')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
