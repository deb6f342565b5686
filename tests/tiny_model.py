"""A causal language model of a few thousand weights, with a tokenizer, for tests."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def save_tiny_model(
    folder: Path, *, window: int = 256, seed: int = 0, merges: Sequence[tuple[str, str]] = ()
) -> Path:
    """Write a Llama model with random weights, and a tokenizer of bytes and merges, in a folder."""
    tokenizer = byte_tokenizer(merges)
    return save_model_of(folder, tokenizer, window=window, seed=seed, eos_token="<end>")


def byte_tokenizer(merges: Sequence[tuple[str, str]] = ()) -> Any:
    """A token for each byte and for each merge, and `<end>`; of the package tokenizers."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    joined = [a + b for a, b in merges]
    pieces = ["<end>", *sorted(pre_tokenizers.ByteLevel.alphabet()), *joined]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocabulary, list(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def save_model_of(
    folder: Path,
    tokenizer: Any,
    *,
    window: int = 256,
    seed: int = 0,
    family: str = "llama",
    change: Callable[[Any], None] = lambda model: None,
    **special: str,
) -> Path:
    """Write a model with random weights for a tokenizer of `tokenizers`, in a folder.

    Args:
        folder: where to.
        tokenizer: what the model reads; of the package tokenizers.
        window: tokens that it reads at most.
        seed: of the weights.
        family: as transformers names it.
        change: what to do to the model before it is written.
        special: names of special tokens, as transformers takes them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    config = AutoConfig.for_model(
        family,
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=window,
        bos_token_id=None,
        eos_token_id=0,
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config)
        change(model)
    model.save_pretrained(folder)
    return folder
