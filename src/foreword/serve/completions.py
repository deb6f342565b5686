"""Completions in OpenAI's shape: what they ask of the model, and the answer."""

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from foreword.scores.request import Request, refusal
from foreword.serve.body import parsed
from foreword.serve.engine import LOGPROB, NO_SPAN, TOP_ID, TOP_LOGPROB, Engine, Rows, Wanted
from foreword.serve.refusal import RefusedError
from foreword.serve.vocabulary import Prompt

_MOST_PROMPTS = 2048
_UNKNOWN = 0
"""Stands where the next token is to be found: of it, only what comes before it is read."""


def _only(value: float) -> AfterValidator:
    """A field that is there for clients that send its default."""

    def check(given: float) -> float:
        if given != value:
            raise ValueError(f"it can only be {json.dumps(value)} here")
        return given

    return AfterValidator(check)


_Zero = Annotated[float, _only(0)] | None
_One = Annotated[float, _only(1)] | None


class CompletionBody(BaseModel):
    """The fields of a body. Those that can have one value only are there for clients' defaults."""

    model_config = ConfigDict(extra="forbid", strict=True)

    model: str
    prompt: Any
    max_tokens: int | None = None
    echo: bool | None = None
    logprobs: int | None = None
    return_token_ids: bool | None = None
    add_special_tokens: bool | None = None
    seed: int | None = None
    user: str | None = None
    temperature: _Zero = None
    top_p: _One = None
    n: _One = None
    best_of: _One = None
    presence_penalty: _Zero = None
    frequency_penalty: _Zero = None
    stream: Annotated[bool, _only(False)] | None = None
    stream_options: None = None
    stop: None = None
    suffix: None = None
    logit_bias: None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """What a body asks for."""

    prompts: Sequence[Prompt]
    max_tokens: int
    """Tokens that are to be written after each prompt: none or one."""
    echo: bool
    logprobs: int | None
    """None: no log-probabilities; 0: of the tokens that came; 1: of the most probable ones too."""
    with_ids: bool

    @property
    def wanted(self) -> Wanted:
        """What the model is to say of each token."""
        return Wanted(top=bool(self.max_tokens or self.logprobs))

    @property
    def requests(self) -> list[Request]:
        """One a prompt that asks something of the model, in the order of the prompts."""
        return [request for request in map(self._request, self.prompts) if request]

    def _request(self, prompt: Prompt) -> Request | None:
        ids = prompt.ids + [_UNKNOWN] * self.max_tokens
        first = 1 if self.echo and self.logprobs is not None else len(prompt.ids)
        return Request(ids, first, NO_SPAN) if first < len(ids) else None

    def answer(self, engine: Engine, rows: Sequence[Rows]) -> bytes:
        """OpenAI's answer; `system_fingerprint` is the scorer's id.

        Raises:
            RefusedError: what the model said is no log-probability.
        """
        of_requests = iter(rows)
        choices = []
        for index, prompt in enumerate(self.prompts):
            found = next(of_requests) if self._request(prompt) else []
            choices.append({"index": index, **self._choice(engine, prompt, found)})
        read = sum(len(prompt.ids) for prompt in self.prompts)
        written = self.max_tokens * len(self.prompts)
        whole = {
            "id": f"cmpl-{uuid.uuid4().hex}",
            "object": "text_completion",
            "created": int(time.time()),
            "model": engine.name,
            "system_fingerprint": engine.scorer.scorer_id,
            "choices": choices,
            "usage": {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
            },
        }
        return json.dumps(whole, allow_nan=False).encode()

    def _choice(self, engine: Engine, prompt: Prompt, rows: Rows) -> dict[str, Any]:
        """The prompt's own tokens, where they are wanted, and the next one."""
        vocabulary = engine.vocabulary
        written = [int(rows[-1][TOP_ID])] if self.max_tokens else []
        before = prompt if self.echo else Prompt([], [])
        pieces = before.pieces + [vocabulary.spelled(id_) for id_ in written]
        shown = Prompt(before.ids + written, pieces)
        placed = vocabulary.placed(shown)
        logprobs = None
        if self.logprobs is not None:
            logprobs = {
                "tokens": placed.tokens,
                **self._values(engine, shown.ids, rows),
                "text_offset": placed.text_offsets,
                "byte_offset": placed.byte_offsets,
            }
        ids = {"prompt_token_ids": prompt.ids, "token_ids": written} if self.with_ids else {}
        return {
            "text": placed.text,
            "finish_reason": "stop" if vocabulary.stops.intersection(written) else "length",
            "logprobs": logprobs,
            **ids,
        }

    def _values(self, engine: Engine, ids: Sequence[int], rows: Rows) -> dict[str, Any]:
        """Log-probabilities of the tokens shown: none of those before the first row."""
        values = [row[LOGPROB] for row in rows]
        if self.max_tokens:
            values[-1] = rows[-1][TOP_LOGPROB]
        failure = refusal(len(values), len(values), values) if values else None
        if failure:
            raise RefusedError(500, f"the model gave no usable answer: {failure}")
        before = [None] * (len(ids) - len(rows))
        scored = zip(ids[len(before) :], values, rows, strict=True)
        top = [self._top(engine, id_, value, row) for id_, value, row in scored]
        return {"token_logprobs": before + values, "top_logprobs": before + top}

    def _top(
        self, engine: Engine, id_: int, value: float, row: Sequence[float]
    ) -> dict[str, float]:
        """The token that came; and one that is more probable than all, where that is wanted."""
        top = {engine.vocabulary.name(id_): value}
        if self.logprobs and row[TOP_LOGPROB] > value:
            top[engine.vocabulary.name(int(row[TOP_ID]))] = row[TOP_LOGPROB]
        return top


def read_completions(engine: Engine, body: bytes) -> Completions:
    """What a body asks for.

    Raises:
        RefusedError: it asks for what this server doesn't do, or isn't a body at all.
    """
    asked = parsed(body, CompletionBody)
    if asked.model not in (engine.name, engine.scorer.scorer_id):
        raise RefusedError(
            400,
            f"this server has no such model; it has {engine.name!r}",
            code="model_not_found",
            param="model",
        )
    if asked.max_tokens not in (0, 1):
        left_out = " (left out, it is 16)" if asked.max_tokens is None else ""
        words = f"max_tokens must be 0 or 1{left_out}: this server scores, it writes no texts"
        raise RefusedError(400, words, param="max_tokens")
    if not asked.max_tokens and not asked.echo:
        words = "with max_tokens 0 and without echo there is nothing to answer: set echo"
        raise RefusedError(400, words, param="echo")
    if asked.logprobs not in (None, 0, 1):
        words = "logprobs is 0 or 1 here: the tokens that came, or the most probable ones too"
        raise RefusedError(400, words, param="logprobs")
    return Completions(
        prompts=list(_prompts(engine, asked)),
        max_tokens=asked.max_tokens,
        echo=bool(asked.echo),
        logprobs=asked.logprobs,
        with_ids=bool(asked.return_token_ids),
    )


def _prompts(engine: Engine, asked: CompletionBody) -> Iterator[Prompt]:
    given = asked.prompt
    several = isinstance(given, list) and not all(map(_is_id, given))
    if given == [] or (several and len(given) > _MOST_PROMPTS):
        words = f"there are {len(given)} prompts; 1 to {_MOST_PROMPTS} go into one request"
        raise RefusedError(400, words, param="prompt")
    for index, each in enumerate(given if several else [given]):
        where = f"prompt[{index}]" if several else "prompt"
        try:
            yield _prompt(engine, each, begin=asked.add_special_tokens is not False)
        except ValueError as error:
            raise RefusedError(400, f"{where}: {error}", param="prompt") from None


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _prompt(engine: Engine, given: object, *, begin: bool) -> Prompt:
    if isinstance(given, str):
        prompt = engine.vocabulary.read_text(given, begin=begin)
    elif isinstance(given, list) and all(map(_is_id, given)):
        if engine.window is not None and len(given) > engine.window:
            raise ValueError(f"it is {len(given)} tokens, the model reads {engine.window}")
        prompt = engine.vocabulary.read_ids(given)
    else:
        raise ValueError("it should be text, or a list of token ids")
    if not prompt.ids:
        raise ValueError("it is empty, and there is no begin-of-text token to start from")
    if engine.window is not None and len(prompt.ids) > engine.window:
        raise ValueError(f"it is {len(prompt.ids)} tokens, the model reads {engine.window}")
    return prompt
