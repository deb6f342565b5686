r"""TeX's conditionals, as far as a paper's text decides them: `\iffalse` and its own switches."""

import re

from foreword.papers.definitions import Definitions

_SKIPPED = re.compile(
    r"%[^\n]*|\\(?:(?P<word>if[A-Za-z@]*|else|fi)(?![A-Za-z@])|[^A-Za-z@])", re.DOTALL
)
_PRIMITIVE = re.compile(
    r"if(?:|cat|num|dim|odd|[vhm]mode|inner|void|[vh]box|x|eof|true|false|case|defined|csname"
    r"|fontchar)"
)
_MACRO = re.compile(
    r"if(?:f|then|thenelse|bool|boolexp[re]|toggle|(?:cs)?def|(?:cs)?undef|defmacro|undefined"
    r"|(?:def|cs|not)?empty|defvoid|(?:def|cs)(?:string|equal|strequal)|str(?:equal|empty|eq)|blank"
    r"|(?:num|dim)(?:comp|equal|greater|less|odd)|inlist(?:cs)?|language|entrytype|thispageodd"
    r"|mtarg|packageloaded|draft|option(?:draft|final)|cref|substr)"
)
r"""Commands of packages that look like conditionals, and take arguments instead of a `\fi`."""


class Conditionals:
    r"""The conditionals that are open, and whether the paper's text decides them.

    What it does not decide (`\ifx`, `\ifnum`, …) stays in the text with both its branches.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._open: list[bool | None] = []
        self._doubted: dict[int, str] = {}
        """Files in which only sure conditionals count, kept by identity."""

    def meet(self, word: str, text: str, at: int, end: int) -> int | None:
        r"""Take in `\if…`, `\else` or `\fi`: where to read on if it goes; None if it stays.

        Args:
            word: the word, without its backslash.
            text: the file.
            at: offset behind the word.
            end: where the file ends.

        >>> text = r"\iffalse no \iftrue \fi\else yes\fi"
        >>> conditionals = Conditionals(Definitions())
        >>> text[conditionals.meet("iffalse", text, 8, len(text)):]
        ' yes\\fi'
        """
        if word.startswith("if"):
            return self._begin(word, text, at, end)
        if not self._open:
            return None
        value = self._open[-1]
        if word == "fi":
            self._open.pop()
            return None if value is None else at
        if value is not True:
            return None
        self._open.pop()
        return self._skip(text, at, end, stops_at_else=False)[0]

    def _begin(self, word: str, text: str, at: int, end: int) -> int | None:
        if not self.counts(word):
            return None
        known = {"iftrue": True, "iffalse": False}
        value = known.get(word, self._definitions.switches.get(word[2:]))
        if value is not False:
            self._open.append(value)
            return None if value is None else at
        after, stopped_at_else = self._skip(text, at, end, stops_at_else=True)
        if stopped_at_else:
            self._open.append(False)
        return after

    def counts(self, word: str) -> bool:
        r"""Whether a word is a conditional, which a `\fi` ends."""
        return self._is_sure(word) or not (
            _MACRO.fullmatch(word) or word in self._definitions.macros
        )

    def _is_sure(self, word: str) -> bool:
        return word[2:] in self._definitions.switches or bool(_PRIMITIVE.fullmatch(word))

    def _skip(self, text: str, at: int, end: int, *, stops_at_else: bool) -> tuple[int, bool]:
        r"""Behind the `\fi`, or the `\else`, of the conditional that is open at `at`.

        Without one the rest of the file is dead, as it is for TeX. Words that only look like
        conditionals could keep us from finding it; so look again without them.
        """
        found = None
        if id(text) not in self._doubted:
            found = self._end_of_skip(text, at, end, stops_at_else)
        if found is None:
            self._doubted[id(text)] = text
            found = self._end_of_skip(text, at, end, stops_at_else)
        return found or (end, False)

    def _end_of_skip(
        self, text: str, at: int, end: int, stops_at_else: bool
    ) -> tuple[int, bool] | None:
        depth, doubts = 0, id(text) in self._doubted
        for match in _SKIPPED.finditer(text, at, end):
            word = match["word"]
            if word is None:
                continue
            if word == "fi":
                depth -= 1
                if depth < 0:
                    return match.end(), False
            elif word == "else":
                if depth == 0 and stops_at_else:
                    return match.end(), True
            elif self._is_sure(word) or (not doubts and self.counts(word)):
                depth += 1
        return None
