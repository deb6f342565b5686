"""The errors a user can meet.

    ForewordError               the run stops: the caller must act          exit 1
    ├── UsageError              the command or the study file is wrong      exit 2
    ├── SourceError             a paper can't be read
    │   └── UnsafeArchiveError  an archive tried to leave its folder, or is a bomb
    ├── TableError              a table is not what its stage expects
    ├── ModelError              a model can't be found or loaded
    └── BusyError               another process holds the study folder

A single item that fails stops nothing: it is a row whose `failure` says why (`records.py`), and
the run ends with exit 3 and a list of them. Nothing missing ever becomes a number.
"""


class ForewordError(Exception):
    """The run can't go on until the user acts; the message says what to do."""

    exit_code = 1


class UsageError(ForewordError):
    """The command line or the study file asks for something that does not exist."""

    exit_code = 2


class SourceError(ForewordError):
    """A paper's source can't be read."""


class UnsafeArchiveError(SourceError):
    """An archive was refused before anything in it was used."""


class TableError(ForewordError):
    """A table lacks a column, has one too many, or holds a value of the wrong kind."""


class ModelError(ForewordError):
    """A model can't be found, loaded, or used for what was asked."""


class BusyError(ForewordError):
    """Another process is working on the same study folder."""
