r"""Which macros can be written out at their place, and what for.

A body that asks what follows it, or that defines, counts or compares something, means what it means
only when TeX runs it: such a macro stays.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from foreword.latex.arguments import Arguments, Parameter, brace_pairs, signature
from foreword.latex.choices import CHOICES
from foreword.latex.environments import is_display
from foreword.latex.waiting import body_tokens
from foreword.records import OWN_WORD, Macro

_NO_IF = r"(?:(?!\\if(?!f(?![A-Za-z@])))(?s:.))*?"
_IFMMODE = re.compile(
    rf"\\ifmmode(?![A-Za-z@])\s*(?P<math>{_NO_IF})"
    rf"(?:\\else(?![A-Za-z@])\s*(?P<words>{_NO_IF}))?\\fi(?![A-Za-z@])\s*"
)
_EMPTY = re.compile(
    r"\\if(?:x\s*(?P<sign>\\\\|&|!)#(?P<one>[1-9])(?P=sign)"
    r"|\\relax\s*\\detokenize\s*\{#(?P<two>[1-9])\}\s*\\relax(?![A-Za-z@]))\s*"
    rf"(?P<empty>{_NO_IF})(?:\\else(?![A-Za-z@])\s*(?P<full>{_NO_IF}))?\\fi(?![A-Za-z@])\s*"
)
r"""Whether an argument is empty, as TeX's own words ask it."""
_EQUAL = re.compile(r"\\ifthenelse\s*\{\s*\\equal\s*\{\s*(#[1-9])\s*\}\s*\{\s*\}\s*\}")
_IFSTAR = re.compile(r"\s*\\@ifstar(?![A-Za-z@])")
_LONGEST_CHOICE = 2_000
r"""Characters of a body in which an `\ifmmode` and its kin are looked for."""
_BEGIN = re.compile(r"\\(?:begin|end)\s*\{\s*([^{}]*?)\s*\}")
_IS_CONDITIONAL = re.compile(r"\\(?:if(?!f\Z)[A-Za-z@]*|else|fi|or)\Z")
_ACTIONS = (
    "def edef gdef xdef let futurelet newcommand renewcommand providecommand global newenvironment "
    "renewenvironment DeclareMathOperator catcode expandafter noexpand csname endcsname string "
    "meaning the number romannumeral advance setcounter addtocounter stepcounter refstepcounter "
    "arabic value newcount newlength setbox afterassignment aftergroup lowercase uppercase "
    "scantokens ExplSyntaxOn mathpalette verb input delimsize"
)
_DOES = frozenset(rf"\{word}" for word in _ACTIONS.split())
_OWN = (
    "begin end left right middle label ref eqref cite tag text mbox verb item section nonumber "
    r"notag \ [ ] ( ) { } & $ %"
)
_STANDARD = frozenset(_OWN.split())
_NONE: Mapping[str, Macro] = {}


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
    signature: tuple[Parameter, ...] | None = None
    """What it takes, where its number of arguments and its default do not say it."""

    @property
    def mandatory(self) -> int:
        """How many arguments in braces it takes."""
        return self.num_args - (self.default is not None)


class Own(str):
    """A word of LaTeX's own, whatever the paper makes of its name."""

    __slots__ = ()


def body_of(macro: Macro, names: Mapping[str, Macro] = _NONE, *, displays: bool = False) -> Body:
    r"""What is written for a macro.

    Args:
        macro: the macro.
        names: all macros of the paper: an internal word, as `\my@half`, may be one of them.
        displays: whether a body may begin or end a display.

    >>> half = Macro(name="half", num_args=0, default=None, body=r"\ifmmode\frac12\else half\fi")
    >>> "".join(body_of(half).math), "".join(body_of(half).words)
    ('\\frac12', 'half')
    """
    if macro.arguments == OWN_WORD:
        return _own(macro, names)
    default = None if macro.default is None else tuple(body_tokens(macro.default))
    body, parameters = _asked(macro)
    math = words = body_tokens(body)
    if "\\ifmmode" in body and len(body) <= _LONGEST_CHOICE:
        math = body_tokens(_IFMMODE.sub(lambda match: match["math"], body))
        words = body_tokens(_IFMMODE.sub(lambda match: match["words"] or "", body))
    kept = _why_kept(macro, [*math, *words, *(default or ())], names, displays=displays)
    if macro.arguments and parameters is None:
        kept = f"how its arguments are read is not known, {macro.arguments}"
    return Body(macro.num_args, default, tuple(math), tuple(words), kept, parameters)


def why_kept(macro: Macro, names: Mapping[str, Macro] = _NONE) -> str | None:
    r"""Why a macro is not written out, in words; None where it is.

    >>> why_kept(Macro(name="s", num_args=0, default=None, body=r"\@ifnextchar[{\a}{\b}"))
    'it uses the internal word \\@ifnextchar'
    """
    return body_of(macro, names).kept


def _own(macro: Macro, names: Mapping[str, Macro]) -> Body:
    r"""`\let\old\phi` of a `\phi` redefined later: LaTeX's own, if no other `\phi` can remain."""
    redefined = names.get(macro.body[1:])
    kept = None
    if redefined is not None and redefined.arguments != OWN_WORD:
        kept = body_of(redefined, names).kept
    body = (Own(macro.body),)
    return Body(0, None, body, body, kept and f"what {macro.body} stands for stays: {kept}")


def _asked(macro: Macro) -> tuple[str, tuple[Parameter, ...] | None]:
    r"""A body with its questions in the words of `CHOICES`; and what the macro takes.

    A star that comes next is an argument: `\@ifstar{\a}{\b}` is `\IfBooleanTF{#1}{\a}{\b}`.
    """
    body, parameters = macro.body, signature(macro.arguments) if macro.arguments else None
    if ("\\if" not in body and "@ifstar" not in body) or len(body) > _LONGEST_CHOICE:
        return body, parameters
    if macro.num_args == 0 and parameters is None and (start := _IFSTAR.match(body)):
        read = Arguments(body, start.end(), brace_pairs(body))
        star, plain = _one(read), _one(read)
        if star is not None and plain is not None and not body[read.at :].strip():
            return rf"\IfBooleanTF{{#1}}{{{star}}}{{{plain}}}", signature("s")
    return in_words(body), parameters


def in_words(body: str) -> str:
    r"""A body that asks in the words of `CHOICES` whether an argument is empty.

    >>> in_words(r"f\ifx\\#1\\\else_{#1}\fi")
    'f\\ifstrempty{#1}{}{_{#1}}'
    """
    if "\\if" not in body or len(body) > _LONGEST_CHOICE:
        return body
    return _EMPTY.sub(_in_words, _EQUAL.sub(r"\\ifstrempty{\1}", body))


def _in_words(match: re.Match[str]) -> str:
    number, full = match["one"] or match["two"], match["full"] or ""
    return rf"\ifstrempty{{#{number}}}{{{match['empty']}}}{{{full}}}"


def _one(read: Arguments) -> str | None:
    """A group or a control word."""
    found = read.group()
    if found is None:
        word = read.token()
        found = None if word is None else f"\\{word}"
    return None if found is None or "#" in found else found


def _why_kept(
    macro: Macro, tokens: list[str], names: Mapping[str, Macro], *, displays: bool
) -> str | None:
    if macro.name in _STANDARD:
        return "LaTeX's own word of this name does as well"
    for token in tokens:
        if _IS_CONDITIONAL.match(token) and token not in CHOICES:
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
