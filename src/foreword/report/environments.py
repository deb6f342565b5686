r"""Displayed LaTeX put into the words that the typesetter knows.

Numbers and labels go, `split`, `eqnarray`, `alignat` become `aligned`, `\mbox` becomes `\text`, and
mathematics inside `\text` is taken out of it. None of this changes what the equation says.
"""

import re

from foreword.latex.tokens import group_end, tokens

_ALIGNED = {
    "align",
    "aligned",
    "alignat",
    "alignedat",
    "eqnarray",
    "flalign",
    "IEEEeqnarray",
    "split",
    "xalignat",
    "xxalignat",
}
_GATHERED = {"gather", "gathered", "multline", "multlined", "dgroup"}
_SINGLE = {"", "[", "(", "$$", "equation", "displaymath", "math", "dmath", "subequations"}
_RENAMED_COMMANDS = {
    "mbox": r"\text",
    "hbox": r"\text",
    "textnormal": r"\text",
    "pmb": r"\boldsymbol",
    "mathds": r"\mathbb",
    "mathbbm": r"\mathbb",
    "symcal": r"\mathcal",
    "nicefrac": r"\frac",
    "widetilde": r"\tilde",
    "centerdot": r"\cdot",
    "ensuremath": "",
    "xspace": "",
    "hiderel": "",
    "nolimits": "",
    "qedhere": "",
    "displaylimits": "",
    "allowdisplaybreaks": "",
    "displaybreak": "",
    "nonumber": "",
    "notag": "",
    "protect": "",
    "hfill": "",
    "hfil": "",
    "noindent": "",
    "smallskip": "",
    "medskip": "",
}
_DROPPED_WITH_ARGUMENT = {"label", "tag", "vspace", "vphantom", "raisetag", "cite", "footnote"}
_ARGUMENT_REWRITTEN = {"substack", "operatorname", "text", "mbox", "hbox", "textnormal"}
_ANGLE = re.compile(r"\\(left|right|middle|[bB]igg?[lrm]?)\s*([<>])")
_ANGLE_NAMES = {"<": r"\langle", ">": r"\rangle"}
_BEGIN_END = re.compile(
    r"\\(?P<what>begin|end)\s*\{(?P<name>[A-Za-z]+)\*?\}(?P<where>\s*\[[tbc]\])?"
)


def display(environment: str, body: str) -> str:
    r"""The body of a display, in an environment that needs no line of its own.

    >>> display("align*", r"a&=b\label{one}\\ c&=d\nonumber")
    '\\begin{aligned}a&=b\\\\ c&=d\\end{aligned}'
    >>> display("eqnarray", r"a&=&b\\ &&+c")
    '\\begin{aligned}a&=b\\\\ &+c\\end{aligned}'
    >>> display("equation", r"\begin{split}a&=b\end{split}\,,")
    '\\begin{aligned}a&=b\\end{aligned}\\,,'
    """
    body = _ANGLE.sub(lambda match: f"\\{match[1]}{_ANGLE_NAMES[match[2]]} ", body)
    name = environment.rstrip("*")
    if name in _SINGLE:
        return _reworded(_renamed(body))
    return _reworded(_renamed(f"\\begin{{{name}}}{body}\\end{{{name}}}"))


def _renamed(text: str) -> str:
    """The same with every environment under a name that the typesetter knows."""
    done, position, open_bodies = "", 0, list[int]()
    for match in _BEGIN_END.finditer(text):
        done += text[position : match.start()]
        position = match.end()
        if match["what"] == "begin":
            if match["name"] in ("alignat", "alignedat", "xalignat"):
                position = _after_group(text, position)
            done += _known(match)
            open_bodies.append(len(done))
        else:
            start = open_bodies.pop() if open_bodies else 0
            if match["name"] == "eqnarray":
                done = done[:start] + _two_columns(done[start:])
            done += _known(match)
    return done + text[position:]


def _known(match: re.Match[str]) -> str:
    name = match["name"]
    if name in _SINGLE:
        return ""
    if name in _ALIGNED:
        name = "aligned"
    elif name in _GATHERED:
        name = "gathered"
    elif name == "smallmatrix":
        name = "matrix"
    else:
        return match.group()
    return f"\\{match['what']}{{{name}}}"


def _two_columns(body: str) -> str:
    """An `eqnarray` body (`a &=& b`) as an `aligned` one: the second `&` of each row goes."""
    result, seen, depth = "", 0, 0
    for token in tokens(body):
        depth += (token.kind == "open") - (token.kind == "close")
        depth += (token.text == r"\begin") - (token.text == r"\end")
        if depth == 0 and token.text == r"\\":
            seen = 0
        if depth == 0 and token.text == "&":
            seen += 1
            if seen == 2:
                continue
        result += token.text
    return result


def _reworded(text: str) -> str:
    r"""Labels and numbers dropped, commands renamed, `\substack` and `\text` rewritten."""
    result, position = "", 0
    for token in tokens(text):
        if token.start < position:
            continue
        position = token.end
        name = token.text[1:] if token.kind == "word" else ""
        if name in _DROPPED_WITH_ARGUMENT:
            position = _after_group(text, token.end, star=True)
        elif name in ("ref", "eqref"):
            position = _after_group(text, token.end)
            result += r"\text{(…)}"
        elif name in _ARGUMENT_REWRITTEN:
            position, rewritten = _argument_rewritten(text, token.end, name)
            result += rewritten
        elif name in _RENAMED_COMMANDS:
            result += _RENAMED_COMMANDS[name]
        elif token.kind != "comment":
            result += token.text
    return result


def _after_group(text: str, start: int, *, star: bool = False) -> int:
    """Offset after the `{…}` that follows, or `start` where none does."""
    match = re.compile(r"\*?\s*" if star else r"\s*").match(text, start)
    opening = match.end() if match else start
    if text[opening : opening + 1] != "{":
        return start
    return group_end(text, opening) or start


def _argument_rewritten(text: str, start: int, name: str) -> tuple[int, str]:
    """Offset after a command's argument, and the command with its argument in other words."""
    end = _after_group(text, start, star=True)
    if end == start:
        return start, f"\\{name}" if name in ("substack", "operatorname") else r"\text"
    inner = text[text.index("{", start) + 1 : end - 1]
    if name == "substack":
        return end, _stacked(re.split(r"\\\\(?:\[[^\]]*\])?", _reworded(inner)))
    if name == "operatorname":
        if re.search(r"\\[A-Za-z]", inner):
            return end, f"\\mathop{{{_reworded(inner)}}}"
        return end, f"\\operatorname{text[start:end]}"
    return end, _text_with_mathematics(inner)


def _stacked(rows: list[str]) -> str:
    """Rows over each other, each of which may hold commands."""
    stack = rows[-1]
    for row in reversed(rows[:-1]):
        stack = f"{row} \\atop {{{stack}}}"
    return "{" + stack + "}"


def _text_with_mathematics(inner: str) -> str:
    r"""`\text{if $x>0$}` as `\text{if }{x>0}`, which every typesetter takes."""
    pieces = re.split(r"(?<!\\)\$", inner)
    if len(pieces) % 2 == 0:
        return f"\\text{{{inner}}}"
    return "".join(
        f"{{{_reworded(piece)}}}" if number % 2 else f"\\text{{{piece}}}"
        for number, piece in enumerate(pieces)
        if piece
    )
