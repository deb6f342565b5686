r"""The files that a paper's own macros include where they are used: `\chap{one}`, `\olimport{two}`.

A macro's body is looked through as TeX would run it, but for what only a run of TeX decides: an
include that hangs on such a question is not followed, and the paper lists it as unresolved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from foreword.latex.arguments import Arguments, Parameter
from foreword.latex.choices import CHOICES, NO, NO_VALUE, YES, choose, value
from foreword.latex.expandable import in_words
from foreword.latex.waiting import ExpansionError, Waiting, body_tokens
from foreword.papers.conditionals import Conditionals
from foreword.papers.definers import DEFINERS
from foreword.papers.definitions import INCLUDES, Definition, Definitions

MOST_WORK = 300_000
"""Tokens that are looked through for one paper."""
_MOST_STEPS = 2_000
_MOST_INCLUDES = 500
_LONGEST_NAME = 300
_LONGEST_ARGUMENT = 1_000
_LONG = r"\…"
"""Stands for an argument that is longer: words, and the name of no file."""
_DEFINING = r"\def \edef \gdef \xdef \newcommand \renewcommand \providecommand"
_DEFINERS = frozenset(_DEFINING.split())
_TWO = {"@firstoftwo": 0, "@secondoftwo": 1}
_DROPPED = {
    **dict.fromkeys(("@gobble", "string", "noexpand", "typeout", "message", "write"), 1),
    **dict.fromkeys(("let", "addtocontents", "@gobbletwo"), 2),
    "addcontentsline": 3,
}
"""Words that do not run their arguments, and how many they take."""
_DOUBT, _SURE = "doubt", "sure"
"""Stand around what may or may not be read; no token of a text is one of them."""
_TESTED = Definition("", r"\InputIfFileExists{#1}{}{}", 1)
r"""What stands behind its name is text, which is read in any case."""


@dataclass(frozen=True, slots=True)
class Include:
    """One file that is to be read."""

    command: str
    name: str
    folder: str = ""
    is_sure: bool = True
    """False where only a run of TeX tells whether, or under which name, it is read."""

    @property
    def is_near(self) -> bool:
        """Whether the including file's folder goes before the main file's."""
        return self.command == "subfile" or self.command.endswith(("import", "from"))


Exists = Callable[[str], bool | None]
"""Whether a paper has the file of a name; None where it may be one of TeX's."""


class Included:
    """Looks through the macros of one paper, within a bound on work for all of it."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._work = MOST_WORK

    def at(self, word: str, read: Arguments, exists: Exists) -> list[Include]:
        """What the use of a macro includes, its arguments moved past.

        Args:
            word: the macro's name.
            read: reads the arguments that stand behind it.
            exists: tells whether there is a file.
        """
        macro = self._definitions.macros.get(word)
        if macro is None and word == "InputIfFileExists":
            macro = _TESTED
        if macro is None:
            return []
        unknown = Include("input", f"\\{word}", is_sure=False)
        if self._work <= 0:
            return [unknown]
        try:
            values = _values(macro, read)
            run = None if values is None else self._run(macro, values, exists)
        except ExpansionError:
            return [unknown]
        if run is None:
            return []
        try:
            run.read()
        except ExpansionError:
            run.found.append(unknown)
        self._work -= run.work
        return run.found

    def _run(self, macro: Definition, values: Sequence[Sequence[str]], exists: Exists) -> "_Run":
        self._work -= _MOST_STEPS
        tokens = _filled(macro, values)
        self._work += _MOST_STEPS - len(tokens) - 1
        return _Run(self._definitions, tokens, exists)


def _values(macro: Definition, read: Arguments) -> list[Sequence[str]] | None:
    """The arguments of a use; None where some are not there."""
    found: list[Sequence[str]] = []
    for parameter in macro.parameters() or ():
        argument = _value(parameter, read)
        if argument is None:
            return None
        found.append(argument)
    return found


def _value(parameter: Parameter, read: Arguments) -> Sequence[str] | None:
    if parameter.kind == "group":
        text = read.group()
    elif parameter.kind == "mark":
        return [YES if read.literal(parameter.delimiters) else NO]
    elif parameter.kind == "option" and parameter.delimiters == "[]":
        text = read.option()
        if text is None:
            text = parameter.default
        if text is None:
            return [NO_VALUE]
    else:
        return None
    if text is not None and len(text) > _LONGEST_ARGUMENT:
        return [_LONG]
    return None if text is None else [t for t in body_tokens(text) if t[0] != "%"]


@lru_cache(maxsize=1000)
def _body(text: str) -> tuple[str, ...]:
    return tuple(body_tokens(in_words(text)))


def _filled(macro: Definition, values: Sequence[Sequence[str]]) -> list[str]:
    tokens: list[str] = []
    for piece in _body(macro.body):
        if piece[0] == "#" and len(piece) == 2 and int(piece[1]) <= len(values):
            tokens += values[int(piece[1]) - 1]
        else:
            tokens.append(piece)
        if len(tokens) > _MOST_STEPS:
            raise ExpansionError("it is too long")
    return tokens


class _Run:
    """One use of a macro, as far as it includes files."""

    def __init__(self, definitions: Definitions, tokens: Sequence[str], exists: Exists) -> None:
        self.found: list[Include] = []
        self._definitions = definitions
        self._conditionals = Conditionals(definitions)
        self._exists = exists
        self._waiting = Waiting(tokens)
        self._steps = 0
        self._doubts = 0
        self._open: list[bool] = []
        """The open conditionals, and whether they are in doubt."""
        self._changed: dict[str, str | None] = {}
        """What words stand for that were defined on the way; None where that is not sure."""

    @property
    def work(self) -> int:
        """How much was looked through."""
        return self._waiting.work + self._steps

    def read(self) -> None:
        """Look through all of it."""
        while self._waiting and len(self.found) < _MOST_INCLUDES:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise ExpansionError("it does not come to an end")
            piece = self._waiting.pop()
            if piece in (_DOUBT, _SURE):
                self._doubts += 1 if piece == _DOUBT else -1
            elif piece[0] == "\\":
                self._word(piece, piece[1:])

    def _word(self, piece: str, name: str) -> None:
        macro = self._definitions.macros.get(name)
        parameters = macro.parameters() if macro and name not in self._changed else None
        side = _TWO.get((macro.alias_of or "") if macro else name)
        if side is not None:
            pair = self._waiting.argument(piece), self._waiting.argument(piece)
            self._waiting.put_back(pair[side])
        elif macro is not None and parameters is not None:
            values = [value(self._waiting, piece, parameter) for parameter in parameters]
            body = _filled(macro, values)
            self._waiting.count(len(body))
            self._waiting.put_back(body)
        elif name == "IfFileExists":
            self._tested(self._name(piece))
        elif name in INCLUDES:
            self._include(name)
        elif piece in CHOICES:
            choose(piece, self._waiting)
        elif piece in _DEFINERS:
            self._define(piece)
        elif name in DEFINERS and name != "let":
            raise ExpansionError("what it defines is not known")
        elif name in _DROPPED:
            self._drop(piece, _DROPPED[name])
        elif name in ("else", "fi") or name.startswith("if"):
            self._conditional(name)

    def _include(self, name: str) -> None:
        self._waiting.mark("*")
        folder = self._name(name) if name.endswith(("import", "from")) else ""
        file = self._name(name)
        if name == "InputIfFileExists":
            self._tested(file, Include("input", file))
        elif file:
            is_sure = self._doubts == 0 and "\\" not in folder + file
            self.found.append(Include(name, file, folder, is_sure))

    def _name(self, command: str) -> str:
        """A file's name: a group, or what comes before the next space."""
        self._waiting.skip_space()
        if self._waiting.next == "{":
            tokens = self._waiting.argument(command)
        else:
            tokens = []
            while self._waiting.next.strip("{} ") and self._waiting.next not in (r"\relax", r"\fi"):
                tokens.append(self._waiting.pop())
        name = "".join(tokens).strip()
        if NO_VALUE in name or len(name) > _LONGEST_NAME:
            raise ExpansionError("a file has no name")
        return self._definitions.in_name(name, self._changed)

    def _tested(self, file: str, include: Include | None = None) -> None:
        """Go on with what belongs to a file that is there, or to one that is not."""
        exists = None if "\\" in file else self._exists(file)
        if include and (exists or "\\" in file):
            is_sure = self._doubts == 0 and exists is True
            self.found.append(Include(include.command, include.name, is_sure=is_sure))
        yes, no = self._waiting.argument("a test"), self._waiting.argument("a test")
        if exists is None:
            self._waiting.put_back([_DOUBT, *yes, *no, _SURE])
        else:
            self._waiting.put_back(yes if exists else no)

    def _define(self, piece: str) -> None:
        r"""`\def\dir{…}` on the way: a name holds it from here on; any other is not looked into."""
        self._waiting.mark("*")
        name = "".join(self._waiting.argument(piece)).strip()[1:]
        self._waiting.skip_space()
        is_text = self._waiting.next == "{"
        while self._waiting and self._waiting.next != "{":
            self._waiting.pop()
        body = "".join(self._waiting.argument(piece)).strip()
        if piece in (r"\edef", r"\xdef"):
            body = self._definitions.in_name(body, self._changed)
        self._changed[name] = body if is_text and self._doubts == 0 else None

    def _drop(self, piece: str, num_args: int) -> None:
        """Pass over what is not run here: words that are written to a file, or defined."""
        while piece == r"\write" and self._waiting and self._waiting.next != "{":
            self._waiting.pop()
        for _ in range(num_args):
            self._waiting.argument(piece)
            self._waiting.mark("=")

    def _conditional(self, word: str) -> None:
        if word == "fi":
            self._doubts -= self._open.pop() if self._open else 0
        elif word == "else":
            if self._open and not self._open[-1]:
                self._open.pop()
                self._skip(stops_at_else=False)
        elif self._conditionals.counts(word):
            known = {"iftrue": True, "iffalse": False}
            truth = known.get(word, self._definitions.switches.get(word[2:]))
            if truth is not False:
                self._open.append(truth is None)
                self._doubts += truth is None
            elif self._skip(stops_at_else=True):
                self._open.append(False)

    def _skip(self, *, stops_at_else: bool) -> bool:
        r"""Pass over a branch that is not taken; True if it ended at an `\else`."""
        depth = 0
        while self._waiting:
            self._steps += 1
            name = self._waiting.pop()[1:]
            if name == "fi":
                depth -= 1
                if depth < 0:
                    return False
            elif name == "else" and depth == 0 and stops_at_else:
                return True
            elif name.startswith("if") and self._conditionals.counts(name):
                depth += 1
        return False
