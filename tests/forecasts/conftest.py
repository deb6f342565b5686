"""Lets the tests of this stage use `tests/tiny_model.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
