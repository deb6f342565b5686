r"""One pass over a paper's files: what TeX would not set is left out, includes are followed.

Each file is read from its start to its end, with TeX's own priorities: a listing hides a comment
sign, a comment hides a conditional, a false conditional hides an include. What remains is copied
run by run, so that each character keeps its way back (`sourcemap`). Definitions are taken out and
kept (`definitions`); they are complete before anything looks for displays.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from foreword.errors import SourceError
from foreword.latex.comments import comment_end, strip_comments
from foreword.papers.apart import Apart, Why, shown
from foreword.papers.bounds import MAX_DEPTH, Tally
from foreword.papers.conditionals import Conditionals
from foreword.papers.decode import decode
from foreword.papers.definers import define
from foreword.papers.definitions import Definitions
from foreword.papers.hidden import INVISIBLE, hidden_stretch
from foreword.papers.included import Include, Included
from foreword.papers.includes import MAX_NAME, MAX_NAMES, Includes, read_include
from foreword.papers.marks import marks
from foreword.papers.openfile import OpenFile
from foreword.papers.source import Source
from foreword.papers.sourcemap import CleanText, Lines
from foreword.records import Segment

_LONGEST_VERB = 1_000

_BLANKS = re.compile(r"[ \t]*")
_COMPARED = re.compile(r"(?:\s*\\[A-Za-z@]+){1,2}")


@dataclass(frozen=True, slots=True)
class Clean:
    """What one pass over a paper's files gives."""

    text: str
    segments: tuple[Segment, ...]
    opaque: tuple[tuple[int, int], ...]
    """Stretches of the text that are no LaTeX: listings, `\\verb`, addresses."""
    definitions: Definitions
    apart: tuple[Apart, ...]
    """What was left out but for comments, and listings; in the order of reading."""
    title: str
    files: tuple[str, ...]
    encodings: Mapping[str, str]
    """How the bytes of each file were read."""
    unresolved: tuple[str, ...]
    has_body: bool
    r"""Whether there was a `\begin{document}`."""
    has_class: bool
    r"""Whether there was a `\documentclass` or a `\documentstyle`."""


def clean_paper(
    source: Source,
    main: str,
    *,
    encoding: str | None = None,
    is_fragment: bool = False,
    keep_hidden: bool = False,
    tally: Tally | None = None,
) -> Clean:
    r"""Read a paper from its main file on.

    Args:
        source: the paper's files.
        main: the name of the main file.
        encoding: the 8-bit encoding that the paper declares, for files that are not UTF-8.
        is_fragment: there is no `\begin{document}`; all of the file counts as body.
        keep_hidden: leave text that can't be seen where it is.
        tally: counts what is met.

    Raises:
        SourceError: includes go too deep, or there is too much of something (`bounds`).
    """
    cleaner = _Cleaner(source, main, encoding, in_body=is_fragment, keep_hidden=keep_hidden)
    cleaner.tally = tally or Tally(main)
    cleaner.read(main)
    text, segments = cleaner.out.finish()
    return Clean(
        text=text,
        segments=segments,
        opaque=tuple(cleaner.opaque),
        definitions=cleaner.definitions,
        apart=tuple(cleaner.apart),
        title=cleaner.title,
        files=tuple(cleaner.files),
        encodings=cleaner.encodings,
        unresolved=tuple(cleaner.unresolved),
        has_body=cleaner.has_body,
        has_class=cleaner.has_class,
    )


class _Cleaner:
    """The state of the pass. Each `_at_…` gets a token and says where to read on."""

    def __init__(
        self,
        source: Source,
        main: str,
        encoding: str | None,
        *,
        in_body: bool,
        keep_hidden: bool,
    ) -> None:
        self.out = CleanText()
        self.opaque: list[tuple[int, int]] = []
        self.definitions = Definitions()
        self.conditionals = Conditionals(self.definitions)
        self.apart: list[Apart] = []
        self.title = ""
        self.files: dict[str, None] = {}
        self.encodings: dict[str, str] = {}
        self.unresolved: dict[str, None] = {}
        self.has_body = self.has_class = False
        self.tally: Tally
        self._source = source
        self._includes = Includes(source, main)
        self._included = Included(self.definitions)
        self._encoding = encoding
        self._in_body = in_body
        self._keep_hidden = keep_hidden
        self._marks = marks(self.definitions.own_words)
        self._included_only: set[str] | None = None
        self._is_over = False
        self._open: list[str] = []
        self._actions: dict[str, Callable[[OpenFile, re.Match[str]], int]] = {
            "comment": self._at_comment,
            "verb": self._at_verb,
            "environment": self._at_environment,
            "include": self._at_include,
            "style": self._at_style,
            "conditional": self._at_conditional,
            "definer": self._at_definer,
            "switch": self._at_switch,
            "endinput": self._at_endinput,
            "title": self._at_title,
            "url": self._at_url,
            "color": self._at_color,
            "only": self._at_includeonly,
            "own": self._at_own,
        }

    # ------------------------------------------------------------------------------- files

    def read(self, name: str, *, is_style: bool = False) -> None:
        """Read one file, and those that it includes."""
        text, self.encodings[name] = decode(self._source.read(name), self._encoding)
        self._count(name, text)
        self.files.setdefault(name)
        file = OpenFile(name, text, Lines(text), len(text), is_style, self._in_body)
        self._open.append(name)
        self._read_open(file)
        self._open.pop()
        self._in_body = self._in_body or (file.is_document and file.was_in_body)

    def _count(self, name: str, text: str) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise SourceError(
                f"{name}: includes are nested over {MAX_DEPTH} deep; is it a loop?", "too large"
            )
        self.tally.add_text(text)

    def _read_open(self, file: OpenFile) -> None:
        at = copied = 0
        while at < file.end and not self._is_over:
            match = self._marks.match(file.text, at, file.end)
            if match is None:
                break
            self.tally.add("commands and comments to look at")
            start, action = match.end("passed"), self._actions.get(match.lastgroup or "")
            if action is None:
                at = match.end()
                continue
            self._copy(file, copied, start)
            copied = start
            at = action(file, match)
            if at < 0:  # the token stays in the text, and reading goes on behind it
                at = -at
            else:
                copied = at
        if not self._is_over:
            self._copy(file, copied, file.end)

    def _copy(self, file: OpenFile, start: int, end: int, *, is_opaque: bool = False) -> None:
        if not self._in_body or file.is_style:
            return
        before = self.out.length
        if not (self._keep_hidden or file.text.isascii()):
            for match in INVISIBLE.finditer(file.text, start, end):
                self.tally.add("commands and comments to look at")
                self.out.add(file.name, file.lines, file.text, start, match.start())
                self._set_apart(file, match.start(), match.end(), "hidden: no width")
                start = match.end()
        self.out.add(file.name, file.lines, file.text, start, end)
        if is_opaque and self.out.length > before:
            self.opaque.append((before, self.out.length))

    def _set_apart(self, file: OpenFile, start: int, end: int, reason: Why) -> None:
        text = file.text[start:end].lstrip()
        if text and not file.is_style:
            line, _ = file.lines.place(end - len(text))
            self.apart.append(Apart(reason, file.name, line, shown(text)))

    def _after(self, file: OpenFile, end: int, *, is_word: bool = False) -> int:
        """Where to read on behind something left out: a line that it had for itself goes too."""
        blanks_end = _BLANKS.match(file.text, end).end()  # type: ignore[union-attr]
        if self.out.at_line_start and file.text.startswith("\n", blanks_end):
            return blanks_end + 1
        if not is_word:
            return end
        glues = self.out.ends_in_word and file.text[blanks_end : blanks_end + 1].isalpha()
        return max(end, blanks_end - 1) if glues else blanks_end

    # ------------------------------------------------------------------- hidden and verbatim

    def _at_comment(self, file: OpenFile, match: re.Match[str]) -> int:
        return comment_end(file.text, match.end("passed"), alone=self.out.at_line_start)

    def _at_verb(self, file: OpenFile, match: re.Match[str]) -> int:
        text, at = file.text, match.end()
        if match["verb"].startswith("lstinline"):
            arguments = file.arguments(at)
            arguments.option()
            at = arguments.at
        delimiter = "}" if text.startswith("{", at) else text[at : at + 1]
        limit = at + _LONGEST_VERB
        line_end = text.find("\n", at, limit)
        end = text.find(delimiter, at + 1, limit if line_end < 0 else line_end)
        if delimiter.isspace() or end < 0:
            return -match.end()
        self._set_apart(file, match.end("passed"), end + 1, "verbatim")
        self._copy(file, match.end("passed"), end + 1, is_opaque=True)
        return end + 1

    def _at_url(self, file: OpenFile, match: re.Match[str]) -> int:
        self._copy(file, match.end("passed"), match.end(), is_opaque=True)
        return match.end()

    def _at_color(self, file: OpenFile, match: re.Match[str]) -> int:
        start = match.end("passed")
        is_sought = self._in_body and not self._keep_hidden
        hidden = hidden_stretch(file, match["color"], match.end()) if is_sought else None
        if hidden is None:
            return -match.end()
        end, why = hidden
        self._set_apart(file, start, end, why)
        return self._after(file, end)

    def _at_environment(self, file: OpenFile, match: re.Match[str]) -> int:
        name = match["environment"]
        if name == "document":
            return self._at_document(file, match)
        is_removed = name in self.definitions.removed
        if match["side"] == "end" or not (is_removed or name in self.definitions.verbatim):
            return -match.end()
        closing = f"\\end{{{name}}}"
        start = file.text.find(closing, match.end(), file.end)
        end = file.end if start < 0 else start + len(closing)
        self._set_apart(
            file, match.end("passed"), end, "comment environment" if is_removed else "verbatim"
        )
        if not is_removed:
            self._copy(file, match.end("passed"), end, is_opaque=True)
        return self._after(file, end) if is_removed else end

    def _at_document(self, file: OpenFile, match: re.Match[str]) -> int:
        if file.is_style:
            return match.end()
        if match["side"] == "begin":
            self._in_body = self.has_body = True
            return match.end()
        self._set_apart(file, match.end(), file.end, "behind the end")
        if file.is_document:
            file.end = match.end()
            self._in_body = False
        else:
            self._is_over = True
        return match.end()

    def _at_endinput(self, file: OpenFile, match: re.Match[str]) -> int:
        end = file.text.find("\n", match.end(), file.end) + 1 or file.end
        self._set_apart(file, end, file.end, "behind the end")
        file.end = end
        return match.end()

    # --------------------------------------------------------------------------- conditionals

    def _at_conditional(self, file: OpenFile, match: re.Match[str]) -> int:
        end = self.conditionals.meet(match["conditional"], file.text, match.end(), file.end)
        if end is not None:
            if end > match.end():
                self._set_apart(file, match.end("passed"), end, "false conditional")
            return self._after(file, end, is_word=True)
        if match["conditional"] in ("ifx", "ifdefined"):
            compared = _COMPARED.match(file.text, match.end())
            return -(compared.end() if compared else match.end())
        return -match.end()

    def _at_switch(self, file: OpenFile, match: re.Match[str]) -> int:
        del file
        name, value = match["switch"].removesuffix("true"), True
        if name == match["switch"]:
            name, value = name.removesuffix("false"), False
        if name in self.definitions.switches:
            self.definitions.switches[name] = value
        return -match.end()

    # ---------------------------------------------------------------------------- definitions

    def _at_definer(self, file: OpenFile, match: re.Match[str]) -> int:
        return self._define(file, match, match["definer"])

    def _define(self, file: OpenFile, match: re.Match[str], definer: str) -> int:
        self.tally.add("definitions")
        arguments = file.arguments(match.end())
        if not define(self.definitions, definer, arguments):
            return -match.end()
        self.tally.add("characters in definitions", self.definitions.take_length())
        self._marks = marks(self.definitions.own_words)
        self._set_apart(file, match.end("passed"), arguments.at, "definition")
        return self._after(file, arguments.at)

    def _at_own(self, file: OpenFile, match: re.Match[str]) -> int:
        """A word of the paper that defines, or that includes files where it is used."""
        definer = self.definitions.definers.get(match["own"])
        if definer is not None:
            return self._define(file, match, definer)
        arguments = file.arguments(match.end())
        includes = self._included.at(
            match["own"], arguments, lambda name: self._includes.exists(name, file.name)
        )
        found = [name for one in includes if (name := self._find(file, one)) is not None]
        if not found:
            return -match.end()
        self._copy(file, match.end("passed"), arguments.at)
        for name in found:
            self.read(name, is_style=file.is_style)
        return arguments.at

    def _at_title(self, file: OpenFile, match: re.Match[str]) -> int:
        arguments = file.arguments(match.end())
        arguments.option()
        title = arguments.group()
        if title is not None and not file.is_style and not self.title:
            self.title = " ".join(strip_comments(title).split())
        return -match.end()

    # ------------------------------------------------------------------------------- includes

    def _at_style(self, file: OpenFile, match: re.Match[str]) -> int:
        arguments = file.arguments(match.end())
        arguments.option()
        names = arguments.group()
        if names is None:
            return -match.end()
        if match["style"].startswith("document") and not file.is_style:
            self.has_class = True
            if len(self._open) > 1 and self._in_body:
                file.is_document, self._in_body = True, False
        is_package = match["style"] in ("usepackage", "RequirePackage")
        for name in names.split(",") if len(names) <= MAX_NAMES else ():
            style = name.strip() + (".sty" if is_package else ".cls")
            found = self._includes.find(style, file.name)
            if found is not None and found not in self.files:
                self.read(found, is_style=True)
        return arguments.at if file.is_document else -match.end()

    def _at_include(self, file: OpenFile, match: re.Match[str]) -> int:
        arguments = file.arguments(match.end())
        include = read_include(match["include"], file.text, arguments)
        if include is None:
            return -match.end()
        if (found := self._find(file, include)) is not None:
            self.read(found, is_style=file.is_style)
        return self._after(file, arguments.at)

    def _find(self, file: OpenFile, include: Include) -> str | None:
        """The file to read; None, and noted where it should be there, if there is none."""
        only = self._included_only
        if include.command == "include" and only is not None and include.name.strip() not in only:
            return None
        name, folder = map(self.definitions.in_name, (include.name, include.folder))
        if include.is_sure and len(name) + len(folder) <= MAX_NAME:
            found = self._includes.find_tex(name, file.name, folder=folder, is_near=include.is_near)
            if found is not None and found not in self._open:
                return found
        self.unresolved.setdefault(" ".join(name[:MAX_NAME].split())[:200])
        return None

    def _at_includeonly(self, file: OpenFile, match: re.Match[str]) -> int:
        names = file.arguments(match.end()).group()
        if names is not None and len(names) <= MAX_NAMES:
            self._included_only = {name.strip() for name in strip_comments(names).split(",")}
        return -match.end()
