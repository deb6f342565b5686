"""The boundary on every kind of tokenizer, each with a model, against plain definitions.

Where a token ends is counted out by the rules of each kind (`stands_for`); a score is the float64
model's, of one whole sequence at a time, with a full log-softmax.
"""

import unicodedata
import warnings
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_made import KINDS, beginning, lossy, stands_for

from foreword.models import load_model
from foreword.records import Pair, TokenScores
from foreword.scores import byte_ends, load_scorer, span_to_score
from tiny_model import save_model_of

Rule = Literal["exact", "paper"]
WINDOW = 64
PAIRS = {
    "carriage return and line feed apart": ("x=\r", "\ny"),
    "carriage return and line feed": ("x=\r\n", "\r\n y"),
    "line breaks apart": ("x\n", "\ny"),
    "line breaks": ("x=", "\n\ny"),
    "white space alone": ("x=", " \n\n"),
    "a mark apart from its letter": ("xe", "\u0301=y"),
    "a letter with its mark": ("x=", "e\u0301\u0323=y"),
    "a mark before": ("xe\u0301", "=y"),
    "a mark first": ("\u0301", "x"),
    "syllables of letters": ("=\u1112", "\u1161\u11abx"),
    "known and unknown alphabets": ("x∀", "𝓁=y"),
    "unknown and known alphabets": ("f(𝓁", "∀x"),
    "two unknown letters": ("x𝓁", "𝓂"),
    "a control word cut": (r"x\le", "ft(y"),
    "a control word and a space": (r"x\le ", "x="),
    "a control word begun": ("f(x)=", r"\frac{1}{2}"),
    "a space before": ("x=y+ ", "x"),
    "spaces on both sides": (" x ", "  =y"),
    "the sign of a space": ("x▁", "▁y"),
    "a name like a byte's": ("x<0x0", "A>"),
}


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], Path]:
    """A model for each kind of tokenizer, with and without a token that begins a text."""
    found = {}
    for kind, make in KINDS.items():
        for begins in (False, True):
            folder = tmp_path_factory.mktemp(f"{kind}-{begins}")
            special = {"eos_token": "<end>", "unk_token": "<unk>"}
            special |= {"bos_token": "<s>"} if begins else {}
            tokenizer = beginning(make()) if begins else make()
            found[kind, begins] = save_model_of(folder, tokenizer, window=WINDOW, **special)
    return found


def scored(folder: Path, prompt: str, target: str, rule: Rule = "exact") -> TokenScores:
    scorer = load_scorer(f"hf:{folder}", boundary=rule)
    [result] = scorer.score([Pair(id="1", prompt=prompt, target=target)])
    return result


@lru_cache
def in_float64(folder: Path) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from transformers import AutoModelForCausalLM
    files = load_scorer(f"hf:{folder}").files  # type: ignore[attr-defined]
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    return model, load_model(files)[1]


def ids_of(tokenizer: Any, text: str, begins: bool) -> list[int]:
    plain = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    return [1] * begins + plain


def reference(folder: Path, ids: list[int], count: int) -> list[float]:
    """Log-probabilities of the last tokens of a sequence."""
    import torch

    model, _ = in_float64(folder)
    with torch.inference_mode():
        table = torch.log_softmax(model(torch.tensor([ids])).logits[0], dim=-1)
    return [float(table[t - 1, ids[t]]) for t in range(len(ids) - count, len(ids))]


@pytest.mark.parametrize("rule", ["exact", "paper"])
@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_tokens_scored_are_those_of_the_rule_and_score_as_in_float64(
    kind: str, begins: bool, rule: Rule, folders: dict[tuple[str, bool], Path]
) -> None:
    folder = folders[kind, begins]
    _, tokenizer = in_float64(folder)
    pairs = [
        Pair(id=name, prompt=prompt, target=target) for name, (prompt, target) in PAIRS.items()
    ]
    results = load_scorer(f"hf:{folder}", boundary=rule).score(pairs)
    for (name, (prompt, target)), result in zip(PAIRS.items(), results, strict=True):
        text = prompt + target
        ids = ids_of(tokenizer, text, begins)
        tokens = tokenizer.convert_ids_to_tokens(ids[begins:])
        assert all(id_ > 0 for id_ in ids), name
        spelled = b"".join(stands_for(kind, tokens, text))
        if spelled != text.encode():  # composed: see the tests below
            assert spelled == unicodedata.normalize("NFC", text).encode()
            continue
        ends = list(accumulate(map(len, stands_for(kind, tokens, text))))
        starts = [0, *ends[:-1]]
        boundary = len(prompt.encode())
        if rule == "exact":
            [first] = [i for i in range(len(ends)) if starts[i] <= boundary < ends[i]]
        else:
            boundary = len(text.encode()) - len(target.lstrip().encode())
            first = min((i for i, start in enumerate(starts) if start >= boundary), default=-1)
            if first == -1:
                assert result.failure == "no token starts in the target", name
                continue
        if first + begins == 0:
            assert result.failure, name
            continue
        assert result.failure is None, name
        assert result.token_ids == tuple(ids[begins + first :]), name
        assert result.first_byte == starts[first], name
        assert result.prompt_bytes == max(0, len(prompt.encode()) - starts[first]), name
        rest = text.encode()[starts[first] :]
        assert "".join(result.token_texts) == rest.decode("utf-8", "replace"), name
        expected = reference(folder, ids, len(ids) - begins - first)
        assert result.logprobs == pytest.approx(expected, abs=1e-5), name


@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_a_text_as_long_as_the_window_is_scored_and_a_longer_one_is_not(
    kind: str, begins: bool, extra: int, folders: dict[tuple[str, bool], Path]
) -> None:
    folder = folders[kind, begins]
    _, tokenizer = in_float64(folder)
    target = "∀)𝓁"
    short = len(ids_of(tokenizer, "(" + target, begins))
    prompt = "(" * (1 + WINDOW + extra - short)
    result = scored(folder, prompt, target)
    ids = ids_of(tokenizer, prompt + target, begins)
    assert len(ids) == WINDOW + extra
    if extra == 1:
        assert result == TokenScores(
            failure=f"prompt and target are {WINDOW + 1} tokens, the model reads {WINDOW}"
        )
        return
    assert "".join(result.token_texts) == target
    expected = reference(folder, ids, len(result.token_ids))
    assert result.logprobs == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_prompt_is_scored_where_a_token_begins_the_text_and_refused_elsewhere(
    kind: str, folders: dict[tuple[str, bool], Path]
) -> None:
    result = scored(folders[kind, True], "", "=x")
    assert (result.first_byte, result.prompt_bytes) == (0, 0)
    assert "".join(result.token_texts) == "=x"
    result = scored(folders[kind, False], "", "=x")
    put_before = kind in ("roberta", "llama", "llama_legacy", "unigram")
    assert (result.failure is None) == (put_before and len(result.token_ids) > 0)


@pytest.mark.parametrize("kind", KINDS)
def test_special_tokens_written_in_a_text_are_text_and_come_once(
    kind: str, folders: dict[tuple[str, bool], Path]
) -> None:
    result = scored(folders[kind, True], "x<s>=", "<s>y<end>")
    if kind == "unigram":  # its model itself finds the piece `<s>` in a text
        assert "there would be two" in (result.failure or "")
        return
    assert "".join(result.token_texts) == "<s>y<end>"
    assert not {1, 2} & set(result.token_ids)


def test_pieces_of_a_composed_letter_go_together(
    folders: dict[tuple[str, bool], Path],
) -> None:
    folder = folders["qwen", False]
    _, tokenizer = in_float64(folder)
    for rule in ("exact", "paper"):
        result = scored(folder, "x=", "e\u0301y", rule)
        assert len(result.token_ids) == 3
        assert result.token_texts == ("", "e\u0301", "y")
        assert (result.first_byte, result.prompt_bytes) == (2, 0)
        ids = ids_of(tokenizer, "x=e\u0301y", False)
        assert result.logprobs == pytest.approx(reference(folder, ids, 3), abs=1e-5)
        after = scored(folder, "xe\u0301", "y𝓁", rule)
        assert after.token_texts == ("y", "", "", "", "𝓁")
        assert (after.first_byte, after.prompt_bytes) == (4, 0)


@pytest.mark.parametrize("rule", ["exact", "paper"])
def test_a_boundary_within_a_composed_letter_that_is_cut_is_refused(
    rule: Rule, folders: dict[tuple[str, bool], Path]
) -> None:
    result = scored(folders["qwen", False], "xe", "\u0301y", rule)
    assert result == TokenScores(
        failure="the prompt ends within characters that the tokenizer changes and cuts in pieces"
    )
    first = scored(folders["qwen", True], "e\u0301x", "y", rule)
    assert first == TokenScores(
        failure="the tokenizer changes the first character of the text, and cuts it"
    )


def test_a_composed_letter_that_is_one_token_can_straddle_the_boundary() -> None:
    tokens = ["x", "Ã©", "y"]
    span = span_to_score("xe", "\u0301y", byte_ends("xe\u0301y", tokens))
    assert (span.first, span.texts, span.prompt_bytes) == (1, ("e\u0301", "y"), 1)
    paper = span_to_score("xe", "\u0301y", byte_ends("xe\u0301y", tokens), "paper")
    assert (paper.first, paper.texts, paper.prompt_bytes) == (2, ("y",), 0)


@pytest.mark.parametrize(
    ("kind", "prompt", "target", "said"),
    [
        ("unknown", "x=", "y𝓁", "reads '<unk>' at '𝓁'"),
        ("unknown", "𝓁=", "y", "reads '<unk>' at '𝓁=y'"),
        ("compatible", "x=", "y²", "reads '2' at '²'"),
        ("lowercase", "x=", "Y", "reads 'y' at 'Y'"),
        ("stripping", "x=", "y ", "cover 3 of 4 bytes"),
        ("stripping", " x=", "y", "reads 'x' at ' x=y'"),
        ("line breaks", "x=", "\ny", r"reads '▁' at '\ny'"),
        ("words", "x= ", "y", "reads 'y' at ' y'"),
    ],
)
def test_a_text_that_the_tokenizer_changes_is_refused_with_the_place(
    kind: str, prompt: str, target: str, said: str, tmp_path: Path
) -> None:
    folder = save_model_of(tmp_path / "model", lossy(kind), unk_token="<unk>", eos_token="<end>")
    result = scored(folder, prompt, target)
    assert said in (result.failure or "")
    assert result == TokenScores(failure=result.failure)
    assert scored(folder, "x=", "y").failure is None


TEXTS = st.text(alphabet="ab =e\\left∀𝓁\r\n\u0301éÃ\u1112\u1161<0xA>", min_size=1, max_size=10)


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXTS)
def test_ends_are_exact_or_refused_whatever_the_text(kind: str, text: str) -> None:
    tokenizer = made(kind)
    encoded = tokenizer.encode(text, add_special_tokens=False)
    tokens = [tokenizer.id_to_token(id_) for id_ in encoded.ids]
    expected = stands_for(kind, tokens, text)
    if b"".join(expected) == text.encode():
        assert byte_ends(text, tokens) == list(accumulate(map(len, expected)))
        return
    assert b"".join(expected) == unicodedata.normalize("NFC", text).encode()
    if len(expected[0]) == 1 and unicodedata.combining((text + "x")[1]):  # cut at the beginning
        with pytest.raises(ValueError, match="changes the first character"):
            byte_ends(text, tokens)
        return
    ends = byte_ends(text, tokens)
    assert ends[-1] == len(text.encode())
    assert ends == sorted(ends)
    data = text.encode()
    before = composed = 0
    for end, piece in zip(ends, expected, strict=True):
        composed += len(piece)
        if end == before:
            continue
        part = data[:end].decode("utf-8", "ignore")
        if len(part.encode()) == end:
            assert len(unicodedata.normalize("NFC", part).encode()) == composed
        before = end


@lru_cache
def made(kind: str) -> Any:
    return KINDS[kind]()
