"""`foreword probe` as a command, and what the embedded model says of the built-in toys."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from foreword.scores import Means, load_scorer
from foreword.store import Journal, find_cache, read_provenance, read_table
from foreword.toys import BUILT_IN, CONDITIONS, ToyScore, find, read_toys, score_toys

ITEM = """[[items]]
name = '{name}'
kind = 'sum'
prefix = 'Z='
target = ['X+A+', '{letter}']
reordered = 'X+{letter}+A'
wrong = 'X+D+C'
context = 'Some sums follow.'
"""


def probe(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = "from foreword.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, "probe", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=200,
        check=False,
    )


@pytest.fixture
def two_items(tmp_path: Path) -> Path:
    path = tmp_path / "items.toml"
    items = [ITEM.format(name=name, letter=letter) for name, letter in (("one", "B"), ("two", "K"))]
    path.write_text("\n".join(items), encoding="utf-8")
    return path


def test_the_table_is_shown_and_the_rows_are_kept(
    tmp_path: Path, two_items: Path, tiny_model: Path
) -> None:
    flags = ("--items", two_items, "--scorer", f"hf:{tiny_model}", "--unproven", "--out", "p")
    done = probe(*flags, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 toy equations, scorer " in done.stdout
    assert "exact > reordered > wrong > empty, clip 2: " in done.stdout
    assert "p: 10 rows" in done.stderr
    assert "next: foreword probe" in done.stderr
    rows = read_table(tmp_path / "p", ToyScore)
    assert [row.condition for row in rows] == list(CONDITIONS) * 2
    assert {row.token_texts for row in rows[:5]} == {tuple("X+A+B")}
    assert {(row.recovery_token, row.recovery_bytes) for row in rows} == {(4, 0)}
    assert (read_provenance(tmp_path / "p") or {})["notes"]["probe"]["weakness"]
    before = (tmp_path / "p").read_bytes()
    again = probe(*flags, "--json", cwd=tmp_path)
    found = json.loads(again.stdout)
    assert (tmp_path / "p").read_bytes() == before
    assert [item["item"] for item in found["items"]] == ["one"] * 5 + ["two"] * 5
    assert found["items"][0]["recovery_probability"] == rows[0].recovery_probability
    two_items.write_text(two_items.read_text().replace("'X+D+C'", "'X+E+F'"), encoding="utf-8")
    refused = probe(*flags, cwd=tmp_path)
    assert (refused.returncode, "made with other items" in refused.stderr) == (1, True)


def test_without_a_file_to_write_nothing_is_left_but_the_cache(
    tmp_path: Path, two_items: Path, tiny_model: Path, own_cache: Path
) -> None:
    flags = ("--items", two_items, "--scorer", f"hf:{tiny_model}", "--unproven", "--json")
    first, second = probe(*flags, cwd=tmp_path), probe(*flags, cwd=tmp_path)
    assert first.returncode == second.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert "10 of 10 requests were scored before" in second.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["items.toml"]
    assert own_cache.is_dir()


def test_the_built_in_list_is_shown_as_it_is() -> None:
    shown = probe("--show-items")
    assert (shown.returncode, shown.stdout) == (0, BUILT_IN.read_text(encoding="utf-8"))


def test_a_fault_of_the_list_a_weak_scorer_and_a_long_item_each_end_in_a_sentence(
    tmp_path: Path, two_items: Path, tiny_model: Path
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(ITEM.format(name="one", letter="A"), encoding="utf-8")
    refused = probe("--items", bad)
    assert (refused.returncode, "bad.toml:1: items.0: reordered" in refused.stderr) == (2, True)
    weak = probe("--items", two_items, "--scorer", f"hf:{tiny_model}")
    assert (weak.returncode, "can't be trusted" in weak.stderr) == (1, True)
    long = ITEM.format(name="long", letter="B").replace("prefix = 'Z", f"prefix = '{'Z' * 3000}")
    two_items.write_text(f"{two_items.read_text()}\n{long}", encoding="utf-8")
    done = probe("--items", two_items, "--scorer", f"hf:{tiny_model}", "--unproven")
    assert done.returncode == 3
    assert "2 of 3 toy equations" in done.stdout
    assert "failed: scores: long exact: prompt and target are" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_embedded_model_has_the_expected_order(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal") as journal:
        means = Means(scorer=load_scorer("smollm2"), journal=journal, cache=find_cache())
        found = find(score_toys(read_toys(), means))
    assert found.num_left_out == 0
    (whole,) = (o for o in found.orders if (o.kind, o.rule) == ("all", "clip2"))
    assert whole.in_the_mean
