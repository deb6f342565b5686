r"""A formula as a row of pieces, each with its role; arguments are swallowed by what takes them.

A paper's own words for `=`, `\left(` or `\begin{pmatrix}` are seen for what they stand for.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from foreword.cuts import symbols
from foreword.cuts.arguments import (
    SHORT_SCRIPT,
    UnbalancedError,
    argument_end,
    braced_end,
    call_end,
    option_end,
    row_end,
    script_end,
    skip_space,
    token_end,
)
from foreword.cuts.symbols import Role
from foreword.latex.arguments import signature
from foreword.records import OWN_WORD, Macro

MOST_PIECES = 16
"""A macro that stands for more unbalanced pieces than this is not looked into."""
DEEPEST = 20
"""Macros within macros that are looked into."""
MOST_OF_BODIES = 500_000
"""Characters in the bodies of macros that are looked into for one paper, all of them together."""
LONGEST_OPERATOR = 60
r"""Characters of the formula in a `\stackrel` that may still be an operator."""

_ASSIGNED = re.compile(
    r"\s*=?\s*[-+]?\s*(?:\\[A-Za-z]+|(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:\s*(?:pt|em|ex|mm|cm|in|pc|bp|sp|mu))?)"
)
_NAME = re.compile(r"\s*\{([^{}\\]*)\}")
_NO_BLANKS = re.compile(r"[\s~]+")
_ENDS = re.escape("".join(sorted(symbols.ROLE_OF_CHARACTER.keys() - {"~"})) + "%\\")
_RUN = rf"[^\s~{_ENDS}][^{_ENDS}]*"
_SIGNS = re.escape("".join(sorted(symbols.ROLE_OF_CHARACTER.keys() - set("{~^_"))))
_PIECE = re.compile(
    rf"[\s~]*(?:(?P<run>{_RUN}|\{{[\s~]*{_RUN}\}})|(?P<script>[\^_]{SHORT_SCRIPT})"
    r"|(?P<long>[\^_])"
    r"|(?P<control>\\(?:[A-Za-z]+|(?s:.)|\Z))|(?P<empty>\{\s*\})|(?P<comment>%[^\n]*)"
    rf"|(?P<signs>\{{|[{_SIGNS}]+)|\Z)"
)
"""The next piece; a control word or symbol, and a long script, without what belongs to them."""
_ROLES: Mapping[str, Role] = symbols.ROLE_OF_WORD | symbols.ROLE_OF_SYMBOL
_TAKERS = frozenset(["begin", "end", "left", "middle", "right"]).union(
    (name for name, role in symbols.ROLE_OF_SYMBOL.items() if role == "row"),
    *(symbols.SIZERS, symbols.TEXTS, symbols.INTERTEXTS, symbols.STACKED),
    *(symbols.LABELLED_ARROWS, symbols.BLANKS_WITH_ARGUMENT, symbols.PARAMETERS),
)
PARTNERS: dict[Role, Role] = {"{": "}", "left": "right", "begin": "end", "$": "$"}
CLOSERS = frozenset[Role](["}", "right", "end"])
"""What must be the partner of an earlier piece."""


class Lexeme(NamedTuple):
    """One piece of a formula."""

    role: Role
    start: int
    end: int
    name: str = ""
    """Of an environment."""

    @property
    def opens(self) -> bool:
        """Whether a partner must follow (a `$` may also be that partner)."""
        return self.role in PARTNERS

    @property
    def closes(self) -> bool:
        """Whether it must be the partner of an earlier piece."""
        return self.role in CLOSERS

    def ends(self, opener: "Lexeme") -> bool:
        """Whether it is the partner of an opener: of the same kind, of the same environment."""
        return PARTNERS.get(opener.role) == self.role and opener.name == self.name


class Vocabulary:
    r"""What the words of one paper mean.

    >>> vocabulary = Vocabulary([Macro(name="ra", num_args=0, default=None, body=r"\rightarrow")])
    >>> [piece.role for piece in lexemes(r"a \ra b_{i+1}", vocabulary)]
    ['operand', 'relation', 'operand', 'script']
    """

    def __init__(self, macros: Iterable[Macro] = ()) -> None:
        self._macros = {macro.name: macro for macro in macros}
        self._meanings: dict[str, tuple[Lexeme, ...]] = {}
        self._depth = 0
        self._room = MOST_OF_BODIES
        self.takers = _TAKERS | self._macros.keys()
        """The words that may take arguments, or stand for more than one piece."""

    def __contains__(self, name: str) -> bool:
        return name in self._macros

    def call_end(self, name: str, text: str, at: int) -> int:
        """Offset after the arguments of one of the paper's words, which itself ends at `at`.

        Raises:
            UnbalancedError: an argument does not end.
        """
        macro = self._macros[name]
        if macro.arguments not in ("", OWN_WORD):
            return call_end(signature(macro.arguments) or (), text, at)
        at = option_end(text, at, sure=macro.default is not None)
        for _ in range(macro.num_args - (macro.default is not None)):
            at = argument_end(text, at)
        return at

    def meaning(self, name: str) -> tuple[Lexeme, ...]:
        """The pieces that a word of the paper stands for: mostly one, an operand."""
        if name not in self._meanings:
            self._meanings[name] = (Lexeme("operand", 0, 0),)  # what a circle comes to
            macro = self._macros[name]
            self._room -= len(macro.body)
            if self._room < 0:
                return self._meanings[name]
            if macro.arguments == OWN_WORD:
                self._meanings[name] = _meaning(macro.body, PLAIN)
            elif not macro.num_args and not macro.arguments and self._depth < DEEPEST:
                self._depth += 1
                self._meanings[name] = _meaning(macro.body, self)
                self._depth -= 1
        return self._meanings[name]


PLAIN = Vocabulary()
"""No words of a paper's own."""


def lexemes(text: str, vocabulary: Vocabulary = PLAIN) -> Iterator[Lexeme]:
    r"""The pieces of a formula in source order; white space and the like are left out.

    Characters that are operands make one piece with their neighbours, as in `2ab`, and with the
    braces around them.

    >>> [piece.role for piece in lexemes(r"2a \le \left< b+\text{ if } c \right>")]
    ['operand', 'relation', 'left', 'operand', 'additive', 'text', 'operand', 'right']

    Raises:
        UnbalancedError: a braced argument does not end.
    """
    at = 0
    while at < len(text):  # once more behind each piece that took more than the pattern
        for match in _PIECE.finditer(text, at):
            kind, at = match.lastgroup, match.end()
            if kind == "run":
                yield Lexeme("operand", match.start(kind), at)
            elif kind == "signs":
                for start in range(match.start(kind), at):
                    yield Lexeme(symbols.ROLE_OF_CHARACTER[text[start]], start, start + 1)
            elif kind == "script":
                yield Lexeme("script", match.start(kind), at)
            elif kind == "empty":
                yield Lexeme("empty", match.start(kind), at)
            elif kind == "long":
                at = script_end(text, at)
                yield Lexeme("script", match.start(kind), at)
            elif kind == "control":
                for piece in _control(text, match.start(kind), at, vocabulary):
                    at = piece.end
                    if piece.role != "blank":
                        yield piece
            if at > match.end():
                break


def _control(text: str, start: int, end: int, vocabulary: Vocabulary) -> Iterable[Lexeme]:
    """What a control word or symbol stands for, with its arguments."""
    name = text[start + 1 : end]
    if name not in vocabulary.takers and not text.startswith("[", end):
        return (Lexeme(_ROLES.get(name, "operand"), start, end),)
    if name in vocabulary:
        end = vocabulary.call_end(name, text, end)
        return tuple(piece._replace(start=start, end=end) for piece in vocabulary.meaning(name))
    if not (name.isascii() and name.isalpha()):
        role = _ROLES.get(name, "operand")
        return (Lexeme(role, start, row_end(text, end) if role == "row" else end),)
    read = _READERS.get(name)
    if read is not None:
        return (read(text, start, end, vocabulary),)
    end = option_end(text, end, sure=name in symbols.OPTIONAL_FIRST)
    return (Lexeme(_ROLES.get(name, "operand"), start, end),)


def _delimited(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""`\left`, `\middle` or `\right` with its delimiter."""
    del vocabulary
    roles: dict[str, Role] = {r"\left": "left", r"\right": "right"}
    return Lexeme(roles.get(text[start:end], "comma"), start, token_end(text, end))


def _arrow(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""`\xrightarrow[u]{f}`."""
    del vocabulary
    return Lexeme("relation", start, argument_end(text, option_end(text, end, sure=True)))


def _unseen(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""`\label{a}`, `\hspace*{1em}`."""
    del vocabulary
    end = braced_end(text, end + text.startswith("*", end))
    return Lexeme("blank", start, option_end(text, end, sure=False))


def _assignment(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""`\arraycolsep=2pt`, `\postdisplaypenalty 100`: nothing that is seen."""
    del vocabulary
    match = _ASSIGNED.match(text, end)
    return Lexeme("blank", start, match.end() if match else end)


def _environment(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    del vocabulary
    match = _NAME.match(text, end)
    if match is None:
        return Lexeme("operand", start, end)
    name, is_end = match.group(1).strip(), text.startswith("end", start + 1)
    end = match.end()
    if is_end:
        return Lexeme("end", start, end, name)
    if name in symbols.OPTIONAL_ENVIRONMENTS:
        end = option_end(text, end, sure=True)
    if name in symbols.BRACED_ENVIRONMENTS:
        end = braced_end(text, end)
    return Lexeme("begin", start, end, name)


def _sized(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""`\bigl(`: it opens or closes by its name, or else by its delimiter."""
    del vocabulary
    last, delimiter_start = text[end - 1], skip_space(text, end)
    end = token_end(text, delimiter_start)
    if last == "m":
        return Lexeme("comma", start, end)
    side: dict[str, Role] = {"l": "opener", "r": "closer"}
    delimiter = text[delimiter_start:end]
    by_delimiter: dict[str, Role] = {"<": "opener", ">": "closer", "/": "prefix"}
    role = (
        side.get(last)
        or by_delimiter.get(delimiter)
        or symbols.ROLE_OF_CHARACTER.get(delimiter)
        or symbols.ROLE_OF_SYMBOL.get(delimiter[1:])
        or symbols.ROLE_OF_WORD.get(delimiter[1:], "operand")
    )
    return Lexeme(role, start, end)


def _text(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""Words between formulas (`\text{ if }`) are no operand; a name (`\text{Tr}`) is one."""
    del vocabulary
    name, argument_start = text[start + 1 : end], end
    end = braced_end(text, end)
    inside = text[argument_start:end].strip()[1:-1]
    words = name in symbols.INTERTEXTS or inside.strip(" \n\t~") != inside
    return Lexeme("text" if words else "operand", start, end)


def _stacked(text: str, start: int, end: int, vocabulary: Vocabulary) -> Lexeme:
    r"""`\stackrel{!}{=}` is a relation as a whole."""
    last_start = end
    for _ in range(symbols.STACKED[text[start + 1 : end]]):
        last_start, end = end, argument_end(text, end)
    role: Role = "operand"
    if end - last_start <= LONGEST_OPERATOR:
        inside = text[last_start:end].strip()
        inside = inside[1:-1] if inside.startswith("{") else inside
        pieces = [piece for piece in lexemes(inside, vocabulary) if piece.role != "script"]
        role = _as_one(pieces)
    return Lexeme(role, start, end)


_READERS: Mapping[str, Callable[[str, int, int, Vocabulary], Lexeme]] = {
    **dict.fromkeys(symbols.BLANKS_WITH_ARGUMENT, _unseen),
    **dict.fromkeys(symbols.PARAMETERS, _assignment),
    **dict.fromkeys(symbols.LABELLED_ARROWS, _arrow),
    **dict.fromkeys(symbols.STACKED, _stacked),
    **dict.fromkeys(symbols.TEXTS | symbols.INTERTEXTS, _text),
    **dict.fromkeys(symbols.SIZERS, _sized),
    **dict.fromkeys(("left", "middle", "right"), _delimited),
    **dict.fromkeys(("begin", "end"), _environment),
}
"""Words that take arguments of their own, with what reads them."""


def _meaning(body: str, vocabulary: Vocabulary) -> tuple[Lexeme, ...]:
    if "@ifnextchar" in body:  # it looks at what follows, so a sign after it may be its argument
        return (Lexeme("prefix", 0, 0),)
    try:
        pieces = [piece for piece in _singly(body, vocabulary) if piece.role != "script"]
    except UnbalancedError:  # half of something: TeX itself could not use it on its own
        return (Lexeme("operand", 0, 0),)
    if len(pieces) <= MOST_PIECES and not _balanced(pieces):
        return tuple(pieces)
    return (Lexeme(_as_one(pieces), 0, 0),)


def _singly(body: str, vocabulary: Vocabulary) -> Iterator[Lexeme]:
    """The pieces of a body, each character that is an operand on its own."""
    for piece in lexemes(body, vocabulary):
        if piece.role == "operand" and not body.startswith("\\", piece.start):
            yield from [piece] * len(_NO_BLANKS.sub("", body[piece.start : piece.end]))
        else:
            yield piece


def _as_one(pieces: list[Lexeme]) -> Role:
    roles = {piece.role for piece in pieces} - {"{", "}"}
    if not roles:
        return "blank"
    if len(pieces) > 1 and roles <= symbols.OPERATORS:
        return "relation" if "relation" in roles else "additive" if "additive" in roles else "colon"
    only = pieces[0]
    return only.role if len(pieces) == 1 and not only.opens and not only.closes else "operand"


def _balanced(pieces: Iterable[Lexeme]) -> bool:
    stack: list[Lexeme] = []
    for piece in pieces:
        if stack and piece.ends(stack[-1]):
            stack.pop()
        elif piece.opens or piece.closes:
            stack.append(piece)
    return not stack
