"""Prompts sent as token ids: what comes back has to be of these ids."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from completions_server import Body, Reply, completion, refusal, serving

from foreword.errors import ModelError
from foreword.models import find_tokenizer, load_tokenizer
from foreword.records import Pair, TokenScores
from foreword.scores.request import make_request
from foreword.scores.served import ServedScorer
from foreword.scores.served.link import Link
from foreword.scores.served.scorer import Session

PAIR = Pair(id="1", prompt="let f(x)=", target="\\frac{1}{∀}\r\n")


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Any:
    return load_tokenizer(find_tokenizer(f"hf:{tiny_model}"))


def score(url: str, folder: Path) -> TokenScores:
    files = find_tokenizer(f"hf:{folder}")
    session = Session(Link(url, sleep=lambda _: None), "m")
    [result] = ServedScorer(session=session, tokenizer_files=files).score([PAIR])
    return result


def value_of(id_: int) -> float:
    return -0.25 - id_ / 64


def as_vllm(tokenizer: Any, body: Body, **changed: Any) -> Reply:
    """Log-probabilities that tell the id, and one token more where one is written."""
    ids: list[int] = changed.pop("ids", body["prompt"])
    told = [*ids, *([7] if body["max_tokens"] else [])]
    lists = {
        "tokens": [tokenizer.decode([id_]) for id_ in told],
        "token_logprobs": [None, *map(value_of, told[1:])],
    }
    choice: Body = {"text": "", "logprobs": lists | changed}
    if body.get("return_token_ids"):
        choice["prompt_token_ids"] = ids
    return Reply(body=completion(choice))


def check(result: TokenScores, tokenizer: Any) -> None:
    request = make_request(PAIR, tokenizer, "exact", None)
    ids = request.ids[request.first :]
    assert result.failure is None
    assert result.token_ids == tuple(ids)
    assert result.logprobs == tuple(map(value_of, ids))
    assert result.token_texts == request.span.texts


def of_dictionaries(tokenizer: Any, body: Body) -> Reply:
    if "prompt_logprobs" not in body:
        return refusal(422, "no echo here")
    ids = body["prompt"]
    told = [
        {str(id_): {"logprob": value_of(id_), "rank": 3, "decoded_token": tokenizer.decode([id_])}}
        | ({"0": {"logprob": -0.125, "rank": 1, "decoded_token": "x"}} if id_ % 2 else {})
        for id_ in ids[1:]
    ]
    return Reply(body=completion({"text": "x", "prompt_logprobs": [None, *told]}))


def without_ids(tokenizer: Any, body: Body) -> Reply:
    if "return_token_ids" in body:
        return refusal(400, "unknown field")
    return as_vllm(tokenizer, body)


@pytest.mark.parametrize("answer", [as_vllm, without_ids, of_dictionaries])
def test_the_ids_that_were_sent_are_scored(
    answer: Callable[[Any, Body], Reply], tokenizer: Any, tiny_model: Path
) -> None:
    with serving(lambda body: answer(tokenizer, body)) as server:
        check(score(server.url, tiny_model), tokenizer)
    assert server.bodies[-1]["prompt"] == make_request(PAIR, tokenizer, "exact", None).ids


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda ids: {"ids": [5, *ids]}, "tells [0-9]+ tokens, it was sent [0-9]+"),
        (lambda ids: {"ids": ids[1:]}, "tells [0-9]+ tokens, it was sent [0-9]+"),
        (lambda ids: {"ids": [*ids[:3], 5, *ids[4:]]}, "token 4 of .* the server scored 5"),
    ],
)
def test_other_tokens_than_were_sent_are_refused(
    changed: Callable[[list[int]], Body], said: str, tokenizer: Any, tiny_model: Path
) -> None:
    trial: list[Body] = []

    def answer(body: Body) -> Reply:
        if not trial:
            trial.append(body)
            return as_vllm(tokenizer, body)
        return as_vllm(tokenizer, body, **changed(body["prompt"]))

    with serving(answer) as server:
        failure = score(server.url, tiny_model).failure or ""
    assert re.search(said, failure), failure
    with (
        serving(lambda b: as_vllm(tokenizer, b, **changed(b["prompt"]))) as server,
        pytest.raises(ModelError, match=said),
    ):
        score(server.url, tiny_model)


def test_a_tokenizer_that_is_not_the_servers_is_found_out(tokenizer: Any, tiny_model: Path) -> None:
    def shifted(body: Body, *, with_ids: bool) -> Reply:
        texts = [tokenizer.decode([id_ + 1]) for id_ in body["prompt"]]
        reply = as_vllm(tokenizer, body | {"max_tokens": 0})
        reply.body["choices"][0]["logprobs"]["tokens"] = texts
        if not with_ids:
            reply.body["choices"][0].pop("prompt_token_ids", None)
        return reply

    with (
        serving(lambda body: shifted(body, with_ids=True)) as server,
        pytest.raises(ModelError, match=r"the tokenizer given is not that of .*: token .* here"),
    ):
        score(server.url, tiny_model)
    with (
        serving(lambda body: shifted(body, with_ids=False)) as server,
        pytest.raises(ModelError, match="are not those of the tokenizer given"),
    ):
        score(server.url, tiny_model)
