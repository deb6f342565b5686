r"""Which macros can be written out at their place, and what for.

A body that asks what follows it, or that defines, counts or compares something, means what it means
only when TeX runs it: such a macro stays.
"""

import re
from collections.abc import Container
from dataclasses import dataclass

from foreword.latex.environments import is_display
from foreword.records import Macro

_BODY_TOKEN = re.compile(r"\\[A-Za-z@]+|\\(?s:.)|\\\Z|%[^\n]*|\s+|#[1-9]|(?s:.)")
_NO_IF = r"(?:(?!\\if(?!f(?![A-Za-z@])))(?s:.))*?"
_IFMMODE = re.compile(
    rf"\\ifmmode(?![A-Za-z@])\s*(?P<math>{_NO_IF})"
    rf"(?:\\else(?![A-Za-z@])\s*(?P<words>{_NO_IF}))?\\fi(?![A-Za-z@])\s*"
)
_LONGEST_CHOICE = 2_000
r"""Characters of a body in which an `\ifmmode` is looked for."""
_BEGIN = re.compile(r"\\(?:begin|end)\s*\{\s*([^{}]*?)\s*\}")
_IS_CONDITIONAL = re.compile(r"\\(?:if(?!f\Z)[A-Za-z@]*|else|fi|or)\Z")
_ACTIONS = (
    "def edef gdef xdef let futurelet newcommand renewcommand providecommand global newenvironment "
    "renewenvironment DeclareMathOperator catcode expandafter noexpand csname endcsname string "
    "meaning the number romannumeral advance setcounter addtocounter stepcounter refstepcounter "
    "arabic value newcount newlength setbox afterassignment aftergroup lowercase uppercase "
    "scantokens IfNoValueTF IfBooleanTF IfValueTF IfNoValueT IfBooleanT ExplSyntaxOn mathpalette "
    "verb input"
)
_DOES = frozenset(rf"\{word}" for word in _ACTIONS.split())
_OWN = (
    "begin end left right middle label ref eqref cite tag text mbox verb item section nonumber "
    r"notag \ [ ] ( ) { } & $ %"
)
_STANDARD = frozenset(_OWN.split())


@dataclass(frozen=True, slots=True)
class Body:
    """A macro, ready to be written out."""

    num_args: int
    default: tuple[str, ...] | None
    math: tuple[str, ...]
    """The tokens of its body in a formula."""
    words: tuple[str, ...]
    r"""Its tokens in words; another list than `math` only where it asks `\ifmmode`."""
    kept: str | None
    """Why it must stay as it is, in words."""

    @property
    def mandatory(self) -> int:
        """How many arguments in braces it takes."""
        return self.num_args - (self.default is not None)


def body_of(macro: Macro, names: Container[str] = (), *, displays: bool = False) -> Body:
    r"""What is written for a macro.

    Args:
        macro: the macro.
        names: of all macros of the paper: an internal word, as `\my@half`, may be one of them.
        displays: whether a body may begin or end a display.

    >>> half = Macro(name="half", num_args=0, default=None, body=r"\ifmmode\frac12\else half\fi")
    >>> "".join(body_of(half).math), "".join(body_of(half).words)
    ('\\frac12', 'half')
    """
    default = None if macro.default is None else tuple(_tokens(macro.default))
    math = words = _tokens(macro.body)
    if "\\ifmmode" in macro.body and len(macro.body) <= _LONGEST_CHOICE:
        math = _tokens(_IFMMODE.sub(lambda match: match["math"], macro.body))
        words = _tokens(_IFMMODE.sub(lambda match: match["words"] or "", macro.body))
    kept = _why_kept(macro, [*math, *words, *(default or ())], names, displays=displays)
    return Body(macro.num_args, default, tuple(math), tuple(words), kept)


def why_kept(macro: Macro, names: Container[str] = ()) -> str | None:
    r"""Why a macro is not written out, in words; None where it is.

    >>> why_kept(Macro(name="s", num_args=0, default=None, body=r"\@ifstar{\a}{\b}"))
    'it uses the internal word \\@ifstar'
    """
    return body_of(macro, names).kept


def _tokens(text: str) -> list[str]:
    """The tokens of a body: a line's end is a space, an empty line too."""
    return [" " if token.isspace() else token for token in _BODY_TOKEN.findall(text)]


def _why_kept(
    macro: Macro, tokens: list[str], names: Container[str], *, displays: bool
) -> str | None:
    if macro.name in _STANDARD:
        return "LaTeX's own word of this name does as well"
    for token in tokens:
        if _IS_CONDITIONAL.match(token):
            return f"it asks a question, {token}"
        if token in _DOES:
            return f"it does more than to stand for a text, {token}"
        if token[0] == "\\" and "@" in token and token[1:] not in names:
            return f"it uses the internal word {token}"
    if not displays and _displays(macro.body, tokens):
        return "it begins or ends a display"
    return None


def _displays(body: str, tokens: list[str]) -> bool:
    named = any(is_display(name) for name in _BEGIN.findall(body))
    return named or r"\[" in tokens or r"\]" in tokens or "$$" in body
