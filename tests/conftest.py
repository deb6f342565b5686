"""What several stages' tests share: a tiny real model, and hypothesis without deadlines."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("foreword", deadline=None, derandomize=True)
settings.load_profile("foreword")

CORPUS = r"""
Let $f(x)=\frac{1}{2}x^2$ for all $x\le 1$. Then \begin{equation} \left(\partial_t + H\right)\psi
= 0, \qquad E_n = \hbar\omega\left(n+\tfrac12\right). \end{equation} Für jedes $x ∈ ℝ$ gilt ∀ε>0.
"""


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random two-layer Llama and a byte-level BPE trained on a few lines of TeX."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-model")
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([CORPUS] * 3, vocab_size=400, special_tokens=["<s>", "</s>"])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, bos_token="<s>", eos_token="</s>"
    )
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=256,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        LlamaForCausalLM(config).save_pretrained(folder)
    return folder
