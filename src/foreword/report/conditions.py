"""Conditions as the page names and orders them: controls apart from forecasts."""

FORECAST = "forecast:"
"""How the condition of a predictor begins; its name follows."""
TRAINED = "trained:"
"""How the condition of a trained control begins; its name follows."""
_NAMES = {
    "empty": "Empty scaffold",
    "same-budget": "Same-budget context",
    "context-in-scaffold": "Same context in the scaffold",
    "triple-budget": "Triple-budget context",
    "true-suffix": "True suffix",
}


def is_forecast(condition: str) -> bool:
    """Whether a condition is a predictor's forecast and no control."""
    return condition.startswith(FORECAST)


def control_order(condition: str) -> tuple[int, float, str]:
    """Sorts controls from knowing nothing to knowing all; forecasts stand before the true suffix.

    >>> sorted(["true-suffix", "reveal:0.5", "empty", "reveal:0.25", "same-budget"],
    ...        key=control_order)
    ['empty', 'same-budget', 'reveal:0.25', 'reveal:0.5', 'true-suffix']
    """
    known = {
        "empty": 0,
        "same-budget": 1,
        "context-in-scaffold": 2,
        "triple-budget": 3,
        "true-suffix": 6,
    }
    if condition in known:
        return known[condition], 0, condition
    if condition.startswith(TRAINED):
        return 3, 0, condition
    share = _share(condition)
    return (5, 0, condition) if share is None else (4, share, condition)


def control_name(condition: str) -> str:
    """A control in a reader's words.

    >>> control_name("reveal:0.25"), control_name("true-suffix"), control_name("other")
    ('25 % of the truth revealed', 'True suffix', 'other')
    """
    if condition.startswith(TRAINED):
        return f"Trained on contexts: {condition.removeprefix(TRAINED)}"
    share = _share(condition)
    if share is not None:
        return f"{100 * share:g} % of the truth revealed"
    return _NAMES.get(condition, condition)


def _share(condition: str) -> float | None:
    kind, _, share = condition.partition(":")
    if kind != "reveal" or not share.replace(".", "", 1).isdecimal() or not share.isascii():
        return None
    return float(share)
