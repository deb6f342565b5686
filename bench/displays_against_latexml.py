"""Compare the displayed equations of foreword's reader with those of LaTeXML, folder by folder.

    apt-get install -y latexml
    python bench/displays_against_latexml.py CORPUS --cache latexml_cache

A corpus is a folder of LaTeX projects. LaTeXML gets a copy of each, five minutes of processor time,
and what `latexml_preload.sty.ltxml` says; what it makes is kept in the cache. A display is what an
author opens and closes once: an `align` of three rows is one here, a group of three for LaTeXML.
Both lists are compared in order, by the letters, digits and signs of each display with its macros
written out. Every disagreement gets its kind; `--show` prints each with its place.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from corpus import folders_of, read
from foreword.errors import SourceError
from foreword.latex.diagrams import is_diagram
from foreword.latex.expand import ExpansionError, expand
from foreword.records import Paper
from latexml import all_of, displays_of, run_latexml

KINDS = (
    "LaTeXML failed",
    "diagram",
    "set otherwise",
    "macro",
    "content",
    "grouped",
    "lost",
    "phantom",
)
_LEAST_ALIKE = 0.5
_LITTLE = 0.1
_MANY_LETTERS = 80

_GREEK = (
    "alpha|beta|gamma|delta|(?:var)?epsilon|zeta|eta|(?:var)?theta|iota|kappa|lambda|mu|nu|xi|pi"
    "|(?:var)?rho|(?:var)?sigma|tau|upsilon|(?:var)?phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi"
    "|Pi|Sigma|Upsilon|Phi|Psi|Omega"
)
_NO_CONTENT = re.compile(
    r"&|\\\\\*?(?:\s*\[\s*[-+]?[\d.]+[^\]]*\])?|[-+]?\s*\d*\.?\d+\s*(?:pt|em|ex|mu|cm|mm|in)(?![A-Za-z])"
    r"|(?:height|width|depth)\s*=?"
    r"|\\(?:arraycolsep|jot|[A-Za-z]*(?:penalty|skip))\s*=?\s*(?:-?\d+(?![.\d]))?"
    r"|\\scalebox\s*\{[^{}]*\}|\\qopname\s*\\relax\s*[a-z]"
    r"|\\(?:label|index|[A-Za-z]*ref\*?|cite[a-z]*|[hv]space\*?|hyperlink|end)\s*\{[^{}]*\}"
    r"|\\tag\*?\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"|\\color\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}"
    r"|\\begin\s*\{(?:[^{}]*\}\s*\[[tbc]?\]|subarray\}\s*\{c\}|[^{}]*\})"
    r"|\\resizebox\s*\{[^{}]*\}\s*\{[^{}]*\}"
)
_GREEK_WORD = re.compile(rf"\\({_GREEK})(?![A-Za-z])")
_WORD = re.compile(r"\\(?:[A-Za-z@]+\*?|.)", re.DOTALL)
_WORDS = re.compile(r"\\([A-Za-z]+)")
_SILENT = re.compile(r"[\s{}$~^_'’|]")
_DEFINED = re.compile(
    r"\\(?:(?:New|Renew|Provide|Declare)[A-Za-z]*|(?:re)?newcommand|def|let)\*?\s*\{?\s*\\([A-Za-z]+)"
)
_NOT_FOUND = re.compile(r"missing files?\[([^\]]*)\]")
_ERROR = re.compile(r"^(?:Error|Fatal):.*? at (\S+); line (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Difference:
    """One disagreement."""

    kind: str
    place: tuple[str, int]
    latexml: str
    foreword: str


def foreword_displays(paper: Paper) -> list[str]:
    """The source of each display as foreword reads it, the paper's macros written out."""
    found = []
    for display in paper.displays:
        body = paper.text[display.body_start : display.body_end]
        try:
            found.append(expand(body, paper.macros))
        except ExpansionError:
            found.append(body)
    return found


def content(latex: str) -> str:
    r"""The letters, digits and signs of a formula, without how it is laid out.

    >>> content(r"a^2 &\le \frac{\alpha}{b}\label{eq:c}\\[2pt]")
    'a2<alpha>b'
    """
    latex = _NO_CONTENT.sub(" ", latex.replace(r"\eqref", r"()\ref").replace("–", "--"))
    latex = _GREEK_WORD.sub(r"<\1>", latex)
    return _SILENT.sub("", _WORD.sub("", latex))


def aligned(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[range, range]]:
    """Which displays correspond: pairs of stretches, in order, of one display or none or several.

    What stands in both in another order (sub- and superscripts) counts as equal.
    """
    a, b = (["".join(sorted(text)) for text in side] for side in (ours, theirs))
    found = []
    for name, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if name == "equal":
            found += [
                (range(x, x + 1), range(y, y + 1))
                for x, y in zip(range(i, j), range(k, m), strict=True)
            ]
        else:
            found += _alike(ours, theirs, range(i, j), range(k, m))
    return found


def _alike(
    ours: Sequence[str], theirs: Sequence[str], left: range, right: range
) -> Iterator[tuple[range, range]]:
    """Within a stretch that differs: alike pairs, groups of equal content, and the rest.

    In order, by the alignment in which the pairs have most in common.
    """
    if len(left) == len(right):
        yield from ((range(x, x + 1), range(y, y + 1)) for x, y in zip(left, right, strict=True))
        return
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {}
    for x in range(left.stop, left.start - 1, -1):
        for y in range(right.stop, right.start - 1, -1):
            best[x, y] = max(
                (
                    (gain + best[x + n, y + m][0], (n, m))
                    for n, m in _STEPS
                    if x + n <= left.stop and y + m <= right.stop
                    for gain in _gain("".join(ours[x : x + n]), "".join(theirs[y : y + m]), n, m)
                ),
                default=(0.0, (0, 0)),
            )
    x, y = left.start, right.start
    while (x, y) != (left.stop, right.stop):
        n, m = best[x, y][1]
        yield range(x, x + n), range(y, y + m)
        x, y = x + n, y + m


_STEPS = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 0), (0, 1))
"""How many of our displays, and of LaTeXML's, can go together."""


def _gain(ours: str, theirs: str, num_ours: int, num_theirs: int) -> Iterator[float]:
    """What it is worth to take two stretches for the same; nothing where they can't be."""
    if not num_ours or not num_theirs:
        yield 0.0
    elif num_ours != num_theirs:
        if sorted(ours) == sorted(theirs):
            yield float(max(num_ours, num_theirs))
    elif not theirs:
        yield _LITTLE  # it has a display there, and nothing in it: a diagram that it can't read
    else:
        common = (Counter(ours) & Counter(theirs)).total()
        less, more = sorted((max(1, len(ours)), len(theirs)))
        if common >= _LEAST_ALIKE * less:  # a macro written out may be many times as long
            yield common / less + common / more


class Comparison:
    """A paper beside what LaTeXML made of it."""

    def __init__(self, paper: Paper, folder: Path, xml: Path, log: str) -> None:
        self.sources, self.bodies = displays_of(xml), foreword_displays(paper)
        self.theirs = [content(text) for text in self.sources]
        self.ours = [content(text) for text in self.bodies]
        self.num_agree = 0
        self._paper = paper
        self._all_of_theirs = content(all_of(xml))
        files = [(folder / name).read_text("utf-8", "replace") for name in paper.files]
        self._defined = {name for text in files for name in _DEFINED.findall(text)}
        self._not_found = {
            Path(name.strip()).with_suffix("").as_posix().lower()
            for names in _NOT_FOUND.findall(log)
            for name in names.split(",")
        }
        self._errors = {(name.lower(), int(line)) for name, line in _ERROR.findall(log)}

    def differences(self) -> Iterator[Difference]:
        """Every disagreement; those that agree are counted."""
        matches, agreed = aligned(self.ours, self.theirs), -1
        for number, (i, k) in enumerate(matches):
            if self._agree(i, k):
                self.num_agree, agreed = self.num_agree + 1, i[-1]
                continue
            later = (left[0] for left, right in matches[number:] if self._agree(left, right))
            around = range(max(agreed, 0), next(later, len(self.ours) - 1) + 1)
            yield Difference(
                self._kind(i, k, around),
                self._paper.locate(self._paper.displays[i[0] if i else around[0]].start),
                "".join(self.sources[y] for y in k),
                "".join(self.bodies[x] for x in i),
            )

    def _agree(self, i: range, k: range) -> bool:
        return len(i) == len(k) == 1 and sorted(self.ours[i[0]]) == sorted(self.theirs[k[0]])

    def _kind(self, i: range, k: range, around: range) -> str:
        if not i:
            return "lost"
        if self._is_diagram(i[0]):
            return "diagram"
        if k:
            has_macro = any(self._defined.intersection(_WORDS.findall(self.bodies[x])) for x in i)
            kind = "grouped" if len(i) != len(k) else "macro" if has_macro else "content"
            return "LaTeXML failed" if self._erred(i) else kind
        if self.ours[i[0]] and self.ours[i[0]] in self._all_of_theirs:
            return "set otherwise"
        is_passage_lost = self._erred(around) and not self._has_words_before(i[0])
        return "LaTeXML failed" if self._erred(i) or is_passage_lost else "phantom"

    def _is_diagram(self, index: int) -> bool:
        """Whether it is a picture: LaTeXML was told to pass it over, or sets it as one."""
        display = self._paper.displays[index]
        body = self._paper.text[display.body_start : display.body_end]
        is_graphic = body.lstrip().startswith(r"\includegraphics")
        return is_graphic or is_diagram(display.environment, body, self._paper.macros)

    def _erred(self, displays: range) -> bool:
        """Whether LaTeXML reports an error in the lines of these displays, or between them."""
        places = [self._paper.locate(self._paper.displays[x].start) for x in displays]
        first_file, first = places[0]
        last_file, last = self._paper.locate(self._paper.displays[displays[-1]].end - 1)
        for name in {first_file, last_file, *(file for file, _ in places)}:
            if Path(name).with_suffix("").as_posix().lower() in self._not_found:
                return True  # it could not open the file, which is there
            start = first if name == first_file else 0
            end = last if name == last_file else sys.maxsize
            own = Path(name).name.lower()
            if any(file == own and start <= line <= end for file, line in self._errors):
                return True
        return False

    def _has_words_before(self, index: int) -> bool:
        """Whether LaTeXML has the words before a display; if not, it lost the passage."""
        start = self._paper.displays[index].start
        before = content(self._paper.text[max(0, start - 600) : start])
        return before[-_MANY_LETTERS:] in self._all_of_theirs


def show(difference: Difference) -> None:
    """Print a disagreement: its place, what one side has and the other lacks, both sources."""
    file, line = difference.place
    print(f"    {difference.kind} {file}:{line}", file=sys.stderr)
    letters = [Counter(content(side)) for side in (difference.latexml, difference.foreword)]
    for name, more, less in zip(("LaTeXML", "foreword"), letters, letters[::-1], strict=True):
        own = "".join((more - less).elements())[:60]
        source = " ".join(getattr(difference, name.lower()).split())[:200]
        print(f"      {name:8} has more: {own:20} {source}", file=sys.stderr)


def compare(folder: Path, args: argparse.Namespace) -> Counter[str]:
    """Print a row of the table; what it counts."""
    try:
        paper = read(folder)
    except SourceError as error:
        print(f"| {folder.name} | | | | | | | not read: {error} |")
        return Counter()
    made = run_latexml(folder, paper.main, args.cache, args.limit)
    ours = len(paper.displays)
    if made.xml is None:
        why = (made.said.strip().splitlines() or ["it said nothing"])[-1][:120]
        print(
            f"| {folder.name} | {paper.main} | | {ours} | | | {made.seconds:.0f} | LaTeXML: {why} |"
        )
        return Counter()
    comparison = Comparison(paper, folder, made.xml, made.said)
    found = list(comparison.differences())
    theirs, agree = len(comparison.theirs), comparison.num_agree
    kinds = Counter(difference.kind for difference in found)
    rest = ", ".join(f"{kind} {kinds[kind]}" for kind in KINDS if kinds[kind])
    share = f"{agree / max(1, agree + len(found)):.1%}"
    print(
        f"| {folder.name} | {paper.main} | {theirs} | {ours} | {agree} | {share} "
        f"| {made.seconds:.0f} | {rest} |"
    )
    for difference in found if args.show else ():
        show(difference)
    return kinds + Counter(folders=1, LaTeXML=theirs, foreword=ours, agree=agree)


def print_total(total: Counter[str]) -> None:
    """The last lines: all folders together."""
    agree, rest = total["agree"], sum(total[kind] for kind in KINDS)
    share = agree / max(1, agree + rest)
    not_read = total["LaTeXML failed"] + total["set otherwise"] + total["diagram"]
    num_read = max(1, agree + rest - not_read)
    same = agree + total["macro"]
    print(
        f"\n{total['folders']} folders: LaTeXML has {total['LaTeXML']} displays, foreword "
        f"{total['foreword']}; {agree} agree, {share:.2%} of all. Of those that LaTeXML read as "
        f"formulas {agree / num_read:.2%}, and {same / num_read:.2%} with those that differ by a "
        "macro written out."
    )
    print(", ".join(f"{kind}: {total[kind]}" for kind in KINDS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--cache", type=Path, required=True, help="where LaTeXML's work is kept")
    parser.add_argument("--limit", type=int, default=300, help="processor seconds a paper")
    parser.add_argument("--only", nargs="+", help="names of folders, where not all are wanted")
    parser.add_argument("--show", action="store_true", help="print every disagreement")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    print("| folder | main file | LaTeXML | foreword | agree | share | seconds | the rest |")
    print("|---|---|---:|---:|---:|---:|---:|---|")
    total: Counter[str] = Counter()
    for folder in folders_of(args.corpus):
        if not args.only or folder.name in args.only:
            total += compare(folder, args)
            sys.stdout.flush()
    print_total(total)


if __name__ == "__main__":
    main()
