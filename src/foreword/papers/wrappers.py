r"""What a paper's own macros and environments make of displays: `\be … \ee` and the like."""

import re
from dataclasses import dataclass, field
from typing import Literal

from foreword.latex.arguments import Arguments, brace_pairs
from foreword.latex.environments import INNER, TRANSPARENT, arguments, is_display
from foreword.papers.definitions import Definition, Definitions

Side = Literal["begin", "end"]

_LONGEST_BODY = 400
_DEEPEST = 10
_MOST_STEPS = 200_000
"""Commands in bodies that are looked at for one paper."""
_NEXT = re.compile(
    r"\s+|\\(?P<side>begin|end)\s*\{\s*(?P<environment>[^{}\\\s]+)\s*\}"
    r"|(?P<dollars>\$\$)|\\(?P<word>[A-Za-z@]+|[^A-Za-z@])"
)
_HARMLESS = re.compile(
    r"(?:(?:label|hspace|vspace|phantomsection)\*?\s*\{[^{}]*\}"
    r"|setlength\s*(?:\{[^{}]*\}|\\[A-Za-z]+)\s*\{[^{}]*\}"
    r"|(?:displaystyle|nonumber|notag|par|noindent|ignorespaces(?:afterend)?|relax)(?![A-Za-z@]))"
)
"""What may stand beside the one environment in the body of a macro that opens or closes it."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A macro, or an environment of the paper, that opens a display."""

    environment: str
    num_args: int = 0
    default: str | None = None
    body: int | None = None
    """Which of the arguments, from 1, is the display's body; None where it stands behind them."""


@dataclass(frozen=True, slots=True)
class Wrappers:
    """Everything of a paper that opens or closes displays."""

    openings: dict[str, Opening] = field(default_factory=dict)
    """By the macro's name, without the backslash."""
    closings: dict[str, str] = field(default_factory=dict)
    """The environment that a macro closes."""
    calls: dict[str, Opening] = field(default_factory=dict)
    r"""Macros that are whole displays: `\newcommand\eq[1]{\begin{equation}#1\end{equation}}`."""
    environments: dict[str, Opening] = field(default_factory=dict)
    """By the name of the paper's own environment."""


def find_wrappers(definitions: Definitions) -> Wrappers:
    r"""The macros and environments of a paper that stand for exactly one display environment.

    >>> from foreword.papers.definitions import Definition
    >>> definitions = Definitions()
    >>> definitions.define(Definition("be", r"\begin{equation}"))
    >>> definitions.define(Definition("ee", r"\end{equation}"))
    >>> wrappers = find_wrappers(definitions)
    >>> wrappers.openings["be"].environment, wrappers.closings
    ('equation', {'ee': 'equation'})
    """
    wrappers = Wrappers()
    resolver = _Resolver(definitions)
    for name, macro in definitions.macros.items():
        if macro.until is not None:
            _add_delimited(wrappers, resolver, macro)
        elif macro.is_plain:
            opened = resolver.macro(name, "begin")
            if opened is not None:
                wrappers.openings[name] = Opening(opened, macro.num_args, macro.default)
            closed = resolver.macro(name, "end") if macro.num_args == 0 else None
            if closed is not None:
                wrappers.closings[name] = closed
            call = _call(resolver, macro)
            if call is not None:
                wrappers.calls[name] = call
    for name, environment in definitions.environments.items():
        opened = resolver.body(environment.begin, "begin")
        if opened is not None and opened == resolver.body(environment.end, "end"):
            wrappers.environments[name] = Opening(opened, environment.num_args, environment.default)
    return wrappers


def _call(resolver: "_Resolver", macro: Definition) -> Opening | None:
    """A macro that is a whole display with one of its arguments as the body; None if it is none."""
    if len(macro.body) > _LONGEST_BODY:
        return None
    for number in range(1 + (macro.default is not None), macro.num_args + 1):
        before, parameter, after = macro.body.partition(f"#{number}")
        opened = resolver.body(before, "begin") if parameter else None
        if opened is not None and opened == resolver.body(after, "end"):
            return Opening(opened, macro.num_args, macro.default, number)
    return None


def _add_delimited(wrappers: Wrappers, resolver: "_Resolver", macro: Definition) -> None:
    r"""`\def\be#1\ee{\begin{equation}#1\end{equation}}`."""
    before, _, after = macro.body.partition("#1")
    opened = resolver.body(before, "begin")
    if opened is not None and opened == resolver.body(after, "end") and macro.until:
        wrappers.openings[macro.name] = Opening(opened)
        wrappers.closings[macro.until] = opened


class _Resolver:
    """Finds the display environment that bodies of macros begin or end."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._known: dict[tuple[str, Side], str | None] = {}
        self._steps = 0

    def macro(self, name: str, side: Side, depth: int = 0) -> str | None:
        """The display environment that a plain macro begins or ends; None if it does not."""
        key = (name, side)
        if key not in self._known:
            self._known[key] = None  # while we look: a macro that leads to itself leads nowhere
            macro = self._definitions.macros.get(name)
            if macro is not None and macro.is_plain:
                self._known[key] = self.body(macro.body, side, depth + 1)
        return self._known[key]

    def body(self, body: str, side: Side, depth: int = 0) -> str | None:
        """The one display environment that a body begins or ends, with nothing else of weight."""
        if len(body) > _LONGEST_BODY or depth > _DEEPEST or ("\\" not in body and "$$" not in body):
            return None
        read = Arguments(body, 0, brace_pairs(body))
        found: str | None = None
        while read.at < len(body):
            match = _NEXT.match(body, read.at)
            self._steps += 1
            if match is None or self._steps > _MOST_STEPS:
                return None
            step = self._step(match, read, side, depth)
            if step is None or (step and found):
                return None
            found = found or step
        return found or None

    def _step(self, match: re.Match[str], read: Arguments, side: Side, depth: int) -> str | None:
        """A display environment, or "" for what is harmless beside one, or None for the rest."""
        body, read.at = match.string, match.end()
        if match["environment"] is not None:
            return self._environment(match["environment"], read, match["side"] == side, side)
        if match["dollars"] is not None:
            return "$$"
        if match["word"] is None:
            return ""
        if match["word"] == ("[" if side == "begin" else "]"):
            return "["
        harmless = _HARMLESS.match(body, match.start("word"))
        if harmless is not None:
            read.at = harmless.end()
            return ""
        macro = self._definitions.macros.get(match["word"])
        return self.macro(match["word"], side, depth) if macro and macro.num_args == 0 else None

    def _environment(self, name: str, read: Arguments, is_side: bool, side: Side) -> str | None:
        if not is_side:
            return None
        if side == "begin":
            for kind in arguments(name):
                read.option() if kind == "o" else read.group()
        if is_display(name):
            return name
        if name.removesuffix("*") in INNER:
            while side == "begin" and (read.option() or read.group()) is not None:
                pass
            return ""
        return "" if name in TRANSPARENT else None
