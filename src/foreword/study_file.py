"""The study file: TOML, and all that is wrong with it at once.

Before any work, each fault is named with its line, what is allowed, and the nearest right name.
"""

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from foreword.errors import ForewordError, TableError, UsageError
from foreword.models import find_model
from foreword.papers import find_eprints
from foreword.scores import SCORER_CONTEXT, check_condition
from foreword.slate import LISTED
from foreword.study import (
    CutSection,
    FurtherScorerSection,
    Papers,
    PredictorSection,
    ProseSection,
    ScorerSection,
    Section,
    SlateSection,
    Study,
    paper_paths,
)
from foreword.toml_file import Where, explain, read_toml, reports


def read_study(path: Path) -> Study:
    """The study that a TOML file describes, checked in full.

    Raises:
        UsageError: the file can't be read, or some fields are wrong: all of them are named.
    """
    text, fields = read_toml(path, "study file")
    try:
        study = Study.model_validate(_from_here(fields, path.parent))
    except ValidationError as error:
        wrong = [_explain(item) for item in error.errors() if item["type"] != _FOLLOWS]
    else:
        wrong = _check_names(study, path.parent)
        if not wrong:
            return study
    raise UsageError("\n".join(reports(path, text, wrong)))


def _from_here(fields: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The fields with the folders of adapters as they are from here: the file has its own view."""

    def moved(section: Any) -> Any:
        adapter = section.get("adapter") if isinstance(section, dict) else None
        if not isinstance(adapter, str):
            return section
        return {**section, "adapter": str((folder / Path(adapter).expanduser()).absolute())}

    scorers = fields.get("scorers")
    more = {"scorers": list(map(moved, scorers))} if isinstance(scorers, list) else {}
    one = {"scorer": moved(fields["scorer"])} if "scorer" in fields else {}
    return {**fields, **one, **more}


Kind = TypeVar("Kind", bound=Section)


def checked(kind: type[Kind], fields: dict[str, Any]) -> Kind:
    """A section made of a command's flags.

    Raises:
        UsageError: some are wrong: all of them are named.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise UsageError("\n".join(_explain(item, kind)[1] for item in error.errors())) from error


_FOLLOWS = "default_factory_not_called"
"""What pydantic says of a default that depends on other fields, where any other field is wrong."""


def _explain(error: Any, root: type[BaseModel] = Study) -> tuple[Where, str]:
    """Where a field is wrong, and a sentence."""
    where = error["loc"]
    message = None
    if where in (("predictors",), ("scorers",)):
        one = str(where[0])[:-1]
        message = f"write each {one} as a table under [[{where[0]}]], in two brackets"
    if where[:2] in (("papers", "main"), ("papers", "dates")) and isinstance(error["input"], dict):
        message = "a key with a dot in it goes into quotes, as in '2604.19885v2' = 'main.tex'"
    return explain(error, lambda where: _model_at(where, root), message)


def _model_at(where: Where, root: type[BaseModel]) -> type[BaseModel]:
    sections: dict[str, type[BaseModel]] = {
        "papers": Papers,
        "slate": SlateSection,
        "cut": CutSection,
        "prose": ProseSection,
        "scorer": ScorerSection,
        "scorers": FurtherScorerSection,
    }
    if where and where[0] == "predictors":
        return PredictorSection
    return sections.get(str(where[0]), root) if where else root


def _check_names(study: Study, folder: Path) -> list[tuple[Where, str]]:
    """What a schema can't see: paths, models, controls and keys that are not there."""
    wrong = _check_papers(study, folder)
    for index, control in enumerate(study.controls):
        wrong += _refusal(("controls", index), check_condition, control, study.kind)
        if control in study.controls[:index]:
            wrong.append((("controls", index), f"controls.{index}: '{control}' is there twice"))
    wrong += _other_rules(study) + _too_little_context(study)
    if "same-budget" not in study.controls or "empty" not in study.controls:
        wrong.append(
            (("controls",), "controls: lift is measured over 'same-budget' and 'empty': list both")
        )
    for index, predictor in enumerate(study.predictors):
        wrong += _refusal(("predictors", index, "model"), lambda p=predictor: p.predictor)
        if predictor.model == "copy" and predictor.knowledge_cutoff:
            where = ("predictors", index, "knowledge_cutoff")
            wrong.append((where, f"{'.'.join(map(str, where))}: 'copy' has no model; leave it out"))
    labels = [predictor.label for predictor in study.predictors]
    for index, label in enumerate(labels):
        if label in labels[:index]:
            wrong.append(
                (("predictors", index), f"two predictors are named '{label}'; give one a name")
            )
    return wrong + _check_scorers(study)


def _check_scorers(study: Study) -> list[tuple[Where, str]]:
    wrong = _check_scorer(("scorer", "model"), study.scorer)
    names = [one.name for one in study.scorers]
    for index, one in enumerate(study.scorers):
        wrong += _check_scorer(("scorers", index, "model"), one)
        if one.name in names[:index]:
            words = f"two scorers are named '{one.name}'; give each its own name"
            wrong.append((("scorers", index, "name"), words))
        if one.model_copy(update={"name": ""}).model_dump(exclude={"name"}) == (
            study.scorer.model_dump()
        ):
            words = f"'{one.name}' is the study's [scorer] again; leave it out"
            wrong.append((("scorers", index, "name"), words))
    return wrong


def _check_scorer(where: Where, section: ScorerSection) -> list[tuple[Where, str]]:
    is_whole = section.model.startswith("openai:") or section.adapter is not None
    find = (lambda _: section.scorer) if is_whole else find_model
    return _refusal(where, find, section.model)


def _check_papers(study: Study, folder: Path) -> list[tuple[Where, str]]:
    needs = sorted(set(study.slate.criteria.settings) & LISTED)
    if needs and not study.papers.listing:
        words = f"{', '.join(needs)} can be told from a listing alone: set papers.listing"
        return [(("slate", needs[0]), f"slate: {words}")]
    try:
        paths = paper_paths(study, folder)
    except TableError as error:
        return [(("papers", "listing"), f"papers.listing: {error}")]
    wrong: list[tuple[Where, str]] = [
        (("papers", "paths"), f"papers.paths: there is no {path}")
        for path in paths
        if not path.exists()
    ]
    named = {"main": study.papers.main, "dates": study.papers.dates}
    ids = {one.id for one in find_eprints(paths)} if any(named.values()) else set()
    wrong += [
        (("papers", field, name), f"papers.{field}: no paper has the id {name}: {_few(ids)}")
        for field, names in named.items()
        for name in names
        if name not in ids
    ]
    return wrong


def _few(names: set[str]) -> str:
    most = 10
    return ", ".join(sorted(names)[:most]) + (", …" if len(names) > most else "")


def _other_rules(study: Study) -> list[tuple[Where, str]]:
    """Rules for what this study does not cut, which would change nothing."""
    own, other = ("prose", "cut") if study.kind == "prose" else ("cut", "prose")
    if other not in study.model_fields_set:
        return []
    return [
        ((other,), f"{other}: a study of kind '{study.kind}' is cut by the rules of [{own}] alone")
    ]


def _too_little_context(study: Study) -> list[tuple[Where, str]]:
    """A control that would fail for want of context on the longest targets allowed."""
    table, shortest, needs = _needs(study)
    return [
        (
            (table, "min_context"),
            f"{table}.min_context: {control} needs {needs[control]} characters of context "
            f"(for {shortest}), not {study.rules.min_context}: "
            f"raise min_context, lower {shortest.split()[0]}, or list the controls without it",
        )
        for control in study.controls
        if study.rules.min_context < needs.get(control, 0)
    ]


def _needs(study: Study) -> tuple[str, str, dict[str, int]]:
    """The table of the rules, what in it asks for context, and how much each control needs."""
    if study.kind == "prose":
        recent = SCORER_CONTEXT + study.prose.budget
        of_prose = {"same-budget": recent, "context-in-scaffold": recent}
        return "prose", f"budget {study.prose.budget}", of_prose
    budget = study.cut.max_hidden + 40
    of_equations = {"same-budget": budget, "context-in-scaffold": budget}
    return "cut", f"max_hidden {study.cut.max_hidden}", of_equations | {"triple-budget": 3 * budget}


def _refusal(where: Where, check: Any, *arguments: Any) -> list[tuple[Where, str]]:
    try:
        check(*arguments)
    except ForewordError as error:
        return [(where, f"{'.'.join(map(str, where))}: {error}")]
    return []
