"""What a local model's gradient proposes: texts that differ from one in a single token.

Shapes: L tokens of the text, V tokens that may be put in, W width of the embedding.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from foreword.models import ModelFiles, load_model
from foreword.records import Cut
from foreword.scores import forecast_prompt, target
from foreword.scores.request import begin_of_text

_MARK = "\x00Z\x00"
"""Stands for Z while the prompt is taken apart."""
_CLIP = 2.0
_RAW = 0.05
"""Weight of the unclipped loss: beyond the clip it alone has a slope. Of the choice, nothing."""
_TOP = 64
"""Tokens a place among which is drawn."""
_DRAWS = 20
"""For each text wanted: a draw can give one that is too long, or known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradient:
    """A local model as a source of proposals (greedy coordinate gradient, Zou et al. 2023).

    For each place i and token v of the vocabulary, −g_i · e_v is, to first order, by how much the
    loss falls when v stands at i; g_i is the gradient of the loss with respect to the embedding at
    i, summed over cuts, and e_v is the embedding of v. The loss of a cut is the mean over target
    tokens of min(NLL, 2) + 0.05 NLL, in the raw scaffold. Only tokens that spell printable ASCII
    are put in. What is proposed is a text: its worth is what the scorer says of it.
    """

    files: ModelFiles
    dtype: str = "float32"
    device: str = "cpu"

    def propose(
        self, text: str, cuts: Sequence[Cut], *, count: int, most: int, draw: random.Random
    ) -> list[str]:
        """Texts of at most `most` characters that might score higher; fewer where few fit.

        Args:
            text: what is to be bettered; not empty.
            cuts: the loss is summed over them; their answers are used.
            count: how many texts.
            most: characters of each.
            draw: chooses places and tokens.

        Raises:
            ModelError: the model can't be loaded.
        """
        import torch

        model, tokenizer = load_model(self.files, dtype=self.dtype, device=self.device)
        allowed, spelled = printable_tokens(tokenizer)
        ids = _ids(tokenizer, text)
        each = [loss_gradient(model, tokenizer, cut, ids) for cut in cuts]
        slopes = torch.stack(each).float().sum(dim=0)
        table = model.get_input_embeddings()(_tensor(allowed, model)).detach()
        gains = -(slopes @ table.float().T)  # (L, V)
        top = gains.topk(min(_TOP, len(allowed)), dim=1).indices.tolist()
        pieces = [_spelling(tokenizer, token) for token in ids]
        found: dict[str, None] = {}
        for _ in range(_DRAWS * count):
            at = draw.randrange(len(ids))
            piece = spelled[draw.choice(top[at])]
            new = "".join([*pieces[:at], piece, *pieces[at + 1 :]])
            if len(new) <= most and new != text:
                found[new] = None
            if len(found) == count:
                break
        return list(found)


def loss_gradient(model: Any, tokenizer: Any, cut: Cut, ids: Sequence[int]) -> Any:
    """The gradient of a cut's loss with respect to the embeddings of Z's tokens.

    Args:
        model: of transformers, its weights without gradients.
        tokenizer: the model's.
        cut: whose scaffold and target.
        ids: Z's tokens.

    Returns:
        Float tensor of shape (L, W), in nats per target token and unit of embedding.
    """
    import torch
    from torch.nn.functional import cross_entropy

    before, _, after = forecast_prompt(cut, _MARK).partition(_MARK)
    start = [*begin_of_text(tokenizer), *_ids(tokenizer, before)]
    wanted = _ids(tokenizer, target(cut))
    whole = [*start, *ids, *_ids(tokenizer, after), *wanted]
    embedded = model.get_input_embeddings()(_tensor(whole[:-1], model)[None])
    embedded = embedded.detach().requires_grad_(True)
    with torch.enable_grad():
        logits = model(inputs_embeds=embedded, use_cache=False, logits_to_keep=len(wanted)).logits
        nll = cross_entropy(logits[0].float(), _tensor(wanted, model), reduction="none")
        loss = (nll.clamp(max=_CLIP) + _RAW * nll).mean()
        (slopes,) = torch.autograd.grad(loss, embedded)
    return slopes[0, len(start) : len(start) + len(ids)]


@cache
def printable_tokens(tokenizer: Any) -> tuple[list[int], list[str]]:
    """The tokens that spell printable ASCII and nothing else, and what they spell."""
    own = set(tokenizer.all_special_ids) | set(tokenizer.added_tokens_decoder)
    ids, spelled = [], []
    for each in range(len(tokenizer)):
        text = "" if each in own else _spelling(tokenizer, each)
        if text and all(" " <= letter <= "~" for letter in text):
            ids.append(each)
            spelled.append(text)
    return ids, spelled


def _ids(tokenizer: Any, text: str) -> list[int]:
    found = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    return list(found)


def _spelling(tokenizer: Any, token: int) -> str:
    return str(tokenizer.decode([token], clean_up_tokenization_spaces=False))


def _tensor(ids: Sequence[int], model: Any) -> Any:
    import torch

    return torch.tensor(list(ids), device=model.device)
