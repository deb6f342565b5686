"""Values that come in papers, drawn: of unequal sizes, and alike within a paper."""

import numpy as np
from hypothesis import strategies as st

samples = st.integers(2, 8).flatmap(
    lambda papers: st.lists(
        st.tuples(st.floats(-3, 3), st.integers(0, papers - 1)), min_size=2, max_size=60
    )
)
"""Lists of (value, paper)."""


def drawn(seed: int, num_papers: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    papers = np.repeat(np.arange(num_papers), rng.integers(1, 11, num_papers))
    return rng.normal(0.2, 0.3, len(papers)) + rng.normal(0, 0.2, num_papers)[papers], papers
