r"""Where the pass over a paper's files stops: comments, listings, includes, definers, and so on."""

import re
from functools import lru_cache

from foreword.papers.definers import DEFINERS

_END = r"(?![A-Za-z@])"
_DEFINER = "|".join(sorted(DEFINERS, key=len, reverse=True))
_INCLUDE = "input|include|subfile|import|subimport|includefrom|subincludefrom"
_STYLE = "usepackage|RequirePackage|documentclass|documentstyle|LoadClass"
_URL = "url|path|nolinkurl|href"
_COLOR = "textcolor|color|fontsize"
_PREFIX = "long|global|protected|outer"
_NOTED = (
    rf"(?:verb|lstinline)(?![A-Za-z])|if[A-Za-z@]*{_END}(?<!true)(?<!false)|(?:begin|end|else|fi"
    rf"|endinput|includeonly|title|{_INCLUDE}|{_STYLE}|{_PREFIX}|{_DEFINER}|{_URL}|{_COLOR}){_END}"
)


@lru_cache(maxsize=100)
def marks(own: frozenset[str]) -> re.Pattern[str]:
    """What the pass stops at, behind all that it passes over (`passed`).

    Args:
        own: control words of the paper that define something, or include a file.
    """
    words = "|".join(sorted(own, key=len, reverse=True)) or "(?!)"
    noted = rf"{_NOTED}|(?:{words}){_END}"
    return re.compile(
        # What is passed over is captured by a look-ahead and taken whole: `(?:…)*+` says the same,
        # but Python before 3.11.5 gets possessive groups wrong, and a plain `(?:…)*` would come
        # back into it.
        rf"(?=(?P<passed>(?:[^\\%]+|\\(?!{noted})(?:[A-Za-z@]+{_END}(?<!true)(?<!false)|[^A-Za-z@]))*))"
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
