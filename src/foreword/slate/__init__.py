"""Which papers a study takes: by criteria that are stated before any model runs."""

from foreword.slate.choose import choose_slate, count_left_out
from foreword.slate.criteria import LISTED, NO_CRITERIA, Criteria

__all__ = ["LISTED", "NO_CRITERIA", "Criteria", "choose_slate", "count_left_out"]
