"""The token at the recovery point, found by bytes: tokenizers cut the same text differently."""

from collections.abc import Sequence

from foreword.toys.item import Condition, Toy


def recovery_token(
    toy: Toy, condition: Condition, token_texts: Sequence[str], first_byte: int
) -> tuple[int, int]:
    """Which scored token holds the first byte after the recovery point, and what it holds before.

    Args:
        toy: the item.
        condition: the one under which it was scored.
        token_texts: what each scored token adds; joined, they end as prompt + target.
        first_byte: where the first of them starts, in UTF-8 bytes of prompt + target.

    Returns:
        The index of the token, from 0, and how many bytes before the recovery point it carries.

    A token may reach over the recovery point, but not back to where target and forecast part:

    >>> toy = Toy(name="one", kind="sum", prefix="Z=", before="X+A+", after="B",
    ...           reordered="X+B+A", wrong="X+D+C", context="Some sums.")
    >>> start = len(toy.prompt("exact"))
    >>> recovery_token(toy, "exact", ["X", "+", "A", "+", "B"], start)
    (4, 0)
    >>> recovery_token(toy, "exact", ["=X", "+A", "+B"], start - 1)
    (2, 1)
    >>> recovery_token(toy, "exact", ["X+", "A+B"], start)
    Traceback (most recent call last):
    ValueError: the token at the recovery point, 'A+B', also holds where target and forecast part

    Raises:
        ValueError: there is no such token; the message says why.
    """
    prompt = toy.prompt(condition)
    point = len((prompt + toy.before).encode())
    parting = len((prompt + toy.target[: toy.num_shared]).encode())
    ends = [first_byte]
    for text in token_texts:
        ends.append(ends[-1] + len(text.encode()))
    if ends[-1] != len((prompt + toy.target).encode()):
        raise ValueError("the tokens' texts do not add up to the target's bytes")
    if point < first_byte:
        raise ValueError("the recovery point comes before the first scored token")
    index = next(i for i, end in enumerate(ends[1:]) if end > point)
    text, start = token_texts[index], ends[index]
    if index and not token_texts[index - 1]:
        raise ValueError("the character at the recovery point is cut in several tokens")
    if start <= parting:
        raise ValueError(
            f"the token at the recovery point, {text!r}, also holds where target and forecast part"
        )
    return index, point - start
