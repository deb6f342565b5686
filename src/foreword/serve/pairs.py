"""Pairs of prompt and target, foreword's own shape: what they ask of the model, and the answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from foreword.records import Pair, PairScore, TokenScores
from foreword.scores import Boundary, filled
from foreword.scores.distribution import statistics_of
from foreword.scores.request import Request, make_request, result
from foreword.serve.body import parsed
from foreword.serve.engine import LOGPROB, Engine, Rows, Wanted
from foreword.serve.refusal import RefusedError
from foreword.store import to_row

_MOST_PAIRS = 2048


class PairBody(BaseModel):
    """One pair."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    prompt: str
    target: str


class ScoreBody(BaseModel):
    """The fields of a body."""

    model_config = ConfigDict(extra="forbid", strict=True)

    pairs: list[PairBody]
    statistics: bool = False
    boundary: Boundary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """What a body asks for."""

    pairs: Sequence[Pair]
    asked: Mapping[int, Request]
    """By index of the pair."""
    failures: Mapping[int, str]
    """Of the pairs that can't be scored."""
    statistics: bool
    scorer_id: str

    @property
    def wanted(self) -> Wanted:
        """What the model is to say of each token."""
        return Wanted(statistics=self.statistics)

    @property
    def requests(self) -> list[Request]:
        """One a pair that can be scored, in their order."""
        return list(self.asked.values())

    def answer(self, _: Engine, rows: Sequence[Rows]) -> bytes:
        """One row a pair, in order."""
        of_requests = dict(zip(self.asked, rows, strict=True))
        shown = [to_row(self._row(at, of_requests.get(at))) for at in range(len(self.pairs))]
        return json.dumps({"scorer_id": self.scorer_id, "rows": shown}, allow_nan=False).encode()

    def _row(self, index: int, rows: Rows | None) -> PairScore:
        if rows is None:
            found = TokenScores(failure=self.failures[index])
        else:
            request = self.asked[index]
            values = [row[LOGPROB] for row in rows]
            ids = request.ids[request.first :]
            found = result(ids, request.span, values, statistics_of(rows))
        return filled(PairScore(id=self.pairs[index].id, scorer_id=self.scorer_id), found)


def read_pairs(engine: Engine, body: bytes) -> Pairs:
    """What a body asks for.

    Raises:
        RefusedError: it isn't what it should be. A pair that can't be scored is no reason.
    """
    given = parsed(body, ScoreBody)
    if not 0 < len(given.pairs) <= _MOST_PAIRS:
        words = f"there are {len(given.pairs)} pairs; 1 to {_MOST_PAIRS} go into one request"
        raise RefusedError(400, words, param="pairs")
    if len({pair.id for pair in given.pairs}) < len(given.pairs):
        raise RefusedError(400, "two pairs have the same id", param="pairs")
    scorer = engine.scorer
    rule = given.boundary or scorer.boundary
    pairs = [Pair(id=each.id, prompt=each.prompt, target=each.target) for each in given.pairs]
    asked: dict[int, Request] = {}
    failures: dict[int, str] = {}
    for index, pair in enumerate(pairs):
        try:
            asked[index] = make_request(pair, engine.vocabulary.tokenizer, rule, engine.window)
        except ValueError as error:
            failures[index] = str(error)
    return Pairs(
        pairs=pairs,
        asked=asked,
        failures=failures,
        statistics=given.statistics,
        scorer_id=replace(scorer, boundary=rule).scorer_id,
    )
