"""Stage 1: from LaTeX sources to the clean text of papers, with the way back to each line."""

from foreword.papers.collection import eprint_id
from foreword.papers.eprints import Eprint, find_eprints
from foreword.papers.read import read_paper, read_papers
from foreword.papers.source import paper_id

__all__ = ["Eprint", "eprint_id", "find_eprints", "paper_id", "read_paper", "read_papers"]
