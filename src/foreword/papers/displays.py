"""The displayed equations of a clean text."""

import re
from collections.abc import Sequence

from foreword.latex.arguments import Arguments, brace_pairs
from foreword.latex.environments import LONGEST_DISPLAY, arguments, is_display
from foreword.papers.bounds import Tally
from foreword.papers.marks import one_of
from foreword.papers.wrappers import Opening, Wrappers
from foreword.records import Display

Span = tuple[int, int]

_MANY_WORDS = 100
_LONGEST_NAME = 100
_NO_SIGN = re.compile(r"[\w\s]+")
_IS_WORD = re.compile(r"[A-Za-z@]")
_NAME_END = r"(?![A-Za-z@])"
_SIDE = r"\\(?P<side>begin|end)[ \t]*(?:\n[ \t]*)?\{[ \t]*(?P<environment>[^{}\\\s]{1,100})[ \t]*\}"
_DOLLARS = r"|(?P<dollar>\$)"
_GROUPS = r"|(?P<open>\{)|(?P<close>\})|(?P<empty_line>\n[ \t]*(?=\n))"


def find_displays(
    text: str,
    opaque: Sequence[Span] = (),
    wrappers: Wrappers | None = None,
    tally: Tally | None = None,
) -> tuple[Display, ...]:
    r"""The displays of a clean text, in order; one without an end, or without a body, is none.

    Args:
        text: clean text: no comments, no definitions.
        opaque: stretches that are no LaTeX (listings and the like), in order.
        wrappers: what the paper's own macros make of displays.
        tally: counts what is met.

    Raises:
        SourceError: there is too much of it (`bounds.MOST`).

    >>> [display.environment for display in find_displays(r"\[a\] $b$ \begin{align}c\end{align}")]
    ['[', 'align']
    """
    finder = _Finder(text, wrappers or Wrappers(), tally or Tally("the text"))
    start = 0
    for hole_start, hole_end in (*opaque, (len(text), len(text))):
        finder.read(start, hole_start)
        start = max(start, hole_end)
    return tuple(finder.found)


class _Patterns:
    r"""How to find the next token that matters; what does not is passed over in one step.

    Outside of formulas braces and empty lines do not matter, in a display environment dollars do
    not either: there they stand in `\text` and the like, and close nothing.
    """

    def __init__(self, wrappers: Wrappers) -> None:
        names = wrappers.openings.keys() | wrappers.closings.keys() | wrappers.calls.keys()
        words = sorted(filter(_IS_WORD.match, names))
        symbols = re.escape("".join(sorted(names - set(words))))
        stop = one_of({"begin", "end", *words}) if len(words) <= _MANY_WORDS else "[A-Za-z@]+"
        stop = rf"(?:{stop}){_NAME_END}"
        token = rf"(?:{_SIDE}|\\(?P<word>[A-Za-z@]+)|\\(?P<symbol>[^A-Za-z@])"
        passed = rf"|\\[^A-Za-z@\[\]{symbols}]|\\(?!{stop})[A-Za-z@]+"

        def pattern(plain: str, more: str) -> re.Pattern[str]:
            run = rf"(?=(?P<run>(?:{plain}{passed})*))(?P=run)"  # taken whole, as in marks.py
            return re.compile(rf"{run}{token}{more})", re.DOTALL)

        self.in_environment = pattern(r"[^\\]+", "")
        self.outside = pattern(r"[^\\$]+", _DOLLARS)
        self.in_dollars = pattern(r"[^\\${}\n]+|\n(?![ \t]*\n)", _DOLLARS + _GROUPS)


class _Finder:
    r"""Walks through a text and knows which display, or which inline formula, is open.

    Inline formulas are followed only so that no `$` is taken for the wrong one. They end where
    TeX ends them at the latest: with their group, or at an empty line.
    """

    def __init__(self, text: str, wrappers: Wrappers, tally: Tally) -> None:
        self.found: list[Display] = []
        self._text = text
        self._tally = tally
        self._wrappers = wrappers
        self._patterns = _Patterns(wrappers)
        self._environment: str | None = None
        self._start = self._body_start = 0
        self._pairs: dict[int, int] | None = None
        self._empheq = ""
        self._inline: list[int] = []
        """The open inline formulas (and `$$`), by the depth of the groups in which they stand."""
        self._depth = 0
        """Of groups, since the outermost of them was opened."""
        self._nested = 0
        """Environments that were begun in it and have not ended."""

    def read(self, start: int, end: int) -> None:
        """Read one stretch of the text."""
        at = start
        while match := self._pattern().match(self._text, at, end):
            at = match.end()
            self._tally.add("formulas and environments")
            kind = match.lastgroup
            if kind == "environment":
                at = self._at_environment(match, at)
            elif kind == "symbol":
                self._at_symbol(match)
            elif kind == "word":
                at = self._at_word(match, at)
            elif kind == "dollar":
                at = self._at_dollar(match.start("dollar"))
            elif kind == "empty_line":
                self._at_empty_line()
            else:
                self._at_brace(1 if kind == "open" else -1)

    def _pattern(self) -> re.Pattern[str]:
        if self._inline:
            return self._patterns.in_dollars
        return self._patterns.in_environment if self._environment else self._patterns.outside

    def _at_environment(self, match: re.Match[str], at: int) -> int:
        name, is_begin = match["environment"], match["side"] == "begin"
        if name in ("empheq", "empheq*"):
            return self._at_empheq(match, at, is_begin=is_begin)
        wrapped = self._wrappers.environments.get(name)
        if is_display(name):
            environment, kinds = name, arguments(name)
        elif wrapped is not None:
            environment, kinds = wrapped.environment, _kinds(wrapped)
        else:
            self._nested += 1 if is_begin else -1
            if self._nested < 0:
                self._end_dollars()
            return at
        if is_begin:
            return self._open(environment, match.start("side") - 1, at, kinds)
        self._close(environment, match.start("side") - 1, at)
        return at

    def _at_empheq(self, match: re.Match[str], at: int, *, is_begin: bool) -> int:
        r"""`\begin{empheq}[…]{align}`: the environment is the argument."""
        start = match.start("side") - 1
        if not is_begin:
            self._close(self._empheq, start, at)
            return at
        read = self._arguments(at)
        read.option()
        name = (read.group() or "")[:_LONGEST_NAME].partition("=")[0].strip()
        self._empheq = name or "empheq"
        return self._open(self._empheq, start, read.at, "")

    def _at_symbol(self, match: re.Match[str]) -> None:
        symbol = match["symbol"]
        opening = self._wrappers.openings.get(symbol)
        if symbol == "[" or opening is not None:
            environment = "[" if opening is None else opening.environment
            self._open(environment, match.start("symbol") - 1, match.end(), "")
        elif symbol == "]" or symbol in self._wrappers.closings:
            closing = self._wrappers.closings.get(symbol, "[")
            self._close(closing, match.start("symbol") - 1, match.end())

    def _at_word(self, match: re.Match[str], at: int) -> int:
        call = self._wrappers.calls.get(match["word"])
        if call is not None and self._environment is None:
            return self._call(call, match.start("word") - 1, at)
        opening = self._wrappers.openings.get(match["word"])
        closing = self._wrappers.closings.get(match["word"])
        if closing is not None and (opening is None or self._environment == closing):
            self._close(closing, match.start("word") - 1, at)
        elif opening is not None:
            return self._open(opening.environment, match.start("word") - 1, at, _kinds(opening))
        return at

    def _at_dollar(self, start: int) -> int:
        """One `$` or two; a `$` in a deeper group closes nothing that stands outside of it."""
        is_double = self._text.startswith("$$", start)
        if self._inline and self._inline[-1] == self._depth:
            self._inline.pop()
            if self._environment == "$$" and not self._inline:
                if is_double:
                    self._keep(start, start + 2)
                    return start + 2
                self._environment = None
        elif is_double and not self._inline:
            self._open("$$", start, start + 2, "")
            return start + 2
        else:
            if not self._inline:
                self._depth = self._nested = 0
            self._inline.append(self._depth)
        return start + 1

    def _at_brace(self, step: int) -> None:
        self._depth += step
        while self._inline and self._inline[-1] > self._depth:
            self._inline.pop()
        if not self._inline:
            self._end_dollars()

    def _at_empty_line(self) -> None:
        """Ends a formula, unless it stands in a picture or a table."""
        if self._nested <= 0:
            self._end_dollars()

    def _end_dollars(self) -> None:
        self._inline.clear()
        if self._environment == "$$":
            self._environment = None

    def _open(self, environment: str, start: int, body_start: int, kinds: str) -> int:
        """Open a display; one that was open before had no end, so it is dropped."""
        self._environment, self._start = environment, start
        self._inline.clear()
        if kinds:
            body_start = self._after_arguments(body_start, kinds)
        if environment == "$$":
            self._depth = self._nested = 0
            self._inline = [0]
        self._body_start = body_start
        return body_start

    def _arguments(self, at: int) -> Arguments:
        if self._pairs is None:
            self._pairs = brace_pairs(self._text)
        return Arguments(self._text, at, self._pairs)

    def _after_arguments(self, at: int, kinds: str) -> int:
        """Where the body starts: after the arguments that are really there."""
        read = self._arguments(at)
        for kind in kinds:
            read.option() if kind == "o" else read.group()
        return read.at

    def _call(self, call: Opening, start: int, at: int) -> int:
        """A macro that is a whole display, if its arguments are there."""
        read = self._arguments(at)
        for number, kind in enumerate(_kinds(call), 1):
            found = read.option() if kind == "o" else read.group()
            if found is not None and number == call.body:
                body_end = read.at - 1
                body_start = body_end - len(found)
            elif found is None and kind == "m":
                return at
        self._open(call.environment, start, body_start, "")
        self._keep(body_end, read.at)
        return read.at

    def _close(self, environment: str, body_end: int, end: int) -> None:
        """Close the display if it is the open one's own closing; another's drops it."""
        if environment == self._environment:
            self._keep(body_end, end)
        self._environment = None
        self._inline.clear()

    def _keep(self, body_end: int, end: int) -> None:
        body = self._text[self._body_start : body_end] if self._environment else ""
        if self._environment and body.strip():
            self._tally.add("displayed equations")
            if len(body) <= LONGEST_DISPLAY:
                self._tally.add("characters in displayed equations", len(body))
                self._tally.add("signs in displayed equations", len(_NO_SIGN.sub("", body)))
            self.found.append(
                Display(
                    environment=self._environment,
                    start=self._start,
                    body_start=self._body_start,
                    body_end=body_end,
                    end=end,
                )
            )
        self._environment = None


def _kinds(opening: Opening | None) -> str:
    """The arguments of a macro or environment, as in `latex.environments.ARGUMENTS`."""
    if opening is None:
        return ""
    optional = opening.default is not None
    return "o" * optional + "m" * (opening.num_args - optional)
