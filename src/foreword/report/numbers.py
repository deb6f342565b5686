"""Numbers as the page shows them: a real minus sign, fixed decimals, a dash where there is none."""

from foreword.findings import Estimate, Resampled

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
    if estimate.standard_error == 0:
        return "none (no spread)"  # papers that are all alike tell nothing of others
    return f"{signed(estimate.low, decimals)} to {signed(estimate.high, decimals)}"


def ends(one: Resampled | None, decimals: int = 3) -> str:
    """The interval of a number that came from resampling, or why there is none.

    >>> ends(Resampled(value=0.15, low=0.12, high=0.2)), ends(None)
    ('+0.120 to +0.200', '–')
    """
    if one is None:
        return NONE
    if one.low is None or one.high is None:
        return "none (one paper)"
    return f"{signed(one.low, decimals)} to {signed(one.high, decimals)}"


def share_ends(one: Resampled | None) -> str:
    """The same of a share, as percentages.

    >>> share_ends(Resampled(value=0.8, low=0.714, high=0.9))
    '71 to 90 %'
    """
    if one is None:
        return NONE
    if one.low is None or one.high is None:
        return "none (one paper)"
    return f"{100 * one.low:.0f} to {100 * one.high:.0f} %"


def p_value(p: float | None) -> str:
    """A p-value in three decimals; small ones as a bound.

    >>> p_value(0.0414), p_value(0.00002), p_value(None)
    ('0.041', '< 0.001', '–')
    """
    if p is None:
        return NONE
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def amount(value: float | None) -> str:
    """A number of tokens or dollars, to three figures.

    >>> amount(1234.4), amount(0.004216), amount(0.0), amount(None)
    ('1,234', '0.00422', '0', '–')
    """
    if value is None:
        return NONE
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "cut"), counted(1200, "cut"), counted(2, "loss", "losses")
    ('1 cut', '1,200 cuts', '2 losses')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
