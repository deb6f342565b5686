"""From tables of cuts and forecasts to an adapter's folder, resumed where it was stopped."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from foreword import folder
from foreword.adapters import require_peft
from foreword.devices import device_name, find_devices
from foreword.finetune.examples import check_route, make_examples
from foreword.finetune.record import CHECKPOINT, Tuned, finished, write_adapter, write_log
from foreword.finetune.settings import Task
from foreword.finetune.split import Split, draw_split, read_split
from foreword.finetune.train import Run, train
from foreword.models import ModelFiles, find_model, load_apart, window
from foreword.records import Cut, Forecast
from foreword.scores.request import check_tokenizer
from foreword.step import Show, quiet
from foreword.store import JSON, disk_errors, fingerprint, holding, read_table


def make_adapter(task: Task, out: Path, *, overwrite: bool = False, show: Show = quiet) -> Tuned:
    """Train an adapter into a folder; what a kill interrupts, the same call goes on with.

    Args:
        task: what is to be done.
        out: the adapter's folder.
        overwrite: whether what another training left there goes.
        show: shows progress.

    Raises:
        ForewordError: the user must act; what was done is kept.
    """
    require_peft()
    check_route(task)
    cuts, forecasts = _read(task)
    split = _split(task, cuts)
    files, device = find_model(task.model), find_devices(task.device)[0]
    dtype = task.dtype
    if dtype == "auto":
        dtype = "bfloat16" if device.startswith("cuda") else "float32"
    inputs = {**_inputs(task, files, split), "dtype": dtype, "device": device_name(device)}
    with disk_errors(out), holding(out, "foreword finetune"):
        there = finished(out, inputs, overwrite=overwrite)
        if there:
            return there
        model, tokenizer = load_apart(files, dtype=dtype, device=device)
        check_tokenizer(tokenizer, files.name)
        examples = make_examples(
            cuts, forecasts, split, task, tokenizer=tokenizer, most_tokens=window(model)
        )
        adapted, rows = train(
            model,
            examples,
            Run.of(task, checkpoint=out / CHECKPOINT, key=fingerprint(inputs)),
            keep=lambda rows: write_log(out, rows),
            progress=show("training, steps"),
        )
        return write_adapter(out, adapted, files, split, inputs, rows, examples)


def _read(task: Task) -> tuple[list[Cut], list[Forecast]]:
    cuts = read_table(task.cuts, Cut)
    for path in task.forecasts:
        folder.check_made_from(path, task.cuts)
    return cuts, folder.read_forecasts(task.forecasts, cuts)


def _split(task: Task, cuts: Sequence[Cut]) -> Split:
    papers = [cut.paper_id for cut in cuts]
    if task.split:
        return read_split(task.split, papers)
    return draw_split(papers, task.held_out, seed=task.settings.seed)


def _inputs(task: Task, files: ModelFiles, split: Split) -> dict[str, JSON]:
    """All that can change the adapter or its log, but for the machine."""
    return {
        "version": version("foreword"),
        "cuts": folder.table_hash(task.cuts),
        "forecasts": [folder.table_hash(path) for path in task.forecasts],
        "model": files.sha256,
        "route": task.route,
        "control": task.control,
        "split": fingerprint(asdict(split)),
        "number_of_examples": [task.most_examples, task.most_held_out],
        "settings": json.loads(json.dumps(asdict(task.settings))),
        "evaluate_every": task.evaluate_every,
    }
