r"""A formula as a row of pieces, each with its role; arguments are swallowed by what takes them.

A paper's own words for `=`, `\left(` or `\begin{pmatrix}` are seen for what they stand for.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from foreword.cuts import symbols
from foreword.cuts.arguments import (
    UnbalancedError,
    argument_end,
    braced_end,
    option_end,
    row_end,
    script_end,
    skip_space,
    token_end,
)
from foreword.cuts.symbols import Role
from foreword.latex.tokens import Token, token_at
from foreword.records import Macro

MOST_PIECES = 16
"""A macro that stands for more unbalanced pieces than this is not looked into."""
DEEPEST = 20
"""Macros within macros that are looked into."""
LONGEST_OPERATOR = 60
r"""Characters of the formula in a `\stackrel` that may still be an operator."""

_NAME = re.compile(r"\s*\{\s*([^{}\\]*?)\s*\}")
_EMPTY = re.compile(r"\{\s*\}")
_PARTNERS: dict[Role, Role] = {"{": "}", "left": "right", "begin": "end", "$": "$"}


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
        return self.role in _PARTNERS

    @property
    def closes(self) -> bool:
        """Whether it must be the partner of an earlier piece."""
        return self.role in ("}", "right", "end")

    def ends(self, opener: "Lexeme") -> bool:
        """Whether it is the partner of an opener: of the same kind, of the same environment."""
        return _PARTNERS.get(opener.role) == self.role and opener.name == self.name


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

    def __contains__(self, name: str) -> bool:
        return name in self._macros

    def call_end(self, name: str, text: str, at: int) -> int:
        """Offset after the arguments of one of the paper's words, which itself ends at `at`.

        Raises:
            UnbalancedError: an argument does not end.
        """
        macro = self._macros[name]
        at = option_end(text, at, sure=macro.default is not None)
        for _ in range(macro.num_args - (macro.default is not None)):
            at = argument_end(text, at)
        return at

    def meaning(self, name: str) -> tuple[Lexeme, ...]:
        """The pieces that a word of the paper stands for: mostly one, an operand."""
        if name not in self._meanings:
            self._meanings[name] = (Lexeme("operand", 0, 0),)  # what a circle comes to
            if self._macros[name].num_args == 0 and self._depth < DEEPEST:
                self._depth += 1
                self._meanings[name] = _meaning(self._macros[name].body, self)
                self._depth -= 1
        return self._meanings[name]


PLAIN = Vocabulary()
"""No words of a paper's own."""


def lexemes(text: str, vocabulary: Vocabulary = PLAIN) -> Iterator[Lexeme]:
    r"""The pieces of a formula in source order; white space and the like are left out.

    >>> [piece.role for piece in lexemes(r"a \le \left< b+\text{ if } c \right>")]
    ['operand', 'relation', 'left', 'operand', 'additive', 'text', 'operand', 'right']

    Raises:
        UnbalancedError: a braced argument does not end.
    """
    at = 0
    while at < len(text):
        token = token_at(text, at)
        name = token.text[1:]
        if token.kind in ("word", "symbol") and name in vocabulary:
            at = vocabulary.call_end(name, text, token.end)
            found = tuple(
                piece._replace(start=token.start, end=at) for piece in vocabulary.meaning(name)
            )
        else:
            found = (_read(text, token, vocabulary),)
            at = found[0].end
        yield from (piece for piece in found if piece.role != "blank")


def _read(text: str, token: Token, vocabulary: Vocabulary) -> Lexeme:
    start, end = token.start, token.end
    if token.kind == "word":
        return _word(text, token, vocabulary)
    if token.kind in ("space", "comment"):
        return Lexeme("blank", start, end)
    if token.kind == "symbol":
        role = symbols.ROLE_OF_SYMBOL.get(token.text[1:], "operand")
        return Lexeme(role, start, row_end(text, end) if role == "row" else end)
    if token.text in ("^", "_"):
        return Lexeme("script", start, script_end(text, end))
    if empty := _EMPTY.match(text, start):
        return Lexeme("empty", start, empty.end())
    return Lexeme(symbols.ROLE_OF_CHARACTER.get(token.text, "operand"), start, end)


def _word(text: str, token: Token, vocabulary: Vocabulary) -> Lexeme:
    start, end, name = token.start, token.end, token.text[1:]
    if name in ("begin", "end"):
        return _environment(text, token)
    if name in ("left", "right", "middle"):
        role: Role = "left" if name == "left" else "right" if name == "right" else "comma"
        return Lexeme(role, start, token_end(text, end))
    if name in symbols.SIZERS:
        return _sized(text, token)
    if name in symbols.TEXTS | symbols.INTERTEXTS:
        return _text(text, token)
    if name in symbols.STACKED:
        return _stacked(text, token, vocabulary)
    if name in symbols.LABELLED_ARROWS:
        return Lexeme("relation", start, argument_end(text, option_end(text, end, sure=True)))
    if name in symbols.BLANKS_WITH_ARGUMENT:
        end = braced_end(text, end + text.startswith("*", end))
    end = option_end(text, end, sure=name in symbols.OPTIONAL_FIRST)
    return Lexeme(symbols.ROLE_OF_WORD.get(name, "operand"), start, end)


def _environment(text: str, token: Token) -> Lexeme:
    match = _NAME.match(text, token.end)
    if match is None:
        return Lexeme("operand", token.start, token.end)
    name, end = match.group(1), match.end()
    if token.text == r"\end":
        return Lexeme("end", token.start, end, name)
    if name in symbols.OPTIONAL_ENVIRONMENTS:
        end = option_end(text, end, sure=True)
    if name in symbols.BRACED_ENVIRONMENTS:
        end = braced_end(text, end)
    return Lexeme("begin", token.start, end, name)


def _sized(text: str, token: Token) -> Lexeme:
    r"""`\bigl(`: it opens or closes by its name, or else by its delimiter."""
    start = skip_space(text, token.end)
    end = token_end(text, start)
    if token.text[-1] == "m":
        return Lexeme("comma", token.start, end)
    side: dict[str, Role] = {"l": "opener", "r": "closer"}
    delimiter = text[start:end]
    by_delimiter: dict[str, Role] = {"<": "opener", ">": "closer", "/": "prefix"}
    role = (
        side.get(token.text[-1])
        or by_delimiter.get(delimiter)
        or symbols.ROLE_OF_CHARACTER.get(delimiter)
        or symbols.ROLE_OF_SYMBOL.get(delimiter[1:])
        or symbols.ROLE_OF_WORD.get(delimiter[1:], "operand")
    )
    return Lexeme(role, token.start, end)


def _text(text: str, token: Token) -> Lexeme:
    r"""Words between formulas (`\text{ if }`) are no operand; a name (`\text{Tr}`) is one."""
    end = braced_end(text, token.end)
    inside = text[token.end : end].strip()[1:-1]
    words = token.text[1:] in symbols.INTERTEXTS or inside.strip(" \n\t~") != inside
    return Lexeme("text" if words else "operand", token.start, end)


def _stacked(text: str, token: Token, vocabulary: Vocabulary) -> Lexeme:
    r"""`\stackrel{!}{=}` is a relation as a whole."""
    start = end = token.end
    for _ in range(symbols.STACKED[token.text[1:]]):
        start, end = end, argument_end(text, end)
    role: Role = "operand"
    if end - start <= LONGEST_OPERATOR:
        inside = text[start:end].strip()
        inside = inside[1:-1] if inside.startswith("{") else inside
        pieces = [piece for piece in lexemes(inside, vocabulary) if piece.role != "script"]
        role = _as_one(pieces)
    return Lexeme(role, token.start, end)


def _meaning(body: str, vocabulary: Vocabulary) -> tuple[Lexeme, ...]:
    if "@ifnextchar" in body:  # it looks at what follows, so a sign after it may be its argument
        return (Lexeme("prefix", 0, 0),)
    try:
        pieces = [piece for piece in lexemes(body, vocabulary) if piece.role != "script"]
    except UnbalancedError:  # half of something: TeX itself could not use it on its own
        return (Lexeme("operand", 0, 0),)
    if len(pieces) <= MOST_PIECES and not _balanced(pieces):
        return tuple(pieces)
    return (Lexeme(_as_one(pieces), 0, 0),)


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
