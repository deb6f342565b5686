import pytest

from foreword.errors import ModelError
from foreword.remote import key_from, one_line, one_sentence, plain_url, redact


def test_the_values_of_secret_variables_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "hunter2hunter2")
    monkeypatch.setenv("OTHER_TOKEN", "hunter2hunter2-and-more")
    assert redact("key hunter2hunter2-and-more, hunter2hunter2") == "key [redacted], [redacted]"


def test_what_looks_like_a_key_is_taken_out() -> None:
    assert "abc" not in redact("Authorization: Basic abcabcabcabc; sk-abc_abcabcabc")
    assert redact("https://me:abc@host/") == "https[redacted]host/"


def test_an_error_is_one_short_line() -> None:
    assert one_sentence(ValueError("a\n  b " + "c" * 999)) == "ValueError: a b " + "c" * 296
    assert one_sentence(ValueError()) == "ValueError"


def test_a_key_is_taken_out_before_words_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "hunter2hunter2")
    for padding in range(1180, 1200):
        assert "hunter" not in one_line(" " * padding + "hunter2hunter2", 300)
        assert "hunter" not in one_line("x" * (padding - 900) + "hunter2hunter2", 300)


@pytest.mark.parametrize("value", ["a b", "a\nb", "tök", "\udcff"])
def test_what_can_not_be_a_key_is_refused_and_not_said(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", value)
    with pytest.raises(ModelError, match=r"SOME_KEY holds a character that no key has"):
        key_from("SOME_KEY")
    monkeypatch.setenv("SOME_KEY", " sound\r\n")
    assert key_from("SOME_KEY") == "sound"
    monkeypatch.setenv("SOME_KEY", "")
    assert key_from("SOME_KEY") is None


def test_a_url_is_kept_without_what_could_be_secret() -> None:
    assert plain_url("http://u:p@[::1]:80/v1/?k=v#f") == "http://[::1]:80/v1"
