"""What is left of a record when the text of its paper may not be handed on."""

import json
from dataclasses import replace

from foreword.records import Cut, Forecast, Score


def without_text(cut: Cut) -> Cut:
    r"""The cut with its place in the paper and none of the paper's text.

    >>> cut = Cut(id="p/0/2", paper_id="p", environment="[", context="Hence", opening=r"\\[",
    ...           prefix="x=", hidden="y+1", closing=r"\\]", file="a.tex", line=3)
    >>> without_text(cut).hidden, without_text(cut).line
    ('', 3)
    """
    return replace(
        cut, context="", opening="", prefix="", hidden="", closing="", filler="", macros=()
    )


def without_answer(forecast: Forecast) -> Forecast:
    """The forecast without its text, which may repeat the paper's; a missing one as it is."""
    if forecast.text is None:
        return replace(forecast, raw=None)
    return replace(forecast, text=None, raw=None, missing="withheld")


def without_tokens(score: Score) -> Score:
    """The score without the target's tokens, which spell its text; the numbers stay."""
    return replace(score, token_ids=(), token_texts=())


def without_host(forecast: Forecast) -> Forecast:
    """The forecast without the address of the server that answered, in settings or failures.

    >>> one = Forecast(cut_id="c", predictor="p", text="y", settings='{"base_url": "http://a"}')
    >>> without_host(one).settings
    '{}'
    """
    try:
        settings = {k: v for k, v in json.loads(forecast.settings).items() if k != "base_url"}
    except (ValueError, AttributeError):  # another program's words, which could hold anything
        settings = {}
    return replace(forecast, settings=json.dumps(settings, sort_keys=True), failure=None)
