r"""From what a model wrote to a forecast: no fence, no repeated beginning, no closing, no excess.

Offsets are in characters. Text is read through TeX's own tokens, so that `\le` is never cut out of
`\left`, and `\\]` (a new line and a bracket) is no `\]`.
"""

import re

from foreword.latex.environments import is_display
from foreword.latex.tokens import Token, tokens
from foreword.records import Question

MIN_REPEAT = 8
"""Characters, white space not counted, of the prefix's end that are a repetition at a beginning."""

_FENCED = re.compile(r"^[ \t]*```[A-Za-z]*[ \t]*\n?(.*?)(?:\n?[ \t]*```|\Z)", re.S | re.M)
_BEGIN = re.compile(r"\\begin\s*\{([^{}\n]*)\}")
_END = re.compile(r"\\end\s*\{([^{}\n]*)\}")
_TWO_LETTERS = re.compile("[A-Za-z]{2}")
_OF_FORMULAS = frozenset("\\=^_{}$&+")
_STEP = {"open": 1, "close": -1}


def trim(raw: str, question: Question, budget: int) -> str:
    r"""The forecast in what a model wrote; empty if nothing is left.

    Taken away, in this order: the fence around a block of code; a line of words that announces the
    answer and ends in a colon; the display's opening and the end of the prefix, where the model
    repeats them; all from the closing delimiter on, or from a blank line on, for neither can stand
    in a display; white space at the end; what exceeds the budget.

    Args:
        raw: what came back.
        question: what was asked.
        budget: characters to keep, |Y| + 40; a control word is kept whole or left out.

    >>> question = Question(cut_id="p/0/9", context="", opening=r"\[", prefix=r"\rho + \sigma^2 =",
    ...                     closing=r"\]", length_hint=20)
    >>> trim("```latex\n\\[\\rho+\\sigma^2 = \\beta x + y\\]\n```", question, 60)
    ' \\beta x + y'
    >>> trim(r"\beta x + \gamma", question, 13)
    '\\beta x +'
    """
    fenced = _FENCED.search(raw)
    text = fenced.group(1) if fenced else raw
    text = _without_beginning(_without_preface(text), question)
    end = display_end(text, question)
    return within(text if end is None else text[:end], budget)


def _without_preface(text: str) -> str:
    """What follows a first line of words that ends in a colon: `Here is the continuation:`."""
    line, _, rest = text.lstrip().partition("\n")
    is_preface = (
        line.rstrip(" \t").endswith(":")
        and _OF_FORMULAS.isdisjoint(line)
        and _TWO_LETTERS.search(line)
    )
    return rest.lstrip() if is_preface and rest.strip() else text


def _without_beginning(text: str, question: Question) -> str:
    """What is left once a repeated opening and a repeated prefix are taken away."""
    start = _opening_end(text, question)
    start = repeat_end(text, start, question.prefix)
    rest = text[start:]
    body = rest.lstrip()
    space = rest[: len(rest) - len(body)]
    if question.prefix[-1:].isspace() or not body:
        return body
    return ("\n" if "\n" in space else space) + body


def _opening_end(text: str, question: Question) -> int:
    """Offset after an opening that the text starts with; 0 where it starts with none."""
    start = len(text) - len(text.lstrip())
    if question.opening and text.startswith(question.opening, start):
        end = start + len(question.opening)
        if not (question.opening[-1].isalpha() and text[end : end + 1].isalpha()):
            return end
    in_braces = sum(_STEP.get(token.kind, 0) for token in tokens(question.prefix)) > 0
    for opening in (r"\[", "$$") if in_braces else (r"\[", "$$", r"\(", "$"):
        if text.startswith(opening, start):
            return start + len(opening)
    begin = _BEGIN.match(text, start)
    return begin.end() if begin and is_display(begin.group(1)) else 0


def repeat_end(text: str, start: int, prefix: str, least: int = MIN_REPEAT) -> int:
    """Offset after the longest end of the prefix that the text repeats; `start` where none is.

    Args:
        text: what may repeat it.
        start: where the repetition would begin.
        prefix: what may be repeated.
        least: characters, white space not counted, that are a repetition; fewer are none.
    """
    places = [at for at in range(start, len(text)) if not text[at].isspace()]
    written = "".join(text[at] for at in places)
    asked = "".join(prefix.split())
    for length in range(min(len(asked), len(written)), 0, -1):
        if length < min(least, len(asked)):
            break
        if written.startswith(asked[-length:]):
            return places[length - 1] + 1
    return start


def display_end(text: str, question: Question) -> int | None:
    r"""Offset at which a continuation leaves the display; None if it stays inside.

    It leaves at the question's closing, at the `\end` of what it did not begin, at `\]`, at `\)`,
    at a `$` outside of all braces, and at a blank line.

    >>> question = Question(cut_id="p/0/2", context="", opening=r"\begin{align}", prefix=r"x &=",
    ...                     closing=r"\end{align}", length_hint=10)
    >>> display_end(r"\begin{cases} a \\[2pt] b \end{cases} \end{align} Thus", question)
    38
    """
    depth = 0
    begun: list[str] = []
    for token in tokens(question.prefix):
        depth += _STEP.get(token.kind, 0)
        _follow(token, question.prefix, begun)
    for token in tokens(text):
        depth += _STEP.get(token.kind, 0)
        if (
            _is_closing(token, text, question.closing)
            or token.text in (r"\]", r"\)")
            or (token.kind == "shift" and depth <= 0)
            or (token.kind == "space" and token.text.count("\n") > 1 and token.start > 0)
            or not _follow(token, text, begun)
        ):
            return token.start
    return None


def _follow(token: Token, text: str, begun: list[str]) -> bool:
    r"""Keep the list of open environments; False at the `\end` of one that is not in it."""
    if token.text == r"\begin" and (match := _BEGIN.match(text, token.start)):
        begun.append(match.group(1))
    elif token.text == r"\end" and (match := _END.match(text, token.start)):
        if match.group(1) not in begun:
            return False
        while begun.pop() != match.group(1):
            pass
    return True


def _is_closing(token: Token, text: str, closing: str) -> bool:
    if not closing or not text.startswith(closing, token.start):
        return False
    after = text[token.start + len(closing) :][:1]
    return not (closing[-1].isalpha() and after.isalpha())


def within(text: str, budget: int) -> str:
    """At most `budget` characters, no control sequence cut in two, no white space at the end."""
    kept: list[Token] = []
    for token in tokens(text):
        if token.end > budget and token.kind in ("word", "symbol"):
            break
        kept.append(token)
        if token.end >= budget:
            break
    while kept and (kept[-1].kind == "space" or kept[-1].text == "\\"):
        kept.pop()
    return text[: min(kept[-1].end, budget)] if kept else ""
