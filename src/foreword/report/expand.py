r"""A paper's own macros, written out: `\half x^\ket{a}` becomes `\tfrac12 x^{|a\rangle}`.

A reader's expander, not TeX's: it replaces text until no macro is left. What would never end, or
grow without bound, is an error, so a hostile definition costs a caption and not a hang.
"""

import re
from collections.abc import Sequence

from foreword.latex.tokens import Token, group_end, tokens
from foreword.records import Macro

MAX_EXPANSIONS = 1_000
MAX_CHARACTERS = 20_000
_MAX_WORK = 100_000
"""Characters of macros, arguments and results that are read in all."""

_ENDS_IN_WORD = re.compile(r"\\[A-Za-z]+\Z")
_TAKES_ONE = (
    "sqrt|hat|bar|tilde|vec|dot|ddot|check|breve|acute|grave|widehat|widetilde|overline|underline"
    "|math(?:bf|rm|cal|bb|frak|scr|sf|it|tt)|boldsymbol|bm|operatorname"
)
_TAKES_TWO = "[dtc]?frac|[dt]?binom|overset|underset|stackrel"
_WANTS_GROUP = re.compile(
    rf"(?:[\^_]|\\(?:{_TAKES_ONE}|{_TAKES_TWO})"
    rf"|\\(?:{_TAKES_TWO})\s*(?:\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|[^\\{{}}\s]))\s*\Z"
)
_LOOK_BACK = 200
"""Characters before a macro that are searched for a command whose argument it is."""


class ExpansionError(ValueError):
    """The macros of an equation can't be written out; the message says why, for a reader."""


def expand(latex: str, macros: Sequence[Macro]) -> str:
    r"""LaTeX source without the given macros.

    The result of a macro that is an argument without braces (`x^\half`, `\sqrt\half`) gets them.

    >>> half = Macro(name="half", num_args=0, default=None, body=r"\tfrac12")
    >>> norm = Macro(name="norm", num_args=2, default="2", body=r"\|#2\|_{#1}")
    >>> expand(r"x^\half\norm{y}+\norm[\half]z", [half, norm])
    'x^{\\tfrac12}\\|y\\|_{2}+\\|z\\|_{\\tfrac12}'

    Raises:
        ExpansionError: an argument is lacking, or there would be more than `MAX_EXPANSIONS` macros
            or `MAX_CHARACTERS` characters.
    """
    definitions = {macro.name: macro for macro in macros}
    done, rest, work = "", latex, 0
    for _ in range(MAX_EXPANSIONS):
        if len(done) + len(rest) > MAX_CHARACTERS:
            raise ExpansionError(f"it is over {MAX_CHARACTERS:,} characters long")
        token = _first_macro(rest, definitions)
        if token is None:
            return join(done, rest)
        done = join(done, rest[: token.start])
        macro = definitions[token.text[1:]]
        arguments, end = _arguments(rest, token.end, macro)
        body = _substitute(macro.body, arguments)
        work += end - token.start + len(body)
        if work > _MAX_WORK:
            break
        if _WANTS_GROUP.search(done[-_LOOK_BACK:]):
            body = "{" + body + "}"
        rest = join(body, rest[end:])
    raise ExpansionError("its macros do not come to an end")


def join(first: str, second: str) -> str:
    r"""Two pieces of LaTeX with a space between where `\a` and `b` would become `\ab`.

    >>> join(r"\alpha", "x"), join("2", "x")
    ('\\alpha x', '2x')
    """
    if second[:1].isalpha() and second[:1].isascii() and _ENDS_IN_WORD.search(first[-100:]):
        return f"{first} {second}"
    return first + second


def _first_macro(text: str, definitions: dict[str, Macro]) -> Token | None:
    named = (token for token in tokens(text) if token.kind in ("word", "symbol"))
    return next((token for token in named if token.text[1:] in definitions), None)


def _arguments(text: str, start: int, macro: Macro) -> tuple[list[str], int]:
    """The macro's arguments and the offset after the last of them."""
    found: list[str] = []
    if macro.default is not None:
        value, start = _optional(text, start, macro.default)
        found.append(value)
    while len(found) < macro.num_args:
        value, start = _mandatory(text, start, macro.name)
        found.append(value)
    return found, start


def _optional(text: str, start: int, default: str) -> tuple[str, int]:
    opening = start + len(text[start:]) - len(text[start:].lstrip())
    if text[opening : opening + 1] != "[":
        return default, start
    depth = 0
    for token in tokens(text, opening + 1):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0 and token.text == "]":
            return text[opening + 1 : token.start], token.end
    return default, start


def _mandatory(text: str, start: int, name: str) -> tuple[str, int]:
    token = next((token for token in tokens(text, start) if token.kind != "space"), None)
    if token is None or token.kind == "close":
        raise ExpansionError(f"\\{name} lacks an argument")
    if token.kind != "open":
        return token.text, token.end
    end = group_end(text, token.start)
    if end is None:
        raise ExpansionError(f"a group after \\{name} does not close")
    return text[token.end : end - 1], end


def _substitute(body: str, arguments: Sequence[str]) -> str:
    result = ""
    for piece in re.split(r"(#[1-9])", body):
        if re.fullmatch(r"#[1-9]", piece) and int(piece[1]) <= len(arguments):
            result = join(result, arguments[int(piece[1]) - 1])
        else:
            result = join(result, piece)
        if len(result) > MAX_CHARACTERS:
            raise ExpansionError(f"it is over {MAX_CHARACTERS:,} characters long")
    return result
