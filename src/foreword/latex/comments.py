r"""TeX's rule for comments: `%` eats its line, the line's end, and the next line's first blanks."""

import re
import string

_BLANKS = re.compile(r"[ \t]*")
_LETTERS = f"{string.ascii_letters}@"
_COMMENT = re.compile(r"\\(?s:.)|%")
_LONGEST_WORD = 80


def comment_end(text: str, at: int, *, alone: bool = False) -> int:
    r"""Offset at which TeX reads on after the comment that starts at `at`.

    The line's end stays where TeX sees more than nothing there: before an empty line, which ends
    a paragraph, and after a control word, which the next line's first letter would prolong.

    Args:
        text: the source.
        at: offset of the `%`.
        alone: there is nothing but blanks before the comment on its line, so that the whole line
            goes.

    >>> source = "a % one\n  b"
    >>> source[:2] + source[comment_end(source, 2):]
    'a b'
    """
    line_end = text.find("\n", at)
    if line_end < 0:
        return len(text)
    next_line = _BLANKS.match(text, line_end + 1).end()  # type: ignore[union-attr]
    if alone:
        return line_end + 1 if text.startswith("\n", next_line) else next_line
    if text.startswith("\n", next_line):
        return line_end
    glues = text[next_line : next_line + 1].isalpha() and ends_in_word(text, at)
    return line_end if glues else next_line


def ends_in_word(text: str, end: int) -> bool:
    r"""Whether a control word ends at `end`.

    >>> ends_in_word(r"2\alpha", 7), ends_in_word(r"\\alpha", 7)
    (True, False)
    """
    before = text[max(0, end - _LONGEST_WORD) : end]
    rest = before.rstrip(_LETTERS)
    return rest != before and (len(rest) - len(rest.rstrip("\\"))) % 2 == 1


def strip_comments(text: str) -> str:
    r"""The text without its comments, as TeX reads it.

    >>> strip_comments("a\\% b% c\n  d")
    'a\\% bd'
    """
    parts: list[str] = []
    start = at = 0
    while match := _COMMENT.search(text, at):
        at = match.end()
        if match.group() == "%":
            parts.append(text[start : match.start()])
            at = comment_end(text, match.start())
            while text.startswith("%", at):  # lines of comments, as in a file's head
                at = comment_end(text, at)
            start = at
    parts.append(text[start:])
    return "".join(parts)
