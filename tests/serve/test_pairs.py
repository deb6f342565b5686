from dataclasses import replace
from typing import Any

import pytest
from serve_running import Running

from foreword.records import Pair, TokenScores
from foreword.scores import LocalScorer
from foreword.store import from_row, to_row

PAIRS = [
    Pair(id="a", prompt="x =", target=" y"),
    Pair(id="b", prompt="x", target=""),
    Pair(id="c", prompt="", target="x"),
    Pair(id="d", prompt=r"x\le", target=r"ft(∀ 𝓁"),
    Pair(id="e", prompt="\x00 <end>", target="\r\n<end>"),
    Pair(id="f", prompt="y" * 2048, target="x"),
    Pair(id="g", prompt="x = " * 40, target=" y"),
]


def scored(server: Running, **more: Any) -> tuple[str, list[str], list[TokenScores]]:
    """The scorer's id; of each row its id, and its result."""
    body = server.score(pairs=[to_row(pair) for pair in PAIRS], **more)
    rows = body["rows"]
    names = [row.pop("id") for row in rows]
    assert {row.pop("scorer_id") for row in rows} == {body["scorer_id"]}
    return body["scorer_id"], names, [from_row(row, TokenScores) for row in rows]


@pytest.mark.parametrize("statistics", [False, True])
def test_rows_are_those_of_the_scorer_itself(
    server: Running, tiny: LocalScorer, statistics: bool
) -> None:
    scorer_id, names, rows = scored(server, statistics=statistics)
    assert scorer_id == tiny.scorer_id
    assert names == [pair.id for pair in PAIRS]
    assert rows == tiny.score(PAIRS, statistics=statistics)
    assert [row.failure is None for row in rows] == [True, False, False, True, True, False, True]
    assert "2049 tokens, the model reads 2048" in (rows[5].failure or "")


def test_the_other_boundary_rule_is_another_scorer(server: Running, tiny: LocalScorer) -> None:
    paper = replace(tiny, boundary="paper")
    scorer_id, _, rows = scored(server, boundary="paper")
    assert scorer_id == paper.scorer_id != tiny.scorer_id
    assert rows == paper.score(PAIRS)


PAIR = {"id": "a", "prompt": "x", "target": "y"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "pairs is missing"),
        ({"pairs": []}, "there are 0 pairs; 1 to 2048"),
        ({"pairs": [PAIR] * 2049}, "there are 2049 pairs; 1 to 2048"),
        ({"pairs": [PAIR, PAIR]}, "two pairs have the same id"),
        ({"pairs": {"0": PAIR}}, "pairs: input should be a valid list"),
        ({"pairs": [{"id": "a", "prompt": "x"}]}, "pairs[0].target is missing"),
        ({"pairs": [PAIR | {"id": 1}]}, "pairs[0].id: input should be a valid string"),
        ({"pairs": [PAIR | {"more": 1}]}, "this server has no field pairs[0].more"),
        ({"pairs": [PAIR], "boundary": "exakt"}, "boundary: input should be 'exact' or 'paper'"),
        ({"pairs": [PAIR], "statistics": 1}, "statistics: input should be a valid boolean"),
        ({"pairs": [PAIR], "model": "x"}, "this server has no field model"),
    ],
)
def test_wrong_bodies_are_refused_by_name(
    server: Running, body: dict[str, Any], words: str
) -> None:
    answer = server.client.post("/v1/score", json=body)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]
