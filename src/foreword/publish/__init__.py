"""A study that can be handed on: without the text of papers whose licence keeps it."""

from foreword.publish.export import Exported, export_study
from foreword.publish.rebuild import Rebuilt, rebuild_cuts

__all__ = ["Exported", "Rebuilt", "export_study", "rebuild_cuts"]
