"""The typesetter's MathML, taken apart and written again from a list of what is allowed.

Nothing of its markup reaches the page as it came: the tree is parsed, each element and attribute is
looked up, and only then is it written, with every text escaped. Styles become classes, so that the
page's content-security policy can forbid inline styles.
"""

import re
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markupsafe import Markup

MARK = "\ue000"
"""A character that stands for the cut while an equation is being typeset."""

_MAX_DEPTH = 150
_TOKENS = {"mi", "mo", "mn", "mtext", "ms"}
_ELEMENTS = _TOKENS | {
    *("math", "mrow", "mfrac", "msqrt", "mroot", "mstyle", "mpadded", "mphantom", "mspace"),
    *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts"),
    *("mtable", "mtr", "mtd", "menclose", "merror"),
}
_INLINE = {"b", "i", "em", "code", "s", "u", "span"}
"""HTML that the typesetter writes for text commands; allowed inside of `mtext` only."""
_ATTRIBUTES = {
    *("display", "displaystyle", "scriptlevel", "mathvariant", "form", "fence", "separator"),
    *(
        "stretchy",
        "symmetric",
        "largeop",
        "movablelimits",
        "lspace",
        "rspace",
        "minsize",
        "maxsize",
    ),
    *("accent", "accentunder", "linethickness", "width", "height", "depth", "voffset"),
    *("columnspan", "rowspan"),
}
_VALUE = re.compile(r"[A-Za-z0-9.%+-]{0,24}")
_STYLE_CLASSES = {
    "text-align:right": "tr",
    "text-align:left": "tl",
    "padding-right:0": "pr0",
    "padding-left:0": "pl0",
    "padding-left:1em": "pl1",
    "border-right:0.05em solid currentcolor": "br",
    "border-left:0.05em solid currentcolor": "bl",
    "border-top:0.05em solid currentcolor": "bt",
    "border-right:0.05em dashed currentcolor": "brd",
    "border-left:0.05em dashed currentcolor": "bld",
    "border-top:0.05em dashed currentcolor": "btd",
    "margin-left:-0.16666667em": "n3",
    "margin-left:-0.22222222em": "n4",
    "margin-left:-0.2777778em": "n5",
    "font-variant-caps:small-caps": "sc",
}
"""Declarations that matter to how an equation looks; the others are dropped."""
_ENTITIES = {"&ApplyFunction;": "\u2061", "&InvisibleTimes;": "\u2062"}


class RefusedError(ValueError):
    """The typesetter's output holds something that is not on the list."""


def parse(mathml: str) -> Element:
    """The typesetter's output as a tree of allowed elements and attributes.

    Raises:
        RefusedError: it is not well-formed, too deep, or holds an element that is not on the list.
    """
    for entity, character in _ENTITIES.items():
        mathml = mathml.replace(entity, character)
    try:
        root = ElementTree.fromstring(mathml)  # noqa: S314 (no DTD: `<!` can't come unescaped)
    except ElementTree.ParseError as error:
        raise RefusedError("the typesetter's output is not well-formed") from error
    if root.tag != "math":
        raise RefusedError("the typesetter's output is no formula")
    waiting = [(root, 0, False)]
    while waiting:
        element, depth, in_text = waiting.pop()
        if depth > _MAX_DEPTH:
            raise RefusedError("it is nested too deeply")
        if element.tag not in (_INLINE if in_text else _ELEMENTS):
            raise RefusedError(
                f"the typesetter wrote an element {element.tag!r} that is not allowed"
            )
        _keep_allowed(element)
        if element.tag == "munder" and len(element) and element[-1].text == "\u0332":
            element[-1].text = "_"  # browsers draw no combining line below, but stretch this one
        in_text = in_text or element.tag == "mtext"
        waiting += [(child, depth + 1, in_text) for child in element]
    return root


def _keep_allowed(element: Element) -> None:
    """Drop the attributes that are not on the list; turn styles into classes."""
    classes: list[str] = []
    for declaration in element.attrib.get("style", "").split(";"):
        name, _, value = declaration.partition(":")
        classes += filter(None, [_STYLE_CLASSES.get(f"{name.strip()}:{value.strip()}")])
    if element.tag == "menclose":
        classes.append("box" if element.attrib.get("notation") == "box" else "struck")
        element.tag = "mrow"
    kept = {
        name: value
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    }
    element.attrib.clear()
    element.attrib.update(kept)
    if classes:
        element.set("class", " ".join(classes))


def place_mark(plain: Element, marked: Element) -> bool:
    """Put the cut into `plain` where `marked` has it, and dim all that stands before it.

    `marked` is the same equation typeset with `MARK` at the cut. Only where it is otherwise the
    same tree is the mark safe; else `plain` stays as it is and the answer is False.
    """
    path = _path_to_mark(marked)
    if path is None:
        return False
    parent = _at(marked, path[:-1])
    parent.remove(parent[path[-1]])
    if not _same(plain, marked):
        return False
    cut = Element("mtext", {"class": "cut"})
    cut.text = "▏"
    _at(plain, path[:-1]).insert(path[-1], cut)
    for element in plain.iter():
        if element is cut:
            break
        if element.tag in _TOKENS:
            element.set("class", f"{element.get('class', '')} p".strip())
    return True


def _path_to_mark(root: Element) -> list[int] | None:
    """Child numbers that lead to the one element that is the mark; None if there is not one."""
    if sum((element.text or "").count(MARK) for element in root.iter()) != 1:
        return None
    waiting: list[tuple[Element, list[int]]] = [(root, [])]
    while waiting:
        element, path = waiting.pop()
        if element.text == MARK:
            return path
        waiting += [(child, [*path, number]) for number, child in enumerate(element)]
    return None


def _at(root: Element, path: list[int]) -> Element:
    for number in path:
        root = root[number]
    return root


def _same(first: Element, second: Element) -> bool:
    """Equal in elements and texts; spacing attributes may differ."""
    return (
        first.tag == second.tag
        and first.text == second.text
        and len(first) == len(second)
        and all(_same(a, b) for a, b in zip(first, second, strict=True))
    )


def write(root: Element) -> Markup:
    """The tree as markup for the page, every text and attribute escaped."""
    return Markup(_written(root))  # noqa: S704 (built here from allowed names and escaped text)


def _written(element: Element) -> str:
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in element.attrib.items())
    inside = escape(element.text or "", quote=False) + "".join(
        _written(child) + escape(child.tail or "", quote=False) for child in element
    )
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>"
