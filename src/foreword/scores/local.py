"""A scorer that runs a causal language model on this machine."""

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from foreword.errors import ModelError, UsageError
from foreword.models import DTYPES, ModelFiles, find_model, load_model, software_versions, window
from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary, byte_ends, span_to_score
from foreword.store import fingerprint

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
    """Scores one pair at a time, so that no number depends on what is scored beside it."""

    files: ModelFiles
    boundary: Boundary = "exact"
    dtype: str = "float32"

    @property
    def identity(self) -> dict[str, Any]:
        """All that can change a number: the model's files, software, precision, boundary rule."""
        return {
            "backend": "transformers, one pair at a time, attention sdpa, log-softmax in float32",
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

    def score(self, pairs: Sequence[Pair]) -> Iterator[TokenScores]:
        """One result a pair, in order, as each is done.

        Raises:
            ModelError: the model can't be loaded.
        """
        if not pairs:
            return
        model, tokenizer = load_model(self.files, dtype=self.dtype)
        if not tokenizer.is_fast:
            raise ModelError(
                f"{self.files.name} has a tokenizer without character offsets, which scoring "
                "needs; use a model with a fast tokenizer (tokenizer.json)"
            )
        for pair in pairs:
            try:
                yield _score_one(pair, model, tokenizer, self.boundary)
            except ValueError as error:
                yield TokenScores(failure=str(error))


def _score_one(pair: Pair, model: Any, tokenizer: Any, rule: Boundary) -> TokenScores:
    """Log-probabilities of one target.

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
            "the prompt is empty and the model has no begin-of-text token to start from"
        )
    most = window(model)
    if most is not None and len(ids) > most:
        raise ValueError(f"prompt and target are {len(ids)} tokens, the model reads {most}")
    logprobs = _logprobs(model, ids, first)
    if not all(math.isfinite(value) and value <= _ABOVE_CERTAIN for value in logprobs):
        raise ValueError("the model gave a log-probability that is not a number at or below zero")
    return TokenScores(
        token_ids=tuple(ids[first:]),
        token_texts=span.texts,
        logprobs=tuple(logprobs),
        first_byte=span.first_byte,
        prompt_bytes=span.prompt_bytes,
    )


def _begin_of_text(tokenizer: Any) -> list[int]:
    """The begin-of-text token, where the tokenizer puts one before a text by default."""
    default = tokenizer("x")["input_ids"]
    return default[:1] if default and default[0] == tokenizer.bos_token_id else []


def _logprobs(model: Any, ids: list[int], first: int) -> list[float]:
    """Values of log p(ids[t] | ids[:t]) in nats, for t from `first` on.

    Only the rows that predict a target token go through the output matrix: with a vocabulary of
    49,152 it is a fifth of this model's arithmetic.
    """
    import torch

    with torch.inference_mode():
        tokens = torch.tensor([ids[:-1]], device=model.device)
        logits = model(tokens, logits_to_keep=len(ids) - first, use_cache=False).logits[0].float()
        chosen = torch.tensor(ids[first:], device=logits.device)
        rows = logits.gather(1, chosen[:, None])[:, 0] - logits.logsumexp(1)
    values: list[float] = rows.tolist()
    return values
