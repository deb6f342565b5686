from typing import Any

import pytest
from serve_running import Running

from foreword.models import load_model
from foreword.records import Pair
from foreword.scores import LocalScorer

TEXTS = [
    "x = y",
    r"a + \left(x = y\right) e \le ",
    "∀x ∃𝓁: é = e\u0301\r\n\t<end>\x00",
    "% First equation:\n" * 40,
]


def name_of(scorer: LocalScorer) -> str:
    return scorer.scorer_id.rpartition("@")[0]


def expected(scorer: LocalScorer, text: str) -> list[float]:
    """What the scorer says of all tokens but the first."""
    for cut in range(1, len(text)):
        [result] = scorer.score([Pair(id="", prompt=text[:cut], target=text[cut:])])
        if result.failure is None:
            return list(result.logprobs)
    raise AssertionError("no pair of this text can be scored")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("logprobs", [0, 1])
def test_echoed_prompts_have_the_scorers_own_values(
    server: Running, tiny: LocalScorer, text: str, logprobs: int
) -> None:
    body = server.complete(
        model=name_of(tiny), prompt=text, echo=True, max_tokens=0, logprobs=logprobs
    )
    [choice] = body["choices"]
    found = choice["logprobs"]
    values = expected(tiny, text)
    assert found["token_logprobs"][-len(values) :] == values
    assert found["token_logprobs"][0] is None
    assert None not in found["token_logprobs"][1:]
    assert "".join(found["tokens"]) == choice["text"] == text
    assert (choice["index"], choice["finish_reason"]) == (0, "length")
    assert len({len(column) for column in found.values()}) == 1
    assert body["usage"] == {
        "prompt_tokens": len(found["tokens"]),
        "completion_tokens": 0,
        "total_tokens": len(found["tokens"]),
    }
    assert body["system_fingerprint"] == tiny.scorer_id


def test_offsets_say_where_each_token_starts(server: Running, tiny: LocalScorer) -> None:
    body = server.complete(
        model="tiny" if name_of(tiny) == "tiny" else name_of(tiny),
        prompt="a∀left =",
        echo=True,
        max_tokens=0,
        logprobs=0,
    )
    found = body["choices"][0]["logprobs"]
    assert found["tokens"] == ["a", "", "", "∀", "left", " ="]
    assert found["text_offset"] == [0, 1, 1, 1, 2, 6]
    assert found["byte_offset"] == [0, 1, 2, 3, 4, 8]


def test_prompts_of_all_four_kinds_give_one_answer(server: Running, tiny: LocalScorer) -> None:
    model = name_of(tiny)
    more: dict[str, Any] = {"echo": True, "max_tokens": 0, "logprobs": 1, "return_token_ids": True}
    texts = TEXTS[:3]
    by_text = server.complete(model=model, prompt=texts, **more)["choices"]
    assert [choice["index"] for choice in by_text] == [0, 1, 2]
    ids = [choice["prompt_token_ids"] for choice in by_text]
    assert server.complete(model=model, prompt=ids, **more)["choices"] == by_text
    for text, tokens, choice in zip(texts, ids, by_text, strict=True):
        for prompt in (text, tokens):
            [alone] = server.complete(model=model, prompt=prompt, **more)["choices"]
            assert {**alone, "index": choice["index"]} == choice


def test_the_token_written_is_the_most_probable_one(server: Running, tiny: LocalScorer) -> None:
    import torch

    model, tokenizer = load_model(tiny.files)
    asked: dict[str, Any] = {"model": name_of(tiny), "logprobs": 1, "return_token_ids": True}
    for text in TEXTS:
        ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        with torch.inference_mode():
            best = int(model(torch.tensor([ids])).logits[0, -1].argmax())
        [alone] = server.complete(prompt=text, max_tokens=1, **asked)["choices"]
        assert alone["token_ids"] == [best]
        [echoed] = server.complete(prompt=text, max_tokens=1, echo=True, **asked)["choices"]
        [again] = server.complete(prompt=[*ids, best], max_tokens=0, echo=True, **asked)["choices"]
        values = again["logprobs"]["token_logprobs"]
        assert echoed["logprobs"]["token_logprobs"] == values
        assert alone["logprobs"]["token_logprobs"] == values[-1:]
        assert alone["logprobs"]["top_logprobs"][0] == again["logprobs"]["top_logprobs"][-1]
        assert echoed["text"] == text + alone["text"]
        plain = server.complete(model=name_of(tiny), prompt=text, max_tokens=1)["choices"][0]
        assert (plain["text"], plain["logprobs"]) == (alone["text"], None)


def test_the_most_probable_token_stands_beside_the_one_that_came(
    server: Running, tiny: LocalScorer
) -> None:
    import torch

    model, tokenizer = load_model(tiny.files)
    text = TEXTS[1]
    ids = tokenizer(text)["input_ids"]
    body = server.complete(
        model=name_of(tiny), prompt=text, echo=True, max_tokens=0, logprobs=1, temperature=0
    )
    found = body["choices"][0]["logprobs"]
    with torch.inference_mode():
        table = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
    assert found["top_logprobs"][0] is None
    for at in range(1, len(ids)):
        largest = max(found["top_logprobs"][at].values())
        assert largest == pytest.approx(float(table[at - 1].max()), abs=1e-5)
        assert found["token_logprobs"][at] in found["top_logprobs"][at].values()
        came_first = int(table[at - 1].argmax()) == ids[at]
        assert (len(found["top_logprobs"][at]) == 1) == came_first


def test_a_begin_of_text_token_is_an_entry_without_a_place(
    begin_server: Running, begin: LocalScorer
) -> None:
    text = "le =\n\n∀ \\x"
    asked: dict[str, Any] = {
        "model": name_of(begin), "echo": True, "logprobs": 1, "return_token_ids": True
    }  # fmt: skip
    [choice] = begin_server.complete(prompt=text, max_tokens=0, **asked)["choices"]
    [result] = begin.score([Pair(id="", prompt="", target=text)])
    found = choice["logprobs"]
    assert choice["text"] == text
    assert found["tokens"][0] == "<bos>"
    assert "".join(found["tokens"][1:]) == text
    assert found["token_logprobs"] == [None, *result.logprobs]
    assert choice["prompt_token_ids"] == [0, *result.token_ids]
    assert (found["text_offset"][:2], found["byte_offset"][:2]) == ([0, 0], [None, 0])
    [by_ids] = begin_server.complete(prompt=choice["prompt_token_ids"], max_tokens=0, **asked)[
        "choices"
    ]
    assert by_ids["logprobs"]["token_logprobs"] == found["token_logprobs"]
    assert (by_ids["text"], "".join(by_ids["logprobs"]["tokens"])) == (text, "<bos>" + text)
    [bare] = begin_server.complete(prompt=text, max_tokens=0, add_special_tokens=False, **asked)[
        "choices"
    ]
    assert bare["prompt_token_ids"] == list(result.token_ids)
    [empty] = begin_server.complete(prompt="", max_tokens=1, **asked)["choices"]
    assert empty["logprobs"]["token_logprobs"][0] is None
    assert len(empty["logprobs"]["tokens"]) == 2


def test_nothing_is_computed_where_nothing_is_asked(server: Running, tiny: LocalScorer) -> None:
    before = server.metric("foreword_tokens_scored_total")
    [choice] = server.complete(model=name_of(tiny), prompt="xyz", echo=True, max_tokens=0)[
        "choices"
    ]
    assert (choice["text"], choice["logprobs"]) == ("xyz", None)
    [choice] = server.complete(
        model=name_of(tiny), prompt="x", echo=True, max_tokens=0, logprobs=1
    )["choices"]
    assert choice["logprobs"]["token_logprobs"] == [None]
    assert server.metric("foreword_tokens_scored_total") == before


def test_a_client_can_ask_for_one_scorer_exactly(server: Running, tiny: LocalScorer) -> None:
    body = server.complete(model=tiny.scorer_id, prompt="xy", echo=True, max_tokens=0, seed=7)
    assert body["model"] == name_of(tiny)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"model": "gpt-5"}, "this server has no such model"),
    ({"model": None}, "model: input should be a valid string"),
    ({"max_tokens": 2}, "max_tokens must be 0 or 1: this server scores"),
    ({"max_tokens": None}, r"max_tokens must be 0 or 1 \(left out, it is 16\)"),
    ({"max_tokens": True}, "max_tokens: input should be a valid integer"),
    ({"max_tokens": 10**4000}, "max_tokens"),
    ({"echo": False}, "there is nothing to answer: set echo"),
    ({"echo": "yes"}, "echo: input should be a valid boolean"),
    ({"logprobs": 5}, "logprobs is 0 or 1 here"),
    ({"logprobs": -1}, "logprobs is 0 or 1 here"),
    ({"logprobs": True}, "logprobs: input should be a valid integer"),
    ({"n": 2}, "n: it can only be 1 here"),
    ({"best_of": 2}, "best_of: it can only be 1 here"),
    ({"stream": True}, "stream: it can only be false here"),
    ({"temperature": 1}, "temperature: it can only be 0 here"),
    ({"top_p": 0.5}, "top_p: it can only be 1 here"),
    ({"stop": ["x"]}, "stop: "),
    ({"suffix": "x"}, "suffix: "),
    ({"logit_bias": {"1": 5}}, "logit_bias: "),
    ({"best": 1}, "this server has no field best"),
    ({"prompt": ""}, "prompt: it is empty"),
    ({"prompt": []}, "there are 0 prompts; 1 to 2048"),
    ({"prompt": ["x"] * 2049}, "there are 2049 prompts; 1 to 2048"),
    ({"prompt": ["x", []]}, r"prompt\[1\]: it is empty"),
    ({"prompt": ["x", 3]}, r"prompt\[1\]: it should be text, or a list of token ids"),
    ({"prompt": [1, 2.5]}, r"prompt\[0\]: it should be text, or a list of token ids"),
    ({"prompt": [True, False]}, r"prompt\[0\]: it should be text"),
    ({"prompt": {"a": 1}}, "prompt: it should be text, or a list of token ids"),
    ({"prompt": None}, "prompt: it should be text, or a list of token ids"),
    ({"prompt": [5, 263]}, "prompt: token ids are from 0 to 262"),
    ({"prompt": [-1]}, "prompt: token ids are from 0 to 262"),
    ({"prompt": [10**100]}, "prompt: token ids are from 0 to 262"),
    ({"prompt": "x" * 2049}, "prompt: it is 2049 tokens, the model reads 2048"),
    ({"prompt": [["x"]]}, r"prompt\[0\]: it should be text"),
    ({"prompt": ["x", [5] * 2049]}, r"prompt\[1\]: it is 2049 tokens, the model reads 2048"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_what_it_can_not_do_it_refuses_in_a_sentence(
    server: Running, tiny: LocalScorer, change: dict[str, Any], words: str
) -> None:
    body = {"model": name_of(tiny), "prompt": "xy", "echo": True, "max_tokens": 0, **change}
    answer = server.client.post("/v1/completions", json=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["type"] == "invalid_request_error"
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(error["message"])


def test_a_whole_window_is_read(server: Running, tiny: LocalScorer) -> None:
    [choice] = server.complete(
        model=name_of(tiny), prompt="x" * 2048, echo=True, max_tokens=1, logprobs=0
    )["choices"]
    assert len(choice["logprobs"]["tokens"]) == 2049
