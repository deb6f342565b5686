import json
import logging
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from completions_server import (
    Asked,
    Body,
    Reply,
    alone,
    completion,
    dictionaries,
    id_of,
    lists,
    refusal,
    serving,
    value_of,
    words,
)
from cuts_made import a_cut

from foreword.errors import ModelError, UsageError
from foreword.records import Pair, TokenScores
from foreword.score_steps import Scoring, make_pair_scores
from foreword.scores import CONTROLS, Scorer, load_scorer, score_all, score_pairs
from foreword.scores.scorer import may_pass
from foreword.scores.served import ServedScorer
from foreword.scores.served.link import Link, NoAnswerError
from foreword.scores.served.scorer import Session
from foreword.step import Made
from foreword.store import Journal

KEY = "test-key-0123456789"
PAIR = Pair(id="1", prompt="let f(x)=", target="\\frac{1}{∀}\r\n")
TOKENS = [b"=\\", b"frac", b"{", b"1", b"}", b"{", b"\xe2", b"\x88", b"\x80", b"}", b"\r", b"\n"]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FOREWORD_SCORER_KEY", "OPENAI_API_KEY", "FOREWORD_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


def text_of(body: Body) -> bytes:
    prompt: str = body["prompt"]
    return prompt.encode()


def scorer_at(server: Asked, **how: Any) -> ServedScorer:
    """The scorer as it is, but for pauses, which take no time."""
    link = Link(server.url, sleep=how.pop("sleep", lambda _: None), **how)
    return ServedScorer(session=Session(link, "m"))


def one(scorer: Scorer, pair: Pair = PAIR) -> TokenScores:
    [result] = scorer.score([pair])
    return result


def check(result: TokenScores, *, with_ids: bool) -> None:
    """The target's tokens and their values, the first of which straddles the boundary."""
    assert result.failure is None
    assert result.logprobs == tuple(map(value_of, TOKENS))
    assert "".join(result.token_texts) == "=\\frac{1}{∀}\r\n"
    assert (result.first_byte, result.prompt_bytes) == (len("let f(x)"), 1)
    assert result.token_ids == (tuple(map(id_of, TOKENS)) if with_ids else ())


def vllm(body: Body) -> Reply:
    """As vLLM 0.30: ids where they are asked for, and no begin-of-text token."""
    new = [b" new"] if body["max_tokens"] else []
    pieces = words(text_of(body))
    return Reply(body=lists(pieces, new=new, with_ids=body.get("return_token_ids", False)))


def fireworks(body: Body) -> Reply:
    """As Fireworks: a begin-of-text token that shifts the offsets, no ids, one token at least."""
    if "return_token_ids" in body or not body["max_tokens"]:
        return refusal(400, "Extra inputs are not permitted")
    return Reply(body=lists(words(text_of(body)), begin="<bos>"))


def of_prompt_logprobs(body: Body) -> Reply:
    """As a server that fills in vLLM's own field alone."""
    if "prompt_logprobs" not in body:
        return Reply(body=completion({"index": 0, "text": "x", "logprobs": None}))
    return Reply(body=dictionaries(words(text_of(body)), with_ids=True))


def untold_first(body: Body) -> Reply:
    """The same, older: nothing says what the first token is."""
    if "prompt_logprobs" not in body:
        return refusal(400, "echo is not supported")
    return Reply(body=dictionaries(words(text_of(body)), begin=True))


def named_ids(body: Body) -> Reply:
    """As a server that has the ids among its lists, and always writes a token."""
    answer = lists(words(text_of(body)))
    told = answer["choices"][0]["logprobs"]
    told["token_ids"] = [id_of(piece) for piece in [*words(text_of(body)), b" new"]]
    return Reply(body=answer)


def sglang(body: Body) -> Reply:
    def show(piece: bytes) -> str:
        return piece.decode("latin-1") if "\ufffd" in alone(piece) else alone(piece)

    answer = lists(words(text_of(body)), show=show)
    answer["choices"][0]["logprobs"]["text_offset"] = [-1] * 99
    return Reply(body=answer)


@pytest.mark.parametrize(
    ("answer", "with_ids"),
    [
        (vllm, True),
        (fireworks, False),
        (of_prompt_logprobs, True),
        (untold_first, True),
        (named_ids, True),
        (sglang, False),
    ],
)
def test_the_target_of_a_pair_is_scored_as_the_server_says(
    answer: Callable[[Body], Reply], with_ids: bool
) -> None:
    with serving(answer) as server:
        scorer = scorer_at(server)
        check(one(scorer), with_ids=with_ids)
        assert server.bodies[-1]["temperature"] == 0
        assert server.bodies[-1]["prompt"] == PAIR.prompt + PAIR.target
    assert isinstance(scorer, Scorer)


def test_nothing_is_written_where_the_server_accepts_that() -> None:
    with serving(vllm) as server:
        one(scorer_at(server))
    assert [body["max_tokens"] for body in server.bodies] == [0, 0]
    assert all(body["echo"] and body["logprobs"] == 1 for body in server.bodies)
    assert server.paths == ["/v1/models", "/v1/completions", "/v1/completions"]


def test_the_paper_rule_is_the_same_function() -> None:
    with serving(vllm) as server:
        session = Session(Link(server.url), "m")
        result = one(ServedScorer(session=session, boundary="paper"))
    assert result.logprobs == tuple(map(value_of, TOKENS[1:]))
    assert result.prompt_bytes == 0


def only_new(body: Body) -> Reply:
    """As llama.cpp: log-probabilities of what it writes alone."""
    told = {
        "content": [{"token": " new", "bytes": [32], "logprob": -0.5, "top_logprobs": []}],
    }
    return Reply(body=completion({"index": 0, "text": " new", "logprobs": told}))


def only_new_in_lists(body: Body) -> Reply:
    told = {"tokens": [" new"], "token_logprobs": [-0.5], "text_offset": [0], "top_logprobs": []}
    return Reply(body=completion({"index": 0, "text": " new", "logprobs": told}))


def filled_with(value: float | None) -> Callable[[Body], Reply]:
    def answer(body: Body) -> Reply:
        new = [b" new"] if body["max_tokens"] else []
        return Reply(body=lists(words(text_of(body)), new=new, values=lambda _: value))

    return answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (only_new, "no list of tokens with log-probabilities"),
        (only_new_in_lists, "no log-probabilities of the prompt, only of what it writes"),
        (filled_with(-9999.0), "-9999.0, which stands for a missing value"),
        (filled_with(0.0), "are 0, which stands for missing values"),
        (filled_with(None), "is missing"),
        (filled_with(float("nan")), "is not a number"),
        (filled_with(float("-inf")), "-inf, which stands for a missing value"),
        (filled_with(0.5), "above zero"),
        (
            lambda _: refusal(400, "echo with logprobs is not supported"),
            "echo with logprobs is not",
        ),
        (lambda _: Reply(body={"choices": []}), "is no completion"),
        (lambda _: Reply(body=[1]), "is no completion"),
        (lambda _: Reply(body=completion({"prompt_logprobs": [None]})), "no list of tokens"),
    ],
)
def test_a_server_that_can_not_score_is_refused_before_anything_is_scored(
    answer: Callable[[Body], Reply], said: str
) -> None:
    with serving(answer) as server, pytest.raises(ModelError, match=said) as caught:
        one(scorer_at(server))
    assert "as vLLM, SGLang, Fireworks and `foreword serve` do" in str(caught.value)
    assert all("integers" in body["prompt"] for body in server.bodies)


def after_the_trial(answer: Callable[[Body], Reply]) -> Callable[[Body], Reply]:
    """As vLLM for the short known text, and then otherwise."""
    return lambda body: vllm(body) if "integers" in body["prompt"] else answer(body)


def without(body: Body, **changed: Any) -> Reply:
    """What vLLM would answer, with other lists."""
    answer = lists(words(text_of(body)), new=[])
    answer["choices"][0]["logprobs"] |= changed
    return Reply(body=answer)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (filled_with(-9999.0), "which stands for a missing value"),
        (filled_with(float("nan")), "is not a number"),
        (lambda b: without(b, token_logprobs=[-1.0]), "token_logprobs are not one a token"),
        (lambda b: without(b, token_logprobs=["x"] * 99), "not one a token"),
        (lambda b: without(b, tokens=[7]), "tokens are no texts"),
        (lambda b: without(b, byte_offset=[0]), "byte_offset are not one a token"),
        (lambda b: Reply(body=lists(words(text_of(b)[4:]), new=[])), "not all of the"),
        (
            lambda b: Reply(body=lists(words(b"other text, as long as it is"), new=[])),
            "are not the",
        ),
        (lambda b: Reply(body=lists(words(b"<s>" + text_of(b)), begin="<s>", new=[])), "joined"),
        (
            lambda b: Reply(body=lists([b"<s>", *words(text_of(b))], begin="<s>", new=[])),
            "joined",
        ),
        (
            lambda b: refusal(400, "This model's maximum context length is\n 16 tokens."),
            r"refused it \(400\): This model's maximum context length is 16 tokens\.$",
        ),
        (lambda b: refusal(413, "too long " * 99), r"\(413\): too long too"),
        (lambda b: Reply(body={"detail": [{"msg": "no", "input": "s"}]}, status=422), "422.: no$"),
    ],
)
def test_an_answer_that_is_no_score_of_the_pair_is_a_failure_with_its_reason(
    answer: Callable[[Body], Reply], said: str
) -> None:
    with serving(after_the_trial(answer)) as server:
        result = one(scorer_at(server))
    assert result.failure is not None
    assert result.logprobs == result.token_ids == result.token_texts == ()
    assert not may_pass(result.failure)
    assert len(result.failure) < 300
    assert re.search(said, result.failure), result.failure


def test_two_begin_of_text_tokens_are_refused() -> None:
    def twice(body: Body) -> Reply:
        answer = lists(words(text_of(body)), begin="<bos>", new=[], with_ids=True)
        choice = answer["choices"][0]
        for name, value in (("tokens", "<bos>"), ("token_logprobs", -1.0)):
            choice["logprobs"][name].insert(1, value)
        choice["prompt_token_ids"].insert(1, 1)
        return Reply(body=answer)

    pair = Pair(id="1", prompt="<bos>let x=", target="1")

    def in_the_text(body: Body) -> Reply:
        pieces = [b"<bos>", *words(text_of(body)[5:])]
        return Reply(body=lists(pieces, begin="<bos>", new=[]))

    with serving(after_the_trial(twice)) as server:
        assert "joined" in (one(scorer_at(server)).failure or "")
    with serving(after_the_trial(in_the_text)) as server:
        failure = one(scorer_at(server), pair).failure or ""
    assert "begin-of-text token stands in the text" in failure


def test_an_empty_prompt_needs_a_begin_of_text_token() -> None:
    pair = Pair(id="1", prompt="", target="frac 1")
    with serving(vllm) as server:
        assert "make it longer" in (one(scorer_at(server), pair).failure or "")
    with serving(fireworks) as server:
        assert one(scorer_at(server), pair).logprobs == (value_of(b"frac"), value_of(b" 1"))
        assert one(scorer_at(server), Pair(id="1", prompt="x", target="")).failure
        half = one(scorer_at(server), Pair(id="1", prompt="x\ud83d", target="y"))
        assert "surrogates not allowed" in (half.failure or "")


def with_offsets(unit: Callable[[bytes], int]) -> Callable[[Body], Reply]:
    """A server that says where its tokens start, counted in some unit; one character is cut."""

    def answer(body: Body) -> Reply:
        pieces = words(text_of(body))
        found = lists(pieces, begin="<s>", new=())
        starts = [sum(map(unit, pieces[:at])) for at in range(len(pieces))]
        found["choices"][0]["logprobs"]["byte_offset"] = [None, *starts]
        return Reply(body=found)

    return answer


def characters(piece: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in piece)


CUT = Pair(id="cut", prompt="let ∀x", target="∀∀ y")


def test_byte_offsets_of_the_server_are_taken() -> None:
    with serving(with_offsets(len)) as server:
        check(one(scorer_at(server)), with_ids=False)
        [result] = scorer_at(server).score([CUT])
    assert (result.failure, result.first_byte) == (None, len("let ∀x".encode()))


@pytest.mark.parametrize("unit", [characters, lambda piece: 0, lambda piece: 2 * len(piece)])
def test_offsets_that_the_texts_contradict_are_refused(unit: Callable[[bytes], int]) -> None:
    with serving(after_the_trial(with_offsets(unit))) as server:
        [result] = scorer_at(server).score([replace(CUT, target="∀∀ yes, no")])
    assert result.failure is not None
    assert "byte offsets" in result.failure
    assert not result.logprobs


def test_ids_larger_than_any_vocabulary_count_as_not_told() -> None:
    def huge(body: Body) -> Reply:
        answer = lists(words(text_of(body)), new=())
        answer["choices"][0]["prompt_token_ids"] = [2**63] * len(words(text_of(body)))
        return Reply(body=answer)

    with serving(after_the_trial(huge)) as server:
        result = one(scorer_at(server))
    assert (result.failure, result.token_ids) == (None, ())


@pytest.mark.parametrize("line", [b"X-Slow: 1\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_headers_that_come_for_ever_end_in_time(line: bytes) -> None:
    def drip(server: socket.socket) -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client, suppress(OSError):
                client.sendall(b"HTTP/1.1 200 OK\r\n" if line.startswith(b"X") else b"")
                while True:
                    client.sendall(line)
                    time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, args=(server,), daemon=True).start()
        link = Link(
            f"http://127.0.0.1:{server.getsockname()[1]}/v1",
            timeout_s=0.5,
            sleep=lambda _: None,
        )
        with pytest.raises(NoAnswerError, match=r"no whole answer came within 0.5 s, 3 times"):
            link.ask("/models")
        link.close()


def test_pairs_are_asked_for_together_and_come_back_in_order() -> None:
    gate = threading.Barrier(4, timeout=20)

    def answer(body: Body) -> Reply:
        gate.wait()
        return vllm(body)

    pairs = [Pair(id=str(n), prompt=f"let f{n} ", target="= 1") for n in range(8)]
    with serving(after_the_trial(answer)) as server:
        scorer = scorer_at(server, max_connections=4)
        results = scorer.score(pairs)
    assert scorer.workers == server.at_once == 4
    assert [result.first_byte for result in results] == [len("let f0 ")] * 8
    assert [result.failure for result in results] == [None] * 8


def test_statistics_are_refused_and_no_pairs_ask_nothing() -> None:
    with serving(vllm) as server:
        with pytest.raises(UsageError, match="no statistics"):
            scorer_at(server).score([PAIR], statistics=True)
        assert scorer_at(server).score([]) == []
    assert server.paths == []


def some_time(trouble: list[Reply]) -> Callable[[Body], Reply]:
    return after_the_trial(lambda body: trouble.pop(0) if trouble else vllm(body))


def test_what_passes_is_tried_again_with_the_same_payload() -> None:
    slept: list[float] = []
    trouble = [
        refusal(500, "out of order"),
        refusal(429, "slow down", Retry_After="7"),
        refusal(
            503, "busy", Retry_After=time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(99))
        ),
        Reply(body=completion({}), drops=True),
        Reply(body=b"<html>a proxy</html>"),
        refusal(408, "late"),
    ]
    with serving(some_time(trouble)) as server:
        scorer = scorer_at(server, sleep=slept.append, clock=lambda: 59.0)
        check(one(scorer), with_ids=True)
    assert 0.5 <= slept[0] <= 1
    assert 7 <= slept[1] <= 8.75
    assert 40 <= slept[2] <= 50
    assert 4 <= slept[3] <= 8
    assert 8 <= slept[4] <= 16
    assert 15 <= slept[5] <= 30
    assert len(server.bodies) == 8
    assert all(body == server.bodies[1] for body in server.bodies[1:])


def test_pauses_are_the_same_for_the_same_seed() -> None:
    def pauses(seed: int) -> list[float]:
        slept: list[float] = []
        with serving(some_time([refusal(500, "x")] * 3)) as server:
            one(scorer_at(server, sleep=slept.append, seed=seed))
        return slept

    assert pauses(1) == pauses(1) != pauses(2)


def test_after_all_tries_the_pair_fails_for_now() -> None:
    with serving(after_the_trial(lambda _: refusal(503, f"busy at http://u:{KEY}@x"))) as server:
        result = one(scorer_at(server))
    assert result.failure is not None
    assert result.failure.startswith("no answer: the server has no answer (503): busy at http")
    assert "8 times over" in result.failure
    assert KEY not in result.failure
    assert may_pass(result.failure)
    assert len(server.bodies) == 9


def test_a_server_that_wants_a_long_rest_has_it() -> None:
    slept: list[float] = []
    trouble = [refusal(429, "quota", Retry_After="86400")]
    with serving(some_time(trouble)) as server:
        result = one(scorer_at(server, sleep=slept.append))
    assert "asks to be left alone for 86400 s" in (result.failure or "")
    assert slept == []


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (refusal(401, f"wrong key {KEY}"), r"wants a key \(401\).*set FOREWORD_SCORER_KEY"),
        (refusal(403, "not you"), r"refuses \(403\): not you"),
        (refusal(404, "no model m"), r"404.*ends in /v1 as a rule, and the model after the '#'"),
        (refusal(400, "which?", code="model_not_found"), "400.*which.*model after the '#'"),
        (Reply(status=307, headers={"Location": "http://127.0.0.1:1/"}, body={}), "elsewhere"),
    ],
)
def test_what_no_pair_would_survive_stops_the_run(
    reply: Reply, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    with serving(lambda _: reply) as server, pytest.raises(ModelError, match=said) as caught:
        one(scorer_at(server))
    assert KEY not in str(caught.value)
    assert len(server.bodies) == 1
    with serving(after_the_trial(lambda _: reply)) as server, pytest.raises(ModelError, match=said):
        scorer_at(server).score([PAIR] * 20)


def test_a_server_that_is_down_stops_the_run() -> None:
    pairs = [Pair(id=str(n), prompt="let x", target=f"= {n}") for n in range(40)]
    with (
        serving(after_the_trial(lambda _: refusal(502, "bad gateway"))) as server,
        pytest.raises(ModelError, match=r"no answer to the last 16 requests .*502.*kept"),
    ):
        scorer_at(server).score(pairs)
    assert len(server.bodies) < 8 * 32


def test_too_slow_an_answer_is_given_up() -> None:
    slow = after_the_trial(lambda body: Reply(body=vllm(body).body, waits_s=1.0))
    with serving(slow) as server:
        scorer = scorer_at(server, timeout_s=0.2)
        started = time.monotonic()
        result = one(scorer)
    assert time.monotonic() - started < 20
    assert "no whole answer came within 0.2 s, 3 times over" in (result.failure or "")


def test_no_server_at_all_stops_the_run_and_says_so() -> None:
    with serving(vllm) as server:
        pass
    with pytest.raises(ModelError, match=r"can't be reached: no connection .*Connect call failed"):
        one(scorer_at(server))


def test_a_key_is_sent_and_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FOREWORD_SCORER_KEY", f"{KEY}\n")
    caplog.set_level(logging.DEBUG)
    with serving(vllm) as server:
        scorer = load_scorer(f"openai:{server.url}#m")
        assert isinstance(scorer, ServedScorer)
        check(one(scorer), with_ids=True)
        shown = repr(scorer) + scorer.scorer_id + json.dumps(scorer.identity) + caplog.text
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in shown
    monkeypatch.setenv("FOREWORD_SCORER_KEY", "a\nb")
    with pytest.raises(ModelError, match="holds a character that no key has"):
        load_scorer(f"openai:{server.url}#m")


def test_the_key_of_openai_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(vllm) as server:
        one(load_scorer(f"openai:{server.url}#m"))
    assert set(server.keys) == {None}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai:http://127.0.0.1:1/v1", "has no model"),
        ("openai:http://127.0.0.1:1/v1#", "has no model"),
        (f"openai:http://me:{KEY}@127.0.0.1:1/v1#m", "has a name or a key in it"),
        (f"openai:http://127.0.0.1:1/v1?api_key={KEY}#m", "has a name or a key in it"),
        (f"openai:http://me:{KEY}@127.0.0.1:1/v1", "has no model"),
        ("openai:ftp://127.0.0.1/#m", "no http"),
        ("openai:localhost:8000#m", "no http"),
        ("openai:http://[::1/v1#m", "can't be read"),
        ("openai:http://h:99999/v1#m", "can't be read"),
    ],
)
def test_a_name_that_is_no_url_and_model_is_refused(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        load_scorer(name)
    assert KEY not in str(caught.value)


def test_settings_without_a_meaning_are_refused(tiny_model: Path) -> None:
    with pytest.raises(UsageError, match="dtype has no meaning for a scorer by URL"):
        load_scorer("openai:http://127.0.0.1:1/v1#m", dtype="float32")
    with pytest.raises(UsageError, match="tokenizer has no meaning for a scorer on this machine"):
        load_scorer(f"hf:{tiny_model}", tokenizer="smollm2")
    with pytest.raises(UsageError, match="above 0"):
        load_scorer("openai:http://127.0.0.1:1/v1#m", timeout_s=0)


def test_offline_only_this_machine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWORD_OFFLINE", "1")
    with pytest.raises(ModelError, match="is not on this machine, and this run is offline"):
        load_scorer("openai:https://scorer.example.org/v1#m")
    with serving(vllm) as server:
        check(one(load_scorer(f"openai:{server.url}#m")), with_ids=True)


def models_of(told: list[str | None]) -> Callable[[], Reply]:
    """What `foreword serve` says of its one model, from call to call."""

    def models() -> Reply:
        said = told.pop(0) if len(told) > 1 else told[0]
        listed = {"id": "m", "object": "model", "scorer_id": said}
        return Reply(body={"object": "list", "data": [{"id": "other"}, listed]})

    return models


def test_the_id_names_the_server_the_model_and_the_rule() -> None:
    with serving(vllm, models_of(["x@1"])) as server, serving(vllm, models_of(["x@2"])) as other:
        ids = {
            scorer.scorer_id
            for scorer in (
                scorer_at(server),
                scorer_at(server, max_connections=2, timeout_s=9.0),
                scorer_at(other),
                ServedScorer(session=Session(Link(server.url), "m2")),
                ServedScorer(session=Session(Link(server.url), "m"), boundary="paper"),
            )
        }
        named = ServedScorer(session=Session(Link(server.url), "accounts/fireworks/models/kimi"))
        assert named.scorer_id.startswith("kimi@")
        assert scorer_at(server).identity["server_scorer_id"] == "x@1"
    assert len(ids) == 4
    assert {body["model"] for body in server.bodies} == set()


def test_another_model_at_the_same_place_has_another_id() -> None:
    told: list[str | None] = ["x@1"]
    with serving(vllm, models_of(told)) as server:
        first = scorer_at(server).scorer_id
        told[0] = "x@2"
        assert scorer_at(server).scorer_id != first


def test_a_model_that_is_replaced_while_it_is_asked_stops_the_run() -> None:
    def answer(body: Body) -> Reply:
        return Reply(body=vllm(body).body | {"system_fingerprint": "x@2"})

    with (
        serving(after_the_trial(answer), models_of(["x@1"])) as server,
        pytest.raises(ModelError, match="serves x@2 now, no longer x@1"),
    ):
        one(scorer_at(server))
    with serving(after_the_trial(answer)) as server:  # it calls itself nothing: it can't be told
        assert one(scorer_at(server)).failure is None


def test_what_is_done_needs_no_server(tmp_path: Path) -> None:
    with serving(vllm, models_of(["x@1"])) as server, Journal(tmp_path / "j") as journal:
        first = score_pairs([PAIR], scorer_at(server), journal=journal)
    with Journal(tmp_path / "j") as journal:
        assert score_pairs([PAIR], scorer_at(server), journal=journal) == first
        more = Pair(id="2", prompt="y", target="z")
        with pytest.raises(ModelError, match=r"can't be reached.*finished is kept"):
            score_pairs([PAIR, more], scorer_at(server), journal=journal)


def test_a_server_that_was_remembered_and_is_another_by_now_is_not_mixed_up() -> None:
    told: list[str | None] = ["x@1"]
    with serving(vllm, models_of(told)) as server:
        known = scorer_at(server).scorer_id
        refused: list[bool] = [True]
        server.models = lambda: refusal(503, "not yet") if refused[0] else models_of(["x@2"])()
        scorer = scorer_at(server)
        assert scorer.scorer_id == known
        refused[0] = False
        with pytest.raises(ModelError, match="serves another model than before"):
            one(scorer)


def test_without_a_cache_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    with serving(vllm) as server:
        assert scorer_at(server).scorer_id
    with pytest.raises(ModelError, match="can't be reached"):
        _ = scorer_at(server).scorer_id


def test_what_failed_for_the_servers_reason_is_asked_for_again(tmp_path: Path) -> None:
    broken = [True]

    def answer(body: Body) -> Reply:
        if "f1" in body["prompt"] and broken[0]:
            return refusal(500, "out of order")
        if "f2" in body["prompt"]:
            return refusal(400, "too long")
        return vllm(body)

    pairs = [Pair(id=str(n), prompt=f"let f{n} ", target="= 1") for n in range(3)]
    with serving(after_the_trial(answer)) as server, Journal(tmp_path / "j") as journal:
        first = score_pairs(pairs, scorer_at(server), journal=journal)
        broken[0] = False
        asked = len(server.bodies)
        second = score_pairs(pairs, scorer_at(server), journal=journal)
        again = [body["prompt"] for body in server.bodies[asked:]]
    assert [row.failure is None for row in first] == [True, False, False]
    assert [row.failure is None for row in second] == [True, True, False]
    assert [prompt for prompt in again if "let" in prompt] == ["let f1 = 1"]


def test_an_answer_that_is_compressed_is_refused_and_not_unpacked() -> None:
    """A kilobyte can hold a gigabyte: foreword asks for answers as they are."""

    def answer(body: Body) -> Reply:
        return replace(vllm(body), headers={"Content-Encoding": "gzip"})

    with serving(after_the_trial(answer)) as server:
        [result] = scorer_at(server).score([PAIR])
    assert "compressed" in (result.failure or "")


def test_a_table_with_rows_that_had_no_answer_is_made_again_by_the_same_command(
    tmp_path: Path,
) -> None:
    broken = [True]

    def answer(body: Body) -> Reply:
        is_asked = PAIR.prompt in body["prompt"]
        return refusal(500, "out of order") if broken[0] and is_asked else vllm(body)

    def make() -> Made:
        return make_pair_scores(
            [PAIR],
            tmp_path / "t.parquet",
            scoring=Scoring(scorer=scorer_at(server), journal=tmp_path / "j", unproven=True),
        )

    with serving(after_the_trial(answer), models_of(["x@1"])) as server:
        first = make()
        assert [failure.item for failure in first.failures] == ["1"]
        broken[0] = False
        second = make()
        assert not second.reused
        assert not second.failures
    assert make().reused  # the server is gone, and not needed


@pytest.mark.parametrize("answer", [vllm, fireworks])
def test_a_cut_is_valid_where_the_server_tells_no_ids_too(
    answer: Callable[[Body], Reply], tmp_path: Path
) -> None:
    with serving(answer) as server, Journal(tmp_path / "j") as journal:
        scores = score_all(
            [a_cut()], [], scorer_at(server), controls=CONTROLS, seed=0, journal=journal
        )
    assert [score.failure for score in scores] == [None] * len(CONTROLS)
    assert len({score.token_texts for score in scores}) == 1
    assert {bool(score.token_ids) for score in scores} == {answer is vllm}


def test_a_cut_whose_token_texts_differ_is_invalid(tmp_path: Path) -> None:
    def fickle(body: Body) -> Reply:
        *pieces, one, other = words(text_of(body))
        joined = [one + other] if len(server.bodies) % 2 else [one, other]
        return Reply(body=lists([*pieces, *joined], begin="<bos>", new=[]))

    with serving(after_the_trial(fickle)) as server, Journal(tmp_path / "j") as journal:
        scores = score_all(
            [a_cut()], [], scorer_at(server), controls=CONTROLS, seed=0, journal=journal
        )
    assert all("invalid cut" in (score.failure or "") for score in scores)


def test_importing_the_scores_does_not_import_the_client() -> None:
    code = "import sys, foreword.scores; assert not {'httpx2', 'torch'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_statistics_by_url_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    scorer = load_scorer("openai:http://127.0.0.1:9/v1#m")  # a port that nobody listens on
    with pytest.raises(UsageError, match="no statistics"):
        Scoring(scorer=scorer, journal=tmp_path / "j", statistics=True)
