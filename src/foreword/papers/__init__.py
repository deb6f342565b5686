"""Stage 1: from LaTeX sources to the clean text of papers, with the way back to each line."""

from foreword.papers.read import read_paper, read_papers
from foreword.papers.source import paper_id

__all__ = ["paper_id", "read_paper", "read_papers"]
