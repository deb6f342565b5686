from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary, Span, span_to_score
from foreword.scores.served.align import ends_of, possible_ends
from foreword.scores.served.answer import Token
from foreword.scores.served.placed import from_texts

TEXTS = st.text(alphabet="ab =+\\left∀𝓁\r\n\u0301é\ufffdâ", min_size=1, max_size=12)
Case = tuple[Pair, list[bytes]]


@st.composite
def tokenised(draw: st.DrawFn) -> Case:
    """A pair, and its bytes cut anywhere."""
    pair = Pair(id="1", prompt=draw(TEXTS), target=draw(TEXTS))
    data = (pair.prompt + pair.target).encode()
    cuts = draw(st.sets(st.integers(1, max(1, len(data) - 1))))
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    return pair, [data[a:b] for a, b in pairwise(edges)]


def replaced(pieces: Sequence[bytes]) -> list[str]:
    return [piece.decode("utf-8", "replace") for piece in pieces]


def one_each(pieces: Sequence[bytes]) -> list[str]:
    """As decoders do that put a U+FFFD for each byte that is no character."""
    torn = [piece.decode("utf-8", "surrogateescape") for piece in pieces]
    return ["".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in t) for t in torn]


def held_back(pieces: Sequence[bytes]) -> list[str]:
    """As vLLM does: a token that ends inside of a character has no text, the one that ends the
    character has the text of all since; a token that ends well has what it says alone."""
    texts: list[str] = []
    held = b""
    for piece in pieces:
        text = piece.decode("utf-8", "replace")
        whole = (held + piece).decode("utf-8", "replace")
        if not text.endswith("\ufffd"):
            texts.append(text)
            held = b""
        elif whole.endswith("\ufffd"):
            texts.append("")
            held += piece
        else:
            texts.append(whole)
            held = b""
    return texts


def as_letters(pieces: Sequence[bytes]) -> list[str]:
    """As SGLang does: torn bytes as Latin-1 letters."""
    return [
        piece.decode("latin-1") if "\ufffd" in alone else alone
        for piece, alone in zip(pieces, replaced(pieces), strict=True)
    ]


def by_name(pieces: Sequence[bytes]) -> list[str]:
    """As OpenAI does: torn bytes by name."""
    return [
        "bytes:" + "".join(f"\\x{byte:02x}" for byte in piece) if "\ufffd" in alone else alone
        for piece, alone in zip(pieces, replaced(pieces), strict=True)
    ]


STYLES = [replaced, one_each, held_back, as_letters, by_name]


def truth(pair: Pair, pieces: Sequence[bytes], rule: Boundary) -> Span:
    ends = [sum(map(len, pieces[: at + 1])) for at in range(len(pieces))]
    return span_to_score(pair.prompt, pair.target, ends, rule)


def told(pieces: Sequence[bytes], texts: Sequence[str | None]) -> list[Token]:
    values = [None] + [-float(number) for number in range(1, len(pieces))]
    return [Token(logprob=v, text=t) for v, t in zip(values, texts, strict=True)]


def is_span(result: TokenScores, span: Span) -> bool:
    found = (result.token_texts, result.first_byte, result.prompt_bytes)
    return found == (span.texts, span.first_byte, span.prompt_bytes)


@pytest.mark.parametrize("style", STYLES)
@given(case=tokenised(), rule=st.sampled_from(["exact", "paper"]))
def test_the_tokens_found_are_the_true_ones_or_it_is_said_that_they_can_not_be_told(
    style: Callable[[Sequence[bytes]], list[str]], case: Case, rule: Boundary
) -> None:
    pair, pieces = case
    data = (pair.prompt + pair.target).encode()
    if style is held_back and "\ufffd" in data.decode():
        return  # a true U+FFFD is taken for half a character by such servers
    texts = style(pieces)
    found = possible_ends(data, texts)
    assert found is not None
    ends = [sum(map(len, pieces[: at + 1])) for at in range(len(pieces))]
    assert all(a <= b <= c for a, b, c in zip(found[0], ends, found[1], strict=True))
    try:
        span = truth(pair, pieces, rule)
    except ValueError:
        return
    try:
        result = from_texts(told(pieces, texts), pair, rule, generated=0)
    except ValueError as error:
        why = str(error)
        torn = any("\ufffd" in piece.decode("utf-8", "replace") for piece in pieces)
        assert span.first == 0 or (torn and "cut in pieces" in why)
        return
    assert is_span(result, span)
    assert result.logprobs == tuple(-float(at) for at in range(span.first, len(pieces)))
    assert result.token_ids == ()


@given(case=tokenised())
def test_named_bytes_are_exact(case: Case) -> None:
    pair, pieces = case
    data = (pair.prompt + pair.target).encode()
    if any("\ufffd" in piece.decode() for piece in [data]):
        return
    found = possible_ends(data, by_name(pieces))
    ends = [sum(map(len, pieces[: at + 1])) for at in range(len(pieces))]
    assert found == (ends, ends)


@given(case=tokenised())
def test_a_text_that_is_another_is_no_fit(case: Case) -> None:
    pair, pieces = case
    data = (pair.prompt + pair.target).encode()
    texts: list[str | None] = [*replaced(pieces)]
    assert possible_ends(data + b"z", texts) is None
    assert possible_ends(data, [*texts, "z"]) is None
    assert possible_ends(data, []) is None


def test_a_first_token_without_a_text_is_found_from_the_others() -> None:
    assert possible_ends(b"abcd", [None, "c", "d"]) == ([2, 3, 4], [2, 3, 4])
    assert possible_ends(b"cd", [None, "c", "d"]) == ([0, 1, 2], [0, 1, 2])


def test_a_character_at_the_boundary_whose_pieces_can_not_be_told_is_refused() -> None:
    pair = Pair(id="1", prompt="x∀", target="=1")
    pieces = [b"x", b"\xe2\x88", b"\x80=", b"1"]
    with pytest.raises(ValueError, match="cut in pieces"):
        from_texts(told(pieces, replaced(pieces)), pair, "exact", generated=0)
    named = from_texts(told(pieces, by_name(pieces)), pair, "exact", generated=0)
    assert (named.first_byte, named.prompt_bytes, named.token_texts) == (3, 1, ("\ufffd=", "1"))


def test_combining_marks_and_line_ends_at_the_boundary_have_no_doubt() -> None:
    pair = Pair(id="1", prompt="é=e", target="\u0301\r\n")
    pieces = ["é=".encode(), "e\u0301".encode(), b"\r\n"]
    result = from_texts(told(pieces, replaced(pieces)), pair, "exact", generated=0)
    assert result.token_texts == ("e\u0301", "\r\n")
    assert result.prompt_bytes == 1


def test_byte_offsets_must_be_of_the_text() -> None:
    assert ends_of([None, 0, 1, 1], 3) == [0, 1, 1, 3]
    for starts in ([0, 2, 1], [1, 2], [0, 9], []):
        with pytest.raises(ValueError, match="byte offsets"):
            ends_of(starts, 3)
