"""LaTeX written token by token, with a sense of place.

Is it a formula or words that we are in, and does a command still wait for an argument?
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_ONE = (
    "sqrt hat bar tilde vec dot ddot dddot check breve acute grave mathring widehat widetilde "
    "widecheck overline underline overbrace underbrace overrightarrow overleftarrow "
    "overleftrightarrow underrightarrow underleftarrow overbracket underbracket mathbf mathrm "
    "mathcal mathbb mathfrak mathscr mathsf mathit mathtt mathnormal mathds mathbbm boldsymbol bm "
    "pmb operatorname mathop mathbin mathrel mathord mathopen mathclose mathpunct mathinner "
    "phantom hphantom vphantom smash boxed substack xrightarrow xleftarrow xleftrightarrow xmapsto "
    "xhookrightarrow xhookleftarrow xRightarrow xLeftarrow hspace vspace mspace cancel bcancel "
    "mathclap mathllap mathrlap pmod pod mod slashed operatornamewithlimits xlongequal ket bra "
    "braket Ket Bra Braket abs norm expval num ce"
)
_TWO = (
    "frac dfrac tfrac cfrac binom dbinom tbinom overset underset stackrel sideset textcolor "
    "accentset underaccent ketbra"
)
_TEXT = (
    "text textrm textnormal textit textbf textsf texttt textup textsl textsc textmd emph mbox hbox "
    "fbox intertext shortintertext tag footnote"
)
TEXTS = frozenset(_TEXT.split())
"""Commands whose argument is words: a formula in it stands in `$…$`."""
ARGUMENTS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(_ONE.split(), 1),
        **dict.fromkeys(_TWO.split(), 2),
        **dict.fromkeys(TEXTS, 1),
    }
)
"""How many arguments in braces a command takes; any other is taken to have none."""
_OPTION = (
    "sqrt cfrac smash xrightarrow xleftarrow xleftrightarrow xmapsto xhookrightarrow "
    "xhookleftarrow xRightarrow xLeftarrow underbracket overbracket"
)
_OPTIONAL = frozenset(_OPTION.split())
_STARRED = frozenset(["operatorname", "tag", "hspace", "vspace"])
_IS_WORD = re.compile(r"\\[A-Za-z]+\Z")
_SHIFTS = {"$": "$", r"\(": r"\)"}


def joint(last: str, following: str) -> str:
    r"""What must stand between two tokens so that they stay two.

    >>> joint(r"\alpha", "x"), joint("2", "x"), joint("% end", "x")
    (' ', '', '\n')
    """
    if last == "\\" or (
        _IS_WORD.match(last) and following[:1].isalpha() and following[:1].isascii()
    ):
        return " "
    return "\n" if last.startswith("%") and not following.startswith("\n") else ""


@dataclass(slots=True)
class _Group:
    """Where we are inside of one group, or at the top."""

    math: bool
    closer: str = ""
    """`}` or, for an optional argument, `]`; empty at the top."""
    wants: int = 0
    """Arguments that the last command still takes."""
    text_next: bool = False
    """Whether its argument is words."""
    option: bool = False
    star: bool = False
    """What else could follow it right now: `[…]`, `*`."""
    shift: str = ""
    r"""`$` or `\)`, which would end the formula that began in this group."""


@dataclass(slots=True)
class Output:
    r"""Collects tokens; a control word is never glued to the next letter.

    >>> output = Output(math=True)
    >>> for piece in [r"\hat", "x", "^"]: output.add(piece)
    >>> output.text, output.wants, output.math
    ('\\hat x^', True, True)
    """

    math: bool
    """Whether what is added next stands in a formula."""
    length: int = 0
    _parts: list[str] = field(default_factory=list)
    _outer: list[_Group] = field(default_factory=list)
    _here: _Group = field(init=False)

    def __post_init__(self) -> None:
        self._here = _Group(self.math)

    @property
    def text(self) -> str:
        """All that was added."""
        return "".join(self._parts)

    @property
    def wants(self) -> bool:
        """Whether what is added next is an argument."""
        return self._here.wants > 0

    def add(self, piece: str, *, wants: int = 0, option: bool = False) -> None:
        """Add one token.

        Args:
            piece: a control word or symbol, a character, or a run of white space.
            wants: how many arguments it takes, for one of which LaTeX knows nothing.
            option: whether an optional argument may come before them.
        """
        between = joint(self._parts[-1], piece) if self._parts else ""
        if between:
            self._parts.append(between)
        self.raw(piece)
        if piece[0].isspace() or piece[0] == "%":
            return
        if piece in ("{", "[", "}", "]"):
            self._bracket(piece)
        elif piece in _SHIFTS or piece == self._here.shift:
            self._shift(piece)
        else:
            self._follow(piece, wants, option)
        self.math = self._here.math

    def raw(self, text: str) -> None:
        """Add text that is no LaTeX: a name, a listing."""
        self._parts.append(text)
        self.length += len(text)

    def _follow(self, piece: str, wants: int, option: bool) -> None:
        here = self._here
        if piece == "*" and here.star:
            here.star = False
            return
        name = piece[1:] if piece[0] == "\\" else ""
        count = wants or ARGUMENTS.get(name, 0) or (1 if piece in ("^", "_") else 0)
        here.wants = count or max(0, here.wants - 1)
        here.text_next = name in TEXTS if count else here.text_next
        here.option, here.star = option or name in _OPTIONAL, name in _STARRED

    def _bracket(self, piece: str) -> None:
        here = self._here
        if piece == "{" or (piece == "[" and here.option):
            math = here.math and not (here.wants and here.text_next)
            if piece == "{":
                here.wants = max(0, here.wants - 1)
            here.option = here.star = False
            self._outer.append(here)
            self._here = _Group(math, closer="}" if piece == "{" else "]")
        elif piece == "[" or (piece == "]" and here.closer != "]"):
            self._follow(piece, 0, False)
        elif any(group.closer == piece for group in (here, *self._outer[-3:])):
            while self._here.closer != piece:
                self._here = self._outer.pop()
            self._here = self._outer.pop()

    def _shift(self, piece: str) -> None:
        here = self._here
        if here.shift:
            if piece == here.shift:
                here.math, here.shift = False, ""
        elif not here.math:
            here.math, here.shift = True, _SHIFTS[piece]
        here.wants = 0
