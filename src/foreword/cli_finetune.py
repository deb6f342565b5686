"""The commands that train an adapter for a scorer, and that judge forecasts against it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from foreword.flags import TABLE, FiniteRange, overwrite_flag, seed_flag
from foreword.terminal import exit_code, say, show

if TYPE_CHECKING:
    from foreword.analysis import Verdict
    from foreword.finetune import Tuned
    from foreword.records import Score
    from foreword.scores import Boundary

_count = click.IntRange(min=1)
_above = FiniteRange(min=0, min_open=True)
_rate = FiniteRange(min=0, min_open=True, max=1)
_share = FiniteRange(min=0, max=1, max_open=True)
_open_share = FiniteRange(min=0, min_open=True, max=1, max_open=True)
_SETTINGS = (
    ("--rank", "rank", _count, 32, "Of the matrices that are trained."),
    ("--alpha", "alpha", _above, 64.0, "Their product is scaled by alpha / rank."),
    ("--dropout", "dropout", _share, 0.05, "On what goes into them."),
    ("--learning-rate", "learning_rate", _rate, 2e-4, "At its highest."),
    ("--warmup-share", "warmup_share", _share, 0.03, "Of the steps; a cosine follows."),
    ("--epochs", "epochs", _count, 2, "How often each example comes."),
    ("--batch-size", "batch_size", _count, 4, "Examples at once."),
    ("--accumulation", "accumulation", _count, 4, "Batches a step."),
    ("--clip-nats", "clip_nats", _above, 2.0, "A token's loss counts up to this."),
    ("--raw-weight", "raw_weight", FiniteRange(min=0), 0.05, "Of the unclipped loss."),
    ("--weight-decay", "weight_decay", FiniteRange(min=0), 0.0, "Of AdamW."),
    ("--max-gradient-norm", "max_gradient_norm", _above, 1.0, "Of a step's gradient."),
)


def _settings_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The fields of `finetune.Settings` that are one number."""
    for flag, name, kind, default, words in reversed(_SETTINGS):
        option = click.option(flag, name, type=kind, default=default, show_default=True, help=words)
        command = option(command)
    return command


@click.command()
@click.argument("cuts", type=TABLE)
@click.argument("forecasts", nargs=-1, type=TABLE)
@click.option(
    "--route",
    type=click.Choice(["context-only", "scaffold-aware"]),
    required=True,
    help="The shortcut control, or a scorer that knows the scaffold.",
)
@click.option(
    "--control", default="same-budget", show_default=True, help="What context-only trains on."
)
@click.option(
    "--scorer", "model", default="smollm2", show_default=True, help="smollm2, or hf:NAME."
)
@click.option("--boundary", type=click.Choice(["exact", "paper"]), default="exact")
@click.option("--dtype", default="auto", show_default=True, help="float32, bfloat16, float16.")
@click.option("--device", default="auto", show_default=True, help="cpu, cuda:1; one of them.")
@click.option(
    "--held-out",
    type=_open_share,
    default=0.25,
    show_default=True,
    help="Share of papers, one at least.",
)
@click.option("--split", type=TABLE, help="A JSON file that names both sides; then no draw.")
@click.option("--max-examples", "most_examples", type=_count, help="Draw so many to train on.")
@click.option(
    "--max-held-out",
    "most_held_out",
    type=_count,
    default=100,
    show_default=True,
    help="Held-out examples that the loss is measured on.",
)
@click.option("--module", "modules", multiple=True, help="Matrices; default: all seven of a layer.")
@_settings_flags
@click.option("--evaluate-every", type=_count, default=10, show_default=True, help="Steps.")
@click.option("--checkpoint-every", type=_count, default=5, show_default=True, help="Steps.")
@seed_flag
@click.option("--out", type=TABLE, required=True, help="The adapter's folder.")
@overwrite_flag
def finetune(
    cuts: Path,
    forecasts: Sequence[Path],
    modules: Sequence[str],
    boundary: "Boundary",
    seed: int,
    out: Path,
    overwrite: bool,
    **others: Any,
) -> int:
    """Train an adapter (LoRA) for a scorer, on some papers, and measure it on the others.

    Run it again to go on where it was stopped. The folder holds the adapter as peft reads it, the
    split, the loss as JSON lines and as an SVG.

    \b
    Examples:
      foreword finetune cuts.parquet --route context-only --out control
      foreword finetune cuts.parquet forecasts-*.parquet --route scaffold-aware --out aware
    """
    from foreword.finetune import MODULES, Settings, Task, make_adapter

    numbers = {name: others.pop(name) for _, name, *_ in _SETTINGS}
    settings = Settings(**numbers, modules=tuple(modules) or MODULES, boundary=boundary, seed=seed)
    task = Task(cuts=cuts, forecasts=tuple(forecasts), settings=settings, **others)
    tuned = make_adapter(task, out, overwrite=overwrite, show=show)
    _show_tuned(tuned)
    code = exit_code(tuned.failures)
    model = f" --scorer {task.model}" if task.model != "smollm2" else ""
    control = f" --control {task.control}" if task.route == "context-only" else ""
    say(
        f"next: foreword score {cuts}{model} --adapter {out}{control} "
        f"--out {out.parent / f'scores-{out.name}.parquet'}"
    )
    return code


def _show_tuned(tuned: "Tuned") -> None:
    again = " (there already, from the same tables and settings)" if tuned.reused else ""
    say(
        f"{tuned.folder}: an adapter trained on {tuned.num_trained_on} examples{again}\n"
        f"  loss on {tuned.num_held_out} examples of held-out papers: {tuned.before:.4f} before, "
        f"{tuned.after:.4f} after, nats per target token",
        err=False,
    )


@click.command()
@click.argument("frozen", type=TABLE)
@click.argument("adapted", type=TABLE)
@click.option("--adapter", type=TABLE, required=True, help="The folder that ADAPTED was made with.")
@click.option("--control", default="same-budget", show_default=True, help="In ADAPTED.")
@click.option("--rule", default="clip2", show_default=True, help="raw, clip2, … as in the report.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def verdict(
    frozen: Path, adapted: Path, adapter: Path, control: str, rule: str, as_json: bool
) -> int:
    """Compare forecasts under the frozen scorer with a control under a trained one.

    On the papers that the adapter was not trained on, and on no others.

    \b
    Example:
      foreword verdict scores.parquet scores-control.parquet --adapter control
    """
    from foreword.adapters import find_adapter
    from foreword.analysis import RULES, verdicts
    from foreword.errors import TableError
    from foreword.folder import inputs_of
    from foreword.records import Score
    from foreword.store import read_table

    if rule not in RULES:
        raise click.UsageError(f"there is no rule {rule!r}: it is {', '.join(RULES)}")
    found = find_adapter(adapter)
    scores = [read_table(path, Score) for path in (frozen, adapted)]
    if inputs_of(adapted).get("adapter") != found.sha256:
        raise TableError(f"{adapted} was not made with the adapter in {adapter}: give that one")
    _check_model(frozen, found.base_sha256)
    try:
        rows = verdicts(
            *scores, held_out=_unseen(found.trained_on, scores[0]), control=control, rule=rule
        )
    except ValueError as error:
        raise TableError(f"{frozen} and {adapted} can't be compared: {error}") from error
    if as_json:
        listed = [{**asdict(row), "values": dict(row.values)} for row in rows]
        click.echo(json.dumps(listed, indent=2, allow_nan=False))
    else:
        say(_table(rows, control, found.route), err=False)
    return 0


def _unseen(trained_on: Sequence[str], scores: "Sequence[Score]") -> set[str]:
    """The papers that the adapter was not trained on, held out by its split or never in it."""
    from foreword.adapters import work_of

    works = set(map(work_of, trained_on))
    return {score.paper_id for score in scores if work_of(score.paper_id) not in works}


def _check_model(frozen: Path, base_sha256: str) -> None:
    """See that the frozen scorer is the model that the adapter started from.

    Raises:
        TableError: it is another one.
    """
    from foreword.errors import TableError
    from foreword.folder import notes

    model = notes(frozen).get("scorer", {}).get("model_sha256")
    if model is None:
        say(f"{frozen} does not tell its model: it is taken to be the one that the adapter is of")
    elif model != base_sha256:
        raise TableError(
            f"{frozen} is by another model than the one that the adapter was trained on: score "
            "with that one, without the adapter"
        )


def _table(rows: Sequence["Verdict"], control: str, route: str) -> str:
    """A line a predictor: the difference, its interval, how many cuts and papers."""
    head = f"frozen scorer with the forecast − {control} with the {route} adapter"
    lines = [
        head,
        f"{'':30}  {'difference':>10}  {'95 % interval':>17}  {'cuts':>5}  {'papers':>6}",
    ]
    for row in rows:
        it = row.difference
        mean = "–" if it.mean is None else f"{it.mean:+.3f}"
        ends = "–" if it.low is None or it.high is None else f"[{it.low:+.3f}, {it.high:+.3f}]"
        name = row.condition.removeprefix("forecast:")[:30]
        lines.append(f"{name:30}  {mean:>10}  {ends:>17}  {it.num_cuts:>5}  {it.num_papers:>6}")
    if not rows:
        lines.append("no forecast was scored on a paper that the adapter was not trained on")
    return "\n".join(lines)
