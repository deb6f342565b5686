r"""What opens and closes displays, as macros that can be written out: `\be`, `\begin{eq}`."""

from collections.abc import Iterator

from foreword.papers.definitions import Definitions
from foreword.papers.wrappers import Wrappers
from foreword.records import Macro


def wrapper_macros(definitions: Definitions, wrappers: Wrappers) -> tuple[Macro, ...]:
    r"""The bodies of the macros that open or close displays, and of the paper's environments.

    An environment is two macros, named `begin{eq}` and `end{eq}`.

    >>> from foreword.papers.definitions import Definition
    >>> from foreword.papers.wrappers import Opening
    >>> definitions = Definitions()
    >>> definitions.define(Definition("be", r"\begin{equation}#1\end{equation}", 1, None, False,
    ...                               until="ee"))
    >>> found = wrapper_macros(definitions, Wrappers({"be": Opening("equation")}))
    >>> [(macro.name, macro.body) for macro in found]
    [('be', '\\begin{equation}'), ('ee', '\\end{equation}')]
    """
    return (*_display_macros(definitions, wrappers), *_environments(definitions))


def _display_macros(definitions: Definitions, wrappers: Wrappers) -> Iterator[Macro]:
    for name in dict.fromkeys([*wrappers.openings, *wrappers.closings]):
        found = definitions.macros.get(name)
        if found is not None and found.until is not None:
            before, _, after = found.body.partition("#1")
            yield Macro(name=name, num_args=0, default=None, body=before)
            yield Macro(name=found.until, num_args=0, default=None, body=after)
        elif found is not None and found.is_plain:
            yield Macro(name=name, num_args=found.num_args, default=found.default, body=found.body)


def _environments(definitions: Definitions) -> Iterator[Macro]:
    """Those of which the whole definition is known."""
    for name, found in definitions.environments.items():
        if found.begin or found.end:
            yield Macro(
                name=f"begin{{{name}}}",
                num_args=found.num_args,
                default=found.default,
                body=found.begin,
            )
            yield Macro(name=f"end{{{name}}}", num_args=0, default=None, body=found.end)
