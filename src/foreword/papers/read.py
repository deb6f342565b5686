"""Papers from their sources: the order of the steps."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from foreword.errors import SourceError
from foreword.papers.bounds import Tally
from foreword.papers.clean import Clean, clean_paper
from foreword.papers.decode import declared_encoding
from foreword.papers.displays import find_displays
from foreword.papers.eprints import Eprint, find_eprints, the_eprint
from foreword.papers.mainfile import SETTLE, Main, choose_main
from foreword.papers.source import Source, describe, state_of
from foreword.papers.wrapper_macros import wrapper_macros
from foreword.papers.wrappers import Wrappers, find_wrappers
from foreword.records import Failure, Paper

MAX_NOTE_CHARACTERS = 1_000
"""Of a note on a withdrawal, in a paper's place."""
Progress = Callable[[Sequence[Eprint]], Iterable[Eprint]]
Each = Callable[[Callable[[Eprint], Paper | Failure], Sequence[Eprint]], Iterable[Paper | Failure]]
"""Has a function called with every e-print; it gives what came back, in order."""


@dataclass(frozen=True, slots=True)
class Read:
    """A paper with all that reading it brought to light."""

    paper: Paper
    main: Main
    clean: Clean
    wrappers: Wrappers


def read_paper(path: str | Path, *, main: str | None = None, keep_hidden: bool = False) -> Paper:
    r"""The clean text of one paper, its displays and its definitions.

    Args:
        path: a LaTeX file, a folder, a `.tar.gz`, a `.tar`, or a `.gz` of one LaTeX file. What it
            is, its bytes say.
        main: the main file of a folder or archive, relative to it, where several could be.
        keep_hidden: leave text that can't be seen (white, tiny, of no width) where it is.

    Raises:
        SourceError: there is no LaTeX, no main file or more than one, or no text in its body.
        UnsafeArchiveError: an archive tried to leave its folder, or is a bomb.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "note.tex")
    ...     _ = path.write_text(r"\begin{document}Thus % so\[ a = b \]\end{document}" "\n"
    ...                         r"\[ a = b. \] \end{document}")
    ...     paper = read_paper(path)
    >>> paper.id, paper.text, paper.displays[0].environment
    ('note', 'Thus \\[ a = b. \\] ', '[')
    """
    return read_source(path, main=main, keep_hidden=keep_hidden).paper


def read_source(path: str | Path, *, main: str | None, keep_hidden: bool) -> Read:
    """As `read_paper`, with what was seen on the way.

    Raises:
        SourceError: as `read_paper`; or there are several papers behind the path.
    """
    return read_eprint(the_eprint(Path(path)), main=main, keep_hidden=keep_hidden)


def read_eprint(eprint: Eprint, *, main: str | None, keep_hidden: bool) -> Read:
    """As `read_source`, of an e-print that was found.

    Raises:
        SourceError: as `read_paper`.
    """
    where = eprint.where
    source, only, data = eprint.open()
    if only is not None and main not in (None, only):
        raise SourceError(f"{where} is one file, its own main file; leave `main` out")
    chosen = Main(only, "it is the file") if only else choose_main(source, main, where)
    tally = Tally(where)
    clean = _clean(source, chosen.name, where, keep_hidden=keep_hidden, tally=tally)
    wrappers = find_wrappers(clean.definitions)
    paper = Paper(
        id=eprint.id,
        text=clean.text,
        source_sha256=_fingerprint(source, clean.files, data),
        file_sha256=hashlib.sha256(data).hexdigest() if data is not None else "",
        title=clean.title,
        main=chosen.name,
        files=clean.files,
        unresolved=clean.unresolved,
        num_hidden=sum(one.reason.startswith("hidden") for one in clean.apart),
        segments=clean.segments,
        displays=find_displays(clean.text, clean.opaque, wrappers, tally),
        macros=clean.definitions.plain_macros(
            without=wrappers.openings.keys() | wrappers.closings.keys()
        ),
        wrappers=wrapper_macros(clean.definitions, wrappers),
    )
    return Read(paper, chosen, clean, wrappers)


def read_papers(
    paths: Sequence[Path],
    *,
    mains: Mapping[str, str] = {},
    keep_hidden: bool = False,
    each: Each = map,
    progress: Progress = iter,
) -> tuple[list[Paper], list[Failure]]:
    """The papers that can be read, and why the others can't, both in the order of the paths.

    Of the sources, one at a time is open and in memory.

    Args:
        paths: as for `read_paper`; and bulk archives as arXiv gives them, folders of sources, and
            the folder of a `papers fetch`, in which each e-print is a paper of its own.
        mains: by a paper's id, its main file, where several could be.
        keep_hidden: leave text that can't be seen where it is.
        each: reads them, here or elsewhere; as `map` does.
        progress: wraps the e-prints behind the paths, to show how far they are.

    Raises:
        SourceError: a path is not there; nothing is read then.
    """
    absent = [str(path) for path in paths if not path.exists()]
    if absent:
        raise SourceError(f"there is no {', '.join(absent)}; check the paths")
    papers: list[Paper] = []
    failures: list[Failure] = []
    first_by_id: dict[str, Eprint] = {}
    ids_by_text: dict[str, str] = {}
    eprints = find_eprints(paths)
    read = partial(_paper_or_failure, mains=mains, keep_hidden=keep_hidden)
    for eprint, paper in zip(progress(eprints), each(read, eprints), strict=True):
        where = eprint.where
        if isinstance(paper, Failure):
            failures.append(paper)
            continue
        first = first_by_id.setdefault(paper.id, eprint)
        twin = ids_by_text.setdefault(paper.text, paper.id)
        if first is not eprint:
            reason = f"{where} has the same id, {paper.id}, as {first.where}; rename one of them"
        elif twin != paper.id:
            reason = f"{where} has the same text as {twin}: it would count as two papers"
        else:
            papers.append(paper)
            continue
        failures.append(Failure(stage="papers", item=where, reason=reason, paper_id=eprint.id))
    return papers, failures


def _paper_or_failure(
    eprint: Eprint, *, mains: Mapping[str, str], keep_hidden: bool
) -> Paper | Failure:
    try:
        return read_eprint(eprint, main=mains.get(eprint.id), keep_hidden=keep_hidden).paper
    except SourceError as error:
        return Failure(
            stage="papers",
            item=eprint.where,
            reason=str(error),
            state=error.state,
            paper_id=eprint.id,
        )


def _clean(source: Source, main: str, where: str, *, keep_hidden: bool, tally: Tally) -> Clean:
    r"""The clean text; a file that is no whole document counts as body from its first line."""
    data = source.read(main)
    kind = describe(data)
    if kind is not None:
        raise SourceError(
            f"{where}: its main file {main} is {kind}; give LaTeX source", state_of(kind)
        )
    encoding = declared_encoding(data)
    read = partial(clean_paper, source, main, encoding=encoding, keep_hidden=keep_hidden)
    clean = read(tally=tally)
    if not clean.has_body and clean.has_class:
        raise SourceError(
            f"{where}: {main} has no \\begin{{document}}, nor has a file that it includes"
            f"{_unresolved(clean)}; if another file is the main one, {SETTLE}",
            "no main",
        )
    if not clean.has_body:
        clean = read(is_fragment=True)
    if len(clean.text.strip()) < MAX_NOTE_CHARACTERS and data.lstrip().startswith(b"%auto-ignore"):
        raise SourceError(
            f"{where} is withdrawn: its source is a note that arXiv ignores", "withdrawn"
        )
    if not clean.text.strip():
        raise SourceError(
            f"{where}: the body of {main} is empty{_unresolved(clean)}; "
            "is the source complete, and is this its main file?",
            "empty body",
        )
    return clean


def _unresolved(clean: Clean) -> str:
    if not clean.unresolved:
        return ""
    more = ", …" if len(clean.unresolved) > 5 else ""
    return f" (includes not found: {', '.join(clean.unresolved[:5])}{more})"


def _fingerprint(source: Source, files: Sequence[str], data: bytes | None) -> str:
    """SHA-256 of the one file that was read; or of the names and bytes of all, sorted by name."""
    is_whole = data is not None and (len(files) == 1 or source.find(files[0]) is None)
    if data is not None and is_whole:
        return hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256()
    for name in sorted(files):
        content = source.read(name)
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
