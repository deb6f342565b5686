"""A causal language model of a few thousand weights, with a tokenizer, for tests."""

import warnings
from collections.abc import Sequence
from pathlib import Path


def save_tiny_model(
    folder: Path, *, window: int = 256, seed: int = 0, merges: Sequence[tuple[str, str]] = ()
) -> Path:
    """Write a Llama model with random weights, and a tokenizer of bytes and merges, in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
        from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    joined = [a + b for a, b in merges]
    pieces = ["<end>", *sorted(pre_tokenizers.ByteLevel.alphabet()), *joined]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocabulary, list(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>").save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=window,
        bos_token_id=None,
        eos_token_id=0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        LlamaForCausalLM(config).save_pretrained(folder)
    return folder
