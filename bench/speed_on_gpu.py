"""How near to a GPU's limit the packed pass comes, with a model of random weights.

    python bench/speed_on_gpu.py --billions 8

The requests are made up of random tokens in the shape of a study's: cuts of `--conditions` requests
of 100 tokens before a target of 60, a fifth of them shared. The peak is what the device reaches for
one large square product in bfloat16, in this run. With `--device cpu --billions 0.05` it runs
anywhere, in float32, to see that it does.
"""

import argparse
import random
import time
from typing import Any

import torch
import transformers

from foreword.scores.packed import packed_rows, tree_of

SHAPES = {8.0: (4096, 12288, 36, 32, 8, 152_000), 1.0: (2048, 5632, 22, 32, 4, 64_000)}
"""Width, inner width, layers, heads, key heads, vocabulary; by billions of weights, about."""


def model_of(billions: float, device: str, dtype: Any) -> Any:
    """A Llama of random weights."""
    width, inner, layers, heads, shared, words = SHAPES.get(billions, (512, 1536, 8, 8, 4, 32_000))
    config = transformers.LlamaConfig(
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=shared,
        vocab_size=words,
    )
    with torch.device(device):
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        model = transformers.LlamaForCausalLM(config)
        torch.set_default_dtype(before)
    return model.eval().requires_grad_(False)


def requests_of(cuts: int, conditions: int, words: int) -> list[list[list[int]]]:
    """Token sequences, a list a cut: what they share, then their own, then the target."""
    draw = random.Random(0)

    def some(count: int) -> list[int]:
        return [draw.randrange(words) for _ in range(count)]

    groups = []
    for _ in range(cuts):
        shared, target = some(30), some(60)
        groups.append([shared + some(70) + target for _ in range(conditions)])
    return groups


def wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def timed(what: Any, device: str, times: int) -> float:
    """Seconds of the fastest of some runs, after one that does not count."""
    taken = []
    for _ in range(times + 1):
        wait(device)
        start = time.perf_counter()
        what()
        wait(device)
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--billions", type=float, default=1.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--cuts", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--conditions", type=int, default=14)
    parser.add_argument("--size", type=int, default=8192, help="Of the product for the peak.")
    options = parser.parse_args()
    dtype = torch.bfloat16 if options.device.startswith("cuda") else torch.float32
    model = model_of(options.billions, options.device, dtype)
    body = sum(each.numel() for each in model.model.layers.parameters())
    head = model.lm_head.weight.numel()
    side = options.size if options.device.startswith("cuda") else 2048
    square = torch.randn(side, side, device=options.device, dtype=dtype)
    peak = 2 * side**3 / timed(lambda: square @ square, options.device, 10)
    print(f"{body / 1e9:.2f} billion weights in the layers, {head / 1e9:.2f} in the output matrix")
    print(f"peak of one product: {peak / 1e12:.1f} TFLOP/s in {dtype}")
    for statistics in (False, True):
        for cuts in options.cuts:
            groups = requests_of(cuts, options.conditions, model.config.vocab_size)
            sequences = [each for group in groups for each in group]
            firsts = [len(each) - 60 for each in sequences]
            nodes = len(tree_of([each[:-1] for each in sequences]).tokens)

            def score(sequences: Any = sequences, firsts: Any = firsts) -> None:
                packed_rows(model, sequences, firsts, statistics=statistics)  # noqa: B023

            seconds = timed(score, options.device, 3)
            work = 2 * (nodes * body + 60 * len(sequences) * head)
            tokens = sum(map(len, sequences))
            print(
                f"{cuts} cuts at once, {nodes} nodes{', statistics' if statistics else ''}: "
                f"{seconds * 1000:.0f} ms, {tokens / seconds:,.0f} tokens a second, "
                f"{work / seconds / peak:.0%} of the peak",
                flush=True,
            )
    if options.device.startswith("cuda"):
        print(f"memory at most: {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


if __name__ == "__main__":
    main()
