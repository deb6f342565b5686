r"""How long the worst inputs take to read and to cut: no 10 MB may take more than 10 seconds.

    python bench/bounded_input.py [--megabytes 10] [--least SECONDS] [--expand] [NAME …]

A line for each kind of input: seconds of processor time to read it and to cut it, its name, and how
many displays were found. `REFUSED` stands where the reader says that it will not read it. A bound
may end the reading of the largest, so that a smaller one takes longer: try several sizes. The last
line names the slowest.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from foreword import read_paper
from foreword.cuts import CutRules, cut_equations
from foreword.errors import ForewordError

UNITS = r"""
{ } {} }{ {· $ $$ $$$ {$ $} $a$ $$a$$ $a↵↵ [ ] ( ) () | || & ~ a é , : =: < + = a+ a= +{} &= a&
· ↵ %↵ %·{↵ % \ \\ \\[ \\·[ \\* \\+ \\&+ \{ \(· \[ \] \[\] \[a=b\] ^ _ ^{ _{a ^a ^{a} ^\a
\a \a· \a{ \a{} \a[ \a[[ \, \% \frac \sqrt[ \left \left( \right) \left(\right) \bigl \quad
\begin· \begin{ \begin{· \begin{a} \end{a} \begin{a}\end{a} \begin{document} \begin{comment}
\begin{verbatim} \end{verbatim} \begin{verbatim}·% \begin{equation} \begin{aligned}[
\begin{equation}a=b\end{equation} \begin{IEEEeqnarray}[ \begin{empheq}[ \begin{alignat}{
\def \def\a \def\a{ \def\a{} \def\a#1 \def\a#1{ \long \let\a \let\a\b
\newcommand \newcommand{\a} \newcommand\a[ \newcommand\a[1][ \newcommand{\a}{b}
\newenvironment{a} \newenvironment{a}{ \newtheorem{a}[ \NewEnviron{a}[
\newif \newif\ifa \newif\ifa\ifa \atrue· \ifa· \if \ifnum \ifx\a\b \fi \else
\iffalse \iffalse·% \iffalse\fi \iftrue \iftrue\else\fi
\verb \verb| \verb|a \verb1\verb2 \lstinline[ \lstinline{ \url{ \url{a}
\input \input{ \input{a} \input·a· \include{../a} \import{a}{ \endinput \includeonly{
\includeonly{a} \title \title{ \title[ \usepackage{a} \usepackage{ \usepackage[ \documentclass{a}
\color{white} \color{white}· {\color{white} {\color{white}} \textcolor{white}{
\textcolor{white}{a} \fontsize{ \fontsize{1pt}{1pt} {\fontsize{1pt}{1pt}} \definecolor{a}{rgb}{b}
\label{ \label \label· \tag* \tag{a} \nonumber \text{ \text \mbox{$ \stackrel{ \stackrel{a}
\xrightarrow[ \hspace{ \hspace*
"""
"""What is repeated: a unit a word, in which `·` is a blank and `↵` the end of a line."""

BEFORE_BLANKS = (
    r"\begin \begin{ \begin{a \input \input{a \long \def \newcommand \documentclass ^ \a"
)
"""What is repeated, with 10,000 blanks behind it each time."""

NESTED = {
    "{": "}",
    r"\left(": r"\right)",
    r"\text{": "}",
    "^{": "}",
    r"\a{": "}",
    r"\eq{": "}",
    r"\pair{": "}",
    r"\title{": "}",
    r"\input{": "}",
    r"\usepackage{": "}",
    r"\includeonly{": "}",
    r"\newcommand{": "}",
    r"\newenvironment{": "}",
    r"\textcolor{": "}",
    r"\begin{IEEEeqnarray}{": "}",
    r"\begin{empheq}{": "}",
    r"\begin{cases}": r"\end{cases}",
    r"\begin{a}": r"\end{a}",
    r"\iftrue ": r"\fi ",
    "$a{": "}$",
}
"""What is opened as often as it fits in half of the text, and then closed."""

PLAIN = "Let us begin. " * 800
OWN = (
    r"\newcommand{\eq}[2][a]{\begin{equation}#2\end{equation}}\newcommand\be[1][]{\begin{align}}"
    r"\newcommand\ee{\end{align}}\newcommand\in[1]{\input{#1}}\newcommand\R{\ensuremath{R}}"
    r"\newcommand\pair[2]{\begin{equation}#1#2\end{equation}}\newcommand\e{=}"
)


NOTHING = r"\notag" * 33
MAYBE = r"\par" * 60 + "#1#2#3#4#5#6#7#8#9" + r"\par" * 30
ASKING = r"\ifx\\#1\\" * 150


OWN_UNITS = r"\eq \eq[ \eq{ \eq{a} \be \be[ \be·a\ee \in \in{a} \R \e \pair{a} \pair{a}b"


def document(preamble: str, body: str) -> str:
    return f"\\documentclass{{article}}{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def _filled(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit.encode()))


def _equation(i: int) -> str:
    return (
        rf"\[ x_{{{i}}} = \alpha + \beta \gamma_{i} \delta + \frac{{{i}}}{{2}} - \zeta\eta_{i} \]"
    )


def _bookkeeping(i: int) -> str:
    return rf"\[{i}{'a' * 200}{'+a' * 100}{NOTHING}\]"


def _counted(made: Callable[[int], str], size: int) -> str:
    parts, length, i = [], 0, 0
    while length < size:
        parts.append(made(i))
        length, i = length + len(parts[-1]), i + 1
    return "".join(parts)


def _letters(i: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(i))


def _units() -> Iterator[tuple[str, str]]:
    """What is repeated, each with its name."""
    for word in UNITS.split():
        yield f"many {word}", word.replace("·", " ").replace("↵", "\n")
    for word in BEFORE_BLANKS.split():
        yield f"many {word} with blanks", word + " " * 10_000
    yield r"many \a[ now and then ]", r"\a[" * 120 + "]"
    yield r"many \a[ now and then ]{", r"\a[" * 120 + "]{}"
    yield r"many \eq[ now and then }", r"\eq[" * 110 + "}"
    yield r"many \verb with a long line", r"\verb|" + "a" * 900
    yield "many lines", "\n" * 5_000 + "a"
    yield "many characters of no width", "\u200b"
    yield "many characters of no width between letters", "\u200ba"


def inputs(size: int) -> Iterator[tuple[str, str]]:
    """The name and the text of every kind of input."""
    for name, unit in _units():
        filled = _filled(unit, size)
        yield f"{name}, in words", document(OWN, PLAIN + filled)
        yield f"{name}, in a display", document(OWN, rf"{PLAIN}\[{filled}=1\]")
        yield (
            f"{name}, in an environment",
            document(OWN, rf"{PLAIN}\begin{{align}}{filled}=1\end{{align}}"),
        )
        yield f"{name}, in dollars", document(OWN, f"{PLAIN}$${filled}=1$$")
        yield f"{name}, in the preamble", document(OWN + filled, PLAIN)
        yield f"{name}, in many displays", document(OWN, PLAIN + _displayed(unit, size))
        yield (
            f"{name}, in a definition",
            document(rf"\newcommand\x{{{filled}}}", rf"{PLAIN}\[\x\]"),
        )
    for opened, closed in NESTED.items():
        times = size // len(opened + closed)
        nested = opened * times + closed * times
        yield f"nested {opened}, in words", document(OWN, PLAIN + nested)
        yield f"nested {opened}, in the preamble", document(OWN + nested, PLAIN)
        yield f"nested {opened}, in a display", document(OWN, rf"{PLAIN}\[a={nested}\]")
    for unit in OWN_UNITS.split():
        filled = _filled(unit.replace("·", " "), size)
        yield f"own {unit}", document(OWN, PLAIN + filled)
        yield f"own {unit}, in a display", document(OWN, rf"{PLAIN}\[{filled}=1\]")
    yield from _large(size)


def _displayed(unit: str, size: int) -> str:
    """Displays of about 1,000 characters, no two of them alike."""
    filled = _filled(unit, 900)
    return _counted(lambda i: rf"\[x_{{{i}}}={filled}+1\]", size)


def _large(size: int) -> Iterator[tuple[str, str]]:
    """Documents with too much of something else."""
    half = size // 2
    yield "distinct equations", document("", PLAIN + _counted(_equation, size))
    yield (
        "distinct equations on one line each",
        document("", PLAIN + _counted(lambda i: _equation(i) + "\n", size)),
    )
    yield (
        "equations that are diagrams",
        document(r"\newcommand\fig{\tikz}", PLAIN + _counted(lambda i: rf"\[\fig {i}\]", size)),
    )
    yield (
        "distinct macros and equations",
        document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{a{i}}}", half),
            PLAIN + _counted(lambda i: rf"\[\m{_letters(i)} x=1+b\]", half),
        ),
    )
    yield (
        "macros in a chain",
        document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{\m{_letters(i + 1)}}}", half),
            PLAIN + _counted(lambda i: rf"\[\m{_letters(i)} x=1+b\]", half),
        ),
    )
    yield (
        "macros that open displays in a chain",
        document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{\m{_letters(i + 1)}}}", half)
            + r"\newcommand\be{\begin{equation}}",
            PLAIN + _filled(r"\ma ", half),
        ),
    )
    yield (
        "wrappers of displays",
        document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{\begin{{align}}}}", half),
            PLAIN + _filled(r"\ma a=b\end{align}", half),
        ),
    )
    yield (
        "environments of the paper",
        document(
            _counted(
                lambda i: rf"\newenvironment{{m{i}}}{{\begin{{align}}}}{{\end{{align}}}}", half
            ),
            PLAIN + _filled(r"\begin{m1}a=b\end{m1}", half),
        ),
    )
    yield (
        "switches",
        document(
            _counted(lambda i: rf"\newif\ifm{_letters(i)}", half),
            PLAIN + _counted(lambda i: rf"\ifm{_letters(i)} a\fi", half),
        ),
    )
    yield (
        "definers of the paper",
        document(_counted(lambda i: rf"\let\m{_letters(i)}\newcommand", size), PLAIN),
    )
    yield (
        "aliases",
        document(_counted(lambda i: rf"\let\m{_letters(i + 1)}\m{_letters(i)}", size), PLAIN),
    )
    yield (
        "colours",
        document(
            _counted(lambda i: rf"\definecolor{{c{i}}}{{rgb}}{{1,1,1}}", half),
            PLAIN + _counted(lambda i: rf"{{\color{{c{i}}} a}}", half),
        ),
    )
    yield (
        "includes that are not there",
        document("", PLAIN + _counted(lambda i: rf"\input{{c{i}}}", size)),
    )
    yield (
        "answers that are nearly in the context",
        document("", PLAIN + _counted(lambda i: rf"\[{i}={'a' * 49}b{'a' * 49}\]", size)),
    )
    yield (
        "rests of bookkeeping",
        document("", PLAIN + _counted(_bookkeeping, size)),
    )
    yield (
        "long macros",
        document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{{'a=' * 10_000}}}", half),
            PLAIN + _counted(lambda i: rf"\[\m{_letters(i)} x=1+b\]", half),
        ),
    )
    yield (
        "macros that may be displays",
        document(_counted(lambda i: rf"\newcommand\m{_letters(i)}[9]{{{MAYBE}}}", size), PLAIN),
    )
    yield (
        "macros that ask",
        document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}[1]{{{ASKING}}}", half),
            PLAIN + _counted(lambda i: rf"\[\m{_letters(i)} x=1+b\]", half),
        ),
    )
    yield "repeated equations", document("", PLAIN + _filled(_equation(1), size))
    yield "one long line of words", document("", PLAIN + _filled("word ", size))


def _seconds(text: str, folder: Path, rules: CutRules) -> tuple[float, float, str]:
    """Seconds to read and to cut, and what came of it."""
    path = folder / "paper.tex"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    try:
        paper = read_paper(path)
    except ForewordError as error:
        return time.process_time() - start, 0.0, f"REFUSED {type(error).__name__}"
    read = time.process_time()
    cut_equations(paper, rules)
    return read - start, time.process_time() - read, f"{len(paper.displays)} displays"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--least", type=float, default=0, help="show nothing faster than this")
    parser.add_argument("--expand", action="store_true", help="write macros out before cutting")
    parser.add_argument("names", nargs="*", help="parts of the names of the inputs to run")
    options = parser.parse_args()
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in inputs(int(options.megabytes * 1_000_000)):
            if options.names and not any(part in name for part in options.names):
                continue
            read, cut, what = _seconds(text, Path(folder), CutRules(expand_macros=options.expand))
            slowest = max(slowest, (read + cut, name))
            if read + cut >= options.least:
                print(f"{read:7.2f} {cut:7.2f}  {name!r}: {what}", flush=True)
    print(f"slowest: {slowest[0]:.2f} s, {slowest[1]!r}")


if __name__ == "__main__":
    main()
