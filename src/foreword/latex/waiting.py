r"""The tokens that are still to be read, as TeX keeps them: arguments come off, bodies go back."""

import re
from collections.abc import Sequence

MAX_WORK = 100_000
"""Tokens of macros, arguments and results that are read in all."""
_LONGEST_OPTION = 500
"""Tokens within which a `[…]` must end to be an argument."""

_TOKEN = re.compile(
    r"(?:\\verb(?![A-Za-z])\*?(?P<bar>[^\sA-Za-z*]).{0,1000}?(?P=bar)|\\[A-Za-z]+|\\(?s:.)|\\\Z"
    r"|%[^\n]*|\s+|(?s:.))"
)

_BODY_TOKEN = re.compile(r"\\[A-Za-z@]+|\\(?s:.)|\\\Z|%[^\n]*|\s+|#[1-9]|(?s:.)")


class ExpansionError(ValueError):
    """The macros of an equation can't be written out; the message says why, for a reader."""


def body_tokens(text: str) -> list[str]:
    """The tokens of a macro's body: a line's end is a space, an empty line too."""
    return [" " if token.isspace() else token for token in _BODY_TOKEN.findall(text)]


class Waiting:
    r"""A stack of tokens.

    >>> waiting = Waiting(r" {a\b}[c]d")
    >>> waiting.argument(r"\f"), waiting.option(), waiting.pop()
    (['a', '\\b'], ['c'], 'd')
    """

    def __init__(self, latex: str | Sequence[str]) -> None:
        tokens = (
            [match.group() for match in _TOKEN.finditer(latex)] if isinstance(latex, str) else latex
        )
        self._tokens = list(reversed(tokens))
        """The next one last."""
        self.work = 0
        """How many tokens were moved."""

    def __bool__(self) -> bool:
        return bool(self._tokens)

    @property
    def next(self) -> str:
        """The next token; empty at the end."""
        return self._tokens[-1] if self._tokens else ""

    def pop(self) -> str:
        """Take the next token."""
        return self._tokens.pop()

    def put_back(self, tokens: Sequence[str]) -> None:
        """Let these tokens come next."""
        self._tokens.extend(reversed(tokens))

    def count(self, tokens: int) -> None:
        """Account for work.

        Raises:
            ExpansionError: it was too much.
        """
        self.work += tokens
        if self.work > MAX_WORK:
            raise ExpansionError("its macros do not come to an end")

    def skip_space(self) -> None:
        """Pass over white space and comments."""
        tokens = self._tokens
        while tokens and (tokens[-1].isspace() or tokens[-1][0] == "%"):
            tokens.pop()

    def argument(self, name: str) -> Sequence[str]:
        """The argument of a macro that comes next: what is in a group, or one token.

        Raises:
            ExpansionError: there is none, or it does not end.
        """
        self.skip_space()
        piece = self._tokens.pop() if self._tokens else "}"
        if piece == "}":
            raise ExpansionError(f"{name} lacks an argument")
        return self.group(name) if piece == "{" else [piece]

    def group(self, name: str) -> list[str]:
        """The tokens up to the `}` of a group whose `{` is read.

        Raises:
            ExpansionError: it does not end.
        """
        tokens, depth = self._tokens, 1
        for at in range(len(tokens) - 1, -1, -1):
            piece = tokens[at]
            if piece == "{":
                depth += 1
            elif piece == "}":
                depth -= 1
                if depth == 0:
                    return self._taken(at)
        raise ExpansionError(f"a group after {name} does not close")

    def mark(self, mark: str) -> bool:
        """Whether this character comes next, a star say; it is taken then."""
        start = self._start()
        if start < 0 or self._tokens[start] != mark:
            return False
        del self._tokens[start:]
        return True

    def option(self, delimiters: str = "[]", *, nested: bool = False) -> list[str] | None:
        """The tokens of the `[…]` that comes next, if one does; else nothing is read.

        Args:
            delimiters: the two that stand around it.
            nested: pairs of them may stand in it, as for xparse.
        """
        tokens, opener, closer = self._tokens, delimiters[0], delimiters[-1]
        start = self._start()
        if start < 0 or tokens[start] != opener:
            return None
        depth = inner = 0
        for at in range(start - 1, max(-1, start - _LONGEST_OPTION), -1):
            piece = tokens[at]
            depth += (piece == "{") - (piece == "}")
            if depth < 0:
                return None
            if piece == closer and depth == 0:
                if inner == 0:
                    del tokens[start:]
                    return self._taken(at)
                inner -= 1
            elif nested and piece == opener and depth == 0:
                inner += 1
        return None

    def _start(self) -> int:
        """Where what comes after white space and comments stands; -1 if nothing does."""
        tokens = self._tokens
        start = len(tokens) - 1
        while start >= 0 and (tokens[start].isspace() or tokens[start][0] == "%"):
            start -= 1
        return start

    def _taken(self, last: int) -> list[str]:
        """Take the tokens before the one at `last`, and that one too."""
        found = self._tokens[:last:-1]
        del self._tokens[last:]
        self.count(len(found))
        return found
