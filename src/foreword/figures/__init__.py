"""An analysis as files for a paper: vector figures and booktabs tables."""

from foreword.figures.files import (
    Written,
    check_drawing,
    write_files,
    write_tables,
    write_windows,
)
from foreword.figures.tex import Table, escaped, plain, signed

__all__ = [
    "Table",
    "Written",
    "check_drawing",
    "escaped",
    "plain",
    "signed",
    "write_files",
    "write_tables",
    "write_windows",
]
