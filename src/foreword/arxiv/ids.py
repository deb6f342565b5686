"""arXiv's identifiers, of both styles, and its categories."""

import re
from dataclasses import dataclass

from foreword.errors import UsageError

_ID = re.compile(
    r"(?:https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|src|e-print)/|arxiv:)?"
    r"(?P<paper>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
    r"|[a-z]+(?:-[a-z]+)?(?P<subject>\.[A-Z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3})"
    r"(?:v(?P<version>[1-9]\d{0,3}))?",
    re.ASCII | re.IGNORECASE,
)
_CATEGORY = re.compile(r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.(?P<subject>[A-Za-z]+(?:-[a-z]+)?))?")
_IN_PHYSICS = frozenset(
    {
        "astro-ph",
        "cond-mat",
        "gr-qc",
        "hep-ex",
        "hep-lat",
        "hep-ph",
        "hep-th",
        "math-ph",
        "nlin",
        "nucl-ex",
        "nucl-th",
        "physics",
        "quant-ph",
    }
)
_OTHERS = frozenset({"cs", "econ", "eess", "math", "q-bio", "q-fin", "stat"})


@dataclass(frozen=True, slots=True)
class ArxivId:
    """A paper on arXiv and, where it was named, its version."""

    paper: str
    """`2604.19885` or `hep-th/9901001`; never a version."""
    version: int | None


def parse_id(text: str) -> ArxivId:
    """What an identifier names, however it is written.

    Raises:
        UsageError: arXiv has no such identifiers.

    >>> parse_id("2604.19885v2"), parse_id("arXiv:math.GT/0309136").paper
    (ArxivId(paper='2604.19885', version=2), 'math/0309136')
    """
    match = _ID.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{text[:100]!r} is no arXiv identifier; they look like 2604.19885, 2604.19885v2 "
            "or hep-th/9901001"
        )
    paper = match["paper"].replace(match["subject"] or "\n", "").lower()
    return ArxivId(paper, int(match["version"]) if match["version"] else None)


def file_stem(paper: str, version: int) -> str:
    """Name of the file that a version's source is kept in, without its ending.

    >>> file_stem("hep-th/9901001", 3)
    'hep-th_9901001v3'
    """
    return f"{paper.replace('/', '_')}v{version}"


def set_of(category: str) -> str:
    """The name of a category's set in arXiv's OAI-PMH: group:archive:SUBJECT.

    Raises:
        UsageError: there is no such archive.

    >>> set_of("quant-ph"), set_of("math.NA"), set_of("astro-ph.CO"), set_of("math")
    ('physics:quant-ph', 'math:math:NA', 'physics:astro-ph:CO', 'math')
    """
    match = _CATEGORY.fullmatch(category)
    if match is None or match["archive"] not in _IN_PHYSICS | _OTHERS:
        raise UsageError(
            f"arXiv has no category {category[:50]!r}; they look like quant-ph or math.NA, and the "
            f"archives are {', '.join(sorted(_IN_PHYSICS | _OTHERS))}"
        )
    archive, subject = match["archive"], match["subject"]
    parts = ["physics", archive] if archive in _IN_PHYSICS else [archive]
    if subject:
        parts = [*parts, subject] if archive in _IN_PHYSICS else [archive, archive, subject]
    return ":".join(parts)
