"""Displays that are pictures, proof trees or tables, and no formulas."""

import re
from collections.abc import Iterable

from foreword.latex.macros import control_names, used_macros
from foreword.records import Macro


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


DIAGRAM_ENVIRONMENTS = _names(
    r"""
    tikzpicture tikzcd picture prooftree mathpar mathparpagebreakable CD diagram xy pspicture
    pgfpicture feynman fmffile fmfgraph lstlisting verbatim tabular tabularx ytableau bussproofs
    logicproof asy codi forest quantikz circuitikz overpic bprooftree psmatrix
    """
)
DIAGRAM_WORDS = _names(
    r"""
    xymatrix xygraph xy tikz tikzfig ctikzfig includegraphics includestandalone epsfig epsfbox
    psfig infer inferrule AxiomC UnaryInfC BinaryInfC TrinaryInfC AXC UIC BIC DisplayProof
    feynmandiagram diagram Qcircuit young yng ytableaushort xypic psset pspicture includesvg
    includepdf incfig
    """
)
_BEGIN = re.compile(r"\\begin\s*\{([^{}]*)\}")


def is_diagram(environment: str, body: str, macros: Iterable[Macro]) -> bool:
    r"""Whether a display is a picture, a proof tree or a table, by its words or its environments.

    >>> is_diagram("[", r"\xymatrix{A \ar[r] & B}", []), is_diagram("equation", r"\xi=y", [])
    (True, False)

    Args:
        environment: of the display.
        body: its body.
        macros: the paper's definitions; those that the body uses count.
    """
    macros = used_macros(body, macros)
    own = {macro.name for macro in macros}
    texts = [body, *(macro.body for macro in macros)]
    environments = {environment}.union(*(_BEGIN.findall(text) for text in texts))
    words = set[str]().union(*(control_names(text) for text in texts)) - own
    return bool(
        words & DIAGRAM_WORDS
        or {name.strip().rstrip("*") for name in environments} & DIAGRAM_ENVIRONMENTS
    )
