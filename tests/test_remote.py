import pytest

from foreword.remote import one_sentence, plain_url, redact


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


def test_a_url_is_kept_without_what_could_be_secret() -> None:
    assert plain_url("http://u:p@[::1]:80/v1/?k=v#f") == "http://[::1]:80/v1"
