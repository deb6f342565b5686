"""A predictor with prepared answers, for tests, documentation and dry runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from foreword.forecasts.predictor import Answer
from foreword.records import Question
from foreword.store import JSON, fingerprint, to_row


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedPredictor:
    r"""A fake: it says what it was given to say, and nothing to other questions.

    >>> from foreword.records import Cut
    >>> cut = Cut(id="p/0/2", paper_id="p", environment="[", context="Hence",
    ...           opening=r"\[", prefix="x=", hidden="y+1", closing=r"\]")
    >>> predictor = ScriptedPredictor(script={"p/0/2": "y+2"})
    >>> [answer.raw for answer in predictor.answers([cut.question], seed=0)]
    ['y+2']
    """

    script: Mapping[str, str | Answer] = field(default_factory=dict)
    """By cut id: what comes back, as text, or as an answer with all its fields."""
    name: str = "scripted"

    @property
    def identity(self) -> Mapping[str, JSON]:
        """The hash of the script."""
        rows = {cut_id: to_row(answer) for cut_id, answer in self.script.items()}
        return {"kind": "scripted", "script": fingerprint(rows)}

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:  # noqa: ARG002
        """The prepared answers, in order; `empty` where none was prepared."""
        for question in questions:
            prepared = self.script.get(question.cut_id)
            if prepared is None:
                yield Answer(
                    cut_id=question.cut_id,
                    raw=None,
                    missing="empty",
                    failure="no answer was prepared for this cut",
                )
            elif isinstance(prepared, str):
                yield Answer(cut_id=question.cut_id, raw=prepared, finish_reason="stop")
            else:
                yield replace(prepared, cut_id=question.cut_id)
