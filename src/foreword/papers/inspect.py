"""What the reader saw in one paper, and why: for a person, or a test, to look over its shoulder."""

from dataclasses import dataclass, field
from pathlib import Path

from foreword.errors import SourceError, State
from foreword.latex.diagrams import Diagrams
from foreword.latex.places import Places
from foreword.papers.apart import Apart, shown
from foreword.papers.read import read_source
from foreword.papers.wrappers import Wrappers
from foreword.records import Display, Paper


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One displayed equation, where it stands in the source."""

    environment: str
    file: str
    line: int
    column: int
    body: str
    """Clean: no comments, no definitions; the paper's macros as they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What was read of a paper."""

    state: State
    reason: str = ""
    """Why it could not be read, and what to do; empty if it could."""
    main: str = ""
    why_main: str = ""
    candidates: tuple[str, ...] = ()
    """The files that could have been the main one."""
    files: tuple[str, ...] = ()
    """Those that were read, in the order of first use."""
    unresolved: tuple[str, ...] = ()
    encodings: dict[str, str] = field(default_factory=dict)
    display_macros: dict[str, str] = field(default_factory=dict)
    r"""What the paper's own words open or close: `\be` to `equation`."""
    displays: tuple[Seen, ...] = ()
    set_apart: tuple[Apart, ...] = ()
    num_characters: int = 0
    """Of the clean text."""


def inspect_paper(
    path: str | Path, *, main: str | None = None, keep_hidden: bool = False
) -> Inspection:
    """What the reader sees in a paper; one that can't be read has a state and a reason.

    Args:
        path: as for `read_paper`.
        main: the main file, where several could be.
        keep_hidden: leave text that can't be seen where it is.

    Raises:
        SourceError: there is no such file or folder.
    """
    if not Path(path).exists():
        raise SourceError(f"there is no file or folder {path}; check the path")
    try:
        read = read_source(path, main=main, keep_hidden=keep_hidden)
    except SourceError as error:
        return Inspection(state=error.state, reason=str(error))
    paper = read.paper
    formulas: list[Display] = []
    diagrams: list[Display] = []
    known = Diagrams(paper.macros)
    places = Places(paper)
    for display in paper.displays:
        body = paper.text[display.body_start : display.body_end]
        (diagrams if known.has(display.environment, body) else formulas).append(display)
    return Inspection(
        state="ok",
        main=paper.main,
        why_main=read.main.why,
        candidates=read.main.candidates,
        files=paper.files,
        unresolved=paper.unresolved,
        encodings=dict(read.clean.encodings),
        display_macros=_display_macros(read.wrappers),
        displays=tuple(_seen(paper, one, places) for one in formulas),
        set_apart=(*read.clean.apart, *(_apart(paper, display, places) for display in diagrams)),
        num_characters=len(paper.text),
    )


def inspection_text(found: Inspection) -> str:
    """An inspection in lines, for a terminal."""
    if found.state != "ok":
        return f"{found.state}: {found.reason}"
    lines = [f"main file: {found.main} ({found.why_main})"]
    lines += [f"file: {name} ({found.encodings[name]})" for name in found.files]
    lines += [f"not found: {name}" for name in found.unresolved]
    lines += [f"opens or closes {what}: {word}" for word, what in found.display_macros.items()]
    lines += [
        f"{one.file}:{one.line}: {one.environment}: {shown(one.body)}" for one in found.displays
    ]
    lines += [
        f"{one.file}:{one.line}: {'' if one.reason == 'definition' else 'set apart, '}"
        f"{one.reason}: {one.text}"
        for one in found.set_apart
    ]
    lines.append(
        f"displays: {len(found.displays)}; set apart: {len(found.set_apart)}; "
        f"characters of clean text: {found.num_characters:,}"
    )
    return "\n".join(lines)


def _seen(paper: Paper, display: Display, places: Places) -> Seen:
    file, line, column = places.at(display.start)
    body = paper.text[display.body_start : display.body_end]
    return Seen(
        environment=display.environment, file=file, line=line, column=column, body=body.strip()
    )


def _apart(paper: Paper, display: Display, places: Places) -> Apart:
    file, line, _ = places.at(display.start)
    return Apart("diagram", file, line, shown(paper.text[display.start : display.end]))


def _display_macros(wrappers: Wrappers) -> dict[str, str]:
    opened = {f"\\{name}": opening.environment for name, opening in wrappers.openings.items()}
    closed = {f"\\{name}": environment for name, environment in wrappers.closings.items()}
    own = {name: opening.environment for name, opening in wrappers.environments.items()}
    return opened | closed | own
