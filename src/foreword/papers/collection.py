"""What tells a collection of e-prints, such as an arXiv bulk archive, from one paper's files."""

import re
import zlib
from collections.abc import Iterable
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
    r"(?P<paper>(?P<archive>[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?)_?(?P<number>\d{2}(?:0[1-9]|1[0-2])\d{3})"
    r"|\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(?P<version>v[1-9]\d{0,3})?",
    re.ASCII,
)
_LATEX = re.compile(
    rb"\\(?:documentclass|documentstyle|begin|end|bye|input|include|section|def|newcommand|title"
    rb"|magnification)"
)
_FINISHED = frozenset(
    {"a PDF", "PostScript", "a web page", "a zip archive", "a compressed file that is no gzip"}
)


def select_eprints(files: Iterable[tuple[Item, str, bytes]]) -> list[Item] | None:
    r"""The e-prints among files; None where the files are those of one paper.

    They are one paper's when LaTeX stands in them as it is, in a file whose name is no arXiv
    identifier: then nothing after that file is looked at. Else they are e-prints when they bear the
    identifiers of two papers or more, or when one is packed and no LaTeX stands beside it. What is
    neither a paper nor named as one (checksums, notes, tables) is left out.

    Args:
        files: each with its name, and with its first `HEAD_BYTES` bytes.

    >>> select_eprints([(1, "2604.00001.tex", b"\\bye"), (2, "2604.00002.pdf", b"%PDF")])
    [1, 2]
    >>> select_eprints([(1, "ms.tex", b"\\bye"), (2, "figure.pdf", b"%PDF")]) is None
    True
    """
    found: list[Item] = []
    kinds: set[Kind] = set()
    papers: set[str] = set()
    for item, name, head in files:
        match = _ARXIV.fullmatch(_bare(name))
        kind = kind_of(name, head)
        if kind == "plain" and match is None:
            return None
        if kind == "other" and match is None:
            continue
        found.append(item)
        kinds.add(kind)
        papers |= {match["paper"]} if match else set()
    return found if len(papers) > 1 or ("packed" in kinds and "plain" not in kinds) else None


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
    """
    bare = _bare(name)
    match = _ARXIV.fullmatch(bare)
    if match is None or not match["archive"]:
        return bare
    return f"{match['archive']}_{match['number']}{match['version'] or ''}"


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
