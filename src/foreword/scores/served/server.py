"""One model at one server: a pair put to it, and what it says of the pair."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from foreword.errors import ModelError
from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary
from foreword.scores.request import Request, make_request
from foreword.scores.served.answer import Form, Token, read_answer
from foreword.scores.served.link import MAX_TRIES, Link
from foreword.scores.served.placed import from_ids, from_texts
from foreword.store import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a server can do, and so the request that it is sent for a pair."""

    form: Form
    max_tokens: Literal[0, 1]
    """0 where the server accepts that it writes nothing."""
    wants_ids: bool
    """Whether it is told to return token ids; some servers refuse fields that they don't know."""
    returns_ids: bool = False

    def body(self, model: str, prompt: str | Sequence[int]) -> JSON:
        """The request."""
        asked = {"echo": True, "logprobs": 1} if self.form == "echo" else {"prompt_logprobs": 1}
        return {
            "model": model,
            "prompt": prompt if isinstance(prompt, str) else list(prompt),
            **asked,
            "temperature": 0,
            "max_tokens": self.max_tokens,
            **({"return_token_ids": True} if self.wants_ids else {}),
        }


class Said(NamedTuple):
    """What a server said of a pair."""

    tokens: list[Token]
    request: Request | None
    """As it was sent; None if as text."""
    scores: TokenScores


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One model at one server. It can be asked from several threads."""

    link: Link
    model: str
    boundary: Boundary
    tokenizer: Any = None
    """The server's, if it is here: prompts are then sent as ids. None: as text."""
    scorer_id: str | None = None
    """What the server calls itself, which then has to stand in its answers."""
    _tokenizing: threading.Lock = field(default_factory=threading.Lock, init=False)

    def ask(self, pair: Pair, way: Capabilities, *, max_tries: int = MAX_TRIES) -> Said:
        """What the server says of a pair.

        Raises:
            ValueError: its answer can't be used, or it won't do this request.
            NoAnswerError, ModelError: as `Link.ask`; or it serves another model by now.
        """
        if not pair.target:
            raise ValueError("the target is empty")
        text = pair.prompt + pair.target
        text.encode()  # half a surrogate pair is no text, and ends here
        request = self._request(pair)
        prompt = request.ids if request else text
        answer = self.link.ask("/completions", way.body(self.model, prompt), max_tries=max_tries)
        self._check_served(answer)
        tokens = read_answer(answer, way.form)
        if len(tokens) <= 1:
            raise ValueError("it gives no log-probabilities of the prompt, only of what it writes")
        if request:
            scores = from_ids(tokens, pair, request, generated=way.max_tokens)
        else:
            scores = from_texts(tokens, pair, self.boundary, generated=way.max_tokens)
        return Said(tokens, request, scores)

    def _request(self, pair: Pair) -> Request | None:
        if self.tokenizer is None:
            return None
        with self._tokenizing:  # the same tokenizer can't be used by two threads at a time
            return make_request(pair, self.tokenizer, self.boundary, None)

    def _check_served(self, answer: JSON) -> None:
        found = answer.get("system_fingerprint") if isinstance(answer, dict) else None
        if self.scorer_id and isinstance(found, str) and found != self.scorer_id:
            raise ModelError(
                f"{self.link.url} serves {found} now, no longer {self.scorer_id}: "
                "what was finished is kept; start again, with a new --out, for the new model"
            )
