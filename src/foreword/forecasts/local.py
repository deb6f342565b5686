"""A predictor that samples from a causal language model on this machine."""

import logging
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from foreword.forecasts.forms import answer_end, plain_prompt
from foreword.forecasts.predictor import (
    SEED_POLICY,
    Answer,
    PredictorSettings,
    answer_seed,
)
from foreword.models import ModelFiles, load_model, software_versions, window
from foreword.records import Question
from foreword.store import JSON

if TYPE_CHECKING:
    import torch

MARGIN = 40
"""Characters beyond the length asked for after which nothing can be of use: the budget's own."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPredictor:
    """Lets a model write on, one question at a time, from the paper's own text.

    It samples token after token until the display closes, the paper ends, or the answer is longer
    than the question asks for. The same question gets the same answer whatever was asked before.
    """

    files: ModelFiles
    settings: PredictorSettings = field(default_factory=PredictorSettings)
    name: str = "local"

    @property
    def identity(self) -> Mapping[str, JSON]:
        """The model's files, how it is asked and sampled, and the software."""
        return {
            "kind": "local",
            "prompt": "the paper, up to where the equation stops",
            "model_sha256": self.files.sha256,
            "dtype": "float32",
            "context_characters": self.settings.context_characters,
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "max_tokens": self.settings.max_tokens,
            "seeds": SEED_POLICY,
            "software": dict(software_versions()),
        }

    def answers(self, questions: Sequence[Question], *, seed: int) -> Iterator[Answer]:
        """One answer a question, in order.

        Raises:
            ModelError: the model can't be loaded.
        """
        if not questions:
            return
        model, tokenizer = load_model(self.files)
        for question in questions:
            yield self._answer(question, answer_seed(seed, question.cut_id), model, tokenizer)

    def _answer(self, question: Question, seed: int, model: Any, tokenizer: Any) -> Answer:
        longest = question.length_hint + MARGIN
        limit = min(longest, self.settings.max_tokens or longest)  # a token is a character at least
        prompt = _token_ids(plain_prompt(question, self.settings.context_characters), tokenizer)
        shown = prompt[-_room(model, limit) :]
        left_out = len(prompt) - len(shown)
        if left_out:
            _log.warning("%s: %d tokens of context do not fit", question.cut_id, left_out)
        with closing(
            _sample(model, shown, _end_tokens(model, tokenizer), self.settings, seed)
        ) as drawn:
            text, count, reason = _write(drawn, limit, longest, question, tokenizer)
        return Answer(
            cut_id=question.cut_id,
            raw=text or None,
            finish_reason=reason,
            missing=None if text.strip() else "empty",
            failure=f"{left_out} tokens of context did not fit the model" if left_out else None,
            model=f"{self.files.name}@{self.files.sha256[:16]}",
            seed=seed,
            input_tokens=len(shown),
            output_tokens=count,
        )


def _token_ids(text: str, tokenizer: Any) -> list[int]:
    """Tokens of the paper's text; what looks like a special token in it is text."""
    encoded = tokenizer(text, split_special_tokens=True, verbose=False)
    ids: list[int] = encoded["input_ids"]
    if ids:
        return ids
    starts = (tokenizer.bos_token_id, tokenizer.eos_token_id, 0)
    return [next(token for token in starts if token is not None)]


def _room(model: Any, limit: int) -> int:
    """Tokens of a prompt that leave room for `limit` more in the model's window."""
    most = window(model)
    return max(most - limit, 1) if most else sys.maxsize


def _sample(
    model: Any, prompt: list[int], ends: set[int], settings: PredictorSettings, seed: int
) -> Generator[int, None, None]:
    """Token after token, drawn with a generator of its own, up to the first that is an end."""
    import torch

    generator = torch.Generator().manual_seed(seed)

    def run(ids: list[int], **cache: Any) -> Any:
        with torch.inference_mode():
            batch = torch.tensor([ids], device=model.device)
            return model(batch, use_cache=True, logits_to_keep=1, **cache)

    output = run(prompt)
    name = next(name for name in ("cache", "past_key_values") if name in output)
    with _threads_that_help(model):
        while True:
            token = _draw(output.logits[0, -1].float().cpu(), settings, generator)
            if token in ends:
                return
            yield token
            output = run([token], **{name: output[name]})


@contextmanager
def _threads_that_help(model: Any) -> Iterator[None]:
    """One thread for each GB of weights, while tokens are drawn one by one.

    A step reads every weight once and does little else, so memory sets its pace. On 2 cores, the
    embedded model takes 72 ms a token with one thread and 73 with two, but 190 with two where
    another program uses a core.
    """
    import torch

    before = torch.get_num_threads()
    num_bytes = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    torch.set_num_threads(min(before, 1 + num_bytes // 10**9))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _end_tokens(model: Any, tokenizer: Any) -> set[int]:
    """The end of a text, and every other token that stands for no text."""
    end = model.config.get_text_config().eos_token_id
    return {*tokenizer.all_special_ids, *(end if isinstance(end, list) else [end])}


def _draw(logits: "torch.Tensor", settings: PredictorSettings, generator: "torch.Generator") -> int:
    """One token: the likeliest at temperature 0, else from the smallest set that holds `top_p`."""
    import torch

    if settings.temperature == 0:
        return int(logits.argmax())
    chances = torch.softmax(logits / settings.temperature, 0)
    if settings.top_p is None:
        return int(torch.multinomial(chances, 1, generator=generator))
    chances, tokens = chances.sort(descending=True, stable=True)
    chances = chances.where(chances.cumsum(0) - chances < settings.top_p, 0.0)
    return int(tokens[torch.multinomial(chances, 1, generator=generator)])


def _write(
    drawn: Iterator[int], limit: int, longest: int, question: Question, tokenizer: Any
) -> tuple[str, int, str]:
    """The text of the tokens until it leaves the display or is too long, their number, and why."""
    written: list[int] = []
    text = ""
    for token in islice(drawn, limit):
        written.append(token)
        text = tokenizer.decode(written, clean_up_tokenization_spaces=False)
        if answer_end(text + "a", question) is not None:  # \ee may yet become \eea
            return text, len(written), "stop"
        if len(text) >= longest:
            return text, len(written), "length"
    return text, len(written), "max_tokens" if len(written) == limit else "stop"
