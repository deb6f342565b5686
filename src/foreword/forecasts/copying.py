"""A predictor without a model: it copies from the most similar earlier place of the context."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from types import MappingProxyType
from typing import NamedTuple

from foreword.forecasts.predictor import Answer, PredictorSettings, visible_context
from foreword.forecasts.prose import LONGEST_MATCH, copied
from foreword.latex.environments import DISPLAYS
from foreword.latex.tokens import tokens
from foreword.records import CutKind, Question
from foreword.store import JSON

_NAMES = "|".join(sorted(DISPLAYS))
_DISPLAYS = re.compile(
    rf"\\begin\s*\{{(?P<name>(?:{_NAMES})\*?)\}}(?P<environment>.*?)\\end\s*\{{(?P=name)\}}"
    r"|(?<!\\)\\\[(?P<bracket>.*?)(?<!\\)\\\]"
    r"|\$\$(?P<dollars>.*?)\$\$",
    re.S,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPredictor:
    """Answers with what followed, earlier in the paper, the place that looks most like the cut.

    Every place in an earlier displayed equation that is as deep in braces as the cut, and begins
    no argument, is compared with the end of the prefix. First come places that half the length
    asked for follows; then the longest run of equal TeX tokens just before; then the equation that
    shares most of its tokens with the prefix; then the latest. White space does not count, and
    nothing is drawn. In prose every place that half the length asked for follows is compared with
    the end of the context.
    """

    settings: PredictorSettings = field(default_factory=PredictorSettings)
    name: str = "copy"

    @property
    def identity(self) -> Mapping[str, JSON]:
        """How it copies, and from how much context."""
        return {
            "kind": "copy",
            "version": version("foreword"),
            "context_characters": self.settings.context_characters,
        }

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:  # noqa: ARG002
        """One answer a question, in order; `empty` where the context holds no equation."""
        for question in questions:
            copy, nothing = _COPIES[question.kind]
            text = copy(question, visible_context(question, self.settings.context_characters))
            yield Answer(
                cut_id=question.cut_id,
                raw=text,
                finish_reason="stop" if text else "",
                missing=None if text else "empty",
                failure=None if text else nothing,
                model="copy",
            )


def _continuation(question: Question, context: str) -> str | None:
    """What followed the best place, to the end of its equation or the length that is asked."""
    asked = _words(question.prefix)
    texts = {word.text for word in asked}
    depth = asked[-1].depth if asked else 0
    best: tuple[tuple[bool, int, float], str] | None = None
    for body in display_bodies(context, question):
        words = _words(body)
        shared = len(texts.intersection(word.text for word in words)) / max(len(texts), 1)
        for at in range(len(words)):
            if (words[at - 1].depth if at else 0) != depth or words[at].text == "{":
                continue
            rest = _from(body, words, at, question.length_hint + 40)
            rank = (2 * len(rest) >= question.length_hint, _agreement(asked, words, at), shared)
            if rest and (best is None or rank >= best[0]):
                best = rank, rest
    return best[1] if best else None


_COPIES: Mapping[CutKind, tuple[Callable[[Question, str], str | None], str]] = MappingProxyType(
    {
        "equation": (_continuation, "the context shows no displayed equation to copy from"),
        "prose": (copied, "the context is too short to copy from"),
    }
)
"""What is copied, and why there is nothing to copy."""


def display_bodies(context: str, question: Question) -> Iterator[str]:
    """Bodies of the displays that the context shows whole, in order."""
    pattern = _DISPLAYS
    if not question.opening.startswith(("\\begin", "\\[", "$$")) and question.closing:
        own = rf"{re.escape(question.opening)}(?![A-Za-z])(?P<own>.*?){re.escape(question.closing)}"
        pattern = re.compile(f"{own}(?![A-Za-z])|{_DISPLAYS.pattern}", re.S)
    for match in pattern.finditer(context):
        bodies = (text for name, text in match.groupdict().items() if name != "name")
        yield next(text for text in bodies if text is not None)


class _Word(NamedTuple):
    text: str
    end: int
    depth: int
    """Of braces, after the word."""


def _words(text: str) -> list[_Word]:
    """TeX tokens, white space left out."""
    words, depth = [], 0
    for token in tokens(text):
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if token.kind != "space":
            words.append(_Word(token.text, token.end, depth))
    return words


def _agreement(asked: list[_Word], words: list[_Word], at: int) -> int:
    """How many words before `at` are those at the end of `asked`, going back."""
    longest = min(len(asked), at, LONGEST_MATCH)
    for length in range(longest):
        if asked[-1 - length].text != words[at - 1 - length].text:
            return length
    return longest


def _from(body: str, words: list[_Word], at: int, characters: int) -> str:
    """Whole words from `at` on, as many as fit."""
    start = words[at - 1].end if at else 0
    count = bisect_right(words, start + characters, lo=at, key=lambda word: word.end)
    return body[start : words[count - 1].end] if count > at else ""
