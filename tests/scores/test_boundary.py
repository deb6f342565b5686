from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.scores import byte_ends, span_to_score

PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]


def spelled(data: bytes) -> str:
    return "".join(chr(b) if b in PRINTABLE else chr(0x100 + OTHERS.index(b)) for b in data)


texts = st.text(alphabet="ab =+\\left∀𝓁\r\n\u0301é", min_size=1, max_size=12)


@st.composite
def tokenised(draw: st.DrawFn) -> tuple[str, str, list[int]]:
    prompt, target = draw(texts), draw(texts)
    size = len((prompt + target).encode())
    inner = draw(st.sets(st.integers(1, max(1, size - 1)), max_size=size))
    return prompt, target, sorted({*(i for i in inner if i < size), size})


@given(tokenised())
def test_exact_rule_starts_with_the_token_that_holds_the_first_target_byte(
    case: tuple[str, str, list[int]],
) -> None:
    prompt, target, ends = case
    span = span_to_score(prompt, target, ends)
    boundary = len(prompt.encode())
    starts = [0, *ends[:-1]]
    assert starts[span.first] <= boundary < ends[span.first]
    assert span.first_byte == starts[span.first]
    assert span.prompt_bytes == boundary - span.first_byte
    assert len(span.texts) == len(ends) - span.first


@given(tokenised())
def test_texts_joined_are_the_end_of_the_string(case: tuple[str, str, list[int]]) -> None:
    prompt, target, ends = case
    span = span_to_score(prompt, target, ends)
    rest = (prompt + target).encode()[span.first_byte :]
    assert "".join(span.texts) == rest.decode("utf-8", "replace")


@given(tokenised())
def test_paper_rule_scores_no_token_that_starts_before_the_target(
    case: tuple[str, str, list[int]],
) -> None:
    prompt, target, ends = case
    moved = len((prompt + target).encode()) - len(target.lstrip().encode())
    try:
        span = span_to_score(prompt, target, ends, "paper")
    except ValueError:
        assert all(start < moved for start in [0, *ends[:-1]])
        return
    assert span.first_byte >= moved
    assert span.prompt_bytes == 0


def test_paper_rule_leaves_a_straddling_first_token_unscored() -> None:
    ends = [3, 7, 8]
    assert span_to_score("x= ", r"left)", ends).texts == ("left", ")")
    assert span_to_score("x=", r" left)", [1, 7, 8], "paper").texts == (")",)


def test_an_empty_target_is_refused() -> None:
    with pytest.raises(ValueError, match="target is empty"):
        span_to_score("a", "", [1])


def test_tokens_that_do_not_cover_the_string_are_refused() -> None:
    with pytest.raises(ValueError, match="cover 2 of 3 bytes"):
        span_to_score("a", "bc", [1, 2])


@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=6), texts)
def test_byte_level_spelling_gives_exact_ends(pieces: list[bytes], text: str) -> None:
    data = text.encode()
    cuts = sorted({len(data), *(len(p) for p in pieces if len(p) < len(data))})
    parts = [data[a:b] for a, b in zip([0, *cuts[:-1]], cuts, strict=True)]
    assert byte_ends(text, [spelled(part) for part in parts]) == list(accumulate(map(len, parts)))


def test_three_tokens_of_one_character_have_three_ends() -> None:
    assert byte_ends("∀x", [spelled(b"\xe2"), spelled(b"\x88"), spelled(b"\x80"), "x"]) == [
        1,
        2,
        3,
        4,
    ]


def test_sentencepiece_tokens_are_counted_in_bytes() -> None:
    assert byte_ends("é x", ["▁é", "▁x"]) == [2, 4]


def test_a_space_belongs_to_the_token_that_spells_it() -> None:
    span = span_to_score("a= ", "X", byte_ends("a= X", ["▁a", "=", "▁X"]))
    assert span.texts == (" X",)
    assert span.prompt_bytes == 1
