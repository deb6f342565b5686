"""Finds the files that a paper includes, by the names that its text uses."""

import posixpath
import re
from collections.abc import Iterator

from foreword.errors import SourceError
from foreword.latex.arguments import Arguments
from foreword.papers.included import Include
from foreword.papers.source import Source, describe

MAX_LOOKUPS = 10_000
MAX_NAME = 1_000
"""Characters of a file's name, its folder with it; nothing has a longer one."""
MAX_NAMES = 10_000
"""Characters of a list of names, as in `\\usepackage{…}`."""
_BARE_NAME = re.compile(r"[ \t]*(?:\"(?P<quoted>[^\"\n]{1,300})\"|(?P<bare>[^\s{}%\\\"]{1,300}))")


def read_include(command: str, text: str, arguments: Arguments) -> Include | None:
    r"""The include whose command stands right before; None where no name follows.

    >>> source = "part.tex and so on"
    >>> read_include("input", source, Arguments(source, 0, {})).name
    'part.tex'
    """
    is_import, start = command.endswith(("import", "from")), arguments.at
    if is_import:
        arguments.star()
    folder = arguments.group() if is_import else ""
    name = None if folder is None else arguments.group()
    if name is None and not is_import and (bare := _BARE_NAME.match(text, start)):
        name, arguments.at = bare["quoted"] or bare["bare"], bare.end()
    return None if name is None else Include(command, name, folder or "")


class Includes:
    """Looks files up: in the main file's folder, the including file's, and the topmost one.

    Nothing outside of the paper's folder is ever found.
    """

    def __init__(self, source: Source, main: str) -> None:
        self._source = source
        self._main = main
        self._found: dict[str, str | None] = {}
        self._num_lookups = 0

    def exists(self, name: str, file: str) -> bool | None:
        r"""What `\IfFileExists` says; None for a file that TeX itself may have, as `x.cls`."""
        if self.find_tex(name, file) is not None:
            return True
        return False if posixpath.splitext(name.strip())[1].lower() in ("", ".tex") else None

    def find_tex(
        self, name: str, file: str, *, folder: str = "", is_near: bool = False
    ) -> str | None:
        r"""The text file that `\input{name}` means; None if there is none.

        Args:
            name: as the paper writes it.
            file: the including file.
            folder: the first argument of `\import`.
            is_near: the including file's folder goes before the main file's.
        """
        bare = posixpath.join(folder.strip(), name.strip().strip('"').strip())
        for candidate in _with_endings(bare):
            found = self.find(candidate, file, is_near=is_near)
            if found is not None:
                return found if self._is_text(found) else None
        return None

    def find(self, name: str, file: str, *, is_near: bool = False) -> str | None:
        """The file of exactly this name, cases ignored, in the folders where TeX looks.

        Raises:
            SourceError: this paper has asked for too many files.
        """
        self._num_lookups += 1
        if self._num_lookups > MAX_LOOKUPS:
            raise SourceError(
                f"{self._main}: the paper includes more than {MAX_LOOKUPS:,} files; "
                "give a smaller document",
                "too large",
            )
        if "\\" in name or posixpath.isabs(name):
            return None
        folders = [posixpath.dirname(self._main), posixpath.dirname(file)]
        for folder in [*(reversed(folders) if is_near else folders), ""]:
            found = self._look(posixpath.normpath(posixpath.join(folder, name)))
            if found is not None:
                return found
        return None

    def _look(self, path: str) -> str | None:
        if path not in self._found:
            leaves = path.split("/")[0] == ".."
            self._found[path] = None if leaves else self._source.find(path)
        return self._found[path]

    def _is_text(self, name: str) -> bool:
        data = self._source.read(name)
        return not data.strip() or describe(data) is None


def _with_endings(name: str) -> Iterator[str]:
    """The names under which TeX looks for an include."""
    if not name.lower().endswith(".tex"):
        yield f"{name}.tex"
    yield name
