"""The command that attacks a study's score."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from foreword.flags import overwrite_flag, seed_flag
from foreword.terminal import exit_code, say, show

if TYPE_CHECKING:
    from foreword.scores import Scorer

_COUNT = click.IntRange(min=0)
_SOME = click.IntRange(min=1)


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="The folder to write; default: STUDY/audit."
)
@click.option("--scorer", help="The one to attack; by default the study's own.")
@click.option("--second", help="Another scorer, to see what transfers to it: gemma3-270m, hf:NAME.")
@click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1.")
@click.option("--unproven", is_flag=True, help="Attack a scorer that the probe finds too weak.")
@seed_flag
@click.option(
    "--search-requests",
    type=_COUNT,
    default=200,
    show_default=True,
    help="To the scorer, by the universal search; 0: none.",
)
@click.option(
    "--gradient-steps",
    type=_COUNT,
    default=4,
    show_default=True,
    help="Of each gradient search; 0: none.",
)
@click.option("--gradient-batch", type=_SOME, default=8, show_default=True, help="Tries a step.")
@click.option(
    "--gradient-cuts", type=_SOME, default=4, show_default=True, help="Attacked with sight of Y."
)
@click.option("--fit-cuts", type=_SOME, default=4, show_default=True, help="To fit attacks on.")
@click.option("--judge-cuts", type=_SOME, help="To judge attacks on; by default all of those.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@overwrite_flag
def audit(
    study: Path,
    out: Path | None,
    scorer: str | None,
    second: str | None,
    device: str,
    unproven: bool,
    as_json: bool,
    overwrite: bool,
    **rules: Any,
) -> int:
    """Attack a finished study's score: how much lift can be had without forecasting?

    Run it again to go on where it was stopped.

    \b
    Examples:
      foreword audit results
      foreword audit results --out other --second gemma3-270m --gradient-steps 0
    """
    from foreword.audit import AuditRow, AuditRules, audit_json, audit_text
    from foreword.audit_steps import make_audit
    from foreword.audited import audit_folder
    from foreword.score_steps import Scoring
    from foreword.scores import load_scorer
    from foreword.store import beside, disk_errors, find_cache, holding, read_table

    out = out or audit_folder(study)
    if out.resolve() == study.resolve():
        raise click.UsageError("--out is the study's own folder: give one for the audit")
    scorers = [_scorer_of(study, scorer, device)]
    _tell_other(study, scorers[0].scorer_id)
    if second:
        scorers.append(load_scorer(second, device=device))
    scorings = [
        Scoring(
            scorer=each,
            journal=out / "work" / f"{name}.jsonl",
            cache=find_cache(),
            unproven=unproven,
        )
        for name, each in zip(("scores", "second"), scorers, strict=False)
    ]
    with beside(study), disk_errors(out), holding(out, "foreword audit"):
        made = make_audit(
            study,
            out,
            scorings=scorings,
            rules=AuditRules(**rules),
            overwrite=overwrite,
            show=show,
        )
        rows = read_table(made.path, AuditRow)
    for words in made.notes["left_out"]:
        say(f"left out: {words}")
    if as_json:
        click.echo(json.dumps(audit_json(rows, made.notes), indent=2, allow_nan=False))
        say(f"table: {made.path}")
    else:
        say(audit_text(rows), err=False)
        say(f"table: {made.path}", err=False)
        named = "" if out == audit_folder(study) else f" --audit {out}"
        say(f"next: foreword report {study}{named}")
    return exit_code(made.failures)


def _tell_other(study: Path, scorer_id: str) -> None:
    """A word, where the attacked scorer is not the one that made the study's scores."""
    from foreword.folder import inputs_of

    own = inputs_of(study / "scores.parquet").get("scorer_id")
    if own not in (None, scorer_id):
        say(f"note: scores.parquet is by {own}, and {scorer_id} is attacked")


def _scorer_of(study: Path, name: str | None, device: str) -> "Scorer":
    """The scorer that is named; else that of the study's settings, or of its scores.

    Raises:
        UsageError: none is named, and the study does not tell.
    """
    from pydantic import ValidationError

    from foreword.errors import UsageError
    from foreword.folder import inputs_of
    from foreword.packaged import PACKAGED
    from foreword.scores import load_scorer
    from foreword.study import Study

    if name:
        return load_scorer(name, device=device)
    settings = study / "study.json"
    if settings.is_file():
        try:
            found = Study.model_validate_json(settings.read_bytes()).scorer
        except (ValidationError, OSError) as error:
            raise UsageError(
                f"{settings} can't be read as a study's settings: give the scorer with --scorer"
            ) from error
        return (found if device == "auto" else found.model_copy(update={"device": device})).scorer
    known = str(inputs_of(study / "scores.parquet").get("scorer_id", "")).partition("@")[0]
    if known not in PACKAGED:
        raise UsageError(f"{study} does not tell its scorer: give it with --scorer")
    return load_scorer(known, device=device)
