"""Small hand-made tables: a target of four tokens, and a cut a line."""

from foreword.records import Cut, Forecast, Score

IDS = (11, 12, 13, 14)


def make_cut(id_: str) -> Cut:
    return Cut(
        id=id_,
        paper_id=id_.split("/")[0],
        environment="equation",
        context="Hence",
        opening=r"\begin{equation}",
        prefix="x=",
        hidden="y+1",
        closing=r"\end{equation}",
    )


def make_score(cut_id: str, condition: str, logprob: float, *, scorer_id: str = "s") -> Score:
    """The same log-probability on all four tokens, so that it is the mean too."""
    return Score(
        cut_id=cut_id,
        paper_id=cut_id.split("/")[0],
        condition=condition,
        scorer_id=scorer_id,
        token_ids=IDS,
        logprobs=(logprob,) * len(IDS),
    )


def make_failed(cut_id: str, condition: str, why: str = "too long") -> Score:
    return Score(
        cut_id=cut_id,
        paper_id=cut_id.split("/")[0],
        condition=condition,
        scorer_id="s",
        failure=why,
    )


def make_forecast(cut_id: str, predictor: str) -> Forecast:
    return Forecast(cut_id=cut_id, predictor=predictor, text="y+1")
