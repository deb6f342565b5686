"""A tiny model whose tokenizer is as Gemma's: a begin-of-text token, `▁`, bytes as `<0x0A>`."""

import warnings
from pathlib import Path

LETTERS = "abcdefghijklmnopqrstuvwxyz=+\\{}()"


def save_begin_model(folder: Path) -> Path:
    """Write it in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from tokenizers import Tokenizer, decoders, models, normalizers, processors
        from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    pieces = ["<bos>", "<eos>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    pieces += [*LETTERS, "le", "▁=", "\n\n"]
    vocabulary = {piece: id_ for id_, piece in enumerate(pieces)}
    bpe = models.BPE(vocabulary, [("l", "e"), ("▁", "=")], byte_fallback=True, unk_token="<unk>")
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    tokenizer.add_tokens(["\n\n"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", special_tokens=[("<bos>", vocabulary["<bos>"])]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<bos>", eos_token="<eos>", unk_token="<unk>"
    ).save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(pieces) + 5,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        bos_token_id=0,
        eos_token_id=1,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        LlamaForCausalLM(config).save_pretrained(folder)
    return folder
