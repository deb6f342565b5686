"""Which of a paper's files is the main one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from foreword.errors import SourceError
from foreword.papers.readme import read_readme
from foreword.papers.source import Source, is_readme

_CLASS = re.compile(
    rb"^[^%\n]*?\\document(?:class|style)\s*(?:\[[^\]]{0,2000}\]\s*)?\{\s*([^}\s]*)", re.MULTILINE
)
_BODY = re.compile(rb"^[^%\n]*?\\begin\s*\{document\}", re.MULTILINE)
_PLAIN_END = re.compile(rb"^[^%\n]*?\\(?:bye|enddocument)(?![A-Za-z@])", re.MULTILINE)
_ROOT = re.compile(rb"^%\s*!\s*T[eE]X\s+root\s*=\s*(\S+)", re.MULTILINE)
_SIDE_NAME = re.compile(
    r"(?:^|[^a-z])(?:rebuttals?|repl(?:y|ies)|responses?|referees?|cover(?:-?letter)?|supp[a-z]*|si"
    r"|appendi(?:x|ces)|templates?|samples?|examples?|diff|old|backup|bak|drafts?|poster|slides"
    r"|talk)(?:$|[^a-z])"
)
_INCLUDES = re.compile(rb"\\(?:input|include|subfile)(?![A-Za-z@])\s*(?:[{\"]\s*)?([^\s{}\"%\\]+)")
SETTLE = (
    "say which one it is with `--main FILE` (of several papers: `--main ID=FILE`), or with `main` "
    "in the study"
)
_PART_CLASSES = frozenset({"subfiles", "standalone"})
_MAIN_NAMES = frozenset({"main", "ms", "paper", "article"})
_NO_SOURCES = frozenset({".sty", ".cls", ".clo", ".def", ".bib", ".bst", ".bbl", ".cfg"})


@dataclass(frozen=True, slots=True)
class Main:
    """The main file of a paper, and why it is that."""

    name: str
    why: str
    candidates: tuple[str, ...] = ()
    """The files that could have been it."""


def choose_main(source: Source, asked: str | None, where: str) -> Main:
    r"""The main file of a folder or archive.

    It is what arXiv's `00README` says, the first of several. Else it has `\documentclass` and
    `\begin{document}`, or else ends with `\bye`. Of several, one goes before the others that is no
    part of a larger document, then one that no other file includes, one that has a `.bbl` file of
    its name, one that is not named as a supplement, a reply or a template, one named main, ms,
    paper or article, one nearest to the top folder.

    Args:
        source: the files.
        asked: the name that the user gave, if any.
        where: the path that the user gave, for messages.

    Raises:
        SourceError: there is none; or there are several, and nothing tells them apart.
    """
    names = source.names()
    if asked is not None:
        found = source.find(asked)
        if found is None:
            raise SourceError(
                f"{where} holds no file {asked}; it holds {_listing(names)}", "no main"
            )
        return Main(found, "you named it")
    readme = read_readme(source)
    if readme.toplevel:
        return Main(readme.toplevel[0], "00README says so", tuple(readme.toplevel))
    names = [name for name in names if name not in readme.ignored and not is_readme(name)]
    texts = {name: source.read(name) for name in names if _may_be_main(name)}
    whole = [name for name, text in texts.items() if _BODY.search(text)]
    whole = whole or [name for name, text in texts.items() if _PLAIN_END.search(text)]
    candidates = [name for name in whole if _CLASS.search(texts[name])] or whole
    if not candidates:
        return Main(_only_file(texts, names, where), "it is the only TeX file", ())
    all_of_them = tuple(candidates)
    why = "only it has a \\begin{document}"
    for words, prefers in _preferences(texts, names, candidates):
        if len(candidates) > 1:
            candidates = [name for name in candidates if prefers(name)] or candidates
            why = f"of {len(all_of_them)} candidates {words}"
    if len(candidates) > 1:
        raise SourceError(
            f"{where} has several main files ({_listing(candidates)}); {SETTLE}", "ambiguous main"
        )
    return Main(candidates[0], why, all_of_them)


def _preferences(
    texts: dict[str, bytes], names: Sequence[str], candidates: Sequence[str]
) -> list[tuple[str, Callable[[str], bool]]]:
    """Questions to ask of a candidate, the most telling first, each with a yes in words."""
    included = {
        _stem(match[1].decode("utf-8", "replace"))
        for text in texts.values()
        for match in _INCLUDES.finditer(text)
    }
    twins = {name[: -len(".bbl")] for name in names if name.endswith(".bbl")}

    def stands_alone(name: str) -> bool:
        match = _CLASS.search(texts[name])
        return match is None or match[1].decode("utf-8", "replace") not in _PART_CLASSES

    def is_root(name: str) -> bool:
        match = _ROOT.search(texts[name][:2000])
        return match is None or _stem(match[1].decode("utf-8", "replace")) == _stem(name)

    def is_named_main(name: str) -> bool:
        return PurePosixPath(name).stem.lower() in _MAIN_NAMES

    top = min(
        (name.count("/") for name in candidates if is_named_main(name)),
        default=min(name.count("/") for name in candidates),
    )
    return [
        ("only it is no part of a larger document", stands_alone),
        ("only it names no other file as its root", is_root),
        ("only it is included by no other file", lambda name: _stem(name) not in included),
        ("only it has a .bbl file of its name", lambda name: name.rpartition(".")[0] in twins),
        ("only it is not named as something beside a paper", _is_no_side_name),
        ("only it has the name of a main file", is_named_main),
        ("it is nearest to the top folder", lambda name: name.count("/") == top),
    ]


def _is_no_side_name(name: str) -> bool:
    return not _SIDE_NAME.search(PurePosixPath(name).stem.lower())


def _stem(name: str) -> str:
    """The last part of a name, without `.tex`: what an include has in common with its file."""
    return PurePosixPath(name).name.removesuffix(".tex").lower()


def _may_be_main(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() not in _NO_SOURCES


def _only_file(texts: dict[str, bytes], names: Sequence[str], where: str) -> str:
    """The one TeX file there is, which then is a fragment or plain TeX."""
    sources = [name for name in texts if name.lower().endswith((".tex", ".ltx"))] or list(texts)
    if len(sources) == 1:
        return sources[0]
    if not names:
        raise SourceError(f"{where} holds no LaTeX file; give the paper's LaTeX source", "no main")
    raise SourceError(
        f"{where} has no main file: none of {_listing(sources or names)} has \\begin{{document}}; "
        f"{SETTLE}",
        "no main",
    )


def _listing(names: Sequence[str]) -> str:
    shown = [name[:200] for name in names[:10]]
    more = [f"and {len(names) - 10} more"] if len(names) > 10 else []
    return ", ".join(shown + more) or "nothing that may be LaTeX"
