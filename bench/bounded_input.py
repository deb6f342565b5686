r"""How long the worst inputs take to read and to cut: no 10 MB may take more than 10 seconds.

    python bench/bounded_input.py [--megabytes 10] [NAME …]

A line for each kind of input: its name, its size, seconds of processor time to read it and to cut
it, and how many displays were found. `REFUSED` stands where the reader says that it will not read
it. The last line names the slowest.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from foreword import read_paper
from foreword.cuts import cut_equations
from foreword.errors import ForewordError

ANYWHERE = {
    **{
        f"many {unit}": unit for unit in ("{", "}", "$", "$$", "$$$", "[", "%", "\\", "&", "~", "a")
    },
    **{f"many {unit.strip()!a}": unit for unit in (" ", "\n", "%\n", "% {\n", "\u200b", "\u200ba")},
    **{
        f"many {unit.strip()}": unit
        for unit in (r"\[", r"\]", r"\[\]", r"\( ", r"\{", r"\\", r"\\[")
    },
    **{f"many {unit}": unit for unit in ("$a$", "$$a$$", "{$", "$}", "$a\n\n", "}{", r"\[a=b\]")},
    **{
        f"many {unit.strip()}": unit
        for unit in (
            *(r"\left", r"\left(", r"\right)", r"\left(\right)", r"\bigl", r"\frac", r"\sqrt["),
            *(r"\begin{a}", r"\end{a}", r"\begin{a}\end{a}", r"\begin{", r"\begin{ ", r"\begin "),
            *(r"\begin{equation}", r"\begin{equation}a=b\end{equation}", r"\begin{aligned}["),
            *(r"\begin{verbatim}", r"\begin{comment}", r"\end{verbatim}", r"\begin{IEEEeqnarray}["),
            *(r"\begin{empheq}[", r"\begin{alignat}{", r"\begin{document}", r"\begin{verbatim} %"),
            *(r"\def", r"\def\a", r"\def\a{", r"\def\a{}", r"\def\a#1", r"\def\a#1{", r"\long"),
            *(r"\newcommand", r"\newcommand{\a}", r"\newcommand\a[", r"\newcommand\a[1]["),
            *(r"\newcommand{\a}{b}", r"\let\a\b", r"\let\a", r"\newif\ifa", r"\newif", r"\atrue "),
            *(
                r"\newenvironment{a}",
                r"\newenvironment{a}{",
                r"\newtheorem{a}[",
                r"\NewEnviron{a}[",
            ),
            *(r"\if", r"\iffalse", r"\iftrue", r"\fi", r"\else", r"\ifx\a\b", r"\iffalse\fi"),
            *(r"\iftrue\else\fi", r"\newif\ifa\ifa", r"\ifa ", r"\ifnum", r"\iffalse %"),
            *(r"\verb", r"\verb|", r"\verb|a", r"\verb1\verb2", r"\lstinline[", r"\lstinline{"),
            *(r"\input", r"\input a ", r"\input{", r"\input{a}", r"\include{../a}", r"\import{a}{"),
            *(
                r"\title",
                r"\title{",
                r"\title[",
                r"\usepackage{a}",
                r"\usepackage{",
                r"\usepackage[",
            ),
            *(r"\documentclass{a}", r"\includeonly{", r"\includeonly{a}", r"\endinput", r"\url{"),
            *(r"\color{white}", r"{\color{white}", r"\textcolor{white}{", r"\textcolor{white}{a}"),
            *(r"\color{white} ", r"\fontsize{1pt}{1pt}", r"\fontsize{", r"\definecolor{a}{rgb}{b}"),
            *(r"\label{", r"\label", r"\label ", r"\tag*", r"\tag{a}", r"\nonumber", r"\quad"),
            *(r"\text{", r"\text", r"\mbox{$", r"\stackrel{", r"\stackrel{a}", r"\xrightarrow["),
            *(
                "^",
                "_",
                "^{",
                "_{a",
                "^a",
                "^{a}",
                "^\\a",
                "|",
                "||",
                "(",
                ")",
                "()",
                "]",
                "{}",
                "{ ",
            ),
            *("+", "=", "a+", "a=", "+{}", "&=", "a&", ",", ":", "=:", r"\\+", r"\\&+", "<", "é"),
            *(r"\a[", r"\a[[", r"\a{", r"\a", "\\a ", r"\\  [", r"\\*", r"\hspace{", r"\hspace*"),
        )
    },
    r"many \a[ now and then ]": r"\a[" * 120 + "]",
    r"many \a[ now and then ]{": r"\a[" * 120 + "]{}",
    r"many \eq[ now and then }": r"\eq[" * 110 + "}",
    r"many \begin{ with spaces": r"\begin{" + " " * 10_000,
    r"many \begin{a with spaces": r"\begin{a" + " " * 10_000,
    r"many \input{ with spaces": r"\input{a" + " " * 10_000,
    r"many \input with spaces": r"\input" + " " * 10_000,
    r"many \verb with a long line": r"\verb|" + "a" * 900,
    r"many blanks before \def": r"\long" + " " * 10_000 + r"\def",
    "many spaces after ^": "^" + " " * 10_000,
    "many lines": "\n" * 5_000 + "a",
}
"""What is repeated; each in the words of a paper, in one display, and in the preamble."""

PLAIN = "Let us begin. " * 800
OWN = (
    r"\newcommand{\eq}[2][a]{\begin{equation}#2\end{equation}}\newcommand\be[1][]{\begin{align}}"
    r"\newcommand\ee{\end{align}}\newcommand\in[1]{\input{#1}}\newcommand\R{\ensuremath{R}}"
)


def _document(preamble: str, body: str) -> str:
    return f"\\documentclass{{article}}{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def _filled(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit.encode()))


def _equation(i: int) -> str:
    return (
        rf"\[ x_{{{i}}} = \alpha + \beta \gamma_{i} \delta + \frac{{{i}}}{{2}} - \zeta\eta_{i} \]"
    )


def _counted(made: Callable[[int], str], size: int) -> str:
    parts, length, i = [], 0, 0
    while length < size:
        parts.append(made(i))
        length, i = length + len(parts[-1]), i + 1
    return "".join(parts)


def _letters(i: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(i))


def inputs(size: int) -> Iterator[tuple[str, str]]:
    """The name and the text of every kind of input."""
    for name, unit in ANYWHERE.items():
        filled = _filled(unit, size)
        yield f"{name}, in words", _document(OWN, PLAIN + filled)
        yield f"{name}, in a display", _document(OWN, rf"{PLAIN}\[{filled}=1\]")
        yield (
            f"{name}, in an environment",
            _document(OWN, rf"{PLAIN}\begin{{align}}{filled}=1\end{{align}}"),
        )
        yield f"{name}, in dollars", _document(OWN, f"{PLAIN}$${filled}=1$$")
        yield f"{name}, in the preamble", _document(OWN + filled, PLAIN)
    half = size // 2
    for unit in (
        r"\eq",
        r"\eq[",
        r"\eq{",
        r"\eq{a}",
        r"\be",
        r"\be[",
        r"\be a\ee",
        r"\in",
        r"\in{a}",
    ):
        yield f"own {unit}", _document(OWN, PLAIN + _filled(unit, size))
    for opened, closed in (("{", "}"), (r"\left(", r"\right)"), (r"\text{", "}"), ("^{", "}")):
        nested = opened * (half // len(opened)) + closed * (half // len(opened))
        yield f"nested {opened}, in words", _document("", PLAIN + nested)
        yield f"nested {opened}, in a display", _document("", rf"{PLAIN}\[a={nested}\]")
    nested = r"\begin{cases}" * (half // 13) + r"\end{cases}" * (half // 13)
    yield "nested cases", _document("", rf"{PLAIN}\[a={nested}\]")
    yield "distinct equations", _document("", PLAIN + _counted(_equation, size))
    yield (
        "distinct equations on one line each",
        _document("", PLAIN + _counted(lambda i: _equation(i) + "\n", size)),
    )
    yield (
        "equations that are diagrams",
        _document(r"\newcommand\fig{\tikz}", PLAIN + _counted(lambda i: rf"\[\fig {i}\]", size)),
    )
    yield (
        "distinct macros and equations",
        _document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{a{i}}}", half),
            PLAIN + _counted(lambda i: rf"\[\m{_letters(i)} x=1+b\]", half),
        ),
    )
    yield (
        "macros in a chain",
        _document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{\m{_letters(i + 1)}}}", half),
            PLAIN + _counted(lambda i: rf"\[\m{_letters(i)} x=1+b\]", half),
        ),
    )
    yield (
        "macros that open displays in a chain",
        _document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{\m{_letters(i + 1)}}}", half)
            + r"\newcommand\be{\begin{equation}}",
            PLAIN + _filled(r"\ma ", half),
        ),
    )
    yield (
        "wrappers of displays",
        _document(
            _counted(lambda i: rf"\newcommand\m{_letters(i)}{{\begin{{align}}}}", half),
            PLAIN + _filled(r"\ma a=b\end{align}", half),
        ),
    )
    yield (
        "environments of the paper",
        _document(
            _counted(
                lambda i: rf"\newenvironment{{m{i}}}{{\begin{{align}}}}{{\end{{align}}}}", half
            ),
            PLAIN + _filled(r"\begin{m1}a=b\end{m1}", half),
        ),
    )
    yield (
        "switches",
        _document(
            _counted(lambda i: rf"\newif\ifm{_letters(i)}", half),
            PLAIN + _counted(lambda i: rf"\ifm{_letters(i)} a\fi", half),
        ),
    )
    yield (
        "definers of the paper",
        _document(_counted(lambda i: rf"\let\m{_letters(i)}\newcommand", size), PLAIN),
    )
    yield (
        "aliases",
        _document(_counted(lambda i: rf"\let\m{_letters(i + 1)}\m{_letters(i)}", size), PLAIN),
    )
    yield (
        "colours",
        _document(
            _counted(lambda i: rf"\definecolor{{c{i}}}{{rgb}}{{1,1,1}}", half),
            PLAIN + _counted(lambda i: rf"{{\color{{c{i}}} a}}", half),
        ),
    )
    yield (
        "includes that are not there",
        _document("", PLAIN + _counted(lambda i: rf"\input{{c{i}}}", size)),
    )
    yield "repeated equations", _document("", PLAIN + _filled(_equation(1), size))
    yield "one long line of words", _document("", PLAIN + _filled("word ", size))


def _seconds(text: str, folder: Path) -> tuple[float, float, str]:
    """Seconds to read and to cut, and what came of it."""
    path = folder / "paper.tex"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    try:
        paper = read_paper(path)
    except ForewordError as error:
        return time.process_time() - start, 0.0, f"REFUSED {type(error).__name__}"
    read = time.process_time()
    cut_equations(paper)
    return read - start, time.process_time() - read, f"{len(paper.displays)} displays"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--least", type=float, default=0, help="show nothing faster than this")
    parser.add_argument("names", nargs="*", help="parts of the names of the inputs to run")
    options = parser.parse_args()
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in inputs(int(options.megabytes * 1_000_000)):
            if options.names and not any(part in name for part in options.names):
                continue
            read, cut, what = _seconds(text, Path(folder))
            slowest = max(slowest, (read + cut, name))
            if read + cut >= options.least:
                print(f"{read:7.2f} {cut:7.2f}  {name!r}: {what}", flush=True)
    print(f"slowest: {slowest[0]:.2f} s, {slowest[1]!r}")


if __name__ == "__main__":
    main()
