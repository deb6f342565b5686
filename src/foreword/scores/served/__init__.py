"""Scorers by URL: any server of OpenAI's completions shape that scores the prompt's own tokens."""

from foreword.scores.served.load import load_served_scorer
from foreword.scores.served.scorer import ServedScorer

__all__ = ["ServedScorer", "load_served_scorer"]
