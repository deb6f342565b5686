import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_server import Body, Server, completion, failure, serving, slowly
from predictor_checks import ODD_CUTS, check_predictor
from questions import make_cut

from foreword.forecasts import Answer, ApiPredictor, PredictorSettings, forecast_all, load_predictor
from foreword.store import Journal

pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' p:DeprecationWarning")
"""inspect-ai's own, about tenacity."""

KEY = "test-key-0123456789"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "LOCAL_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("LOCAL_API_KEY", KEY)


def prompt_of(body: Body) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def ask(server: Server, model: str = "openai/some-model", **settings: object) -> list[Answer]:
    predictor = load_predictor(
        model,
        PredictorSettings(base_url=server.url, max_retries=0, **settings),  # type: ignore[arg-type]
    )
    return list(predictor.answers([make_cut().question], seed=0))


MODELS = ["openai/some-model", "openai/gpt-5", "openai/o3", "openai-api/local/some-model"]


@pytest.mark.parametrize("model", MODELS)
def test_a_server_with_a_base_url_is_asked_for_chat_completions(model: str) -> None:
    with serving(lambda _: completion("12 u r", finish="stop")) as server:
        [answer] = ask(server, model)
    assert server.paths == ["/v1/chat/completions"]
    assert (answer.raw, answer.missing, answer.failure) == ("12 u r", None, None)
    assert answer.finish_reason == "stop"
    assert answer.model == "served-model-2026-01-01"
    assert (answer.input_tokens, answer.output_tokens, answer.reasoning_tokens) == (70, 30, 20)
    assert make_cut().prefix in prompt_of(server.requests[0])
    assert server.requests[0]["seed"] == answer.seed


def test_it_passes_the_checks_of_every_predictor(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(lambda body: completion(f"x + {len(prompt_of(body))}")) as server:
        predictor = load_predictor("openai/some-model", PredictorSettings(base_url=server.url))
        check_predictor(predictor, repeats=True)
    assert capfd.readouterr() == ("", "")


def test_the_settings_reach_the_server() -> None:
    with serving(lambda _: completion("x")) as server:
        ask(server, temperature=0.25, top_p=0.5, max_tokens=99)
        ask(server, "openai/gpt-5", reasoning_effort="high", max_tokens=99)
    plain, reasoning = server.requests
    assert (plain["temperature"], plain["top_p"]) == (0.25, 0.5)
    assert plain.get("max_tokens", plain.get("max_completion_tokens")) == 99
    assert reasoning["reasoning_effort"] == "high"
    assert reasoning["max_completion_tokens"] == 99


@pytest.mark.parametrize(
    ("reply", "missing", "said"),
    [
        (completion(None, refusal="I can't help with that."), "refused", None),
        (completion("", finish="content_filter"), "refused", None),
        (completion(""), "empty", None),
        (completion(" \n"), "empty", None),
        (completion("", finish="length"), "unfinished", "tokens were used up"),
        (failure(500, "out of order"), "failed", "out of order"),
        (failure(429, "slow down"), "failed", "slow down"),
        (failure(401, f"wrong key {KEY}"), "failed", r"wrong key \[redacted\]"),
        ((200, {"nonsense": True}), "failed", ""),
    ],
)
def test_an_answer_that_is_none_is_missing_with_its_reason(
    reply: tuple[int, Body], missing: str, said: str | None
) -> None:
    with serving(lambda _: reply) as server:
        [answer] = ask(server)
    assert answer.missing == missing
    if said is not None:
        assert answer.failure is not None
        assert re.search(said, answer.failure)
    assert KEY not in str(answer)
    assert "\n" not in (answer.failure or "")


def test_no_server_at_all_is_a_failure_of_each_answer() -> None:
    with serving(lambda _: completion("x")) as server:
        pass
    [answer] = ask(server)
    assert answer.missing == "failed"
    assert answer.failure


def test_a_server_that_is_too_slow_is_given_up() -> None:
    with serving(lambda _: slowly(2, completion("x"))) as server:
        [answer] = ask(server, timeout_s=0.3)
    assert (answer.missing, answer.failure) == ("failed", "no answer within 0.3 s")


def test_an_error_that_passes_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = iter([failure(500, "for a moment"), completion("12 u r")])
    with serving(lambda _: next(replies)) as server:
        settings = PredictorSettings(base_url=server.url, max_retries=1)
        predictor = load_predictor("openai/some-model", settings)
        [answer] = predictor.answers([make_cut().question], seed=0)
    assert answer.raw == "12 u r"
    assert len(server.requests) == 2


def test_answers_come_as_they_come_and_no_more_are_out_than_allowed() -> None:
    last = threading.Event()

    def reply(body: Body) -> tuple[int, Body]:
        if "SLOW" in prompt_of(body):
            last.wait(30)
        return completion("x")

    cuts = [make_cut(0, context="SLOW"), *(make_cut(number) for number in range(1, 8))]
    with serving(reply) as server:
        settings = PredictorSettings(base_url=server.url, max_connections=3)
        answers = load_predictor("openai/m", settings).answers([c.question for c in cuts], seed=0)
        first = [next(answers).cut_id for _ in range(7)]
        last.set()
        assert next(answers).cut_id == cuts[0].id not in first
        assert list(answers) == []
    assert 2 <= server.at_once <= 3


def test_usage_that_is_not_told_is_none() -> None:
    status, body = completion("x")
    del body["usage"]
    with serving(lambda _: (status, body)) as server:
        [answer] = ask(server, input_price=1.0, output_price=1.0)
    assert answer.raw == "x"
    assert (answer.input_tokens, answer.output_tokens, answer.cost_usd) == (None, None, None)


def test_cost_is_tokens_times_prices_and_unknown_without_them() -> None:
    cached = {
        "prompt_tokens": 70,
        "completion_tokens": 30,
        "total_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 64},
    }
    with serving(lambda _: completion("x")) as server:
        assert ask(server, input_price=2.0, output_price=10.0)[0].cost_usd == pytest.approx(440e-6)
        assert ask(server)[0].cost_usd is None
        assert ask(server, input_price=2.0)[0].cost_usd is None
    with serving(lambda _: completion("x", usage=cached)) as server:
        [answer] = ask(server, input_price=2.0, output_price=10.0)
    assert (answer.input_tokens, answer.cost_usd) == (70, None)


def test_a_server_that_needs_no_key_is_asked_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with serving(lambda _: completion("x")) as server:
        assert ask(server)[0].raw == "x"
    assert server.keys == ["Bearer none"]


def test_the_identity_names_the_server_without_what_is_secret() -> None:
    with serving(lambda _: completion("x")) as server:
        url = server.url.replace("//", "//me:secret-word@") + "?api_key=secret-word"
        one = load_predictor("openai/m", PredictorSettings(base_url=url))
        assert one.identity["base_url"] == server.url
        assert "secret-word" not in json.dumps(dict(one.identity))
    other = load_predictor("openai/m")
    assert isinstance(other, ApiPredictor)
    assert other.identity != one.identity


def test_the_environment_may_say_where_the_server_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    identity = load_predictor("openai/m", name="x").identity
    assert identity["base_url"] == "http://127.0.0.1:1/v1"


def test_a_failed_answer_is_asked_again_and_a_refused_one_is_not(tmp_path: Path) -> None:
    cuts = [make_cut(number, context=f"number {number}") for number in range(3)]
    broken = True

    def reply(body: Body) -> tuple[int, Body]:
        if "number 0" in prompt_of(body) and broken:
            return failure(500, "out of order")
        if "number 1" in prompt_of(body):
            return completion(None, refusal="no")
        return completion("12 u r")

    with serving(reply) as server, Journal(tmp_path / "j.jsonl") as journal:
        settings = PredictorSettings(base_url=server.url, max_retries=0)
        predictor = load_predictor("openai/m", settings, name="m")
        first = forecast_all(cuts, predictor, seed=0, journal=journal)
        broken = False
        second = forecast_all(cuts, predictor, seed=0, journal=journal)
    assert [forecast.missing for forecast in first] == ["failed", "refused", None]
    assert [forecast.missing for forecast in second] == [None, "refused", None]
    assert "number 0" in prompt_of(server.requests[-1])
    assert sum("number 1" in prompt_of(body) for body in server.requests) == 1
    assert KEY not in (tmp_path / "j.jsonl").read_text()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda _: failure(400, "temperature is not supported")) as server:
        yield server


def test_a_program_of_its_own_prints_nothing_and_leaves_no_files(
    server: Server, tmp_path: Path
) -> None:
    code = f"""
from foreword.forecasts import PredictorSettings, load_predictor
from foreword.records import Question
question = Question(cut_id="p/0/1", context="Hence", opening="$$", prefix="x=", closing="$$",
                    length_hint=10)
for model in ("openai/gpt-5", "openai/m", "openai-api/local/m"):
    settings = PredictorSettings(base_url={server.url!r}, max_retries=0, top_p=0.9)
    [answer] = load_predictor(model, settings).answers([question], seed=0)
    assert answer.missing == "failed", answer
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_second_thread_is_gone_when_the_answers_are_not_wanted() -> None:
    with serving(lambda _: completion("x")) as server:
        predictor = load_predictor("openai/m", PredictorSettings(base_url=server.url))
        before = threading.active_count()
        answers = predictor.answers([cut.question for cut in ODD_CUTS], seed=0)
        next(answers)
        answers.close()  # type: ignore[attr-defined]
    assert threading.active_count() <= before
