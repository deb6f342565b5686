r"""Where the body of a displayed equation can be cut: after a relation or a `+`, at top level.

Top level is outside of braces, of `\left…\right` and of matrices; the rows of the display, and of
an `aligned`, a `split` or the like in it, are top level.
"""

from collections.abc import Iterable

from foreword.cuts.arguments import UnbalancedError
from foreword.cuts.lexemes import PLAIN, Lexeme, Vocabulary, lexemes
from foreword.cuts.symbols import CELL_ENVIRONMENTS, ROW_ENVIRONMENTS, Role

_NEVER_NEXT = ("relation", "closer", "comma")
"""What cannot follow an operator that has a right-hand side."""


def candidate_sites(body: str, vocabulary: Vocabulary = PLAIN) -> tuple[int, ...]:
    r"""Offsets in the body's middle third at which it can be cut, the nearest to its middle first.

    An offset stands right after an operator, with its scripts and a `{}` where it has them; white
    space that follows belongs to the hidden rest. A sign that joins no two terms is no site.

    >>> candidate_sites(r"f(x) = -\left(a+b\right) + c_{i+1} \leq 7 + g(y)")
    (26, 39)

    Raises:
        UnbalancedError: a brace, a `\left` or an environment of the body has no partner.
    """
    pieces = _flatten(lexemes(body, vocabulary))
    ends = {_end_of_operator(pieces, i) for i in range(len(pieces)) if _is_site(pieces, i)}
    middle = [end for end in ends if len(body) <= 3 * end <= 2 * len(body)]
    return tuple(sorted(middle, key=lambda end: (abs(2 * end - len(body)), end)))


def _flatten(pieces: Iterable[Lexeme]) -> list[Lexeme]:
    """The top level alone: what is nested becomes one operand, what opens rows an opener."""
    flat: list[Lexeme] = []
    rows: list[Lexeme] = []
    nested: list[Lexeme] = []
    for piece in pieces:
        stack = nested or rows
        if stack and piece.ends(stack[-1]):
            opener = stack.pop()
            if not nested:
                role: Role = "closer" if stack is rows else "operand"
                flat.append(Lexeme(role, opener.start, piece.end))
        elif piece.closes:
            raise UnbalancedError(f"what ends at character {piece.start} of the body never began")
        elif piece.opens and not nested and piece.name in ROW_ENVIRONMENTS:
            rows.append(piece)
            flat.append(Lexeme("opener", piece.start, piece.end))
        elif piece.opens:
            nested.append(piece)
        elif not nested:
            flat.append(_settled(piece, flat, rows))
    if unclosed := rows + nested:
        raise UnbalancedError(
            f"what begins at character {unclosed[0].start} of the body does not end"
        )
    return flat


def _settled(piece: Lexeme, before: list[Lexeme], rows: list[Lexeme]) -> Lexeme:
    """A bar opens where no operand stands before it; rows and cells of `cases` begin afresh."""
    if piece.role == "bar":
        return piece._replace(role="closer" if _is_operand(_before(before)) else "opener")
    if piece.role in ("row", "tab") and rows and rows[-1].name in CELL_ENVIRONMENTS:
        return piece._replace(role="opener")
    return piece


def _before(pieces: list[Lexeme]) -> Role | None:
    """Role of the last piece that counts; None at the start."""
    for piece in reversed(pieces):
        if piece.role not in ("script", "empty"):
            return piece.role
    return None


def _is_operand(role: Role | None) -> bool:
    return role in ("operand", "closer")


def _is_site(pieces: list[Lexeme], i: int) -> bool:
    role = pieces[i].role
    if role not in ("relation", "additive") or (role == "additive" and not _joins(pieces, i)):
        return False
    after = i + 1
    while after < len(pieces) and (
        pieces[after].role in ("script", "empty", "tab", "row") or _is_own_colon(pieces, after)
    ):
        after += 1
    return after < len(pieces) and pieces[after].role not in _NEVER_NEXT


def _joins(pieces: list[Lexeme], i: int) -> bool:
    """Whether the sign at `i` stands between two terms, so that it is no unary sign."""
    at, tabs = i - 1, 0
    while at >= 0 and pieces[at].role in ("script", "empty", "tab"):
        tabs += pieces[at].role == "tab"
        at -= 1
    if at < 0:
        return False
    if pieces[at].role == "row":
        return _continues(pieces, i, tabs)
    return _is_operand(pieces[at].role) and tabs < 2


def _continues(pieces: list[Lexeme], i: int, tabs: int) -> bool:
    """Whether the sign at a row's start goes on with the row before: no left-hand side follows."""
    for piece in pieces[i + 1 :]:
        if piece.role == "row":
            return True
        if piece.role == "tab":
            return False
        if piece.role == "relation":
            return tabs > 0
    return True


def _is_own_colon(pieces: list[Lexeme], i: int) -> bool:
    """Whether the piece is the colon of a `=:`."""
    return (
        pieces[i].role == "colon"
        and pieces[i - 1].role == "relation"
        and pieces[i - 1].end == pieces[i].start
    )


def _end_of_operator(pieces: list[Lexeme], i: int) -> int:
    """Offset after the operator at `i`, its scripts and its `{}`."""
    after = i + 1
    while after < len(pieces) and (
        pieces[after].role in ("script", "empty") or _is_own_colon(pieces, after)
    ):
        after += 1
    return pieces[after - 1].end
