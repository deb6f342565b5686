import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from foreword.errors import BusyError, ForewordError, TableError
from foreword.records import Display, Macro, Pair, Paper, Score, Segment
from foreword.store import (
    Journal,
    beside,
    disk_errors,
    fingerprint,
    from_row,
    holding,
    read_json_lines,
    read_provenance,
    read_table,
    to_row,
    write_table,
    write_text,
)

PAPER = Paper(
    id="p",
    text="a\nb ∀ 𝓁",
    segments=(Segment(start=0, file="x.tex", line=3, column=1),),
    displays=(Display(environment="[", start=0, body_start=1, body_end=2, end=3),),
    macros=(Macro(name="R", num_args=0, default=None, body=r"\mathbb{R}"),),
)
SCORE = Score(
    cut_id="c",
    paper_id="p",
    condition="empty",
    scorer_id="s",
    token_ids=(1, 2),
    token_texts=("a", "b"),
    logprobs=(-0.5, -1.25),
    first_byte=3,
    prompt_bytes=0,
)


@pytest.mark.parametrize("row", [PAPER, SCORE, replace(SCORE, failure="no", logprobs=())])
def test_a_table_gives_back_the_records_that_went_in(row: object, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.parquet"
    write_table(path, [row], type(row), {"why": "test"})
    assert read_table(path, type(row)) == [row]
    assert read_provenance(path) == {"kind": type(row).__name__, "why": "test"}
    assert [p.name for p in path.parent.iterdir()] == ["t.parquet"]


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_table(tmp_path / name, [SCORE] * 100, Score, {"x": 1, "y": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_empty_table_can_be_read(tmp_path: Path) -> None:
    write_table(tmp_path / "t", [], Score, {})
    assert read_table(tmp_path / "t", Score) == []


def test_half_a_surrogate_pair_becomes_a_question_mark(tmp_path: Path) -> None:
    write_table(tmp_path / "t", [replace(PAPER, text="a\ud800b")], Paper, {})
    assert read_table(tmp_path / "t", Paper)[0].text == "a?b"


def test_a_table_of_another_kind_is_refused_with_its_columns(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    write_table(tmp_path / "t", [SCORE], Score, {})
    with pytest.raises(TableError, match=r"is a table of Score records, not of Paper records"):
        read_table(tmp_path / "t", Paper)
    pq.write_table(pq.read_table(tmp_path / "t").replace_schema_metadata(None), tmp_path / "t")
    with pytest.raises(TableError, match=r"of Paper records: it lacks id, text; it has cut_id"):
        read_table(tmp_path / "t", Paper)


def test_a_table_that_is_not_there_is_named_with_the_command_that_writes_it(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"cuts.parquet is not there: `foreword cut` writes it"):
        read_table(tmp_path / "cuts.parquet", Paper)
    with pytest.raises(TableError, match=r"run the stage that writes it first"):
        read_table(tmp_path / "other.parquet", Paper)


def test_columns_with_a_default_may_be_left_out(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x"], "text": ["y"]}), tmp_path / "t")
    assert read_table(tmp_path / "t", Paper) == [Paper(id="x", text="y")]


def test_a_value_of_the_wrong_kind_is_named(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x", "y"], "text": ["y", None]}), tmp_path / "t")
    with pytest.raises(TableError, match=r"row 1, column text"):
        read_table(tmp_path / "t", Paper)


@pytest.mark.parametrize("content", [b"", b"no parquet", b"PAR1" * 10])
def test_what_is_no_parquet_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(TableError, match="not a Parquet file"):
        read_table(tmp_path / "t", Paper)
    assert read_provenance(tmp_path / "t") is None


def test_a_missing_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="is not there"):
        read_table(tmp_path / "t", Paper)


def test_a_journal_keeps_rows_over_a_torn_last_line(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path) as journal:
        journal.add({"a": to_row(SCORE), "b": {"x": "∀"}})
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key": "c", "ro')
    with Journal(path) as journal:
        assert len(journal) == 2
        assert "c" not in journal
        assert from_row(journal["a"], Score) == SCORE
        journal.add({"c": 1})
    assert path.read_bytes().startswith(whole)
    with Journal(path) as journal:
        assert journal["c"] == 1


def test_a_journal_damaged_in_the_middle_says_where(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b'{"key": "a", "row": 1}\nrubbish\n{"key": "b", "row": 2}\n')
    with pytest.raises(TableError, match="line 2, is damaged"):
        Journal(tmp_path / "j")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_journal_reads_no_number_that_json_has_not(value: str, tmp_path: Path) -> None:
    (tmp_path / "j").write_text(f'{{"a": {value}}}\n')
    with pytest.raises(TableError, match="line 1, is damaged"):
        Journal(tmp_path / "j")


def test_a_journal_refuses_what_is_not_a_number(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal, pytest.raises(ValueError, match="JSON"):
        journal.add({"a": float("nan")})
    with Journal(tmp_path / "j") as journal:
        assert len(journal) == 0


def test_two_processes_can_not_hold_one_folder(tmp_path: Path) -> None:
    with holding(tmp_path, "first"):
        with (
            pytest.raises(BusyError, match=rf"in use by process {os.getpid()} .*first"),
            holding(tmp_path, "second"),
        ):
            pass
        with pytest.raises(BusyError, match="in use by process"), beside(tmp_path):
            pass
    with holding(tmp_path, "again"):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib; from foreword.store import holding\n"
        "with holding(pathlib.Path(sys.argv[1]), 'x'): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(BusyError, match=f"process {child.pid}"), holding(tmp_path, "y"):
            pass
        child.send_signal(signal.SIGKILL)
        child.wait()
    with holding(tmp_path, "y"):
        pass


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Threads that take turns after every few instructions, so that a race is seen."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching_often")
def test_many_writers_of_one_file_are_busy_or_succeed_and_the_file_is_whole(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    texts = {str(writer) * 5000 for writer in range(8)}
    other: list[Exception] = []

    def write(text: str) -> None:
        for _ in range(100):
            try:
                write_text(path, text)
            except BusyError:
                pass
            except OSError as error:
                other.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not other
    assert path.read_text() in texts
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_disk_errors_become_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ForewordError, match=r"can't write .*choose another place"),
        disk_errors(tmp_path / "file" / "t"),
    ):
        write_table(tmp_path / "file" / "t", [SCORE], Score, {})


def test_a_fingerprint_depends_on_values_and_not_on_order() -> None:
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": "1"})


def test_json_lines_name_the_line_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": "1", "prompt": "a\\u2028", "target": "b", "note": 1}\n\n')
    assert read_json_lines(path, Pair) == [Pair(id="1", prompt="a\u2028", target="b")]
    path.write_text('{"id": "1", "prompt": "a", "target": "b"}\n{"id": "2", "promt": "a"}\n')
    with pytest.raises(TableError, match=r"line 2, prompt: field required"):
        read_json_lines(path, Pair)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TableError, match="not UTF-8"):
        read_json_lines(path, Pair)


def test_a_table_larger_than_a_group_comes_back_and_names_the_right_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [Pair(id=str(n), prompt="p" * n, target="t") for n in range(50)]
    write_table(tmp_path / "whole", rows, Pair, {})
    monkeypatch.setattr("foreword.store.tables._BATCH_SIZE", 100)
    write_table(tmp_path / "groups", rows, Pair, {})
    assert pq.ParquetFile(tmp_path / "groups").num_row_groups > 5
    assert read_table(tmp_path / "groups", Pair) == read_table(tmp_path / "whole", Pair) == rows
    table = pq.read_table(tmp_path / "groups")
    broken = pa.table({**table.to_pydict(), "prompt": [*(["p"] * 37), None, *(["p"] * 12)]})
    pq.write_table(broken, tmp_path / "broken", row_group_size=9)
    with pytest.raises(TableError, match="row 37, column prompt"):
        read_table(tmp_path / "broken", Pair)
