"""Which of a paper's files is the main one."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from foreword.errors import SourceError
from foreword.papers.source import Source

_CLASS = re.compile(
    rb"^[^%\n]*?\\document(?:class|style)\s*(?:\[[^\]]{0,2000}\])?\s*\{\s*([^}\s]*)", re.MULTILINE
)
_BODY = re.compile(rb"^[^%\n]*?\\begin\s*\{document\}", re.MULTILINE)
_INCLUDES = re.compile(rb"\\(?:input|include|subfile)(?![A-Za-z@])\s*[{\"]?\s*([^\s{}\"%\\]+)")
SETTLE = "say which one it is with `--main`, or with `main` in the study"
_PART_CLASSES = frozenset({"subfiles", "standalone"})
_MAIN_NAMES = frozenset({"main", "ms", "paper", "article"})
_NO_SOURCES = frozenset({".sty", ".cls", ".clo", ".def", ".bib", ".bst", ".bbl", ".cfg"})


def choose_main(source: Source, asked: str | None, where: str) -> str:
    r"""The name of the main file of a folder or archive.

    It has `\documentclass` and `\begin{document}`. Of several, one goes before the others that
    is no part of a larger document, then one that no other file includes, one that has a `.bbl`
    file of its name, one named main, ms, paper or article, one nearest to the top folder.

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
        return found
    texts = {name: source.read(name) for name in names if _may_be_main(name)}
    whole = [name for name, text in texts.items() if _BODY.search(text)]
    candidates = [name for name in whole if _CLASS.search(texts[name])] or whole
    if not candidates:
        return _only_file(texts, names, where)
    for prefers in _preferences(texts, names, candidates):
        candidates = [name for name in candidates if prefers(name)] or candidates
    if len(candidates) > 1:
        raise SourceError(
            f"{where} has several main files ({_listing(candidates)}); {SETTLE}", "ambiguous main"
        )
    return candidates[0]


def _preferences(
    texts: dict[str, bytes], names: Sequence[str], candidates: Sequence[str]
) -> list[Callable[[str], bool]]:
    """Questions to ask of a candidate, the most telling first."""
    included = {
        _stem(match[1].decode("utf-8", "replace"))
        for text in texts.values()
        for match in _INCLUDES.finditer(text)
    }
    twins = {name[: -len(".bbl")] for name in names if name.endswith(".bbl")}

    def stands_alone(name: str) -> bool:
        match = _CLASS.search(texts[name])
        return match is None or match[1].decode("utf-8", "replace") not in _PART_CLASSES

    def is_named_main(name: str) -> bool:
        return PurePosixPath(name).stem.lower() in _MAIN_NAMES

    top = min(
        (name.count("/") for name in candidates if is_named_main(name)),
        default=min(name.count("/") for name in candidates),
    )
    return [
        stands_alone,
        lambda name: _stem(name) not in included,
        lambda name: name.rpartition(".")[0] in twins,
        is_named_main,
        lambda name: name.count("/") == top,
    ]


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
