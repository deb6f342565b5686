"""How much one paper may hold: what is far beyond any paper is refused before it takes long.

Reading takes time for each character and, much more, for each place at which there is something to
do. So both are counted. Of 28 open projects, books among them, the largest needs less than a tenth
of every bound but those on characters and on the depth of includes.
"""

from collections.abc import Mapping

from foreword.errors import SourceError

MAX_DEPTH = 40
"""Of includes in includes."""
MOST: Mapping[str, int] = {
    "characters": 30_000_000,
    "braces": 1_000_000,
    "commands and comments to look at": 100_000,
    "definitions": 10_000,
    "characters in definitions": 500_000,
    "formulas and environments": 500_000,
    "displayed equations": 20_000,
    "characters in displayed equations": 2_100_000,
    "signs in displayed equations": 650_000,
}
"""What is counted, and how many of it a paper may have, its includes with it.

Signs are neither letters, digits nor blanks. A displayed equation of more than `LONGEST_DISPLAY`
characters counts, its characters do not."""


class Tally:
    r"""Counts what is met while a paper is read.

    >>> tally = Tally("main.tex")
    >>> tally.add("definitions", 10_000)
    >>> tally.add("definitions")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    foreword.errors.SourceError: main.tex: ... more than 10,000 definitions; give a smaller document
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._left = dict(MOST)

    def add(self, what: str, number: int = 1) -> None:
        """Count so many more.

        Raises:
            SourceError: they are too many.
        """
        left = self._left[what] = self._left[what] - number
        if left < 0:
            raise SourceError(
                f"{self._where}: with its includes the paper has more than {MOST[what]:,} {what}; "
                "give a smaller document",
                "too large",
            )

    def add_text(self, text: str) -> None:
        """Count a file.

        Raises:
            SourceError: with it there is too much.
        """
        self.add("characters", len(text))
        self.add("braces", text.count("{") + text.count("}"))
