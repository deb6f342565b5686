"""The commands of the scorer."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from foreword.engine_flags import Place, actors_flag, engine_flags, shards_of
from foreword.flags import (
    TABLE,
    journal_of,
    out_file,
    overwrite_flag,
    scorer_flags,
    seed_flag,
    server_flags,
)
from foreword.pace import duration_words
from foreword.terminal import finish, say, show

if TYPE_CHECKING:
    from foreword.score_steps import Scoring
    from foreword.scores import Workload

statistics_flag = click.option(
    "--statistics", is_flag=True, help="Rank, entropy and such of each token too."
)
unproven_flag = click.option(
    "--unproven", is_flag=True, help="Use a scorer that the probe finds too weak to be trusted."
)
dry_run_flag = click.option(
    "--dry-run", is_flag=True, help="Say how much there is to score and about how long it takes."
)
json_flag = click.option(
    "--json", "as_json", is_flag=True, help="With --dry-run: print it as JSON."
)


@click.command()
@click.argument("cuts", type=TABLE)
@click.argument("forecasts", nargs=-1, type=TABLE)
@scorer_flags
@server_flags
@statistics_flag
@unproven_flag
@click.option("--control", "controls", multiple=True, help="May be repeated; default: all of them.")
@seed_flag
@out_file
@overwrite_flag
@dry_run_flag
@json_flag
@actors_flag
@engine_flags
def score(
    cuts: Path,
    forecasts: Sequence[Path],
    scorer: str,
    controls: Sequence[str],
    statistics: bool,
    unproven: bool,
    seed: int,
    out: Path,
    overwrite: bool,
    dry_run: bool,
    as_json: bool,
    place: Place,
    **how: Any,
) -> int:
    """Score the true suffix of every cut, under every control and with every forecast.

    \b
    Examples:
      foreword score cuts.parquet forecasts-*.parquet --scorer smollm2 --out scores.parquet
      foreword score cuts.parquet forecasts-*.parquet --out scores.parquet --dry-run
    """
    from foreword.folder import kind_of
    from foreword.score_steps import make_scores, measure_scores
    from foreword.scores import check_condition, controls_of
    from foreword.store import beside

    _check_dry_run(place, dry_run=dry_run, as_json=as_json)
    for control in controls:
        check_condition(control)  # before anything is read: equations have every control there is
    kind = kind_of(cuts)
    asked: dict[str, Any] = {
        "controls": [check_condition(control, kind) for control in controls] or controls_of(kind),
        "seed": seed,
    }
    scoring = _scoring(out, scorer, statistics=statistics, unproven=unproven, **how)
    with beside(out.parent):
        if dry_run:
            say("scoring a little, to see how long it takes")
            found = measure_scores(cuts, forecasts, scoring=scoring, **asked)
            return _show_workload(found, as_json=as_json)
        with place.engines(shards_of(out)) as engines:
            there = replace(scoring, engine=engines.score, prove=engines.prove)
            made = make_scores(
                cuts, forecasts, out, scoring=there, overwrite=overwrite, show=show, **asked
            )
    return finish(made, "score", f"foreword report {out.parent}")


@click.command("score-pairs")
@click.argument("pairs", type=TABLE)
@scorer_flags
@server_flags
@statistics_flag
@unproven_flag
@out_file
@overwrite_flag
@dry_run_flag
@json_flag
@actors_flag
@engine_flags
def score_pairs(
    pairs: Path,
    scorer: str,
    statistics: bool,
    unproven: bool,
    out: Path,
    overwrite: bool,
    dry_run: bool,
    as_json: bool,
    place: Place,
    **how: Any,
) -> int:
    """Score any lines of JSON with "id", "prompt" and "target": one row out per line in.

    \b
    Example:
      echo '{"id": "1", "prompt": "2+2=", "target": "4"}' > pairs.jsonl
      foreword score-pairs pairs.jsonl --scorer smollm2 --out scores.parquet
    """
    from foreword.records import Pair
    from foreword.score_steps import make_pair_scores, measure_pair_scores
    from foreword.store import beside, read_json_lines

    _check_dry_run(place, dry_run=dry_run, as_json=as_json)
    rows = read_json_lines(pairs, Pair)
    if how.get("adapter"):
        say("pairs name no paper: keep those of papers that the adapter was trained on out of them")
    scoring = _scoring(out, scorer, statistics=statistics, unproven=unproven, **how)
    with beside(out.parent):
        if dry_run:
            say("scoring a little, to see how long it takes")
            return _show_workload(measure_pair_scores(rows, scoring=scoring), as_json=as_json)
        with place.engines(shards_of(out)) as engines:
            there = replace(scoring, engine=engines.score, prove=engines.prove)
            made = make_pair_scores(rows, out, scoring=there, overwrite=overwrite, show=show)
    return finish(
        made, "row", f"python -c \"import pyarrow.parquet as p; print(p.read_table('{out}'))\""
    )


def _scoring(out: Path, scorer: str, *, statistics: bool, unproven: bool, **how: Any) -> "Scoring":
    from foreword.score_steps import Scoring
    from foreword.scores import load_scorer
    from foreword.store import find_cache

    return Scoring(
        scorer=load_scorer(scorer, **how),
        journal=journal_of(out),
        cache=find_cache(),
        statistics=statistics,
        unproven=unproven,
    )


def _check_dry_run(place: Place, *, dry_run: bool, as_json: bool) -> None:
    if as_json and not dry_run:
        raise click.UsageError("--json prints what --dry-run finds")
    if dry_run and place.engine != "local":
        raise click.UsageError("--dry-run tells how long it takes here: leave out --engine")


def _show_workload(found: "Workload", *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return 0
    known = found.in_journal + found.in_cache
    say(f"{found.requests:,} different requests to the scorer {found.scorer_id}", err=False)
    say(f"  {known:,} scored before, {found.in_cache:,} of them in another study", err=False)
    say(f"  {found.sampled:,} scored now, to see how long it takes; they are kept", err=False)
    say(f"  {found.left:,} left, {found.characters:,} characters", err=False)
    if found.tokens:
        about = "" if found.is_counted else "about "
        say(
            f"  {about}{found.tokens.total:,} tokens in them, {found.tokens.distinct:,} when what "
            f"is read once for several counts once; {found.tokens.targets:,} are scored",
            err=False,
        )
    if found.seconds is None:
        say("no telling how long: none of those that were tried could be scored", err=False)
    else:
        say(f"about {duration_words(found.seconds)} for what is left", err=False)
    return 0
