"""What LaTeXML makes of a paper: its XML, kept in a cache, and the displays in it."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

PRELOAD = Path(__file__).with_name("latexml_preload.sty.ltxml")
_NS, _ID = "{http://dlmf.nist.gov/LaTeXML}", "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(frozen=True)
class Made:
    """What LaTeXML made of a folder."""

    xml: Path | None
    """None when it made nothing, in time or at all."""
    seconds: float
    said: str
    """Its log, or why there is nothing."""


def run_latexml(folder: Path, main: str, cache: Path, limit_s: int) -> Made:
    """LaTeXML's XML of a folder, from the cache if it is there."""
    kept, note = cache / f"{folder.name}.xml", cache / f"{folder.name}.json"
    if not note.exists():
        seconds, said = _run(folder, main, kept.resolve(), limit_s)
        note.write_text(json.dumps({"seconds": seconds, "said": said}))
    found = json.loads(note.read_text())
    return Made(kept if kept.exists() else None, found["seconds"], found["said"])


def _run(folder: Path, main: str, to: Path, limit_s: int) -> tuple[float, str]:
    """Seconds taken and what was said; LaTeXML works in a copy of the folder."""
    with TemporaryDirectory() as scratch:
        copy = Path(scratch) / folder.name
        ignored = shutil.ignore_patterns("*.bbl")  # no displays, and some keep LaTeXML for ever
        shutil.copytree(folder, copy, ignore=ignored, copy_function=shutil.copyfile)
        where = (copy / main).parent
        shutil.copyfile(PRELOAD, where / PRELOAD.name)
        command = [
            "prlimit",
            f"--cpu={limit_s}",
            "nice",
            "latexml",
            "--noparse",
            "--nocomments",
            f"--path={copy}",
        ]
        command += ["--preload=[localrawstyles,localrawclasses]latexml.sty"]
        command += [f"--preload={PRELOAD.stem}", f"--destination={to}", Path(main).name]
        start = time.perf_counter()
        ran = subprocess.run(command, cwd=where, capture_output=True)
        seconds = time.perf_counter() - start
        if ran.returncode < 0:
            to.unlink(missing_ok=True)
            return seconds, f"not done in {limit_s} s of processor time"
        return seconds, ran.stderr.decode("utf-8", "replace")


def displays_of(xml: Path) -> list[str]:
    """The source of each display in LaTeXML's document, in order, macros written out."""
    return list(_displays_in(ElementTree.parse(xml).getroot()))


def all_of(xml: Path) -> str:
    """All that the document says, formulas as LaTeX."""
    return _source(ElementTree.parse(xml).getroot())


def _displays_in(element: ElementTree.Element) -> Iterator[str]:
    if element.tag in (f"{_NS}toccaption", f"{_NS}toctitle"):
        return  # said a second time, for a list of figures
    if _is_one_display(element):
        yield _source(element)
    else:
        for child in element:
            yield from _displays_in(child)


def _is_one_display(element: ElementTree.Element) -> bool:
    """Whether it is one: of groups, `align` and `split` are, `subequations` holds several."""
    if element.tag == f"{_NS}Math":
        return element.get("mode") == "display"
    if element.tag != f"{_NS}equationgroup":
        return element.tag == f"{_NS}equation"
    row = element.find(f"{_NS}equation")
    is_split = row is not None and row.get(_ID, "").startswith(f"{element.get(_ID)}X")
    return is_split or element.get("class") is not None


def _source(element: ElementTree.Element) -> str:
    """LaTeX of all that an element holds, without its number and what goes to the index."""
    if element.tag == f"{_NS}Math":
        return element.get("tex", "").replace("%\n", "")  # where it breaks lines
    if element.tag in (f"{_NS}tags", f"{_NS}indexmark"):
        return ""
    cells = element.find(f"{_NS}MathBranch")  # the row once more, without its text, stands beside
    if cells is not None:
        return _source(cells)
    inside = "".join(_source(child) + (child.tail or "") for child in element)
    return (element.text or "") + inside
