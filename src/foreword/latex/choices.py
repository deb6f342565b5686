r"""Questions about arguments, answered as macros are written out: `\IfNoValueTF` and its kin."""

from collections.abc import Callable, Mapping, Sequence

from foreword.latex.arguments import Parameter
from foreword.latex.waiting import ExpansionError, Waiting, body_tokens

NO_VALUE = "\x1aNoValue\x1a"
"""Stands for an optional argument that is not there."""
YES, NO = r"\BooleanTrue", r"\BooleanFalse"
"""Stand for a star that is there, or not."""


def _is_true(tested: Sequence[str]) -> bool:
    if list(tested) not in ([YES], [NO]):
        raise ExpansionError("whether there is a star can't be told")
    return tested[0] == YES


def _is_empty(tested: Sequence[str]) -> bool:
    if tested and tested[0] in (r"\\", "&", "!"):
        raise ExpansionError("whether an argument is empty can't be told")
    return not tested


def _is_blank(tested: Sequence[str]) -> bool:
    return all(piece.isspace() for piece in tested)


_Test = Callable[[Sequence[str]], bool]
_TESTS: Mapping[str, _Test] = {
    "IfNoValue": lambda tested: list(tested) == [NO_VALUE],
    "IfValue": lambda tested: list(tested) != [NO_VALUE],
    "IfBoolean": _is_true,
    "IfBlank": _is_blank,
}
CHOICES: Mapping[str, tuple[_Test, str]] = {
    **{
        rf"\{name}{sides}": (test, sides)
        for name, test in _TESTS.items()
        for sides in ("TF", "T", "F")
    },
    r"\ifstrempty": (_is_empty, "TF"),
    r"\ifblank": (_is_blank, "TF"),
    r"\notblank": (_is_blank, "FT"),
}
"""What a word asks of its first argument, and which of the answers then follow, in their order."""


def value(waiting: Waiting, name: str, parameter: Parameter) -> Sequence[str]:
    """The argument of a macro that comes next, as xparse reads it.

    Raises:
        ExpansionError: it is not there, or does not end.
    """
    if parameter.kind == "group":
        return waiting.argument(name)
    if parameter.kind == "mark":
        return [YES if waiting.mark(parameter.delimiters) else NO]
    found = waiting.option(parameter.delimiters, nested=True)
    if found is None and parameter.kind == "needed":
        raise ExpansionError(f"{name} lacks an argument")
    if found is None:
        return [NO_VALUE] if parameter.default is None else body_tokens(parameter.default)
    return found


def choose(piece: str, waiting: Waiting) -> None:
    """Answer one question: what it chooses comes next.

    Raises:
        ExpansionError: it lacks an argument, or has none that can be answered.
    """
    test, sides = CHOICES[piece]
    answer = "T" if test(waiting.argument(piece)) else "F"
    found = {side: waiting.argument(piece) for side in sides}
    waiting.put_back(found.get(answer, ()))


def decided(tokens: Sequence[str], own: Mapping[str, object]) -> tuple[list[str], int]:
    r"""Tokens with the questions among them answered, and how much work that was.

    Args:
        tokens: a macro's body with its arguments in their places.
        own: the paper's own macros, none of which is such a question.

    >>> "".join(decided([r"\IfBooleanTF", YES, "{", "a", "}", "{", "b", "}", "c"], {})[0])
    'ac'

    Raises:
        ExpansionError: a question lacks an argument, or has none that can be answered.
    """
    if CHOICES.keys().isdisjoint(tokens):
        return list(tokens), 0
    waiting, made = Waiting(tokens), list[str]()
    while waiting:
        piece = waiting.pop()
        if piece in CHOICES and piece[1:] not in own:
            choose(piece, waiting)
        else:
            made.append(piece)
    return made, waiting.work
