"""The scorer by URL against foreword's own server: the same numbers as without it between."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from begin_model import save_begin_model
from hypothesis import given, settings
from hypothesis import strategies as st
from serve_running import Running, running

from foreword.errors import ModelError
from foreword.records import Pair
from foreword.scores import LocalScorer, Scorer, load_scorer
from foreword.scores.served import ServedScorer

TEXTS = st.text(alphabet=" =+x\\{}()leftright∀𝓁é\r\n\u0301<end>", min_size=1, max_size=20)
PAIRS = [
    Pair(id="1", prompt="let f(x)=", target="\\frac{1}{∀}\r\n"),
    Pair(id="2", prompt="x∀", target="𝓁 = e\u0301"),
    Pair(id="3", prompt=r"x\le", target="ft(x"),
    Pair(id="4", prompt="", target="left = right"),
    Pair(id="5", prompt="x", target=""),
    Pair(id="6", prompt="x <end> ", target="<end>y"),
    Pair(id="7", prompt="x = " * 3000, target="y"),
]


@pytest.fixture(scope="module")
def local(tiny_model: Path) -> LocalScorer:
    scorer = load_scorer(f"hf:{tiny_model}", device="cpu")
    assert isinstance(scorer, LocalScorer)
    return scorer


@pytest.fixture(scope="module")
def server(local: LocalScorer) -> Iterator[Running]:
    with running(local) as started:
        yield started


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> LocalScorer:
    scorer = load_scorer(f"hf:{save_begin_model(tmp_path_factory.mktemp('begin'))}", device="cpu")
    assert isinstance(scorer, LocalScorer)
    return scorer


@pytest.fixture(scope="module")
def begin_server(begin: LocalScorer) -> Iterator[Running]:
    with running(begin) as started:
        yield started


def served(at: Running, scorer: LocalScorer, **how: str) -> Scorer:
    name = scorer.scorer_id.rpartition("@")[0]
    return load_scorer(f"openai:{at.url}/v1#{name}", **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("boundary", ["exact", "paper"])
@pytest.mark.parametrize("sends", ["text", "ids"])
@pytest.mark.parametrize("kind", ["plain", "begin"])
def test_results_are_those_of_the_scorer_that_is_served(
    kind: str,
    sends: str,
    boundary: str,
    local: LocalScorer,
    server: Running,
    begin: LocalScorer,
    begin_server: Running,
) -> None:
    at, direct = (server, local) if kind == "plain" else (begin_server, begin)
    how = {"tokenizer": direct.files.name} if sends == "ids" else {}
    found = served(at, direct, boundary=boundary, **how).score(PAIRS)
    expected = load_scorer(direct.files.name, boundary=boundary, device="cpu").score(PAIRS)
    for one, other in zip(found, expected, strict=True):
        if other.failure is None:
            assert one == other
        else:
            assert one.failure
            assert one.logprobs == ()
    assert sum(result.failure is None for result in found) >= 3


_KEPT: dict[str, Scorer] = {}


def kept(server: Running, local: LocalScorer) -> Scorer:
    """One for all examples: it is tried out once."""
    if server.url not in _KEPT:
        _KEPT[server.url] = served(server, local)
    return _KEPT[server.url]


@settings(max_examples=30)
@given(prompt=TEXTS, target=TEXTS)
def test_any_text_has_the_same_tokens_and_values(
    server: Running, local: LocalScorer, prompt: str, target: str
) -> None:
    pair = Pair(id="1", prompt=prompt, target=target)
    [found], [expected] = kept(server, local).score([pair]), local.score([pair])
    assert (found.failure is None) == (expected.failure is None)
    if found.failure is None:
        assert found == expected


def test_the_servers_own_id_is_in_the_id(server: Running, local: LocalScorer) -> None:
    scorer = served(server, local)
    assert isinstance(scorer, ServedScorer)
    assert scorer.identity["server_scorer_id"] == local.scorer_id
    assert scorer.scorer_id.rpartition("@")[0] == local.scorer_id.rpartition("@")[0]
    assert scorer.scorer_id != local.scorer_id


def test_the_weights_need_not_be_here(server: Running, local: LocalScorer, tmp_path: Path) -> None:
    for file in local.files.folder.iterdir():
        if file.suffix != ".safetensors":
            shutil.copy(file, tmp_path)
    scorer = served(server, local, tokenizer=f"hf:{tmp_path}")
    assert scorer.score(PAIRS[:3]) == local.score(PAIRS[:3])
    (tmp_path / "tokenizer_config.json").write_text("{}")
    assert served(server, local, tokenizer=f"hf:{tmp_path}").scorer_id != scorer.scorer_id


def test_a_tokenizer_of_another_model_is_refused(
    server: Running, local: LocalScorer, begin: LocalScorer
) -> None:
    with pytest.raises(ModelError, match=r"the tokenizer given is not that of|can't score"):
        served(server, local, tokenizer=begin.files.name).score(PAIRS[:1])


def test_a_model_that_is_not_there_and_a_token_that_is_wrong_stop_the_run(
    local: LocalScorer, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="no such model"):
        load_scorer(f"openai:{server.url}/v1#other").score(PAIRS[:1])
    monkeypatch.delenv("FOREWORD_SCORER_KEY", raising=False)
    with running(local, token="right-token") as guarded:
        with pytest.raises(ModelError, match=r"wants a key.*set FOREWORD_SCORER_KEY"):
            served(guarded, local).score(PAIRS[:1])
        monkeypatch.setenv("FOREWORD_SCORER_KEY", "right-token")
        [result] = served(guarded, local).score(PAIRS[:1])
    assert result.failure is None
