"""Displays that are pictures, proof trees or tables, and no formulas."""

import re
from collections.abc import Iterable, Mapping

from foreword.latex.macros import control_names
from foreword.records import OWN_WORD, Macro


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
    return Diagrams(macros).has(environment, body)


class Diagrams:
    r"""Tells a paper's diagrams from its formulas.

    >>> macros = [Macro(name="fig", num_args=0, default=None, body=r"\tikz{}")]
    >>> Diagrams(macros).has("[", r"\fig"), Diagrams(macros).has("[", r"\figure")
    (True, False)
    """

    def __init__(self, macros: Iterable[Macro]) -> None:
        defined = {macro.name: macro for macro in macros}
        self._words = DIAGRAM_WORDS - defined.keys()
        self._words |= self._leading(defined)

    def has(self, environment: str, body: str) -> bool:
        """As `is_diagram`, for a display of this paper."""
        return _is_drawn(environment) or self._draws(body)

    def _draws(self, text: str) -> bool:
        """Whether a text has a diagram's word in it, or its environment."""
        return not self._words.isdisjoint(control_names(text)) or any(
            map(_is_drawn, _BEGIN.findall(text))
        )

    def _leading(self, defined: Mapping[str, Macro]) -> set[str]:
        """The macros whose bodies draw, and those that use one of them, in turn."""
        users: dict[str, list[str]] = {}
        waiting: list[str] = []
        for macro in defined.values():
            if macro.arguments == OWN_WORD:  # the body is LaTeX's own word
                waiting += [macro.name] * (macro.body[1:] in DIAGRAM_WORDS)
                continue
            waiting += [macro.name] * self._draws(macro.body)
            for name in control_names(f"{macro.default or ''} {macro.body}") & defined.keys():
                users.setdefault(name, []).append(macro.name)
        found = set(waiting)
        while waiting:
            more = [user for user in users.get(waiting.pop(), ()) if user not in found]
            found.update(more)
            waiting += more
        return found


def _is_drawn(environment: str) -> bool:
    return environment.strip().rstrip("*") in DIAGRAM_ENVIRONMENTS
