"""From arXiv to a folder of sources: what there is, at what pace, and what each paper turned out.

`fetch_papers` is the whole of it. One request at a time and a pause after it, over all processes of
a machine; what was fetched is never asked for again.
"""

from foreword.arxiv.fetch import Fetched, fetch_papers
from foreword.arxiv.listing import Query

__all__ = ["Fetched", "Query", "fetch_papers"]
