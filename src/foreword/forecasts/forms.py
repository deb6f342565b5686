"""How a question is put and an answer is read, by the kind of what is to be forecast."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from foreword.forecasts import prompt, prose
from foreword.forecasts.trim import display_end
from foreword.forecasts.trim import trim as trim_equation
from foreword.records import CutKind, Question


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of one kind of question."""

    chat_prompt: Callable[[Question, int], str]
    plain_prompt: Callable[[Question, int], str]
    trim: Callable[[str, Question, int], str]
    answer_end: Callable[[str, Question], int | None]


_FORMS: Mapping[CutKind, _Form] = MappingProxyType(
    {
        "equation": _Form(prompt.chat_prompt, prompt.plain_prompt, trim_equation, display_end),
        "prose": _Form(prose.chat_prompt, prose.plain_prompt, prose.trim, prose.answer_end),
    }
)


def chat_prompt(question: Question, context_characters: int) -> str:
    """What a chat model is told: one message, in which the paper's text is marked as material."""
    return _FORMS[question.kind].chat_prompt(question, context_characters)


def plain_prompt(question: Question, context_characters: int) -> str:
    """What a language model is given to continue: the paper itself, up to where it stops."""
    return _FORMS[question.kind].plain_prompt(question, context_characters)


def trim(raw: str, question: Question, budget: int) -> str:
    """The forecast in what a model wrote, `budget` characters at most; empty if nothing is left."""
    return _FORMS[question.kind].trim(raw, question, budget)


def answer_end(text: str, question: Question) -> int | None:
    """Offset at which a continuation leaves what is asked for; None if it stays inside."""
    return _FORMS[question.kind].answer_end(text, question)
