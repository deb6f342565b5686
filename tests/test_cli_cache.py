import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import foreword
from foreword.records import Pair, TokenScores
from foreword.scores import LocalScorer
from foreword.store import Cache, fingerprint
from foreword.study import CutSection, PredictorSection, ScorerSection, Study


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = "from foreword.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=100,
        check=False,
    )


@pytest.fixture
def filled(own_cache: Path) -> Cache:
    """The test's own cache, with the scores of two scorers."""
    cache = Cache(own_cache)
    for scorer, count in (("small@1", 3), ("large@2", 400)):
        rows = {
            fingerprint([scorer, n]): [fingerprint([n, m]) for m in range(9)] for n in range(count)
        }
        cache.add(scorer, rows)
    return cache


def test_what_is_held_is_shown(filled: Cache) -> None:
    shown = run("cache")
    assert (shown.returncode, shown.stderr) == (0, "")
    first, large, small = shown.stdout.splitlines()
    assert first.startswith(f"{filled.path}: 0.")
    assert first.endswith(" of at most 2,048.0 MiB")
    assert large.split()[:3] == ["large@2", "400", "scores"]
    assert small.split()[:3] == ["small@1", "3", "scores"]
    found = json.loads(run("cache", "--json").stdout)
    assert found["path"] == str(filled.path)
    assert found["bytes"] == filled.size_bytes
    assert [(each["scorer_id"], each["rows"]) for each in found["scorers"]] == [
        ("large@2", 400),
        ("small@1", 3),
    ]


def test_an_empty_cache_is_shown_and_nothing_is_made(own_cache: Path) -> None:
    shown = run("cache")
    assert shown.returncode == 0
    assert shown.stdout.splitlines() == [f"{own_cache}/scores-2.sqlite: 0.0 of at most 2,048.0 MiB"]
    assert run("cache", "--clear").returncode == 0
    assert not own_cache.exists()


def test_it_can_be_trimmed_and_cleared(filled: Cache) -> None:
    half = filled.size_bytes / 2
    trimmed = run("cache", "--trim", half / 2**30)
    assert trimmed.returncode == 0, trimmed.stderr
    assert trimmed.stderr.startswith("removed: ")
    assert filled.size_bytes <= half
    wrong = run("cache", "--clear", "larg@2")
    assert wrong.returncode == 1
    assert "nothing of the scorer larg@2: it has large@2" in wrong.stderr
    assert run("cache", "--clear", "large@2").returncode == 0
    assert run("cache", "--clear").returncode == 0
    assert filled.sizes() == []
    assert run("cache", "--clear", "--trim", 1).returncode == 2
    assert run("cache", "--trim", -1).returncode == 2


def test_a_damaged_file_is_named_and_can_be_cleared(own_cache: Path) -> None:
    own_cache.mkdir()
    (own_cache / "scores-2.sqlite").write_text("rubbish" * 1000)
    shown = run("cache")
    assert shown.returncode == 1
    assert "is damaged; `foreword cache --clear` removes it" in shown.stderr
    assert run("cache", "--clear").returncode == 0
    assert run("cache").returncode == 0


def test_switched_off_or_set_wrong_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWORD_CACHE_GIB", "lots")
    assert run("cache").returncode == 2
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    assert run("cache").returncode == 1


def test_pairs_scored_before_are_not_scored_again(tmp_path: Path, tiny_model: Path) -> None:
    lines = [json.dumps({"id": str(n), "prompt": f"∀ {n}", "target": f"= é{n}"}) for n in range(40)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    score = ("score-pairs", "pairs.jsonl", "--unproven", "--scorer", f"hf:{tiny_model}", "--out")
    first = run(*score, "first", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "scoring requests: 40\n" in first.stderr
    again = run(*score, "again", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "40 of 40 requests were scored before, in another study\n" in again.stderr
    assert "scoring requests" not in again.stderr
    assert (tmp_path / "first").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_damaged_cache_is_told_once_and_the_scores_are_the_same(
    tmp_path: Path, tiny_model: Path, own_cache: Path
) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "prompt": "x =", "target": " y"}\n')
    score = ("score-pairs", "pairs.jsonl", "--unproven", "--scorer", f"hf:{tiny_model}", "--out")
    run(*score, "first", cwd=tmp_path)
    (own_cache / "scores-2.sqlite").write_bytes(b"x" * 5000)
    again = run(*score, "again", cwd=tmp_path)
    assert again.returncode == 0
    assert again.stderr.count("going on without the score cache") == 1
    assert (tmp_path / "first").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("size", ["nan", "inf", "1e300", "-1"])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    refused = run("cache", "--trim", size)
    assert refused.returncode == 2
    assert "Invalid value for '--trim'" in refused.stderr


def test_a_dry_run_says_what_there_is_to_do(tmp_path: Path, tiny_model: Path) -> None:
    lines = [
        json.dumps({"id": str(n), "prompt": f"x {n}", "target": f"={n % 50}"}) for n in range(60)
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join([*lines, *lines[:5]]).replace('"5', '"05'))
    score = (
        "score-pairs",
        "pairs.jsonl",
        "--unproven",
        "--scorer",
        f"hf:{tiny_model}",
        "--out",
        "s",
    )
    assert run(*score, "--json", cwd=tmp_path).returncode == 2
    assert run(*score, "--dry-run", "--engine", "ray", cwd=tmp_path).returncode == 2
    shown = run(*score, "--dry-run", "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    found = json.loads(shown.stdout)
    assert (found["requests"], found["in_journal"], found["in_cache"]) == (60, 0, 0)
    assert found["sampled"] + found["left"] == 60
    assert not (tmp_path / "s").exists()
    in_words = run(*score, "--dry-run", cwd=tmp_path)
    assert in_words.returncode == 0, in_words.stderr
    assert "60 different requests to the scorer tiny-model" in in_words.stdout
    assert f"{found['sampled']} scored before, 0 of them in another study" in in_words.stdout


def test_a_second_study_folder_computes_nothing_and_holds_the_same_bytes(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study(
        title="t",
        cut=CutSection(per_paper=2),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=f"hf:{tiny_model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget")})
    foreword.run(study, tmp_path, tmp_path / "a")

    score = LocalScorer.score

    def probe_alone(self: LocalScorer, pairs: Sequence[Pair], **how: Any) -> list[TokenScores]:
        """A weak scorer is tried again: it may have been mended."""
        if not {pair.id for pair in pairs} <= {"repeated", "shuffled", "wrong", "alone"}:
            raise AssertionError("a request was computed twice")
        return score(self, pairs, **how)

    monkeypatch.setattr("foreword.scores.local.LocalScorer.score", probe_alone)
    foreword.run(study, tmp_path, tmp_path / "b")
    for name in ("scores.parquet", "report.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    shutil.rmtree(tmp_path / "b")
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    with pytest.raises(AssertionError, match="computed twice"):
        foreword.run(study, tmp_path, tmp_path / "b")
