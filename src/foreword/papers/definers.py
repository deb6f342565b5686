r"""Reads definitions: `\newcommand`, `\def`, `\let`, `\newenvironment` and their kin."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from foreword.latex.arguments import Arguments
from foreword.latex.comments import strip_comments
from foreword.papers.definitions import (
    Definition,
    Definitions,
    EnvironmentDefinition,
    with_signature,
)
from foreword.papers.delimiters import paired

_PARAMETERS = re.compile(
    r"(?=(?P<run>(?:[^{}\\%]|\\(?!(?:begin|end)(?![A-Za-z@]))[A-Za-z@]+|\\[^A-Za-z@]){0,100}))"
    r"(?P=run)(?=\{)",
    re.DOTALL,
)
_UNTIL = re.compile(r"\s*#1\s*\\(?P<word>[A-Za-z@]+)\s*")
_ARGUMENT_SPEC = re.compile(r"(?:\+?O\{(?P<default>[^{}]*)\}\s*)?(?P<mandatory>(?:\+?m\s*){0,9})")
_NUM_ARGS = re.compile(r"[0-9]")
_GROUPS_AFTER_NAME: Mapping[str, int] = {
    "newtheorem": 1,
    "newcolumntype": 1,
    "lstnewenvironment": 2,
    "DefineVerbatimEnvironment": 2,
    "excludecomment": 0,
    "includecomment": 0,
}


def define(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    r"""Keep what a definer (`newcommand`, `def`, …) defines, and move past its arguments.

    False, with nothing kept, where the arguments are not what the definer takes.

    >>> from foreword.latex.arguments import brace_pairs
    >>> source = r"\newcommand{\half}{\frac12} and so on"
    >>> arguments = Arguments(source, len(r"\newcommand"), brace_pairs(source))
    >>> definitions = Definitions()
    >>> define(definitions, "newcommand", arguments), definitions.macros["half"].body
    (True, '\\frac12')
    """
    return DEFINERS[definer](definitions, definer, arguments)


def _newcommand(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    arguments.star()
    name = arguments.control()
    num_args, default, is_plain = _signature(arguments)
    body = arguments.group()
    if body is None:
        token = arguments.token()
        body = None if token is None else f"\\{token}"
    if name is None or body is None:
        return False
    if not (definer == "providecommand" and name in definitions.macros):
        is_new = definer.startswith("new")
        definitions.define(
            Definition(
                name, strip_comments(body), num_args, default, is_plain=is_plain, is_new=is_new
            )
        )
    return True


def _signature(arguments: Arguments) -> tuple[int, str | None, bool]:
    """Number of arguments, default of the first, and whether that is all there is to them."""
    count, default = arguments.option(), None
    if count is not None:
        default = arguments.option()
    if count is None or not count.strip():
        return 0, None, True
    if not _NUM_ARGS.fullmatch(count.strip()):
        return 0, None, False
    return int(count), default, not (default or "").strip().startswith("1=")


def _def(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    del definer
    name = arguments.token()
    parameters = None if name is None else arguments.pattern(_PARAMETERS)
    body = None if parameters is None else arguments.group()
    if name is None or parameters is None or body is None:
        return False
    bare = strip_comments(parameters).strip()
    num_args = bare.count("#")
    until = _UNTIL.fullmatch(bare)
    definitions.define(
        Definition(
            name,
            strip_comments(body),
            num_args,
            is_plain=num_args <= 9 and bare == "".join(f"#{i + 1}" for i in range(num_args)),
            until=until["word"] if until else None,
        )
    )
    return True


def _let(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    is_let = definer == "let"
    name = arguments.token() if is_let else arguments.control()
    if is_let:
        arguments.literal("=")
    target = None if name is None else arguments.token() if is_let else arguments.control()
    if name is None or target is None:
        return False
    if name.startswith("if") and target in ("iftrue", "iffalse"):
        definitions.switches[name[2:]] = target == "iftrue"
    elif target in DEFINERS or target in definitions.definers:
        definitions.define_definer(name, definitions.definers.get(target, target))
    elif target in definitions.macros:
        definitions.define(replace(definitions.macros[target], name=name))
    elif target != name:
        definitions.define(Definition(name, f"\\{target}", alias_of=target))
    return True


def _operator(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    del definer
    star = "*" if arguments.star() else ""
    name, body = arguments.control(), arguments.group()
    if name is None or body is None:
        return False
    body = f"\\operatorname{star}{{{strip_comments(body)}}}"
    definitions.define(Definition(name, body, is_new=True))
    return True


def _paired_delimiter(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    name = arguments.control()
    definition = None if name is None else paired(name, definer, arguments)
    if definition is None:
        return False
    definitions.define(definition)
    return True


def _document_command(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    name, spec, body = arguments.control(), arguments.group(), arguments.group()
    if name is None or spec is None or body is None:
        return False
    if definer.startswith("Provide") and name in definitions.macros:
        return True
    num_args, default, is_plain = _document_signature(spec)
    found = Definition(name, strip_comments(body), num_args, default, is_plain=is_plain)
    if not is_plain:
        found = with_signature(found, strip_comments(spec))
    definitions.define(replace(found, is_new=definer.startswith("New")))
    return True


def _document_signature(spec: str) -> tuple[int, str | None, bool]:
    match = _ARGUMENT_SPEC.fullmatch(spec.strip())
    if match is None:
        return 0, None, False
    default = match["default"]
    return match["mandatory"].count("m") + (default is not None), default, True


def _newenvironment(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    arguments.star()
    name = arguments.group()
    if definer.endswith("DocumentEnvironment"):
        num_args, default, is_plain = _document_signature(arguments.group() or "")
    else:
        num_args, default, is_plain = _signature(arguments)
    begin, end = arguments.group(), arguments.group()
    if name is None or begin is None or end is None:
        return False
    if is_plain:
        definition = EnvironmentDefinition(
            strip_comments(begin), strip_comments(end), num_args, default
        )
    else:
        definition = EnvironmentDefinition("", "")
    definitions.define_environment(name.strip(), definition)
    return True


def _new_environ(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    r"""`\NewEnviron{name}{… \BODY …}` of the package environ."""
    del definer
    name = arguments.group()
    num_args, default, is_plain = _signature(arguments)
    body = arguments.group()
    arguments.option()
    if name is None or body is None:
        return False
    begin, content, end = strip_comments(body).partition("\\BODY")
    known = is_plain and content and not end[:1].isalpha()
    definition = EnvironmentDefinition(begin, end, num_args, default)
    definitions.define_environment(
        name.strip(), definition if known else EnvironmentDefinition("", "")
    )
    return True


def _other_environment(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    r"""Environments of which no display is known: theorems, listings, column types."""
    arguments.star()
    arguments.option()
    name = arguments.group()
    if name is None:
        return False
    for _ in range(_GROUPS_AFTER_NAME[definer]):
        while arguments.option() is not None:
            pass
        if arguments.group() is None:
            return False
    if definer == "newtheorem":
        arguments.option()
    name = name.strip()
    definitions.define_environment(name, EnvironmentDefinition("", ""))
    if definer in ("lstnewenvironment", "DefineVerbatimEnvironment"):
        definitions.verbatim.add(name)
    elif definer == "excludecomment":
        definitions.removed.add(name)
    return True


def _newif(definitions: Definitions, definer: str, arguments: Arguments) -> bool:
    del definer
    name = arguments.token()
    if name is None or not name.startswith("if"):
        return False
    definitions.switches[name[2:]] = False
    return True


DEFINERS: Mapping[str, Callable[[Definitions, str, Arguments], bool]] = {
    **dict.fromkeys(
        [
            "newcommand",
            "renewcommand",
            "providecommand",
            "DeclareRobustCommand",
            "newrobustcmd",
            "renewrobustcmd",
            "newcommandx",
            "renewcommandx",
        ],
        _newcommand,
    ),
    **dict.fromkeys(["def", "gdef", "edef", "xdef"], _def),
    **dict.fromkeys(
        [
            "let",
            "LetLtxMacro",
            "GlobalLetLtxMacro",
            "NewCommandCopy",
            "RenewCommandCopy",
            "DeclareCommandCopy",
        ],
        _let,
    ),
    "DeclareMathOperator": _operator,
    **dict.fromkeys(
        ["DeclarePairedDelimiter", "DeclarePairedDelimiterX", "DeclarePairedDelimiterXPP"],
        _paired_delimiter,
    ),
    **dict.fromkeys(
        [
            f"{how}{what}DocumentCommand"
            for how in ("New", "Renew", "Provide", "Declare")
            for what in ("", "Expandable")
        ],
        _document_command,
    ),
    **dict.fromkeys(
        ["newenvironment", "renewenvironment"]
        + [f"{how}DocumentEnvironment" for how in ("New", "Renew", "Provide", "Declare")],
        _newenvironment,
    ),
    **dict.fromkeys(_GROUPS_AFTER_NAME, _other_environment),
    **dict.fromkeys(["NewEnviron", "RenewEnviron"], _new_environ),
    "newif": _newif,
}
"""Definers, with what reads their arguments."""
