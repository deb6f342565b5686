r"""Text that a reader of the page would not see: white, tiny, or of no width.

Papers were found with instructions to language models in white. Such text is taken out of the clean
text, and reported. Source: arXiv/html_feedback#4338.
"""

import re
from collections.abc import Mapping

from foreword.latex.arguments import Arguments
from foreword.papers.apart import Why
from foreword.papers.openfile import OpenFile

INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")
"""Characters without width, and those that turn the direction of writing."""

_SMALLEST_POINTS = 3.0
_WHITE = re.compile(
    r"white(?:!(?:100|9\d)(?:\.\d*)?(?:!\w*)?)?|-black|[fF][a-fA-F\d](?:[fF][a-fA-F\d]){2}"
    r"|(?:(?:1(?:\.0*)?|0?\.9[5-9]\d*)\s*,\s*){2}(?:1(?:\.0*)?|0?\.9[5-9]\d*)"
    r"|(?:2[45]\d\s*,\s*){2}2[45]\d",
    re.IGNORECASE,
)
_NO_INK = re.compile(r"0(?:\.0*)?(?:\s*,\s*0(?:\.0*)?){2,3}")
_WHITE_GRAY = re.compile(r"(?:1|1\.0*|0\.9[5-9]\d*)")
_SIZE = re.compile(r"\s*(\d{0,4}\.?\d{0,4})\s*(pt|px|bp|mm|cm|em|ex|sp)?\s*")
_POINTS = {
    "pt": 1.0,
    "px": 1.0,
    "bp": 1.0,
    "mm": 2.85,
    "cm": 28.5,
    "em": 10.0,
    "ex": 4.3,
    "sp": 0.0,
}

_SEEN_ON = re.compile(
    r"\\(?:(?:row|cell|column|page)color|colorbox|fcolorbox\s*\{[^{}]*\})\s*(?:\[[^\[\]]*\])?"
    r"\s*\{\s*(?!white\b)|fill *= *(?!white\b)"
)
"""A ground that is not white, on which white text is seen, on the same line or the one before."""
_GROUND_NEAR = 300
_COLOR_ENDS = re.compile(r"\\(?:color|normalcolor|end)(?![A-Za-z])")


def hidden_stretch(file: OpenFile, command: str, at: int) -> tuple[int, Why] | None:
    r"""Where the text ends that a command hides, and why it can't be seen; None if it can.

    Args:
        file: the file.
        command: `textcolor`, which hides its argument, or `color` or `fontsize`, the rest of the
            group.
        at: offset behind the command.
    """
    text, arguments = file.text, file.arguments(at)
    start = at - len(command) - 1
    why = _why_hidden(command, arguments, file.colors)
    if why is None or _is_on_ground(text, start):
        return None
    if command == "textcolor":
        return None if arguments.group() is None else (arguments.at, why)
    end = file.group_end(start)
    if end is None:
        stop = _COLOR_ENDS.search(text, arguments.at, file.end)
        end = stop.start() if stop else file.end
    return end, why


def _is_on_ground(text: str, at: int) -> bool:
    """Whether a ground that is not white was laid on the same line, or on the one before."""
    first = max(0, at - _GROUND_NEAR)
    line = text.rfind("\n", first, at)
    if line >= 0:
        first = max(first, text.rfind("\n", first, line) + 1)
    return _SEEN_ON.search(text, first, at) is not None


def _why_hidden(command: str, arguments: Arguments, colors: Mapping[str, str]) -> Why | None:
    """Why what follows can't be seen, by the arguments of the command, which are moved past."""
    if command == "fontsize":
        size = _SIZE.fullmatch(arguments.group() or "")
        arguments.group()
        if size is None or not size[1].strip("."):
            return None
        return (
            "hidden: tiny"
            if float(size[1]) * _POINTS[size[2] or "pt"] <= _SMALLEST_POINTS
            else None
        )
    model = arguments.option()
    color = (arguments.group() or "").strip()
    if model in ("gray", "cmy", "cmyk"):
        found = (_WHITE_GRAY if model == "gray" else _NO_INK).fullmatch(color)
    else:
        found = _WHITE.fullmatch(colors.get(color, color))
    return "hidden: white" if found else None
