"""Small cuts of several papers, and a training of a few steps on a tiny model."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from foreword.finetune import Settings, Task, Tuned, make_adapter
from foreword.records import Cut, Forecast
from foreword.store import write_table

QUICK = Settings(rank=4, alpha=8, epochs=3, batch_size=2, accumulation=2, learning_rate=0.01)


def some_cuts(papers: int = 4, per_paper: int = 3) -> list[Cut]:
    """Equations that end alike, so that there is something to learn."""
    draw = random.Random(0)
    cuts = []
    for paper in range(papers):
        for number in range(per_paper):
            letters = "".join(draw.choice("abcxyz") for _ in range(4))
            cuts.append(
                Cut(
                    id=f"p{paper}/{number}/2",
                    paper_id=f"p{paper}",
                    environment="[",
                    context=f"Let ${letters}$ be given, with some more text. " * 6,
                    opening=r"\[",
                    prefix=f"{letters[0]}=",
                    hidden=rf"\left({letters[1]}+{letters[2:]}\right)",
                    closing=r"\]",
                )
            )
    return cuts


def write_cuts(path: Path, cuts: list[Cut] | None = None) -> Path:
    write_table(path, some_cuts() if cuts is None else cuts, Cut, {})
    return path


def write_forecasts(path: Path, cuts: list[Cut]) -> Path:
    rows = [Forecast(cut_id=cut.id, predictor="guess", text=r"\left(a+b\right)") for cut in cuts]
    rows[0] = replace(rows[0], text=None, missing="refused")
    write_table(path, rows, Forecast, {})
    return path


def a_task(folder: Path, model: Path, **changes: Any) -> Task:
    given: dict[str, Any] = {
        "cuts": folder / "cuts.parquet",
        "model": f"hf:{model}",
        "route": "context-only",
        "settings": QUICK,
        "device": "cpu",
        "evaluate_every": 2,
        "checkpoint_every": 2,
    }
    return Task(**(given | changes))


def tuned(folder: Path, model: Path, out: str = "adapter", **changes: Any) -> Tuned:
    if not (folder / "cuts.parquet").exists():
        write_cuts(folder / "cuts.parquet")
    return make_adapter(a_task(folder, model, **changes), folder / out)
