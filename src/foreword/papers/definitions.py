r"""What a paper defines: its macros, environments and switches."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from foreword.latex.arguments import Parameter, signature
from foreword.latex.environments import REMOVED, VERBATIM
from foreword.records import OWN_WORD, Macro

_INCLUDING = "input include subfile import subimport includefrom subincludefrom InputIfFileExists"
INCLUDES = frozenset(_INCLUDING.split())
"""Words that include a file."""
_USED = re.compile(r"\\([A-Za-z@]+)")
_WORD = re.compile(r"\\(?P<word>[A-Za-z@]+)[ \t]*")
_DEEPEST_NAME = 5
_NONE: Mapping[str, str | None] = {}
_LONGEST_NAME = 1_000
_LONGEST_BODY = 5_000
_MOST_OWN_WORDS = 40


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
    is_new: bool = False
    r"""Whether nothing can have had this name before, as after a `\newcommand`."""
    signature: str = ""
    """What it takes, as xparse says it, where it is not plain and that is known."""

    def parameters(self) -> tuple[Parameter, ...] | None:
        """What this macro takes; None where that is not known."""
        if self.signature:
            return signature(self.signature)
        if not self.is_plain:
            return None
        optional = self.default is not None
        first = (Parameter("option", "[]", self.default),) if optional else ()
        return (*first, *(Parameter("group"),) * (self.num_args - optional))


def with_signature(definition: Definition, specification: str) -> Definition:
    r"""A definition that takes what an xparse specification says, if we know how to read that.

    >>> found = with_signature(Definition("p", r"#1#2#3", is_plain=False), "o m m")
    >>> found.num_args, found.default, found.signature
    (3, '', 'o m m')
    """
    parameters = signature(specification)
    if not parameters:
        return definition
    kinds = [one for one in parameters if one.kind != "mark"]
    first = kinds[0] if kinds else None
    default = None
    if first is not None and first.kind == "option" and first.delimiters == "[]":
        default = first.default or ""
    return replace(
        definition,
        num_args=sum(one.kind == "group" for one in kinds) + (default is not None),
        default=default,
        is_plain=False,
        signature=" ".join(specification.split()),
    )


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
    own_words: frozenset[str] = frozenset({"InputIfFileExists"})
    r"""Words of the paper at which reading has something to do: definers, and macros that include
    files (`\newcommand\chap[1]{\input{#1}}`); not more than a bound."""
    _including: set[str] = field(default_factory=lambda: set(INCLUDES))
    _users: dict[str, list[str]] = field(default_factory=dict)
    """Of each word, the macros in whose bodies it stands; of words that include nothing so far."""
    verbatim: set[str] = field(default_factory=lambda: set(VERBATIM))
    """Environments whose content is no LaTeX."""
    removed: set[str] = field(default_factory=lambda: set(REMOVED))
    """Environments whose content is not shown."""

    _length: int = 0

    def take_length(self) -> int:
        """How many characters were defined since the last call."""
        length, self._length = self._length, 0
        return length

    def define(self, definition: Definition) -> None:
        """Keep the definition of a macro."""
        self._length += len(definition.body)
        self.macros[definition.name] = definition
        self.definers.pop(definition.name, None)
        if len(definition.body) <= _LONGEST_BODY and definition.parameters() is not None:
            self._note_including(definition)

    def _note_including(self, definition: Definition) -> None:
        """Note that a macro includes files, and those that use it; or what it uses."""
        used = set(_USED.findall(definition.body))
        if used.isdisjoint(self._including):
            for word in used:
                self._users.setdefault(word, []).append(definition.name)
            return
        waiting = [definition.name]
        while waiting:
            name = waiting.pop()
            if name not in self._including:
                self._including.add(name)
                self._note(name)
                waiting += self._users.pop(name, [])

    def define_definer(self, name: str, definer: str) -> None:
        r"""Keep that a word of the paper is a definer: `\let\newc\newcommand`."""
        self.definers[name] = definer
        self._note(name)

    def _note(self, word: str) -> None:
        if word.isalpha() and len(self.own_words) < _MOST_OWN_WORDS:
            self.own_words |= {word}

    def in_name(self, name: str, changed: Mapping[str, str | None] = _NONE) -> str:
        r"""A file's name with the paper's own words written out: `\dir/one` for `chapters/one`.

        Args:
            name: as it stands.
            changed: what some of the words stand for at this place; None where that is not known.
        """

        def value(match: re.Match[str]) -> str:
            word, macro = match["word"], self.macros.get(match["word"])
            if word in changed:
                found = changed[word]
                return match[0] if found is None else found
            is_text = macro is not None and macro.is_plain and not macro.num_args
            if macro is None or not is_text or len(macro.body) > _LONGEST_NAME:
                return match[0]
            return macro.body.strip()

        for _ in range(_DEEPEST_NAME):
            if "\\" not in name or len(name) > _LONGEST_NAME:
                break
            name = _WORD.sub(value, name)
        return name

    def define_environment(self, name: str, definition: EnvironmentDefinition) -> None:
        """Keep the definition of an environment, which then is what the paper says it is."""
        self._length += len(definition.begin) + len(definition.end)
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
                arguments=OWN_WORD if found.alias_of in self.macros else found.signature,
            )
            for found in self.macros.values()
            if (found.is_plain or found.signature)
            and found.name not in without
            and not (found.alias_of in self.macros and self.macros[found.alias_of].is_new)
        )
