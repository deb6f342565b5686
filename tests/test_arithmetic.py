"""Products in float32 that stand in for those of lower precision."""

import warnings
from typing import Any

import pytest

from foreword.arithmetic import set_precision
from foreword.errors import ModelError


def made(dtype: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        import transformers
    config = transformers.LlamaConfig(
        vocab_size=300,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        attention_bias=True,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(config).eval()
    return model.to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_the_output_matrix_is_in_float32_and_the_rest_is_rounded_as_before(dtype: str) -> None:
    import torch

    model, plain = made(dtype), made(dtype)
    set_precision(model)
    states = torch.randn(20, 64, generator=torch.Generator().manual_seed(0)).to(model.dtype)
    with torch.inference_mode():
        head = model.lm_head(states)
        assert head.dtype == torch.float32
        exact = states.double() @ plain.lm_head.weight.double().T
        assert torch.allclose(head.double(), exact, atol=1e-6)
        layer, before = (each.model.layers[0].self_attn.q_proj for each in (model, plain))
        assert layer(states).dtype == model.dtype
        rounded = (states.double() @ before.weight.double().T + before.bias.double()).to(
            model.dtype
        )
        steps = (layer(states).double() - rounded.double()).abs() / rounded.double().abs()
        assert float(steps.max()) <= 2 * torch.finfo(model.dtype).eps


def test_float32_is_left_alone() -> None:
    model = made("float32")
    set_precision(model)
    assert not any("forward" in vars(module) for module in model.modules())


def test_a_model_whose_output_matrix_is_not_found_is_refused() -> None:
    model = made("bfloat16")
    model.set_output_embeddings(None)
    with pytest.raises(ModelError, match="float32"):
        set_precision(model)
