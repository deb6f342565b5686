"""The commands of the scorer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from foreword.flags import TABLE, journal_of, out_file, overwrite_flag, seed_flag
from foreword.terminal import finish, show

Command = TypeVar("Command", bound=Callable[..., Any])


def scorer_flags(command: Command) -> Command:
    """Which scorer, and how it scores: the arguments of `load_scorer`."""
    for option in reversed(_SCORER_FLAGS):
        command = option(command)
    return command


_SCORER_FLAGS = (
    click.option("--scorer", default="smollm2", show_default=True, help="smollm2, or hf:NAME."),
    click.option("--boundary", default="exact", show_default=True, help="exact, or paper."),
    click.option("--dtype", default="auto", show_default=True, help="float32, bfloat16, float16."),
    click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1, mps."),
    click.option("--statistics", is_flag=True, help="Rank, entropy and such of each token too."),
)


@click.command()
@click.argument("cuts", type=TABLE)
@click.argument("forecasts", nargs=-1, type=TABLE)
@scorer_flags
@click.option("--control", "controls", multiple=True, help="May be repeated; default: all of them.")
@seed_flag
@out_file
@overwrite_flag
def score(
    cuts: Path,
    forecasts: Sequence[Path],
    scorer: str,
    controls: Sequence[str],
    statistics: bool,
    seed: int,
    out: Path,
    overwrite: bool,
    **how: Any,
) -> int:
    """Score the true suffix of every cut, under every control and with every forecast.

    \b
    Example:
      foreword score cuts.parquet forecasts-*.parquet --scorer smollm2 --out scores.parquet
    """
    from foreword.scores import CONTROLS, check_condition, load_scorer
    from foreword.stages import make_scores
    from foreword.store import beside

    with beside(out.parent):
        made = make_scores(
            cuts,
            forecasts,
            out,
            scorer=load_scorer(scorer, **how),
            controls=[check_condition(control) for control in controls] or CONTROLS,
            seed=seed,
            journal=journal_of(out),
            statistics=statistics,
            overwrite=overwrite,
            show=show,
        )
    return finish(made, "score", f"foreword report {out.parent}")


@click.command("score-pairs")
@click.argument("pairs", type=TABLE)
@scorer_flags
@out_file
@overwrite_flag
def score_pairs(
    pairs: Path, scorer: str, statistics: bool, out: Path, overwrite: bool, **how: Any
) -> int:
    """Score any lines of JSON with "id", "prompt" and "target": one row out per line in.

    \b
    Example:
      echo '{"id": "1", "prompt": "2+2=", "target": "4"}' > pairs.jsonl
      foreword score-pairs pairs.jsonl --scorer smollm2 --out scores.parquet
    """
    from foreword.records import Pair
    from foreword.scores import load_scorer
    from foreword.stages import make_pair_scores
    from foreword.store import beside, read_json_lines

    rows = read_json_lines(pairs, Pair)
    with beside(out.parent):
        made = make_pair_scores(
            rows,
            out,
            scorer=load_scorer(scorer, **how),
            journal=journal_of(out),
            statistics=statistics,
            overwrite=overwrite,
            show=show,
        )
    return finish(
        made, "row", f"python -c \"import pyarrow.parquet as p; print(p.read_table('{out}'))\""
    )
