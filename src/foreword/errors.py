"""The errors a user can meet.

    ForewordError               the run stops: the caller must act          exit 1
    ├── UsageError              the command or the study file is wrong      exit 2
    ├── SourceError             a paper can't be read
    │   └── UnsafeArchiveError  an archive tried to leave its folder, or is a bomb
    ├── TableError              a table is not what its stage expects
    ├── ModelError              a model can't be found or loaded
    ├── FetchError              arXiv can't be reached, refuses, or answers with nonsense
    └── BusyError               another process holds the study folder

A single item that fails stops nothing: it is a row whose `failure` says why (`records.py`), and
the run ends with exit 3 and a list of them. Nothing missing ever becomes a number.
"""

from typing import Literal


class ForewordError(Exception):
    """The run can't go on until the user acts; the message says what to do."""

    exit_code = 1


class UsageError(ForewordError):
    """The command line or the study file asks for something that does not exist."""

    exit_code = 2


State = Literal[
    "ok",
    "pdf only",
    "html only",
    "withdrawn",
    "no main",
    "ambiguous main",
    "empty body",
    "too large",
    "bad archive",
    "unreadable",
]
"""What a paper's source turned out to be."""


class SourceError(ForewordError):
    """A paper's source can't be read; `state` says in two words why not."""

    def __init__(self, message: str, state: State = "unreadable") -> None:
        super().__init__(message)
        self.state: State = state


class UnsafeArchiveError(SourceError):
    """An archive was refused before anything in it was used."""

    def __init__(self, message: str, state: State = "bad archive") -> None:
        super().__init__(message, state)


class TableError(ForewordError):
    """A table lacks a column, has one too many, or holds a value of the wrong kind."""


class ModelError(ForewordError):
    """A model can't be found, loaded, or used for what was asked."""


class FetchError(ForewordError):
    """arXiv can't be reached, refuses, or answers with what can't be used."""


class BusyError(ForewordError):
    """Another process is working on the same study folder."""
