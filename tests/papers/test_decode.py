import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.papers.decode import declared_encoding, decode


@given(st.text(alphabet=st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
def test_utf8_comes_back_as_it_was(text: str) -> None:
    found = decode(text.encode()).text.removesuffix("\n")
    assert found == text.removeprefix("\ufeff").removesuffix("\n")


@given(st.binary())
def test_any_bytes_become_text_that_can_be_stored(data: bytes) -> None:
    text = decode(data).text
    assert "\r" not in text
    assert text.endswith("\n")
    text.encode()


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(b"\xef\xbb\xbfa\n").text == "a\n"


def test_every_line_end_becomes_a_line_feed() -> None:
    assert decode(b"a\r\nb\rc").text == "a\nb\nc\n"


def test_a_stray_byte_costs_itself_only() -> None:
    assert decode("π ≤ ".encode() + b"\x96 x").text == "π ≤ – x\n"
    assert decode(b"\x81").text == "\ufffd\n"


def test_the_declared_encoding_is_used_where_the_bytes_are_no_utf8() -> None:
    assert decode(b"100 \xa4", "iso8859-15").text == "100 €\n"
    assert decode("100 €".encode(), "iso8859-15").text == "100 €\n"


@pytest.mark.parametrize(
    ("source", "encoding"),
    [
        (rb"\usepackage[latin1]{inputenc}", "cp1252"),
        (rb"\inputencoding{koi8-r}", "koi8-r"),
        (rb"\usepackage[utf8]{inputenc}", None),
        (rb"% \usepackage[latin2]{inputenc}", None),
        (rb"\usepackage[unicode_escape]{inputenc}", None),
    ],
)
def test_only_8_bit_encodings_that_are_declared_count(source: bytes, encoding: str | None) -> None:
    assert declared_encoding(source) == encoding
