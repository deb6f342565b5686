r"""Tables for a paper: a bare booktabs `tabular`, and any text made harmless inside of one.

Names come from models, servers and study files. In TeX a name is a program, so every character is
either known to be harmless or spelt out; what no engine can set is shown by its number.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from foreword.findings import Estimate
from foreword.report import numbers
from foreword.report.visible import shortened, visible

NONE = "--"
"""In place of a number that does not exist."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Not \$ and \textasciigrave: their font is not everywhere, or a bitmap that publishers refuse.
    "$": r"$\mathdollar$",
    "`": r"\`{}",
    '"': "''",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    # Behind the end of a row these two would be an argument of it.
    "[": "{[}",
    "*": "{*}",
    "–": "--{}",
    "—": "---{}",
    "−": "$-$",
    "…": r"\dots{}",
    "‘": "`{}",
    "’": "'{}",
    "“": "``{}",
    "”": "''{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0327": r"\c",
}
_SPACE = re.compile(r"\s+")
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')")
"""Between two that TeX would join to one other character."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of a paper, every cell already TeX."""

    name: str
    """Of its file, without the ending."""
    caption: str
    """TeX: what it shows, in which unit, with which error."""
    heads: tuple[str, ...]
    groups: tuple[tuple[tuple[str, ...], ...], ...]
    """Rows as long as the heads; a rule stands between two groups."""
    num_words: int = 1
    """Columns of words, at the left; numbers follow."""


def escaped(text: str, limit: int = 60) -> str:
    r"""A text as TeX that prints it, in at most so many characters, whatever it holds.

    Accented Latin letters keep their accents; any other character beyond ASCII becomes its number,
    as do controls and whatever hides or reorders text. White space becomes one space.

    >>> print(escaped(r"50%_$x$\input{a}"))
    50\%\_$\mathdollar$x$\mathdollar$\textbackslash{}input\{a\}
    >>> print(escaped("[é] a--b 模\u202e"))
    {[}\'{e}] a-{}-b {[}U+6A21]$\langle$U+202E$\rangle$
    """
    plain = _SPACE.sub(" ", visible(shortened(text, limit))).strip()
    return "{}".join("".join(map(_character, part)) for part in _LIGATURE.split(plain))


def _character(one: str) -> str:
    if one in _SPECIAL:
        return _SPECIAL[one]
    if one.isascii():
        return one
    base, *accents = list(unicodedata.normalize("NFD", one))
    if len(accents) == 1 and accents[0] in _ACCENTS and base.isascii() and base.isalpha():
        return f"{_ACCENTS[accents[0]]}{{{base}}}"
    return f"{{[}}U+{ord(one):04X}]"


def signed(value: float | None, decimals: int = 3) -> str:
    """A lift or a difference.

    >>> signed(-0.0331), signed(None)
    ('$-0.033$', '--')
    """
    return _set(numbers.signed(value, decimals))


def plain(value: float | None, decimals: int = 3) -> str:
    """A number whose sign is not the point.

    >>> plain(0.0062)
    '$0.006$'
    """
    return _set(numbers.plain(value, decimals))


def amount(value: float | None) -> str:
    """A number of tokens or dollars, to three figures.

    >>> amount(1234.4)
    '$1{,}234$'
    """
    return _set(numbers.amount(value)).replace(",", "{,}")


def p_value(p: float | None) -> str:
    """A p-value in three decimals; small ones as a bound.

    >>> p_value(0.00002)
    '$< 0.001$'
    """
    return _set(numbers.p_value(p))


def interval(estimate: Estimate | None, decimals: int = 3) -> str:
    """The 95 % interval; a dash where there is none, as of one paper."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return NONE
    low, high = (numbers.signed(end, decimals) for end in (estimate.low, estimate.high))
    return _set(rf"[{low},\ {high}]")


def with_error(estimate: Estimate | None, decimals: int = 3) -> str:
    """The mean with its standard error, or alone where it has none."""
    if estimate is None or estimate.mean is None:
        return NONE
    mean = numbers.signed(estimate.mean, decimals)
    if estimate.standard_error is None:
        return _set(mean)
    return _set(rf"{mean} \pm {estimate.standard_error:.{decimals}f}")


def _set(text: str) -> str:
    if text == numbers.NONE:
        return NONE
    return f"${text.replace('−', '-')}$"


def booktabs(table: Table, source: str) -> str:
    r"""A file with the tabular alone, to be put into a table with a caption of your own.

    >>> table = Table(name="t", caption="A caption.", heads=("Name", "Lift"),
    ...               groups=((("mine", "$+0.100$"),),))
    >>> print(booktabs(table, "scores 1234"), end="")
    % A caption.
    % From: scores 1234
    % Needs: \usepackage{booktabs}
    \begin{tabular}{@{}lr@{}}
    \toprule
    Name & Lift \\
    \midrule
    mine & $+0.100$ \\
    \bottomrule
    \end{tabular}
    """
    columns = "l" * table.num_words + "r" * (len(table.heads) - table.num_words)
    lines = [
        *(f"% {said}" for said in (table.caption, f"From: {source}")),
        r"% Needs: \usepackage{booktabs}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(table.heads),
    ]
    for group in table.groups:
        lines += [r"\midrule", *map(_row, group)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"
