"""Which of a paper's own macros a text uses."""

import re
from collections.abc import Iterable

from foreword.records import OWN_WORD, Macro

_NAME = re.compile(r"%[^\n]*|\\([A-Za-z]+|(?s:.))")


def used_macros(text: str, macros: Iterable[Macro]) -> tuple[Macro, ...]:
    r"""The definitions that a text uses, directly or through each other, in the order of names.

    Where a name is defined twice the later definition holds.

    >>> macros = [Macro(name=n, num_args=0, default=None, body=b) for n, b in
    ...           [("H", r"\hat{\K}"), ("K", "K"), ("L", "L")]]
    >>> [macro.name for macro in used_macros(r"\H=1", macros)]
    ['H', 'K']
    """
    return Uses(macros).of(text)


class Uses:
    """Which of one paper's macros any texts use, each body read but once."""

    def __init__(self, macros: Iterable[Macro]) -> None:
        self._defined = {macro.name: macro for macro in macros}
        self._used: dict[str, frozenset[str]] = {}

    def of(self, text: str) -> tuple[Macro, ...]:
        """As `used_macros`."""
        found = set[str]()
        waiting = list(self._defined.keys() & control_names(text))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._by(name) - found
        return tuple(self._defined[name] for name in sorted(found))

    def _by(self, name: str) -> frozenset[str]:
        """The macros in the body of one of them."""
        if name not in self._used:
            macro = self._defined[name]
            is_own = macro.arguments == OWN_WORD  # the body is LaTeX's own word
            names = set[str]() if is_own else control_names(f"{macro.default or ''} {macro.body}")
            self._used[name] = frozenset(self._defined.keys() & names)
        return self._used[name]


def control_names(text: str) -> set[str]:
    """The control words and symbols of a text, without their backslashes; comments left out."""
    return set(_NAME.findall(text)) - {""}
