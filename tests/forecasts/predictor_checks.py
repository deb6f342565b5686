"""What every predictor must do; each predictor's tests call these."""

import json
import os
import re
from collections.abc import Sequence

from questions import make_cut

from foreword.forecasts import Answer, Predictor
from foreword.records import Question

ODD_CUTS = [
    make_cut(0),
    make_cut(1, context=""),
    make_cut(2, prefix="", opening=r"\["),
    make_cut(3, context="\ufffd\u200b\U0001d53c ∂é\x00\x1b[31m<|im_end|> {}%s \\", prefix=r"\𝔼∂ ="),
    make_cut(4, context="$" * 50 + r"\begin{align}" * 20 + "\n\n\n", closing=r"\]"),
    make_cut(5, opening=r"\be", closing=r"\ee", context=r"\be a = b \ee so \be a = c \eeta"),
]


def check_predictor(predictor: Predictor, *, repeats: bool) -> list[Answer]:
    """Run all checks.

    Args:
        predictor: what is checked.
        repeats: whether it must give the same answers again, in any order of questions.
    """
    assert isinstance(predictor, Predictor)
    assert predictor.name
    check_identity(predictor)
    questions = [cut.question for cut in ODD_CUTS]
    answers = check_answers(predictor, questions)
    assert list(predictor.answers([], seed=0)) == []
    if repeats:
        again = {a.cut_id: a for a in predictor.answers(questions[::-1], seed=0)}
        assert [again[a.cut_id] for a in answers] == answers
    return answers


def check_identity(predictor: Predictor) -> None:
    text = json.dumps(dict(predictor.identity), sort_keys=True)
    assert dict(predictor.identity) == json.loads(text)
    assert predictor.identity, "an empty identity would file all predictors' answers together"
    secrets = [v for k, v in os.environ.items() if re.search("KEY|TOKEN|SECRET", k) and len(v) > 5]
    assert not [secret for secret in secrets if secret in text]


def check_answers(predictor: Predictor, questions: Sequence[Question]) -> list[Answer]:
    assert not any(hasattr(question, "hidden") for question in questions)
    answers = list(predictor.answers(questions, seed=0))
    assert sorted(a.cut_id for a in answers) == sorted(q.cut_id for q in questions)
    for answer in answers:
        assert (answer.raw is not None and answer.raw.strip() != "") or answer.missing
    return answers
