"""A scorer that runs a causal language model on this machine."""

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from foreword.errors import ModelError, UsageError
from foreword.models import DTYPES, ModelFiles, find_model, load_model, software_versions, window
from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary, Span, byte_ends, span_to_score
from foreword.scores.packed import can_pack, packed_logprobs, target_logprobs
from foreword.store import fingerprint

_PACK = 4096  # tokens that go through the model at once, unless one pair alone is longer
_MOST_GATHERED = 4 * _PACK  # the same with shared beginnings counted each time
_ABOVE_CERTAIN = 1e-6  # nats; rounding can put a log-probability this far above 0, no further


def load_scorer(
    name: str = "smollm2", *, boundary: str = "exact", dtype: str = "float32"
) -> "LocalScorer":
    """A scorer by name: `smollm2`, or `hf:NAME` for any causal model of Hugging Face, or a path.

    The model's files are found and hashed now, and loaded when a pair is first scored.

    Raises:
        ModelError: there is no such model here, and it can't be had.
        UsageError: an unknown boundary rule or dtype.
    """
    for value, allowed, what in (
        (boundary, get_args(Boundary), "boundary rule"),
        (dtype, DTYPES, "dtype"),
    ):
        if value not in allowed:
            near = difflib.get_close_matches(value, allowed, n=1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise UsageError(f"there is no {what} '{value}'{hint}: it is {' or '.join(allowed)}")
    rule = cast(Boundary, boundary)
    return LocalScorer(files=find_model(name), boundary=rule, dtype=dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalScorer:
    """Scores the pairs it is given in one pass, what their prompts share computed once.

    A model of a family that can't be packed is run one pair at a time.
    """

    files: ModelFiles
    boundary: Boundary = "exact"
    dtype: str = "float32"

    @property
    def identity(self) -> dict[str, Any]:
        """All that can change a number: the model's files, software, precision, boundary rule."""
        return {
            "backend": "transformers, packed where it can be, log-softmax by a cascade sum",
            "begin_of_text": "as the tokenizer does by default; special tokens in text are text",
            "boundary": self.boundary,
            "dtype": self.dtype,
            "model_sha256": self.files.sha256,
            "software": dict(software_versions()),
        }

    @property
    def scorer_id(self) -> str:
        """`<model's name, without folders>@<16 hex digits of the hash of identity>`."""
        name = self.files.name.removeprefix("hf:").rstrip("/").split("/")[-1]
        return f"{name}@{fingerprint(self.identity)[:16]}"

    def score(self, pairs: Sequence[Pair]) -> list[TokenScores]:
        """One result a pair, in order.

        Raises:
            ModelError: the model can't be loaded.
        """
        if not pairs:
            return []
        model, tokenizer = load_model(self.files, dtype=self.dtype)
        if not tokenizer.is_fast:
            raise ModelError(
                f"{self.files.name} has a tokenizer without character offsets, which scoring "
                "needs; use a model with a fast tokenizer (tokenizer.json)"
            )
        results: dict[int, TokenScores] = {}
        requests: dict[int, _Request] = {}
        for index, pair in enumerate(pairs):
            try:
                requests[index] = _request(pair, tokenizer, self.boundary, window(model))
            except ValueError as error:
                results[index] = TokenScores(failure=str(error))
        logprobs = _logprobs(model, list(requests.values()))
        for (index, request), values in zip(requests.items(), logprobs, strict=True):
            results[index] = _result(request, values)
        return [results[index] for index in range(len(pairs))]


@dataclass(frozen=True, slots=True)
class _Request:
    """A pair as the model reads it."""

    ids: list[int]
    first: int
    """Index of the first id to score."""
    span: Span


def _request(pair: Pair, tokenizer: Any, rule: Boundary, most: int | None) -> _Request:
    """The whole text, tokenised once, and from which token on it is scored.

    Raises:
        ValueError: the pair can't be scored; the message says why.
    """
    text = pair.prompt + pair.target
    encoded = tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, split_special_tokens=True
    )
    pieces = tokenizer.convert_ids_to_tokens(encoded["input_ids"])
    ends = byte_ends(text, pieces, encoded["offset_mapping"])
    span = span_to_score(pair.prompt, pair.target, ends, rule)
    begin = _begin_of_text(tokenizer)
    ids = begin + encoded["input_ids"]
    first = len(begin) + span.first
    if first == 0:
        raise ValueError(
            "the prompt lies within the first token that would be scored: make it longer"
            if pair.prompt
            else "the prompt is empty and the model has no begin-of-text token to start from"
        )
    if most is not None and len(ids) > most:
        raise ValueError(f"prompt and target are {len(ids)} tokens, the model reads {most}")
    return _Request(ids, first, span)


def _result(request: _Request, logprobs: Sequence[float]) -> TokenScores:
    if not all(math.isfinite(value) and value <= _ABOVE_CERTAIN for value in logprobs):
        return TokenScores(
            failure="the model gave a log-probability that is not a number at or below zero"
        )
    return TokenScores(
        token_ids=tuple(request.ids[request.first :]),
        token_texts=request.span.texts,
        logprobs=tuple(logprobs),
        first_byte=request.span.first_byte,
        prompt_bytes=request.span.prompt_bytes,
    )


def _begin_of_text(tokenizer: Any) -> list[int]:
    """The begin-of-text token, where the tokenizer puts one before a text by default."""
    default = tokenizer("x")["input_ids"]
    return default[:1] if default and default[0] == tokenizer.bos_token_id else []


def _logprobs(model: Any, requests: Sequence[_Request]) -> Iterator[list[float]]:
    """Values of log p(ids[t] | ids[:t]) in nats, for t from `first` on, of each request."""
    if not can_pack(model):
        for request in requests:
            yield _alone(model, request)
        return
    for pack in _packs(requests):
        sequences, firsts = [each.ids for each in pack], [each.first for each in pack]
        yield from packed_logprobs(model, sequences, firsts)


def _packs(requests: Sequence[_Request]) -> Iterator[list[_Request]]:
    """Consecutive requests of at most `_PACK` tokens, what one shares with the last not counted."""
    pack: list[_Request] = []
    held = gathered = 0
    for request in requests:
        size = len(request.ids)
        shared = _shared(pack[-1].ids, request.ids) if pack else 0
        if pack and (held + size - shared > _PACK or gathered + size > _MOST_GATHERED):
            yield pack
            pack, held, gathered, shared = [], 0, 0, 0
        pack.append(request)
        held += size - shared
        gathered += size
    if pack:
        yield pack


def _shared(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two sequences begin with alike."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _alone(model: Any, request: _Request) -> list[float]:
    """A whole pass over one request, with the model's own attention."""
    import torch

    targets = request.ids[request.first :]
    with torch.inference_mode():
        tokens = torch.tensor([request.ids[:-1]], device=model.device)
        logits = model(tokens, logits_to_keep=len(targets), use_cache=False).logits[0].float()
        return target_logprobs(logits, torch.tensor(targets, device=logits.device))
