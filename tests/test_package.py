import ast
import subprocess
import sys
from pathlib import Path

import pytest

import foreword

SOURCE = Path(foreword.__file__ or "")


@pytest.mark.parametrize("name", foreword.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(foreword, name).__doc__


def test_type_checkers_see_the_same_names() -> None:
    seen = [
        alias.asname
        for node in ast.walk(ast.parse(SOURCE.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
        if alias.asname
    ]
    assert sorted(seen) == foreword.__all__


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(AttributeError, match="it has Analysis"):
        _ = foreword.read_papre


def test_importing_foreword_and_its_help_needs_no_heavy_package() -> None:
    code = (
        "import sys, foreword, foreword.cli; from click.testing import CliRunner\n"
        "assert CliRunner().invoke(foreword.cli.cli, ['--help']).exit_code == 0\n"
        "heavy = {'torch', 'transformers', 'pyarrow', 'inspect_ai', 'scipy', 'numpy', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
