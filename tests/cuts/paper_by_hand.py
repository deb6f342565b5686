"""Papers made by hand: a text with `\\[…\\]` in it, its displays found by the simplest means."""

import re
from collections.abc import Sequence

from foreword.records import Display, Macro, Paper, Segment

LONG = r"\int_0^1 f(x) \, dx + \sum_{n=1}^{\infty} \frac{a_n}{n^2} = \Gamma(s) \zeta(s) + "


def equation(number: int) -> str:
    """A body of some 180 characters that no other number gives."""
    return f"{LONG}{number} = {LONG}{number}^2"


def paper(
    bodies: Sequence[str],
    *,
    name: str = "2604.00001",
    before: str = "Let us begin. " * 800,
    macros: Sequence[Macro] = (),
) -> Paper:
    text = before + "".join(f"\nSo much for {i}; now\n\\[{b}\\]\n" for i, b in enumerate(bodies))
    return Paper(
        id=name,
        text=text,
        displays=displays(text),
        macros=tuple(macros),
        segments=(Segment(start=0, file="main.tex", line=1, column=1),),
    )


def displays(text: str) -> tuple[Display, ...]:
    return tuple(
        Display(
            environment="[",
            start=match.start(),
            body_start=match.start() + 2,
            body_end=match.end() - 2,
            end=match.end(),
        )
        for match in re.finditer(r"\\\[.*?\\\]", text, re.DOTALL)
    )


def macro(name: str, body: str, num_args: int = 0, default: str | None = None) -> Macro:
    return Macro(name=name, num_args=num_args, default=default, body=body)
