r"""Where the body of a displayed equation can be cut: after a relation or a `+`, at top level.

Top level is outside of braces, of `\left…\right` and of matrices; the rows of the display, and of
an `aligned`, a `split` or the like in it, are top level. A `+` in a pair of brackets is not, of
whatever kind and size they are; one without a partner, as in `[0,1[`, is no pair.
"""

from itertools import accumulate

from foreword.cuts.arguments import UnbalancedError
from foreword.cuts.lexemes import CLOSERS, PARTNERS, PLAIN, Lexeme, Vocabulary, lexemes
from foreword.cuts.symbols import CELL_ENVIRONMENTS, OPERATORS, ROW_ENVIRONMENTS, Role

_NEVER_NEXT = ("relation", "closer", "comma")
"""What cannot follow an operator that has a right-hand side."""
_NESTS = frozenset[Role](["{", "}", "left", "right", "begin", "end", "$"])
_OPERATES = frozenset[Role](["relation", "additive"])
_ROWS = "rows"
"""Name of what opens and closes like a bracket, but holds rows at top level."""


def candidate_sites(body: str, vocabulary: Vocabulary = PLAIN) -> tuple[int, ...]:
    r"""Offsets in the body's middle third at which it can be cut, the nearest to its middle first.

    An offset stands right after an operator, with its scripts and a `{}` where it has them; white
    space that follows belongs to the hidden rest. A sign that joins no two terms is no site.

    >>> body = r"f(x) = -\left(a+b\right) + c_{i+1} (d+e) \leq 7+g"
    >>> [body[:site] for site in candidate_sites(body)]
    ['f(x) = -\\left(a+b\\right) +']

    Raises:
        UnbalancedError: a brace, a `\left` or an environment of the body has no partner.
    """
    return sites_among(top_level(body, vocabulary), len(body))


def sites_among(pieces: list[Lexeme], length: int) -> tuple[int, ...]:
    """The sites of a body of which the top level (`top_level`) and the length are known."""
    middle = [end for end in _operator_ends(pieces) if length <= 3 * end <= 2 * length]
    return tuple(sorted(middle, key=lambda end: (abs(2 * end - length), end)))


def operator_ends(body: str, vocabulary: Vocabulary = PLAIN) -> list[int]:
    r"""Every offset at which a body could be cut, wherever it stands, in source order.

    >>> body = r"\alpha := -\beta_{i=1} +_G \begin{aligned} &x \stackrel{!}{=}{} y \end{aligned}"
    >>> [body[:end].split()[-1] for end in operator_ends(body)]
    [':=', '+_G', '\\stackrel{!}{=}{}']

    Raises:
        UnbalancedError: as for `candidate_sites`.
    """
    return _operator_ends(top_level(body, vocabulary))


def _operator_ends(pieces: list[Lexeme]) -> list[int]:
    found = [i for i, piece in enumerate(pieces) if piece.role in _OPERATES and _is_site(pieces, i)]
    inside = _bracketed(pieces) if found else []
    return [
        _end_of_operator(pieces, i)
        for i in found
        if not (inside[i] and pieces[i].role == "additive")
    ]


def _bracketed(pieces: list[Lexeme]) -> list[bool]:
    """Whether each piece stands inside of a pair of brackets."""
    steps = [0] * (len(pieces) + 1)
    unclosed: list[int] = []
    for i, piece in enumerate(pieces):
        if piece.name == _ROWS:
            continue
        if piece.role == "opener":
            unclosed.append(i)
        elif piece.role == "closer" and unclosed:
            steps[unclosed.pop()] += 1
            steps[i] -= 1
    return [depth > 0 for depth in accumulate(steps)]


def top_level(body: str, vocabulary: Vocabulary = PLAIN) -> list[Lexeme]:
    r"""The top level alone: what is nested becomes one operand, what opens rows an opener.

    >>> [piece.role for piece in top_level(r"a = \begin{split} {b+c} &+ d \end{split}")]
    ['operand', 'relation', 'opener', 'operand', 'tab', 'additive', 'operand', 'closer']

    Raises:
        UnbalancedError: as for `candidate_sites`.
    """
    flat: list[Lexeme] = []
    rows: list[Lexeme] = []
    nested: list[Lexeme] = []
    inside: set[Role] = set()
    for piece in lexemes(body, vocabulary):
        role = piece.role
        if role not in _NESTS:
            if nested:
                inside.add(role)
            else:
                flat.append(_settled(piece, flat, rows) if role == "bar" or rows else piece)
        elif (
            (stack := nested or rows)
            and PARTNERS.get(stack[-1].role) == role
            and stack[-1].name == piece.name
        ):
            inside.add(role)
            opener = stack.pop()
            if stack is rows:
                flat.append(Lexeme("closer", opener.start, piece.end, _ROWS))
            elif not nested:
                flat.append(Lexeme(_role_of_nested(inside), opener.start, piece.end))
        elif role in CLOSERS:
            raise UnbalancedError(f"what ends at character {piece.start} of the body never began")
        elif not nested and piece.name in ROW_ENVIRONMENTS:
            rows.append(piece)
            flat.append(Lexeme("opener", piece.start, piece.end, _ROWS))
        else:
            if nested:
                inside.add(role)
            else:
                inside = set()
            nested.append(piece)
    if unclosed := rows + nested:
        raise UnbalancedError(
            f"what begins at character {unclosed[0].start} of the body does not end"
        )
    return flat


def _role_of_nested(inside: set[Role]) -> Role:
    """`{=}` has no operand in it: a sign after it is unary."""
    return "prefix" if inside <= OPERATORS | {"{", "}"} else "operand"


def _settled(piece: Lexeme, before: list[Lexeme], rows: list[Lexeme]) -> Lexeme:
    """A bar opens where no operand stands before it; rows and cells of `cases` begin afresh."""
    if piece.role == "bar":
        role: Role = "closer" if _is_operand(_before(before)) else "opener"
        return Lexeme(role, piece.start, piece.end)
    if piece.role in ("row", "tab") and rows and rows[-1].name in CELL_ENVIRONMENTS:
        return piece._replace(role="opener", name=_ROWS)
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
    """Whether a relation, or a sign, has a right-hand side; and the sign a left-hand one."""
    if pieces[i].role == "additive" and not _joins(pieces, i):
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
    for after in range(i + 1, len(pieces)):
        role = pieces[after].role
        if role == "row":
            return True
        if role == "tab":
            return False
        if role == "relation":
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
