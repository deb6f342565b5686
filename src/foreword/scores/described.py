"""What a table of scores says of its scorer beside the id: its model, and what it was trained for.

By it a report knows which table is of a frozen scorer and which of a trained control.
"""

import json
from collections.abc import Mapping

from foreword.adapters import RECORD
from foreword.scores.local import LocalScorer
from foreword.scores.scorer import Scorer

CONTEXT_ONLY = "context-only"
"""The route of an adapter that is a control: it was trained without any forecast."""


def described(scorer: Scorer) -> Mapping[str, str]:
    """The model's hash, and of an adapter the route and the control that it was trained on.

    A scorer by URL tells nothing of its files.

    >>> from foreword.scores.scorer import ScriptedScorer
    >>> described(ScriptedScorer(lambda before, letter: -1.0))
    {}
    """
    if not isinstance(scorer, LocalScorer):
        return {}
    found = {"model_sha256": scorer.files.sha256, "boundary": scorer.boundary}
    adapter = scorer.files.adapter
    if adapter is None:
        return found
    control = trained_control(scorer)
    return {**found, "route": adapter.route, **({"control": control} if control else {})}


def trained_control(scorer: Scorer) -> str | None:
    """The control that a scorer's adapter was trained on without forecasts; None for any other.

    An adapter of another program that does not tell counts as the published one: `same-budget`.
    """
    adapter = scorer.files.adapter if isinstance(scorer, LocalScorer) else None
    if adapter is None or adapter.route != CONTEXT_ONLY:
        return None
    record = json.loads((adapter.folder / RECORD).read_bytes())  # `find_adapter` has checked it
    inputs = record.get("inputs")
    control = inputs.get("control") if isinstance(inputs, dict) else None
    return control if isinstance(control, str) else "same-budget"
