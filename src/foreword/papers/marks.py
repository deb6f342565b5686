r"""Where the pass over a paper's files stops: comments, listings, includes, definers, and so on."""

import re
from collections.abc import Iterable
from functools import lru_cache

from foreword.papers.definers import DEFINERS

_END = r"(?![A-Za-z@])"


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, quick to say no: those with one first letter stand together.

    >>> one_of(["begin", "end", "else"])
    'b(?:egin)|e(?:lse|nd)'
    """
    rests: dict[str, list[str]] = {}
    for word in sorted(words):
        rests.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in rests.items()) or "(?!)"


_DEFINER = one_of(DEFINERS)
_INCLUDE = "input|include|subfile|import|subimport|includefrom|subincludefrom"
_STYLE = "usepackage|RequirePackage|documentclass|documentstyle|LoadClass"
_URL = "url|path|nolinkurl|href"
_COLOR = "textcolor|color|fontsize"
_PREFIX = "long|global|protected|outer"
_WHOLE = ["begin", "end", "else", "fi", "endinput", "includeonly", "title"]
_WHOLE += "|".join([_INCLUDE, _STYLE, _PREFIX, _URL, _COLOR]).split("|")
_NOTED = rf"(?:verb|lstinline)(?![A-Za-z])|if[A-Za-z@]*{_END}(?<!true)(?<!false)"


@lru_cache(maxsize=100)
def marks(own: frozenset[str]) -> re.Pattern[str]:
    """What the pass stops at, behind all that it passes over (`passed`).

    Args:
        own: control words of the paper that define something, or include a file.
    """
    words = one_of(own)
    noted = rf"{_NOTED}|(?:{one_of({*_WHOLE, *DEFINERS, *own})}){_END}"
    return re.compile(
        # What is passed over is captured by a look-ahead and taken whole: `(?:…)*+` says the same,
        # but Python before 3.11.5 gets possessive groups wrong, and a plain `(?:…)*` would come
        # back into it.
        rf"(?=(?P<passed>(?:[^\\%]+|\\[^A-Za-z@]|\\(?!{noted})[A-Za-z@]+{_END}(?<!true)(?<!false))*))"
        r"(?P=passed)"
        r"(?:(?P<comment>%)|\\(?:"
        r"(?P<verb>(?:verb|lstinline)(?![A-Za-z])\*?)"
        r"|(?P<side>begin|end)[ \t]*\{[ \t]*"
        r"(?P<environment>[^{}\\\n \t](?:[^{}\\\n]{0,98}[^{}\\\n \t])?)[ \t]*\}"
        rf"|(?P<include>{_INCLUDE}){_END}|(?P<style>{_STYLE}){_END}"
        rf"|(?P<conditional>if[A-Za-z@]*|else|fi){_END}"
        rf"|(?:(?:{_PREFIX}){_END}\s*\\){{0,3}}(?P<definer>{_DEFINER}){_END}"
        rf"|(?P<switch>[A-Za-z@]+(?:true|false)){_END}"
        rf"|(?P<endinput>endinput){_END}|(?P<title>title){_END}"
        rf"|(?P<color>{_COLOR}){_END}"
        rf"|(?P<only>includeonly){_END}|(?P<own>{words}){_END}"
        rf"|(?P<url>{_URL}){_END}[ \t]*\{{[^{{}}\n]*\}}"
        r"|(?P<other>[A-Za-z@]+|[^A-Za-z@])))",
        re.DOTALL,
    )
