from pathlib import Path

import pytest

from foreword.errors import UsageError
from foreword.study import paper_paths, sample_papers
from foreword.study_file import read_study


def study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(tmp_path: Path, text: str) -> list[str]:
    path = study(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        read_study(path)
    return [line.removeprefix(f"{path}:") for line in str(caught.value).splitlines()]


def test_an_empty_file_is_a_study_of_the_sample_papers(tmp_path: Path) -> None:
    found = read_study(study(tmp_path, ""))
    assert [predictor.label for predictor in found.predictors] == ["copy", "smollm2"]
    assert paper_paths(found, tmp_path) == sample_papers()
    assert found.rules.min_context == 10_000


def test_all_wrong_fields_are_named_at_once_with_their_lines(tmp_path: Path) -> None:
    lines = refusal(
        tmp_path,
        "title = 3\n"
        "controls = ['empty', 'same-budget', 'triple_budget']\n"
        "\n[cut]\nper_papers = 4\nmin_hidden = 'x'\n"
        "\n[[predictors]]\nmodel = 'copy'\n"
        "\n[[predictors]]\nmodel = 'smollm2'\ntemperatur = 1.0\n"
        "\n[scorer]\ndtype = 'float23'\n",
    )
    assert [line.split(":")[0] for line in lines] == ["1", "5", "6", "13", "16"]
    assert "did you mean 'per_paper'?" in lines[1]
    assert "did you mean 'temperature'?" in lines[3]
    assert "float32, bfloat16, float16" in lines[4]


def test_what_a_schema_can_not_see_is_named_at_once_too(tmp_path: Path) -> None:
    lines = refusal(
        tmp_path,
        "controls = [\n  'empty',\n  'same-budget',\n  'triple_budget',\n]\n"
        "[papers]\npaths = ['nowhere.tex']\n"
        "[[predictors]]\nmodel = 'copi'\n"
        "[scorer]\nmodel = 'smollm'\n",
    )
    assert len(lines) == 4
    assert "did you mean 'triple-budget'" in lines[0]
    assert "there is no" in lines[1]
    assert "copy" in lines[2]
    assert "did you mean 'smollm2'" in lines[3]


def test_an_unquoted_arxiv_id_gets_its_own_message(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "[papers]\npaths = [2307.05320]\n")
    assert "must be in quotes" in line
    assert "2307.0532," in line


def test_toml_errors_have_their_line_and_a_hint_on_latex(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, 'title = "\\nabla \\mu"\n')
    assert "line 1" in line
    assert "single quotes" in line


def test_two_predictors_of_one_name_are_refused(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "[[predictors]]\nmodel = 'copy'\n[[predictors]]\nmodel = 'copy'\n")
    assert "two predictors are named 'copy'" in line


def test_the_baselines_can_not_be_left_out(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "controls = ['true-suffix']\n")
    assert "list both" in line


@pytest.mark.parametrize("name", ["../../etc", "a/b", "a b", "", "-x"])
def test_a_name_is_never_a_path(name: str, tmp_path: Path) -> None:
    text = f"[[predictors]]\nmodel = 'copy'\nname = '{name}'\n"
    if name:
        assert "a name is made of" in refusal(tmp_path, text)[0]
    else:
        assert read_study(study(tmp_path, text)).predictors[0].label == "copy"


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no study file"):
        read_study(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="can't be read as UTF-8"):
        read_study(tmp_path / "binary.toml")


def test_macros_are_written_out_where_a_study_asks_for_it(tmp_path: Path) -> None:
    assert read_study(study(tmp_path, "[cut]\nexpand_macros = true\n")).rules.expand_macros
    assert not read_study(study(tmp_path, "")).rules.expand_macros
    (line,) = refusal(tmp_path, "[cut]\nexpand_macros = 1\n")
    assert "valid boolean" in line


def test_controls_that_can_not_work_are_refused_before_any_work(tmp_path: Path) -> None:
    lines = refusal(tmp_path, "[cut]\nmin_context = 100\n")
    assert len(lines) == 3
    assert "context-in-scaffold needs 440 characters" in "".join(lines)
    assert "triple-budget needs 1320 characters" in "".join(lines)
    (line,) = refusal(tmp_path, "controls = ['empty', 'same-budget', 'empty']\n")
    assert "'empty' is there twice" in line


def test_settings_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "[[predictors]]\nmodel = 'smollm2'\ntemperature = inf\n")
    assert line.startswith("3: predictors.0.temperature")


def test_a_key_with_a_dot_in_it_is_told_that_it_needs_quotes(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "[papers]\nmain = { 2604.19885v2 = 'main.tex' }\n")
    assert "a key with a dot in it goes into quotes" in line


def test_a_main_file_for_a_paper_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "[papers]\nmain = { nowhere = 'main.tex' }\n")
    assert "no paper has the id nowhere" in line


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://me:key@127.0.0.1/v1", "localhost"])
def test_a_base_url_is_a_server_and_holds_no_key(url: str, tmp_path: Path) -> None:
    text = f"[[predictors]]\nmodel = 'openai/x'\nbase_url = '{url}'\n"
    (line,) = refusal(tmp_path, text)
    assert "keys come from the environment" in line
    assert "key@" not in line


def test_the_likeliest_slips_are_answered_in_words(tmp_path: Path) -> None:
    assert (
        "[[predictors]], in two brackets" in refusal(tmp_path, "[predictors]\nmodel = 'copy'\n")[0]
    )
    assert "it should be a list" in refusal(tmp_path, "controls = 'empty'\n")[0]
    assert "table of its own" in refusal(tmp_path, "cut = 3\n")[0]
    (line,) = refusal(tmp_path, "\n\n[[predictor]]\nmodel = 'copy'\n")
    assert line.startswith("3: there is no field predictor; did you mean 'predictors'?")


def test_deep_nesting_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    assert "nested too deeply" in refusal(tmp_path, "a=" + "[" * 100_000 + "]" * 100_000)[0]
    assert read_study(study(tmp_path, "\ufefftitle = 'x'\n")).title == "x"


def test_a_scorer_by_url_is_checked_before_any_work(tmp_path: Path) -> None:
    url = "openai:http://127.0.0.1:1/v1#m"
    found = read_study(study(tmp_path, f"[scorer]\nmodel = '{url}'\nmax_connections = 2\n"))
    assert found.scorer.scorer.workers == 2
    for line, said in (
        ("model = 'openai:http://127.0.0.1:1/v1'", "has no model"),
        ("model = 'openai:http://me:secret-word@127.0.0.1:1/v1#m'", "has a name or a key in it"),
        (f"model = '{url}'\ndtype = 'float32'", "dtype has no meaning for a scorer by URL"),
        (f"model = '{url}'\ntokenizer = 'hf:/nowhere/at/all'", "no folder or .gguf file"),
        (f"model = '{url}'\ntimeout_s = 0", "timeout_s"),
    ):
        (refused,) = refusal(tmp_path, f"[scorer]\n{line}\n")
        assert said in refused
        assert "secret-word" not in refused
