"""Which papers a study takes: by criteria that are stated before any model runs."""

from foreword.slate.choose import choose_slate, count_left_out
from foreword.slate.criteria import LISTED, Criteria
from foreword.slate.history import HISTORY, Choice, choice_id, read_choices, record_choice

__all__ = [
    "HISTORY",
    "LISTED",
    "Choice",
    "Criteria",
    "choice_id",
    "choose_slate",
    "count_left_out",
    "read_choices",
    "record_choice",
]
