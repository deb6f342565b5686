"""The command line: flags in, exit code out.

Results go to stdout, words to stderr. Exit codes: 0 done, 1 you can mend it, 2 wrong usage,
3 finished, with failed items, which are listed.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from foreword.cli_audit import audit
from foreword.cli_cache import cache
from foreword.cli_doctor import doctor
from foreword.cli_finetune import finetune, verdict
from foreword.cli_papers import papers as papers_group
from foreword.cli_probe import probe
from foreword.cli_publish import export, rebuild
from foreword.cli_score import score, score_pairs
from foreword.cli_serve import serve
from foreword.cli_slate import show_slate
from foreword.cli_slate import slate as slate_command
from foreword.cli_windows import windows
from foreword.engine_flags import Place, actors_flag, engine_flags, shards_of
from foreword.errors import ForewordError
from foreword.flags import (
    TABLE,
    FiniteRange,
    cut_flags,
    cutoff_flag,
    files_flag,
    journal_of,
    out_file,
    overwrite_flag,
    seed_flag,
    take_costs,
    take_rules,
)
from foreword.terminal import exit_code, finish, say, show, show_files, show_log, show_rejected

if TYPE_CHECKING:
    from foreword.findings import Level
    from foreword.records import Analysis


def main() -> NoReturn:
    """Run the command line; every failure that a user can meet ends in one sentence."""
    show_log()
    try:
        code = cli.main(standalone_mode=False)
    except ForewordError as error:
        say(f"foreword: {error}")
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        say("foreword: stopped; what was finished is kept: the same command goes on from there")
        # Not sys.exit, which waits for threads: one may hang on a server for minutes.
        sys.stdout.flush()
        os._exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        say(f"foreword: {where}{(error.strerror or str(error)).lower()}")
        code = 1
    sys.exit(code or 0)


@click.group(epilog="The whole job: foreword run study.toml --out results")
@click.version_option(version("foreword"))
def cli() -> None:
    """How well does a language model foresee science it has not read?

    \b
    Example:
      foreword demo --out demo
    """


cli.add_command(papers_group)
cli.add_command(audit)
cli.add_command(cache)
cli.add_command(doctor)
cli.add_command(probe)
cli.add_command(slate_command)
cli.add_command(export)
cli.add_command(finetune)
cli.add_command(rebuild)
cli.add_command(score)
cli.add_command(score_pairs)
cli.add_command(serve)
cli.add_command(verdict)
cli.add_command(windows)


@cli.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
def demo(out: Path) -> int:
    """Run a small study on three sample papers, with the embedded model.

    \b
    Example:
      foreword demo --out demo
    """
    from foreword.study import sample_papers

    study = sample_papers()[0].parent / "demo.toml"
    return _run(study, out, Place(engine="local", ray_address=None), as_json=False)


@cli.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The study folder.")
@click.option("--prepare", is_flag=True, help="Stop before any model runs: papers, slate, cuts.")
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
@actors_flag
@engine_flags
def run(study: Path, out: Path, prepare: bool, as_json: bool, place: Place) -> int:
    """Take a study from papers to report.

    Run it again to go on where it was stopped, or after a change of STUDY: only what depends on
    the change is done again.

    \b
    Examples:
      foreword run study.toml --out results
      foreword run study.toml --out results --prepare
    """
    if prepare and as_json:
        raise click.UsageError("--json prints the leaderboard, which --prepare stops before")
    if prepare:
        return _prepare(study, out, place)
    return _run(study, out, place, as_json=as_json)


def _run(study: Path, out: Path, place: Place, *, as_json: bool) -> int:
    from foreword.pipeline import run
    from foreword.report_steps import left_out
    from foreword.study_file import read_study

    with place.engines(out / "work" / "shards") as engines:
        outcome = run(read_study(study), study.resolve().parent, out, engines=engines, show=show)
    show_slate(outcome.slate)
    for words in left_out(out):
        say(f"left out: {words}")
    _print_analysis(outcome.analysis, outcome.report, as_json=as_json)
    return exit_code(outcome.failures)


def _prepare(study: Path, out: Path, place: Place) -> int:
    from foreword.pipeline import prepare
    from foreword.study_file import read_study

    with place.engines(out / "work" / "shards") as engines:
        ready = prepare(read_study(study), study.resolve().parent, out, engines=engines, show=show)
    show_slate(ready.slate)
    show_rejected(ready.cuts)
    say(f"{ready.cuts.path}: {ready.cuts.rows} cut{'s' * (ready.cuts.rows != 1)}", err=False)
    code = exit_code(ready.papers.failures)
    say(f"next: foreword run {study} --out {out}")
    return code


@cli.command()
@click.argument("papers", type=TABLE)
@click.option("--out", type=click.Path(path_type=Path), help="The file to write.")
@click.option("--slate", type=TABLE, help="A slate: its papers alone are cut.")
@click.option("--explain", is_flag=True, help="Show everything that is not cut, and why.")
@cut_flags
@seed_flag
@overwrite_flag
@engine_flags
def cut(
    papers: Path,
    out: Path | None,
    slate: Path | None,
    explain: bool,
    seed: int,
    overwrite: bool,
    place: Place,
    **rules: Any,
) -> int:
    """Cut displayed equations, or prose, in two: what is seen, and what is to be forecast.

    Lengths are in characters.

    \b
    Examples:
      foreword cut papers.parquet --out cuts.parquet
      foreword cut papers.parquet --kind prose --out cuts.parquet
      foreword cut papers.parquet --explain
    """
    from foreword.cuts import explain as explained
    from foreword.folder import taken_papers
    from foreword.stages import cut_papers, make_cuts
    from foreword.store import beside

    if not out and not explain:
        raise click.UsageError("give --out FILE, or --explain, or both")
    how = take_rules(rules)
    if explain:
        _, rejected = cut_papers(taken_papers(papers, slate), how, seed=seed)
        say("\n".join(explained(rejected)), err=False)
    if not out:
        return 0
    with beside(out.parent), place.engines(shards_of(out)) as engines:
        made = make_cuts(
            papers, out, rules=how, seed=seed, slate=slate, cut=engines.cut, overwrite=overwrite
        )
    show_rejected(made)
    return finish(
        made,
        "cut",
        f"foreword forecast {out} --predictor copy --out {out.parent / 'forecasts-copy.parquet'}",
    )


@cli.command()
@click.argument("cuts", type=TABLE)
@click.option("--predictor", required=True, help="copy, smollm2, hf:NAME, or openai/NAME and such.")
@click.option("--name", help="The name on the leaderboard.")
@click.option("--context-characters", type=click.IntRange(min=0), default=10_000, show_default=True)
@click.option("--temperature", type=FiniteRange(min=0), default=1.0, show_default=True)
@click.option("--samples", type=int, default=1, show_default=True, help="Forecasts a cut.")
@click.option("--top-p", type=FiniteRange(min=0, max=1, min_open=True))
@click.option("--max-tokens", type=click.IntRange(min=1))
@click.option("--reasoning-effort", help="As the model's provider names it.")
@click.option("--base-url", help="Of a server with the OpenAI chat API.")
@click.option("--input-price", type=FiniteRange(min=0), help="USD per million tokens.")
@click.option("--output-price", type=FiniteRange(min=0), help="USD per million tokens.")
@click.option("--max-connections", type=click.IntRange(min=1), default=8, show_default=True)
@click.option("--timeout-s", type=FiniteRange(min=0, min_open=True), default=600.0)
@seed_flag
@out_file
@overwrite_flag
def forecast(
    cuts: Path,
    predictor: str,
    name: str | None,
    seed: int,
    out: Path,
    overwrite: bool,
    **settings: Any,
) -> int:
    """Let a predictor forecast the hidden rest of every cut.

    \b
    Examples:
      foreword forecast cuts.parquet --predictor smollm2 --out forecasts-smollm2.parquet
      foreword forecast cuts.parquet --predictor openai/gpt-5 --reasoning-effort high \\
        --out forecasts-gpt-5-high.parquet
    """
    from foreword.stages import make_forecasts
    from foreword.store import beside
    from foreword.study import PredictorSection
    from foreword.study_file import checked

    section = checked(PredictorSection, {"model": predictor, "name": name or "", **settings})
    with beside(out.parent):
        made = make_forecasts(
            cuts,
            out,
            predictor=section.predictor,
            samples=section.samples,
            seed=seed,
            journal=journal_of(out),
            overwrite=overwrite,
            show=show,
        )
    beside_it = out.parent / "forecasts*.parquet"
    scores = f"foreword score {cuts} {beside_it} --out {out.parent / 'scores.parquet'}"
    return finish(made, "forecast", scores)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the analysis as JSON.")
@click.option(
    "--clip",
    "clips",
    type=FiniteRange(min=0, min_open=True),
    multiple=True,
    help="Clip at so many nats too, beside 2, 3 and 5; may be given several times.",
)
@click.option("--reference", help="The predictor whose worst cuts are the hard ones.")
@click.option("--scorer", help="Print the numbers of another one: NAME of scores-NAME.parquet.")
@click.option(
    "--audit",
    "audit_of",
    type=click.Path(path_type=Path),
    help="An audit's folder; default: FOLDER/audit.",
)
@cutoff_flag
@files_flag
@click.option(
    "--cost",
    "costs",
    metavar="LEVEL=NUMBER",
    multiple=True,
    callback=take_costs,
    help="Of one more paper, cut, sample or repeat, for advice on what to add.",
)
@seed_flag
def report(
    folder: Path,
    as_json: bool,
    clips: tuple[float, ...],
    reference: str | None,
    audit_of: Path | None,
    scorer: str | None,
    cutoffs: dict[str, str],
    files: Path | None,
    costs: dict["Level", float],
    seed: int,
) -> int:
    """Analyse the tables in a folder, print the leaderboard and write report.html.

    \b
    Examples:
      foreword report results
      foreword report results --clip 1 --clip 10 --reference copy
      foreword report results --cutoff gpt-5=2024-10 --cutoff scorer=2025-03-31
      foreword report results --files paper
      foreword report results --cost paper=20 --cost cut=0.1 --cost sample=0.02 --cost repeat=0
    """
    from foreword.figure_steps import make_files
    from foreword.figures import check_drawing
    from foreword.folder import unscored
    from foreword.report_steps import left_out, make_report
    from foreword.store import beside, disk_errors

    if files:
        check_drawing()
    with beside(folder), disk_errors(folder / "report.html"):
        path, analysis = make_report(
            folder,
            seed=seed,
            clips=clips,
            reference=reference,
            cutoffs=cutoffs,
            audit=audit_of,
            scorer=scorer,
            costs=costs,
        )
    for table in unscored(folder):
        say(
            f"left out: {table} holds forecasts that scores.parquet does not know; score them first"
        )
    for words in left_out(folder, audit_of):
        say(f"left out: {words}")
    _print_analysis(analysis, path, as_json=as_json)
    if files:
        with disk_errors(files):
            show_files(make_files(folder, analysis, files, scorer=scorer or ""), files)
    return 0


def _print_analysis(analysis: "Analysis", path: Path, *, as_json: bool) -> None:
    from foreword.analysis import analysis_json, leaderboard_text

    if as_json:
        click.echo(json.dumps(analysis_json(analysis), indent=2, allow_nan=False))
        say(f"report: {path}")
        return
    say(leaderboard_text(analysis), err=False)
    say(f"report: {path}", err=False)
