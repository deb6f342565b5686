"""Adapters for a scorer: the trained shortcut control, and a scorer that knows the scaffold."""

from foreword.finetune.record import Tuned
from foreword.finetune.settings import CONTEXTS, MODULES, Route, Settings, Task
from foreword.finetune.split import Split, draw_split, read_split
from foreword.finetune.tune import make_adapter

__all__ = [
    "CONTEXTS",
    "MODULES",
    "Route",
    "Settings",
    "Split",
    "Task",
    "Tuned",
    "draw_split",
    "make_adapter",
    "read_split",
]
