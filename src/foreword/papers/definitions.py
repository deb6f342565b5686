r"""What a paper defines: its macros, environments and switches."""

from collections.abc import Collection
from dataclasses import dataclass, field

from foreword.latex.environments import REMOVED, VERBATIM
from foreword.records import Macro


@dataclass(frozen=True, slots=True)
class Definition:
    """What one macro stands for."""

    name: str
    body: str
    num_args: int = 0
    default: str | None = None
    is_plain: bool = True
    """Its arguments are #1 to #9, each a token or a group; the first may be optional."""
    until: str | None = None
    r"""For `\def\name#1\until{…}`: the word that ends its one argument."""
    alias_of: str | None = None
    r"""For `\let\name\other`, when the paper had not defined the other."""


@dataclass(frozen=True, slots=True)
class EnvironmentDefinition:
    """What one environment of the paper stands for."""

    begin: str
    end: str
    num_args: int = 0
    default: str | None = None


@dataclass(slots=True)
class Definitions:
    """All definitions of a paper, as far as it has been read; the last one of a name counts."""

    macros: dict[str, Definition] = field(default_factory=dict)
    environments: dict[str, EnvironmentDefinition] = field(default_factory=dict)
    switches: dict[str, bool] = field(default_factory=dict)
    r"""`\newif\ifdraft`: `draft`, and what it is set to."""
    verbatim: set[str] = field(default_factory=lambda: set(VERBATIM))
    """Environments whose content is no LaTeX."""
    removed: set[str] = field(default_factory=lambda: set(REMOVED))
    """Environments whose content is not shown."""

    def define(self, definition: Definition) -> None:
        """Keep the definition of a macro."""
        self.macros[definition.name] = definition

    def define_environment(self, name: str, definition: EnvironmentDefinition) -> None:
        """Keep the definition of an environment, which then is what the paper says it is."""
        self.environments[name] = definition
        self.verbatim.discard(name)
        self.removed.discard(name)

    def plain_macros(self, without: Collection[str]) -> tuple[Macro, ...]:
        """The macros that can be written out at their place, in the order of their definition."""
        return tuple(
            Macro(
                name=found.name,
                num_args=found.num_args,
                default=found.default,
                body=found.body,
            )
            for found in self.macros.values()
            if found.is_plain
            and found.name not in without
            and (found.alias_of is None or found.alias_of not in self.macros)
        )
