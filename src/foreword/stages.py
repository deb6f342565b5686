"""Each stage as a step that reads tables and writes one, for `run` and for the command line alike.

A table whose provenance says that it was made from the same inputs with the same settings is not
made again.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from foreword import folder
from foreword.catalogue import Candidate, Listing
from foreword.cuts import Rejection, Rules, count_reasons, cut_paper
from foreword.errors import ForewordError
from foreword.forecasts import Predictor, forecast_all
from foreword.papers import read_papers
from foreword.records import Cut, Failure, Forecast, Paper, item_name
from foreword.slate import (
    Choice,
    Criteria,
    choice_id,
    choose_slate,
    count_left_out,
    read_choices,
    record_choice,
)
from foreword.step import Made, Show, make_table, quiet
from foreword.store import JSON, Journal, fingerprint, read_table

ReadAll = Callable[..., tuple[list[Paper], list[Failure]]]
"""As `read_papers`."""
CutAll = Callable[..., tuple[list[Cut], list[Rejection]]]
"""As `cut_papers`."""
_FEW = 8
"""Includes that were not found and are named in a line; the table has all."""


def make_papers(
    paths: Sequence[Path],
    out: Path,
    *,
    mains: Mapping[str, str] = {},
    keep_hidden: bool = False,
    relative_to: Path | None = None,
    read: ReadAll = read_papers,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Read papers into a table of `Paper` records.

    They are read every time: reading is quick, and only it knows which files a paper is made of.
    What could not be read is named relative to a folder, so that a study that is moved, or made
    again elsewhere, has the same table.

    Raises:
        ForewordError: a path is not there, or none of the papers can be read.
        TableError: `out` was made from other papers, and is not to be replaced.
    """
    for path in paths:
        if not path.exists():
            raise ForewordError(f"there is no file or folder {path}; check the path")
    papers, failures = read(
        paths, mains=mains, keep_hidden=keep_hidden, progress=show("reading papers")
    )
    if not papers:
        raise ForewordError(
            "none of the papers could be read:\n"
            + "\n".join(f"  {failure.item}: {failure.reason}" for failure in failures)
        )
    failed = [asdict(_relative(failure, relative_to)) for failure in failures]
    inputs = {
        "sources": [[paper.id, paper.main, paper.source_sha256] for paper in papers],
        "failed": failed,
        "keep_hidden": keep_hidden,
    }

    def make() -> tuple[list[Paper], dict[str, JSON]]:
        return papers, {"failed": failed, "read": {paper.id: _as_read(paper) for paper in papers}}

    return make_table(out, Paper, "papers", inputs, make, made_from=paths, overwrite=overwrite)


def _relative(failure: Failure, folder: Path | None) -> Failure:
    if folder is None:
        return failure
    item, reason = (
        text.replace(f"{folder}{os.sep}", "") for text in (failure.item, failure.reason)
    )
    return replace(failure, item=item, reason=reason)


def _as_read(paper: Paper) -> str:
    """What was taken for the paper, in words: its main file, and what it lacks."""
    count = len(paper.files)
    files = f" and {count - 1} more file{'s' * (count > 2)}" if count > 1 else ""
    more = ", …" if len(paper.unresolved) > _FEW else ""
    lacks = f"; not found: {', '.join(paper.unresolved[:_FEW])}{more}" if paper.unresolved else ""
    if paper.num_hidden:
        lacks += f"; left out {paper.num_hidden} stretches that a reader can't see"
    return f"{paper.main}{files}, {len(paper.displays)} displays{lacks}"


def make_slate(
    papers: Path,
    out: Path,
    *,
    criteria: Criteria,
    rules: Rules,
    seed: int,
    listing: Path | None = None,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Choose the papers of a study by criteria, into a table of `Candidate` records.

    Each choice that the folder has not had before is put on record beside the table
    (`slate.history`), with whether a model had run by then.

    Raises:
        ForewordError: no paper meets the criteria.
        TableError: a table is missing or damaged, or `out` is another one, not to be replaced.
    """
    inputs = {
        "papers": folder.table_hash(papers),
        "listing": folder.table_hash(listing) if listing else None,
        "criteria": criteria.settings,
        "rules": rules.settings,
        "seed": seed,
    }
    has_run = folder.models_have_run(out.parent)
    read_choices(out.parent)  # a damaged record is told before anything is replaced

    def make() -> tuple[list[Candidate], dict[str, JSON]]:
        candidates = choose_slate(
            folder.read_paper_table(papers),
            criteria,
            rules=rules,
            seed=seed,
            listings=read_table(listing, Listing) if listing else (),
            failures=folder.unread_papers(papers),
            progress=show("choosing papers"),
        )
        _check_one_taken(candidates)
        return candidates, {
            "failed": [],
            "left_out": count_left_out(candidates),
            "queries": folder.queries(listing) if listing else [],
            "choice": choice_id(candidates, criteria.settings, rules.settings, seed),
        }

    of = [papers, listing] if listing else [papers]
    made = make_table(out, Candidate, "slate", inputs, make, made_from=of, overwrite=overwrite)
    choice = Choice(
        id=made.notes["choice"],
        models_had_run=has_run,
        criteria=criteria.settings,
        rules=rules.settings,
        seed=seed,
        num_taken=made.rows - sum(made.notes["left_out"].values()),
    )
    record_choice(out.parent, choice)
    return made


def _check_one_taken(candidates: Sequence[Candidate]) -> None:
    if any(one.place is not None for one in candidates):
        return
    why = ", ".join(f"{count} {reason}" for reason, count in count_left_out(candidates).items())
    first = candidates[0]
    raise ForewordError(
        f"no paper meets the criteria of [slate] ({why}; the first, {first.paper_id}: "
        f"{first.reason}, {first.detail}): ask for less, or take other papers"
    )


def cut_papers(
    papers: Sequence[Paper], rules: Rules, *, seed: int
) -> tuple[list[Cut], list[Rejection]]:
    """The cuts of papers, and the equations, or sentences, not cut, each with its reason.

    Of those that say the same, in one paper or in several, the first that qualifies is kept.
    """
    known: dict[str, str] = {}
    cuts: list[Cut] = []
    rejected: list[Rejection] = []
    for paper in papers:
        result = cut_paper(paper, rules, seed=seed, known=known)
        known |= dict.fromkeys(result.qualified, paper.id)
        cuts += result.cuts
        rejected += result.rejected
    return cuts, rejected


def make_cuts(
    papers: Path,
    out: Path,
    *,
    rules: Rules,
    seed: int,
    slate: Path | None = None,
    cut: CutAll = cut_papers,
    overwrite: bool = False,
) -> Made:
    """Cut the equations, or the prose, of a table of papers into a table of `Cut` records.

    With a slate, those of its papers alone, in its order.

    Raises:
        TableError: a table is missing or damaged, the slate is of other papers, or `out` is another
            table, not to be replaced.
    """
    inputs = {"papers": folder.table_hash(papers), "rules": rules.settings, "seed": seed}
    if slate:
        inputs["slate"] = folder.table_hash(slate)

    def make() -> tuple[list[Cut], dict[str, JSON]]:
        taken = folder.taken_papers(papers, slate)
        cuts, rejected = cut(taken, rules, seed=seed)
        return cuts, {"failed": [], "rejected": dict(count_reasons(rejected))}

    of = [papers, slate] if slate else [papers]
    return make_table(out, Cut, "cuts", inputs, make, made_from=of, overwrite=overwrite)


def make_forecasts(
    cuts: Path,
    out: Path,
    *,
    predictor: Predictor,
    seed: int,
    journal: Path,
    samples: int = 1,
    named: str = "",
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Ask one predictor for forecasts of every cut, into a table of `Forecast` records.

    As the study names the predictor's model, `named`, goes on record as a hash.
    """
    inputs = {
        "cuts": folder.table_hash(cuts),
        "predictor": [predictor.name, dict(predictor.identity)],
        "seed": seed,
        **({"samples": samples} if samples > 1 else {}),
    }

    def make() -> tuple[list[Forecast], dict[str, JSON]]:
        with Journal(journal) as kept:
            forecasts = forecast_all(
                read_table(cuts, Cut),
                predictor,
                seed=seed,
                journal=kept,
                samples=samples,
                progress=show(f"forecasts by {predictor.name}"),
            )
        failed = [
            Failure(
                stage="forecasts",
                item=item_name(forecast.cut_id, forecast.predictor, forecast.sample),
                reason=forecast.failure or "the predictor failed",
            )
            for forecast in forecasts
            if forecast.missing == "failed"
        ]
        told: dict[str, JSON] = {"named": fingerprint(named)} if named else {}
        return forecasts, {"failed": [asdict(failure) for failure in failed], **told}

    return make_table(
        out, Forecast, "forecasts", inputs, make, made_from=[cuts], overwrite=overwrite
    )


def no_cut(cuts: Made) -> str:
    """The sentence for a study without a single cut."""
    counts = cuts.notes["rejected"]
    if not counts:
        return (
            "no displayed equation, and no end of a sentence, was found in these papers: is the "
            "LaTeX complete, and are these the right main files? (`foreword papers read` lists "
            "what could not be read)"
        )
    why = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    papers = cuts.path.with_name("papers.parquet")
    return (
        f"no equation or sentence of these papers qualifies ({why}): `foreword cut {papers} "
        "--explain` shows each; take other papers, or change [cut]: min_context for 'early', "
        "min_hidden and max_hidden for lengths; in a study of prose [prose]: min_context, hidden, "
        "also_in"
    )
