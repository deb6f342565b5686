"""How results are kept: tables that carry their provenance, and journals that survive kill -9.

A *table* is the finished output of a stage. It is written beside its final name, fsynced, and
renamed into place, so it is there whole or not at all; its metadata says what it was made from.
A *journal* holds the rows of expensive work as they come, each filed under a key that is the hash
of everything that could change it (of what arXiv said: the question). Work is redone exactly when
its key is not there: the same mechanism resumes after a kill, reuses work after a change of
settings, and undoes nothing. A *cache* holds such rows of all studies, and may be lost at any time.
"""

from foreword.store.cache import Cache, find_cache
from foreword.store.files import (
    JSON,
    beside,
    disk_errors,
    fingerprint,
    fsync_folder,
    hash_file,
    hash_text,
    holding,
    replacing,
    write_text,
)
from foreword.store.journal import Journal, from_row, to_row
from foreword.store.provenance import read_provenance
from foreword.store.tables import (
    not_there,
    read_json_lines,
    read_table,
    write_table,
)

__all__ = [
    "JSON",
    "Cache",
    "Journal",
    "beside",
    "disk_errors",
    "find_cache",
    "fingerprint",
    "from_row",
    "fsync_folder",
    "hash_file",
    "hash_text",
    "holding",
    "not_there",
    "read_json_lines",
    "read_provenance",
    "read_table",
    "replacing",
    "to_row",
    "write_table",
    "write_text",
]
