"""arXiv's own note on a submission's files, `00README`, in its three forms."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from foreword.papers.source import Source, is_readme

_LINE_USES: Mapping[str, str] = {"toplevelfile": "toplevel", "ignore": "ignore"}

_ITEM = re.compile(r"^[ \t]*-[ \t]|[{\[][ \t]*(?=\w+[ \t]*:)", re.MULTILINE)
_FIELD = r"(?:^|[\s,{{-]){name}[ \t]*:[ \t]*['\"]?([^'\",}}\n]+?)['\"]?[ \t]*(?=[,}}\n]|\Z)"
_FILENAME = re.compile(_FIELD.format(name="filename"))
_USAGE = re.compile(_FIELD.format(name="usage"))
"""Of YAML, of which nothing but two fields of an item is needed, in either of its styles."""


@dataclass(frozen=True, slots=True)
class Readme:
    """What the note says of files."""

    toplevel: list[str] = field(default_factory=list)
    """To be compiled, in the order of the output."""
    ignored: set[str] = field(default_factory=set)


def read_readme(source: Source) -> Readme:
    """The note of a paper's source; an empty one where there is none, or it can't be read.

    Since April 2025 it is JSON or YAML (`sources`, each with `filename` and `usage`); before, it
    was a line a file (`paper.tex toplevelfile`). Source: arXiv's help page on 00README.
    """
    readme = Readme()
    for name in filter(is_readme, source.names()):
        text = source.read(name).decode("utf-8", "replace")
        for file, use in _uses(text):
            found = source.find(file)
            if found is not None and use == "toplevel" and found not in readme.toplevel:
                readme.toplevel.append(found)
            elif found is not None and use == "ignore":
                readme.ignored.add(found)
    return readme


def _uses(text: str) -> list[tuple[str, str]]:
    """Each file with its use."""
    if text.lstrip().startswith("{"):
        try:
            sources = json.loads(text).get("sources", [])
            return [(str(item["filename"]), str(item.get("usage"))) for item in sources]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return []  # a note that is none decides nothing
    if "filename" in text:
        named = [(_FILENAME.search(item), _USAGE.search(item)) for item in _ITEM.split(text)]
        return [(file[1], use[1] if use else "") for file, use in named if file]
    words = [line.split() for line in text.splitlines()]
    return [(pair[0], _LINE_USES.get(pair[1], "")) for pair in words if len(pair) == 2]
