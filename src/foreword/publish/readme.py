"""The words that go with a published study: what it holds, whose text, how to make cuts again."""

from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version

from foreword.catalogue import Candidate
from foreword.report.visible import clipped, visible

_WHAT = """\
report.html           the leaderboard, its controls, and how the papers were chosen
slate.parquet         every paper that could have been taken, and why it was or was not
slates.jsonl          each choice that was made, and whether a model had run by then
cuts.parquet          the equations and where they are cut, with text where it may be handed on
references.parquet    for each cut its offsets and hashes, to make it again from the source
forecasts-*.parquet   what the models wrote, where it can't repeat text that may not be handed on
scores.parquet        the log-probability of every token of every target, under every condition
study.json            the settings; ids.txt: the papers, as arXiv names them

`foreword report .` computes all numbers again from scores.parquet.
"""

_FETCH = "foreword papers fetch $(cat ids.txt) --contact YOU@MAIL --out ../arxiv\n"
_AGAIN = """\
{fetch}foreword rebuild . {sources} --out ../cuts-with-text.parquet

This needs foreword {version}: each cut is compared with its hash.
"""


def readme_text(
    title: str,
    candidates: Mapping[str, Candidate],
    *,
    opened: Sequence[str],
    closed: Sequence[str],
    allowed: Collection[str],
) -> str:
    """The text of `README.txt`. Names that come from papers can't hide or reorder anything."""
    own = version("foreword")
    has_ids = any(one.arxiv_id for one in candidates.values())
    parts = [
        f"{_shown(title)}\n\nA likelihood-lift study, made with foreword {own}.\n",
        f"WHAT IS HERE\n\n{_WHAT}",
        f"TEXT OF PAPERS\n\n{_papers(candidates, opened, closed, allowed)}",
        "TO MAKE THE CUTS AGAIN\n\n"
        + _AGAIN.format(
            version=own,
            fetch=_FETCH if has_ids else "",
            sources="../arxiv" if has_ids else "SOURCES...",
        ),
    ]
    return "\n\n".join(parts)


def _papers(
    candidates: Mapping[str, Candidate],
    opened: Sequence[str],
    closed: Sequence[str],
    allowed: Collection[str],
) -> str:
    words = []
    if opened:
        words.append(
            "Passages of these papers are in the tables and in the report, cut out and otherwise\n"
            "unchanged but for comments and layout:\n\n"
            + "".join(
                f"* {_line(candidates.get(one), one, said=one in allowed)}\n" for one in opened
            )
        )
    if closed:
        words.append(
            "The text of these is left out, for their licence does not let us hand it on:\n\n"
            + "".join(f"* {_line(candidates.get(one), one, said=False)}\n" for one in closed)
        )
    return "\n".join(words) or "There is no paper.\n"


def _line(candidate: Candidate | None, paper_id: str, *, said: bool) -> str:
    """A paper as one names it: title, authors, number, licence."""
    parts = [_shown(paper_id)]
    licence = "none that is known"
    if candidate:
        name = f"arXiv:{candidate.arxiv_id}v{candidate.version}" if candidate.arxiv_id else paper_id
        parts = [_shown(part) for part in (candidate.title, candidate.authors, name) if part]
        licence = _shown(candidate.licence) or licence
    if said:
        licence += " (whoever published this study says that it may be handed on)"
    return f"{'. '.join(parts)}. Licence: {licence}"


def _shown(text: str) -> str:
    return visible(clipped(" ".join(text.split()), 400))
