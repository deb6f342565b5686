"""What LaTeX's environments are: which display a formula, take arguments, hold no LaTeX at all."""

from collections.abc import Mapping
from types import MappingProxyType

DISPLAYS = frozenset(
    [
        "equation",
        "align",
        "alignat",
        "xalignat",
        "xxalignat",
        "flalign",
        "gather",
        "multline",
        "eqnarray",
        "displaymath",
        "dmath",
        "IEEEeqnarray",
    ]
)
"""Environments, without their stars, that display a formula of their own."""

LONGEST_DISPLAY = 100_000
"""Characters of a display that is looked into; a longer one is found, and never cut."""

TRANSPARENT = frozenset({"subequations", "dgroup"})
"""Environments that hold displays and are none."""

INNER = frozenset(
    [
        "aligned",
        "alignedat",
        "split",
        "gathered",
        "multlined",
        "cases",
        "dcases",
        "rcases",
        "array",
        "matrix",
        "pmatrix",
        "bmatrix",
        "vmatrix",
        "Vmatrix",
        "Bmatrix",
        "smallmatrix",
        "IEEEeqnarraybox",
    ]
)
"""Environments, without their stars, that are parts of a display."""

ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "alignat": "m",
        "xalignat": "m",
        "xxalignat": "m",
        "IEEEeqnarray": "om",
        "dmath": "o",
        "dgroup": "o",
    }
)
"""What follows the opening and is no formula: `o` for `[…]`, if it is there, and `m` for `{…}`."""

VERBATIM = frozenset(
    [
        "verbatim",
        "verbatim*",
        "Verbatim",
        "Verbatim*",
        "BVerbatim",
        "LVerbatim",
        "SaveVerbatim",
        "spverbatim",
        "alltt",
        "lstlisting",
        "minted",
    ]
)
"""Environments whose content is shown as it stands and is no LaTeX."""

REMOVED = frozenset({"comment", "filecontents", "filecontents*"})
"""Environments whose content is not shown."""


def is_display(environment: str) -> bool:
    r"""Whether `\begin{environment}` displays a formula of its own.

    >>> is_display("align*"), is_display("aligned")
    (True, False)
    """
    return environment.removesuffix("*") in DISPLAYS


def arguments(environment: str) -> str:
    """The arguments of an environment: `o` for each optional one, `m` for each mandatory one.

    >>> arguments("alignat*")
    'm'
    """
    return ARGUMENTS.get(environment.removesuffix("*"), "")
