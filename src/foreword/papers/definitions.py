r"""What a paper defines: its macros, environments and switches."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from foreword.latex.arguments import Arguments
from foreword.latex.environments import REMOVED, VERBATIM
from foreword.records import Macro

INCLUDED = re.compile(r"\\(?P<command>input|include|subfile)\s*\{\s*(?P<name>[^{}]{1,300}?)\s*\}")
"""An include in the body of a macro."""
_PARAMETER = re.compile(r"#([1-9])")
_WORD = re.compile(r"\\(?P<word>[A-Za-z@]+)[ \t]*")
_DEEPEST_NAME = 5
_LONGEST_ARGUMENTS = 1_000
_MOST_OWN_WORDS = 100


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

    def arguments(self, read: Arguments) -> list[str] | None:
        """The arguments of a use of this macro, moved past; None where some are not there."""
        values: list[str | None] = []
        if self.default is not None:
            option = read.option()
            values.append(self.default if option is None else option)
        while len(values) < self.num_args:
            values.append(read.group())
        return None if None in values else [value or "" for value in values]

    def written_out(self, arguments: Sequence[str]) -> str:
        """The body with its arguments in place; cut off where it would grow without bound."""

        def value(match: re.Match[str]) -> str:
            number = int(match[1])
            return arguments[number - 1] if number <= len(arguments) else match[0]

        if sum(map(len, arguments)) > _LONGEST_ARGUMENTS:
            return ""
        return _PARAMETER.sub(value, self.body)


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
    definers: dict[str, str] = field(default_factory=dict)
    r"""`\let\newc\newcommand`: `newc`, and the definer that it is."""
    own_words: frozenset[str] = frozenset()
    r"""Words of the paper at which reading has something to do: definers, and macros that include a
    file by an argument (`\newcommand\chap[1]{\input{#1}}`); not more than a bound."""
    verbatim: set[str] = field(default_factory=lambda: set(VERBATIM))
    """Environments whose content is no LaTeX."""
    removed: set[str] = field(default_factory=lambda: set(REMOVED))
    """Environments whose content is not shown."""

    def define(self, definition: Definition) -> None:
        """Keep the definition of a macro."""
        self.macros[definition.name] = definition
        self.definers.pop(definition.name, None)
        if definition.is_plain and definition.num_args and INCLUDED.search(definition.body):
            self._note(definition.name)

    def define_definer(self, name: str, definer: str) -> None:
        r"""Keep that a word of the paper is a definer: `\let\newc\newcommand`."""
        self.definers[name] = definer
        self._note(name)

    def _note(self, word: str) -> None:
        if word.isalpha() and len(self.own_words) < _MOST_OWN_WORDS:
            self.own_words |= {word}

    def in_name(self, name: str) -> str:
        r"""A file's name with the paper's own words written out: `\dir/one` for `chapters/one`."""

        def value(match: re.Match[str]) -> str:
            macro = self.macros.get(match["word"])
            return (
                macro.body.strip() if macro and macro.is_plain and not macro.num_args else match[0]
            )

        for _ in range(_DEEPEST_NAME):
            if "\\" not in name or len(name) > _LONGEST_ARGUMENTS:
                break
            name = _WORD.sub(value, name)
        return name

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
