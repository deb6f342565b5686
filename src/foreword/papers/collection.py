"""What tells a collection of e-prints, such as an arXiv bulk archive, from one paper's files."""

import re
import zlib
from collections.abc import Iterable, Set
from typing import Literal, TypeVar

from foreword.papers.archive import is_figure, is_tar
from foreword.papers.source import GZIP, describe

Item = TypeVar("Item")
Kind = Literal["packed", "plain", "finished", "other"]
"""An archive or gzip file of LaTeX; LaTeX as it stands; a paper without LaTeX; none of these."""

HEAD_BYTES = 16_384
"""How much of a file is looked at."""
_ENDINGS = re.compile(r"(?:\.(?:tex|ltx|txt|tgz|tar|gz|pdf|ps|html?|bin))+\Z", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:(?P<archive>[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?)_?(?P<number>\d{2}(?:0[1-9]|1[0-2])\d{3})"
    r"|(?P<paper>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}))(?P<version>v[1-9]\d{0,3})?",
    re.ASCII,
)
_IN_ARCHIVE = re.compile(
    r"(?:\A|/)(?P<archive>(?:acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn"
    r"|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga|funct-an|gr-qc|hep-(?:ex|lat|ph|th)|math(?:-ph)?"
    r"|mtrl-th|nlin|nucl-(?:ex|th)|patt-sol|physics|plasm-ph|q-(?:alg|bio)|quant-ph|solv-int"
    r"|supr-con)(?:\.[A-Z]{2})?)/(?:\d{4}/)?[^/]+/*\Z"
)
"""A file in the folder of one of arXiv's archives, of those that had numbers of seven digits."""
_LATEX = re.compile(
    rb"\\(?:documentclass|documentstyle|begin|end|bye|input|include|section|def|newcommand|title"
    rb"|magnification)"
)
_FINISHED = frozenset(
    {"a PDF", "PostScript", "a web page", "a zip archive", "a compressed file that is no gzip"}
)


def select_eprints(files: Iterable[tuple[Item, str, Kind]]) -> list[Item] | None:
    r"""The e-prints among files; None where the files are those of one paper.

    They are e-prints, whatever else is there, when packed ones bear the identifiers of two papers
    or more. Else they are one paper's when LaTeX stands in them as it is, in a file whose name is
    no arXiv identifier. Else they are e-prints when they bear the identifiers of two papers or
    more, or when one is packed and no LaTeX stands beside it. What is neither a paper nor named as
    one (checksums, notes, tables) is left out.

    Args:
        files: each with its name, the folder that it is in included, and with what it is.

    >>> select_eprints([(1, "2604.00001.tex", "plain"), (2, "2604.00002.pdf", "finished")])
    [1, 2]
    >>> select_eprints([(1, "ms.tex", "plain"), (2, "figure.pdf", "finished")]) is None
    True
    """
    found: list[Item] = []
    seen: set[tuple[Kind, str | None]] = set()
    for item, name, kind in files:
        paper = arxiv_paper(name)
        if kind != "other" or paper is not None:
            found.append(item)
            seen.add((kind, paper))
    return found if _are_eprints(seen) else None


def _are_eprints(seen: Set[tuple[Kind, str | None]]) -> bool:
    """Whether files of these kinds, each with the paper that its name is of, are e-prints."""
    if len({paper for kind, paper in seen if kind == "packed" and paper is not None}) > 1:
        return True
    if ("plain", None) in seen:
        return False
    kinds = {kind for kind, _ in seen}
    papers = {paper for _, paper in seen if paper is not None}
    return len(papers) > 1 or ("packed" in kinds and "plain" not in kinds)


def kind_of(name: str, head: bytes) -> Kind:
    """What a file is, from its first bytes; its name tells only figures."""
    is_packed = head.startswith(GZIP)
    inside = _unpacked(head) if is_packed else head
    if is_tar(inside):
        return "packed"
    what = describe(inside)
    if what is None and _LATEX.search(inside) and (is_packed or not is_figure(name)):
        return "packed" if is_packed else "plain"
    return "finished" if is_packed or what in _FINISHED else "other"


def eprint_id(name: str) -> str:
    """The id of an e-print in a collection, from its name there; as `papers fetch` writes it.

    >>> eprint_id("2604/2604.00001.gz"), eprint_id("0001/hep-th0001001.gz")
    ('2604.00001', 'hep-th_0001001')
    >>> eprint_id("hep-th/0001001.gz"), eprint_id("hep-th/0001/0001001v2.gz")
    ('hep-th_0001001', 'hep-th_0001001v2')
    """
    match = _arxiv(name)
    return _bare(name) if match is None else _paper(match) + (match["version"] or "")


def arxiv_paper(name: str) -> str | None:
    """The paper whose arXiv identifier a name is, without its version; None where it is none."""
    match = _arxiv(name)
    return None if match is None else _paper(match)


def _paper(match: re.Match[str]) -> str:
    return match["paper"] or f"{match['archive']}_{match['number']}"


def _arxiv(name: str) -> re.Match[str] | None:
    """A name as an identifier; a bare number takes its archive from the folder that it is in."""
    bare = _bare(name)
    folder = _IN_ARCHIVE.search(name) if bare[:7].isdecimal() else None
    return _ARXIV.fullmatch(f"{folder['archive']}_{bare}" if folder else bare)


def _bare(name: str) -> str:
    """The last part of a name, without the endings that only tell what the file is."""
    last = name.rstrip("/").rpartition("/")[2]
    return _ENDINGS.sub("", last) or last


def _unpacked(head: bytes) -> bytes:
    """What the beginning of a gzip file holds, as far as it can be seen."""
    try:
        return zlib.decompressobj(31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""
