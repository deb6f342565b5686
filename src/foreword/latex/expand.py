r"""A paper's own macros, written out: `\half x^\ket{a}` becomes `\tfrac12 x^{|a\rangle}`.

As TeX does it: tokens are taken from a stack, a macro takes its arguments unread and puts its body
back. What would never end, or grow without bound, is an error, so a hostile definition costs a
caption and not a hang. What stays and why: docs/design/expansion.md.
"""

import re
from collections.abc import Iterable, Sequence

from foreword.latex.choices import NO, NO_VALUE, YES, decided, value
from foreword.latex.expandable import Body, Own, body_of
from foreword.latex.output import ARGUMENTS, Output, joint
from foreword.latex.waiting import MAX_WORK, ExpansionError, Waiting
from foreword.records import Macro

__all__ = ["MAX_CHARACTERS", "MAX_EXPANSIONS", "Expander", "ExpansionError", "expand", "join"]

MAX_EXPANSIONS = 1_000
MAX_CHARACTERS = 20_000
_WORK_OF_A_CALL = 5

_NAME = re.compile(r"%[^\n]*|\\([A-Za-z]+|(?s:.))")
_LAST = re.compile(r"\\[A-Za-z]+\Z")
_NAMING = (
    "label ref eqref pageref nameref autoref cref Cref vref cite citet citep citealt citeauthor "
    "citeyear nocite bibitem url nolinkurl path includegraphics color hyperref"
)
_NAMES = frozenset(_NAMING.split())
"""Commands whose argument is a name, not LaTeX."""
_ENSUREMATH = Body(1, None, ("#1",), ("$", "#1", "$"), None)
_SIZES = frozenset([r"\big", r"\Big", r"\bigg", r"\Bigg"])
_SIDES = {r"\mathopen": "l", r"\mathclose": "r"}
_NO_SPACE_BEFORE = frozenset([*".,:;!?/')-~{}", r"\ ", r"\/"])
r"""Before these `\xspace` makes no space."""


def expand(latex: str, macros: Sequence[Macro]) -> str:
    r"""A formula without the given macros.

    The result of a macro that is an argument without braces (`x^\half`, `\sqrt\half`) gets them.

    >>> half = Macro(name="half", num_args=0, default=None, body=r"\tfrac12")
    >>> norm = Macro(name="norm", num_args=2, default="2", body=r"\|#2\|_{#1}")
    >>> expand(r"x^\half\norm{y}+\norm[\half]z", [half, norm])
    'x^{\\tfrac12}\\|y\\|_{2}+\\|z\\|_{\\tfrac12}'

    Raises:
        ExpansionError: an argument is lacking, or there would be more than `MAX_EXPANSIONS` macros
            or `MAX_CHARACTERS` characters.
    """
    return Expander(macros).expand(latex)


def join(first: str, second: str) -> str:
    r"""Two pieces of LaTeX with a space between where `\a` and `b` would become `\ab`.

    >>> join(r"\alpha", "x"), join("2", "x")
    ('\\alpha x', '2x')
    """
    last = _LAST.search(first[-100:])
    return first + (joint(last.group(), second) if last and second else "") + second


class Expander:
    r"""Writes out the macros of one paper, in as many formulas as you like.

    An environment of the paper is a macro named `begin{name}` and one named `end{name}`.

    >>> expander = Expander([Macro(name="R", num_args=0, default=None, body=r"\ensuremath{R}")])
    >>> expander.expand(r"\hat\R+\text{\R and }x"), expander.expand(r"\R", math=False)
    ('\\hat{R}+\\text{$R$and }x', '$R$')
    """

    def __init__(
        self, macros: Iterable[Macro], *, displays: bool = False, work: int | None = None
    ) -> None:
        """Take the macros of a paper; of two with one name the later counts.

        Args:
            macros: the definitions.
            displays: whether macros that begin or end a display are written out too.
            work: how many tokens may be read in all, over all formulas; no limit by default.
        """
        self.macros = {macro.name: macro for macro in macros}
        """By their names."""
        self._bodies: dict[str, Body] = {"ensuremath": _ENSUREMATH}
        self._names = {*self.macros, "ensuremath", "xspace"}
        if any(name.startswith("begin{") for name in self._names):
            self._names |= {"begin", "end"}
        self._displays = displays
        self._work = work

    def touches(self, latex: str) -> bool:
        """Whether there is anything in a text that might be written out."""
        return "\\" in latex and not self._names.isdisjoint(_NAME.findall(latex))

    def expand(self, latex: str, *, math: bool = True) -> str:
        """A text without macros.

        Args:
            latex: a formula without its `$`; or words.
            math: whether it is a formula.

        Raises:
            ExpansionError: an argument is lacking, or it would not end, or grow too much.
        """
        if len(latex) > MAX_CHARACTERS:
            raise ExpansionError(f"it is over {MAX_CHARACTERS:,} characters long")
        if not self.touches(latex):
            return latex
        if self._work is not None and self._work <= 0:
            raise ExpansionError("the macros of this paper take too much work")
        run = _Run(self, latex, math=math)
        try:
            return run.result()
        finally:
            if self._work is not None:
                self._work -= run.work

    def body(self, name: str) -> Body | None:
        """What a control word stands for; None for one that is not the paper's own."""
        found = self._bodies.get(name)
        if found is None and name in self.macros:
            found = body_of(self.macros[name], self.macros, displays=self._displays)
            self._bodies[name] = found
        return found


class _Run:
    """One text while its macros are written out."""

    def __init__(self, expander: Expander, latex: str, *, math: bool) -> None:
        self._expander = expander
        self._waiting = Waiting(latex)
        self._output = Output(math=math)
        self._expansions = 0

    def result(self) -> str:
        """The whole text."""
        while self._waiting:
            piece = self._waiting.pop()
            if piece[0] == "\\":
                self._control(piece)
            else:
                self._output.add(piece)
            if self._output.length > MAX_CHARACTERS:
                raise ExpansionError(f"it is over {MAX_CHARACTERS:,} characters long")
        text = self._output.text
        if any(mark in text for mark in (NO_VALUE, YES, NO)):
            raise ExpansionError("it would show an argument that is not there")
        return text

    @property
    def work(self) -> int:
        """How much was read and written."""
        return self._waiting.work + self._output.length

    def _control(self, piece: str) -> None:
        name = piece[1:]
        if name in _NAMES and name not in self._expander.macros:
            self._output.add(piece)
            self._copy_name(piece)
        elif name in ("begin", "end"):
            self._environment(name)
        elif name == "xspace":
            self._xspace()
        else:
            self._word(name, piece)

    def _word(self, name: str, piece: str) -> None:
        body = None if isinstance(piece, Own) else self._expander.body(name)
        if body is None:
            self._output.add(piece)
        elif body.kept:
            self._output.add(piece, wants=body.mandatory, option=body.default is not None)
        else:
            self._call(piece, body)

    def _call(self, piece: str, body: Body) -> None:
        self._expansions += 1
        if self._expansions > MAX_EXPANSIONS:
            raise ExpansionError("its macros do not come to an end")
        is_argument, math = self._output.wants, self._output.math
        arguments = self._arguments(piece, body)
        if not math and not arguments and piece[-1].isalpha():
            self._waiting.skip_space()
        tokens = self._filled(body.math if math else body.words, arguments)
        tokens, work = decided(tokens, self._expander.macros)
        self._waiting.count(work)
        if body.signature:
            tokens = _sized(tokens)
        if is_argument and not self._takes_more(tokens) and not _is_group(tokens):
            tokens = ["{", *tokens, "}"]
        self._waiting.put_back(tokens)

    def _filled(self, body: Sequence[str], arguments: Sequence[Sequence[str]]) -> list[str]:
        tokens: list[str] = []
        for piece in body:
            if piece[0] == "#" and len(piece) == 2 and int(piece[1]) <= len(arguments):
                tokens += arguments[int(piece[1]) - 1]
            else:
                tokens.append(piece)
            if len(tokens) > MAX_WORK:
                break
        self._waiting.count(len(tokens) + _WORK_OF_A_CALL)
        return tokens

    def _takes_more(self, tokens: Sequence[str]) -> bool:
        r"""Whether an argument of what a macro stands for comes after it: `\bb` for `\mathbb`."""
        last = next((piece for piece in reversed(tokens) if not piece.isspace()), "")
        is_own = isinstance(last, Own) or last[:1] != "\\"
        body = None if is_own else self._expander.body(last[1:])
        return last in ("^", "_") or bool(body.mandatory if body else ARGUMENTS.get(last[1:]))

    def _arguments(self, name: str, body: Body) -> list[Sequence[str]]:
        if body.signature is not None:
            values = [value(self._waiting, name, parameter) for parameter in body.signature]
            self._waiting.count(sum(map(len, values)))
            if any(r"\delimsize" in one for one in values):
                raise ExpansionError(f"{name} sets the size of what stands in its arguments")
            return values
        found: list[Sequence[str]] = []
        if body.default is not None:
            option = self._waiting.option()
            found.append(body.default if option is None else option)
        while len(found) < body.num_args:
            found.append(self._waiting.argument(name))
        return found

    # ------------------------------------------------------------------------- special words

    def _copy_name(self, name: str) -> None:
        r"""Copy the `[…]` and the `{…}` after `\cite` and its kin as they stand."""
        option = self._waiting.option()
        if option is not None:
            self._output.raw(f"[{''.join(option)}]")
        if self._waiting.next == "{":
            self._waiting.pop()
            self._output.raw(f"{{{''.join(self._waiting.group(name))}}}")

    def _environment(self, side: str) -> None:
        r"""`\begin{name}` or `\end{name}`: the paper's own is written out, LaTeX's is copied."""
        self._waiting.skip_space()
        if self._waiting.next != "{":
            self._output.add(f"\\{side}")
            return
        self._waiting.pop()
        name = "".join(self._waiting.group(f"\\{side}"))
        body = self._expander.body(f"{side}{{{name.strip()}}}")
        if body is None or body.kept:
            self._output.add(f"\\{side}")
            self._output.raw(f"{{{name}}}")
        else:
            self._call(f"\\{side}{{{name}}}", body)

    def _xspace(self) -> None:
        following = self._waiting.next.strip()
        if not self._output.math and following and following not in _NO_SPACE_BEFORE:
            self._output.add(" ")


def _is_group(tokens: Sequence[str]) -> bool:
    """Whether these are one group and nothing else."""
    depth = 0
    for at, piece in enumerate(tokens):
        depth += (piece == "{") - (piece == "}")
        if depth < 1:
            return at > 0 and at == len(tokens) - 1
    return False


def _sized(tokens: Sequence[str]) -> list[str]:
    r"""`\mathopen\big` as everybody writes it: `\bigl`."""
    made: list[str] = []
    for piece in tokens:
        if made and piece in _SIZES and made[-1] in _SIDES:
            made[-1] = piece + _SIDES[made[-1]]
        else:
            made.append(piece)
    return made
