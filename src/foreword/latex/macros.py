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
    defined = {macro.name: macro for macro in macros}
    found: dict[str, Macro] = {}
    waiting = [text]
    while waiting:
        for name in control_names(waiting.pop()):
            if name in defined and name not in found:
                found[name] = defined[name]
                if found[name].arguments != OWN_WORD:  # else the body is LaTeX's own word
                    waiting.append(f"{found[name].default or ''} {found[name].body}")
    return tuple(found[name] for name in sorted(found))


def control_names(text: str) -> set[str]:
    """The control words and symbols of a text, without their backslashes; comments left out."""
    return set(_NAME.findall(text)) - {""}
