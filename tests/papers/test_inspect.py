import json
import subprocess
import sys
from pathlib import Path

import pytest
from papers_made import write_folder

from foreword.errors import SourceError
from foreword.papers.inspect import inspect_paper, inspection_text

MAIN = r"""\documentclass{article}
\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}
\begin{document}
\input{part} \input{gone}
\begin{verbatim} \[ no \] \end{verbatim}
\begin{comment} old \end{comment}
\iffalse dead \fi
\[ \xymatrix{A \ar[r] & B} \]
\textcolor{white}{PRAISE}
\end{document}
behind
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    part = b"Let % so\n  \\be x % half\n = y \\ee" + b"\x96"
    return write_folder(tmp_path, {"main.tex": MAIN, "part.tex": part, "supp.tex": MAIN})


def test_an_inspection_says_what_was_read_and_why(folder: Path) -> None:
    found = inspect_paper(folder)
    assert (found.state, found.reason) == ("ok", "")
    assert (found.main, found.candidates) == ("main.tex", ("main.tex", "supp.tex"))
    assert found.why_main == "of 2 candidates only it is not named as something beside a paper"
    assert found.files == ("main.tex", "part.tex")
    assert found.unresolved == ("gone",)
    assert found.encodings == {"main.tex": "utf-8", "part.tex": "utf-8, stray bytes as cp1252"}
    assert found.display_macros == {"\\be": "equation", "\\ee": "equation"}
    [display] = found.displays
    assert (display.environment, display.file, display.line) == ("equation", "part.tex", 2)
    assert (display.column, display.body) == (3, "x = y")


def test_everything_set_apart_has_a_reason_and_a_place(folder: Path) -> None:
    found = inspect_paper(folder)
    assert [(one.reason, one.line) for one in found.set_apart] == [
        ("definition", 2),
        ("definition", 2),
        ("verbatim", 5),
        ("comment environment", 6),
        ("false conditional", 7),
        ("hidden: white", 9),
        ("behind the end", 11),
        ("diagram", 8),
    ]
    assert found.set_apart[3].text == r"\begin{comment} old \end{comment}"
    assert inspect_paper(folder, keep_hidden=True).set_apart[5].reason == "behind the end"


def test_what_can_not_be_read_has_a_state_and_a_reason(tmp_path: Path) -> None:
    for name, data, state in (
        ("paper.pdf", b"%PDF-1.5", "pdf only"),
        ("page", b"<html>", "html only"),
        ("gone.tex", b"%auto-ignore withdrawn", "withdrawn"),
        ("empty.tex", b"\\begin{document}\\end{document}", "empty body"),
        ("torn.gz", b"\x1f\x8b\x08", "bad archive"),
        ("data.json", b'{"a": 1}', "unreadable"),
    ):
        (tmp_path / name).write_bytes(data)
        found = inspect_paper(tmp_path / name)
        assert (found.state, bool(found.reason), found.displays) == (state, True, ())
    write_folder(tmp_path / "two", {"a.tex": MAIN, "b.tex": MAIN})
    assert inspect_paper(tmp_path / "two").state == "ambiguous main"
    write_folder(tmp_path / "none", {"a.tex": "x", "b.tex": "y"})
    assert inspect_paper(tmp_path / "none").state == "no main"
    with pytest.raises(SourceError, match="there is no file or folder"):
        inspect_paper(tmp_path / "nowhere")


def test_the_command_shows_the_same_in_words_and_as_json(folder: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = "from foreword.cli import main; main()"
        command = [sys.executable, "-c", code, "papers", "inspect", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    words = run(str(folder))
    assert words.returncode == 0
    assert words.stdout.strip() == inspection_text(inspect_paper(folder))
    shown = json.loads(run(str(folder), "--json").stdout)
    assert {"main", "files", "unresolved", "displays", "set_apart", "state"} <= shown.keys()
    assert {"environment", "file", "line", "body"} <= shown["displays"][0].keys()
    (folder / "main.tex").write_bytes(b"%PDF-1.5")
    failed = run(str(folder / "main.tex"), "--json")
    assert failed.returncode == 1
    assert json.loads(failed.stdout)["state"] == "pdf only"
