import random
from pathlib import Path

import pytest
from audited_cuts import cuts_of

from foreword.audit.gradient import Gradient, loss_gradient, printable_tokens
from foreword.models import find_model, load_model
from foreword.scores import forecast_prompt, target


def test_proposals_are_printable_short_and_the_same_for_a_seed(tiny_model: Path) -> None:
    gradient = Gradient(files=find_model(f"hf:{tiny_model}"))
    cuts = cuts_of("p")

    def proposed(seed: int) -> list[str]:
        return gradient.propose("= x + y", cuts, count=5, most=9, draw=random.Random(seed))

    texts = proposed(0)
    assert len(set(texts)) == 5
    assert all(len(text) <= 9 and text.isascii() and text.isprintable() for text in texts)
    assert texts == proposed(0) != proposed(1)


def test_tokens_that_do_not_spell_printable_text_are_never_put_in(tiny_model: Path) -> None:
    _, tokenizer = load_model(find_model(f"hf:{tiny_model}"))
    ids, spelled = printable_tokens(tokenizer)
    assert "<end>" not in spelled
    assert {"=", " =", "left"} <= set(spelled)
    assert len(ids) < len(tokenizer)


def test_the_gradient_is_the_slope_of_the_loss(tiny_model: Path) -> None:
    """Against a difference: the loss when one embedding is moved a little along its gradient."""
    import torch

    model, tokenizer = load_model(find_model(f"hf:{tiny_model}"))
    [cut] = cuts_of("p", each=1)
    ids = tokenizer("= x + y")["input_ids"]
    slopes = loss_gradient(model, tokenizer, cut, ids)
    assert slopes.shape == (len(ids), 16)
    before, _, after = forecast_prompt(cut, "MARK").partition("MARK")
    parts = [tokenizer(text)["input_ids"] for text in (before, after, target(cut))]
    start, wanted = len(parts[0]), parts[2]
    whole = [*parts[0], *ids, *parts[1], *wanted]

    def loss(step: float) -> float:
        table = model.get_input_embeddings()(torch.tensor([whole[:-1]])).double()
        table[0, start + 1] += step * slopes[1].double() / slopes[1].norm().double()
        with torch.no_grad():
            logits = model.double()(inputs_embeds=table, use_cache=False).logits[0]
        logps = torch.log_softmax(logits[-len(wanted) :], dim=-1)
        nll = -logps.gather(1, torch.tensor(wanted)[:, None])
        return float((nll.clamp(max=2) + 0.05 * nll).mean())

    try:
        slope = (loss(1e-4) - loss(-1e-4)) / 2e-4
    finally:
        model.float()
    assert slope == pytest.approx(float(slopes[1].norm()), rel=1e-2)
