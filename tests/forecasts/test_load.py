import subprocess
import sys
from pathlib import Path

import pytest

from foreword.errors import ForewordError, ModelError, UsageError
from foreword.forecasts import PredictorSettings, load_predictor

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("copi", "did you mean 'copy'"),
        ("smolm2", "did you mean 'smollm2'"),
        ("gpt-9", "it is copy, smollm2, hf:NAME or PROVIDER/NAME"),
        ("openay/gpt-9", "did you mean 'openai/...'"),
        ("openai/", "there is no predictor"),
    ],
)
def test_an_unknown_predictor_is_refused_with_the_nearest_name(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_predictor(name)


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named_before_any_work(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    provider = key.partition("_")[0].lower()
    with pytest.raises(ModelError, match=key) as caught:
        load_predictor(f"{provider}/some-model")
    assert "\n" not in str(caught.value)
    assert "[" not in str(caught.value)


def test_a_setting_without_effect_is_refused() -> None:
    with pytest.raises(UsageError, match="temperature has no meaning for the predictor 'copy'"):
        load_predictor("copy", PredictorSettings(temperature=0.5))
    with pytest.raises(UsageError, match="reasoning_effort has no meaning"):
        load_predictor("smollm2", PredictorSettings(reasoning_effort="high"))


def test_an_unknown_reasoning_effort_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-value")
    with pytest.raises(UsageError, match="reasoning_effort 'hi'"):
        load_predictor("openai/some-model", PredictorSettings(reasoning_effort="hi"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"context_characters": -1},
        {"temperature": float("nan")},
        {"top_p": 0.0},
        {"max_tokens": 0},
        {"max_connections": 0},
        {"timeout_s": 0.0},
        {"input_price": float("inf")},
    ],
)
def test_a_number_out_of_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PredictorSettings(**wrong)  # type: ignore[arg-type]


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ForewordError, match=r"pip install .*\[api\]"):
        load_predictor("openai/some-model")


def test_the_stage_is_imported_without_what_only_one_predictor_needs(tmp_path: Path) -> None:
    code = (
        "import sys; from foreword.forecasts import load_predictor; load_predictor('copy'); "
        "load_predictor('smollm2'); heavy = {'torch', 'transformers', 'inspect_ai', 'anyio'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
