"""What a predictor is, what it answers, and the settings that predictors share."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from foreword.records import Question, Reason
from foreword.store import JSON, fingerprint

SEED_POLICY = "first 31 bits of the fingerprint of [seed, cut id]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for one question, before it is trimmed to a forecast."""

    cut_id: str
    raw: str | None
    """Untouched; None when nothing came back."""
    finish_reason: str = ""
    missing: Reason | None = None
    failure: str | None = None
    """In words, what went wrong; never a key, never a traceback."""
    model: str = ""
    """The model as the server, or the file, names it."""
    seed: int | None = None
    """The seed of this one answer; None where nothing is drawn."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    """All tokens that were generated, reasoning included."""
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


@runtime_checkable  # the shared test suite calls isinstance
class Predictor(Protocol):
    """Whatever writes forecasts. It is given questions, which have no answer to leak."""

    @property
    def name(self) -> str:
        """The name under which the leaderboard lists it."""
        ...

    @property
    def identity(self) -> Mapping[str, JSON]:
        """All that could change an answer, as JSON; no secret, and not the name."""
        ...

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
        """One answer a question, in any order, each as soon as it is there.

        An answer that can't be had is `missing`; only what no question could survive is raised.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictorSettings:
    """How to ask. `load_predictor` refuses a setting that its predictor can't heed.

    Raises:
        ValueError: a number is out of its range.
    """

    context_characters: int = 10_000
    """The last so many characters of the context are shown."""
    temperature: float = 1.0
    """0 takes the likeliest token each time."""
    top_p: float | None = None
    max_tokens: int | None = None
    """Tokens that may be generated, reasoning included; None for the predictor's own limit."""
    reasoning_effort: str | None = None
    """As inspect-ai names it: none, minimal, low, medium, high, xhigh, max."""
    base_url: str | None = None
    """Of a server that speaks the provider's API; chat completions where it is OpenAI's."""
    input_price: float | None = None
    """USD per million tokens."""
    output_price: float | None = None
    """USD per million tokens, reasoning included."""
    max_connections: int = 8
    """Questions that are out at the same time."""
    timeout_s: float = 600
    """For one answer, all its retries included."""
    max_retries: int = 7
    """Of one question, after errors that may pass; the waits between them grow."""

    def __post_init__(self) -> None:
        least = {"context_characters": 0, "temperature": 0, "max_connections": 1, "max_retries": 0}
        least |= {"max_tokens": 1, "input_price": 0, "output_price": 0}
        for name, value in least.items():
            given = getattr(self, name)
            if given is not None and not value <= given < math.inf:
                raise ValueError(f"{name} is {given}; it must be at least {value}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}; it must be above 0 and at most 1")
        if not 0 < self.timeout_s < math.inf:
            raise ValueError(f"timeout_s is {self.timeout_s}; it must be above 0")


def label_of(model: str, name: str = "") -> str:
    """The name on the leaderboard and in file names: the one given, or one made of the model's.

    >>> label_of("openai/gpt-5"), label_of("openai/gpt-5", "gpt-5-high")
    ('openai-gpt-5', 'gpt-5-high')
    """
    return name or re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.")[-100:]


def answer_seed(seed: int, cut_id: str) -> int:
    """The seed of one answer: it depends on the run's seed and the cut, not on the order asked.

    >>> answer_seed(0, "p/3/17") == answer_seed(0, "p/3/17") != answer_seed(0, "p/3/18")
    True
    """
    return int(fingerprint([seed, cut_id])[:8], 16) >> 1  # 31 bits: servers take an int32


def sample_seed(seed: int, sample: int) -> int:
    """The seed of a run's further samples: of sample 0 it is the run's own.

    >>> sample_seed(7, 0)
    7
    >>> len({sample_seed(7, sample) for sample in range(100)})
    100
    """
    return int(fingerprint(["sample", seed, sample])[:8], 16) >> 1 if sample else seed


def visible_context(question: Question, characters: int) -> str:
    """The end of the context, as much of it as a predictor is shown.

    >>> visible_context(Question(cut_id="p/0/1", context="Hence we find", opening="", prefix="",
    ...                          closing="", length_hint=10), 4)
    'find'
    """
    return question.context[-characters:] if characters else ""
