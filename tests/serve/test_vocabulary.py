import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.models import load_model
from foreword.records import Pair
from foreword.scores import LocalScorer
from foreword.scores.request import make_request
from foreword.serve.vocabulary import Placed, Vocabulary

TEXTS = st.text(alphabet=" =+x\\{}()leftright∀𝓁é\r\n\u0301\ufffd\U0001d4c1<end>▁<0x0A>")
SHARED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="session")
def bytelike(tiny: LocalScorer) -> Vocabulary:
    return Vocabulary.of(*load_model(tiny.files))


@pytest.fixture(scope="session")
def piecelike(begin: LocalScorer) -> Vocabulary:
    return Vocabulary.of(*load_model(begin.files))


def starts(placed: Placed) -> list[tuple[int, str]]:
    """Each token's character offset and text, those of special tokens left out."""
    return [
        (at, token)
        for at, token, byte in zip(
            placed.text_offsets, placed.tokens, placed.byte_offsets, strict=True
        )
        if byte is not None
    ]


@pytest.mark.parametrize("kind", ["bytelike", "piecelike"])
@SHARED
@given(text=TEXTS)
def test_tokens_stand_where_they_say(request: pytest.FixtureRequest, kind: str, text: str) -> None:
    vocabulary: Vocabulary = request.getfixturevalue(kind)
    prompt = vocabulary.read_text(text)
    placed = vocabulary.placed(prompt)
    assert placed.text == text
    data = text.encode()
    places = [at for at in placed.byte_offsets if at is not None]
    assert places == sorted(places)
    for (at, token), byte in zip(starts(placed), places, strict=True):
        assert text[at : at + len(token)] == token
        assert at == len(data[:byte].decode("utf-8", "ignore"))
    assert "".join(token for _, token in starts(placed)) == text


@pytest.mark.parametrize("kind", ["bytelike", "piecelike"])
@SHARED
@given(text=TEXTS)
def test_ids_are_placed_as_the_text_that_they_are_of(
    request: pytest.FixtureRequest, kind: str, text: str
) -> None:
    vocabulary: Vocabulary = request.getfixturevalue(kind)
    prompt = vocabulary.read_text(text)
    if "▁" not in text:  # which `pieces` read as a space
        assert vocabulary.placed(vocabulary.read_ids(prompt.ids)) == vocabulary.placed(prompt)


@SHARED
@given(text=TEXTS)
def test_a_text_is_read_as_the_scorer_reads_it(
    bytelike: Vocabulary, piecelike: Vocabulary, text: str
) -> None:
    for vocabulary in (bytelike, piecelike):
        pair = Pair(id="", prompt="x", target=text + "y")
        request = make_request(pair, vocabulary.tokenizer, "exact", None)
        assert vocabulary.read_text(f"x{text}y").ids == request.ids


@pytest.mark.parametrize("kind", ["bytelike", "piecelike"])
@SHARED
@given(ids=st.lists(st.integers(0, 262), max_size=8))
def test_any_ids_have_a_text_or_a_reason(
    request: pytest.FixtureRequest, kind: str, ids: list[int]
) -> None:
    vocabulary: Vocabulary = request.getfixturevalue(kind)
    placed = vocabulary.placed(vocabulary.read_ids(ids))
    assert "".join(token for _, token in starts(placed)) == placed.text
    special = [at is None for at in placed.byte_offsets]
    assert special == [id_ in vocabulary.added and vocabulary.added[id_].special for id_ in ids]
    placed.text.encode()


def test_tokens_that_are_no_text_alone_go_by_their_number(
    bytelike: Vocabulary, piecelike: Vocabulary
) -> None:
    ids = bytelike.read_text("∀").ids
    assert [bytelike.name(id_) for id_ in ids] == [f"token_id:{id_}" for id_ in ids]
    assert [bytelike.name(id_) for id_ in bytelike.read_text(" =é"[:2]).ids] == [" ="]
    assert bytelike.name(0) == "<end>"
    assert piecelike.name(0) == "<bos>"
    assert piecelike.name(vocabulary_end := piecelike.size - 1) == f"token_id:{vocabulary_end}"
    assert piecelike.spelled(vocabulary_end) is None
