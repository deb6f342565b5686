"""A study: one TOML file that names the papers, the cuts, the predictors, the scorer, the controls.

Every field has a default. All that is wrong with a file is reported at once, before any work, each
with its line, what is allowed, and the nearest right name.
"""

import difflib
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from foreword.cuts import CutRules
from foreword.errors import ForewordError, UsageError
from foreword.forecasts import Predictor, PredictorSettings, load_predictor
from foreword.models import DTYPES, find_model
from foreword.papers import paper_id
from foreword.scores import CONTROLS, Boundary, check_condition

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Papers(_Section):
    """Where the papers are."""

    paths: tuple[str, ...] = Field(default=(), strict=False)
    """Files, folders and e-prints, relative to the study file; none: the sample papers."""
    main: dict[str, str] = {}
    """For a paper with several candidates: its id, and its main file."""
    keep_hidden: bool = False
    """Leave text that can't be seen (white, tiny, of no width) where it is."""

    @field_validator("paths", mode="before")
    @classmethod
    def _no_numbers(cls, value: Any) -> Any:
        for item in value if isinstance(value, list) else []:
            if isinstance(item, (int, float)):
                raise ValueError(  # noqa: TRY004 (pydantic turns ValueErrors into reports)
                    f"an arXiv id must be in quotes: without them it is the number {item}, "
                    "and its last zero is gone"
                )
        return value


class CutSection(_Section):
    """How to cut; the fields of `CutRules`."""

    min_context: int = Field(default=10_000, ge=0)
    min_hidden: int = Field(default=50, ge=1)
    max_hidden: int = Field(default=400, ge=1)
    per_paper: int = Field(default=10, ge=1)
    expand_macros: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> "CutSection":
        if self.max_hidden < self.min_hidden:
            raise ValueError("max_hidden must not be below min_hidden")
        return self


class PredictorSection(_Section):
    """One predictor; the same model may stand in several, under different names."""

    model: str
    """`copy`, `smollm2`, `hf:NAME`, or a chat model such as `openai/NAME`."""
    name: str = ""
    """The name on the leaderboard; by default made from the model's."""
    context_characters: int = Field(default=10_000, ge=0)
    temperature: float = Field(default=1.0, ge=0, strict=False, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0, le=1, strict=False)
    max_tokens: int | None = Field(default=None, ge=1)
    reasoning_effort: str | None = None
    base_url: str | None = None
    input_price: float | None = Field(default=None, ge=0, strict=False, allow_inf_nan=False)
    output_price: float | None = Field(default=None, ge=0, strict=False, allow_inf_nan=False)
    max_connections: int = Field(default=8, ge=1)
    timeout_s: float = Field(default=600, gt=0, strict=False, allow_inf_nan=False)

    @property
    def label(self) -> str:
        """The name on the leaderboard and in file names."""
        return self.name or re.sub(r"[^A-Za-z0-9._-]+", "-", self.model).strip("-.")[-100:]

    @property
    def settings(self) -> PredictorSettings:
        """What the forecasts stage takes."""
        return PredictorSettings(**self.model_dump(exclude={"model", "name"}))

    @property
    def predictor(self) -> Predictor:
        """The predictor itself; a local model is loaded when it is first asked.

        Raises:
            ForewordError: there is no such model, or its key is not in the environment.
        """
        return load_predictor(self.model, self.settings, name=self.label)

    @field_validator("name")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if value and not _NAME.fullmatch(value):
            raise ValueError("a name is made of letters, digits, '.', '_' and '-', 100 at most")
        return value

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://-")
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise PydanticCustomError(
                "base_url",
                "it is http:// or https:// and a server, without a name or a key in it: "
                "keys come from the environment",
            )
        return value


class ScorerSection(_Section):
    """The frozen model that scores."""

    model: str = "smollm2"
    dtype: str = "float32"
    boundary: Boundary = "exact"

    @field_validator("dtype")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in DTYPES:
            raise ValueError(f"it is {', '.join(DTYPES)}")
        return value


Control = Annotated[str, Field(strict=True)]


class Study(_Section):
    """A study file, checked."""

    title: str = ""
    seed: int = 0
    papers: Papers = Papers()
    cut: CutSection = CutSection()
    predictors: tuple[PredictorSection, ...] = Field(
        default=(PredictorSection(model="copy"), PredictorSection(model="smollm2")), strict=False
    )
    scorer: ScorerSection = ScorerSection()
    controls: tuple[Control, ...] = Field(default=CONTROLS, strict=False)

    @property
    def rules(self) -> CutRules:
        """What the cuts stage takes."""
        return CutRules(**self.cut.model_dump())


def sample_papers() -> list[Path]:
    """The three papers that come with foreword, for the demo and for trying things out."""
    folder = Path(str(resources.files("foreword"))) / "samples"
    return sorted(path for path in folder.iterdir() if path.is_dir())


def paper_paths(study: Study, folder: Path) -> list[Path]:
    """The paths that a study names, relative to the folder of its file."""
    return [folder / path for path in study.papers.paths] or sample_papers()


def read_study(path: Path) -> Study:
    """The study that a TOML file describes, checked in full.

    Raises:
        UsageError: the file can't be read, or some fields are wrong: all of them are named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        fields = tomllib.loads(text)
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deeply to be a study") from error
    except FileNotFoundError as error:
        raise UsageError(f"there is no study file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read as UTF-8 text: {error}") from error
    except tomllib.TOMLDecodeError as error:
        hint = ". LaTeX goes into single quotes: '\\nabla'" if "Unescaped" in str(error) else ""
        raise UsageError(f"{path} is not TOML: {error}{hint}") from error
    try:
        study = Study.model_validate(fields)
    except ValidationError as error:
        wrong = [_explain(item) for item in error.errors()]
    else:
        wrong = _check_names(study, path.parent)
        if not wrong:
            return study
    lines = _lines(text)
    reports = [f"{path}:{_line(lines, where)}: {what}" for where, what in wrong]
    raise UsageError("\n".join(sorted(reports, key=_by_line)))


Section = TypeVar("Section", bound=_Section)


def checked(kind: type[Section], fields: dict[str, Any]) -> Section:
    """A section made of a command's flags.

    Raises:
        UsageError: some are wrong: all of them are named.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise UsageError("\n".join(_explain(item, kind)[1] for item in error.errors())) from error


Where = tuple[str | int, ...]


_KINDS = {
    "tuple_type": "it should be a list, as in ['a', 'b']",
    "dict_type": "it should be a table, as in { a = 'b' }",
    "model_type": "it should be a table of its own, under a heading in brackets",
    "string_type": "it should be text in quotes",
}


def _explain(error: Any, root: type[BaseModel] = Study) -> tuple[Where, str]:
    """Where a field is wrong, and a sentence."""
    where: Where = tuple(error["loc"])
    name = ".".join(str(part) for part in where)
    if error["type"] == "extra_forbidden":
        known = list(_model_at(where[:-1], root).model_fields)
        near = difflib.get_close_matches(str(where[-1]), known, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        return where, f"there is no field {name}; {hint}It can be {', '.join(known)}"
    message = _KINDS.get(error["type"], error["msg"].removeprefix("Value error, "))
    if where == ("predictors",):
        message = "write each predictor as a table under [[predictors]], in two brackets"
    if where[:2] == ("papers", "main") and isinstance(error["input"], dict):
        message = "a key with a dot in it goes into quotes, as in '2604.19885v2' = 'main.tex'"
    quiet = error["type"] in ("missing", "base_url")
    given = "" if quiet else f", not {error['input']!r:.80}"
    return where, f"{name}: {message[:1].lower()}{message[1:]}{given}"


def _model_at(where: Where, root: type[BaseModel]) -> type[BaseModel]:
    sections: dict[str, type[BaseModel]] = {
        "papers": Papers,
        "cut": CutSection,
        "scorer": ScorerSection,
    }
    if where and where[0] == "predictors":
        return PredictorSection
    return sections.get(str(where[0]), root) if where else root


def _check_names(study: Study, folder: Path) -> list[tuple[Where, str]]:
    """What a schema can't see: paths, models, controls and keys that are not there."""
    wrong: list[tuple[Where, str]] = [
        (("papers", "paths"), f"papers.paths: there is no {path}")
        for path in paper_paths(study, folder)
        if not path.exists()
    ]
    ids = {paper_id(path) for path in paper_paths(study, folder)}
    wrong += [
        (("papers", "main", name), f"papers.main: no paper has the id {name}: {', '.join(ids)}")
        for name in study.papers.main
        if name not in ids
    ]
    for index, control in enumerate(study.controls):
        wrong += _refusal(("controls", index), check_condition, control)
        if control in study.controls[:index]:
            wrong.append((("controls", index), f"controls.{index}: '{control}' is there twice"))
    wrong += _too_little_context(study)
    if "same-budget" not in study.controls or "empty" not in study.controls:
        wrong.append(
            (("controls",), "controls: lift is measured over 'same-budget' and 'empty': list both")
        )
    for index, predictor in enumerate(study.predictors):
        wrong += _refusal(("predictors", index, "model"), lambda p=predictor: p.predictor)
    labels = [predictor.label for predictor in study.predictors]
    for index, label in enumerate(labels):
        if label in labels[:index]:
            wrong.append(
                (("predictors", index), f"two predictors are named '{label}'; give one a name")
            )
    wrong += _refusal(("scorer", "model"), find_model, study.scorer.model)
    return wrong


def _too_little_context(study: Study) -> list[tuple[Where, str]]:
    """A control that would fail for want of context on the longest targets allowed."""
    budget = study.cut.max_hidden + 40
    needs = {"same-budget": budget, "triple-budget": 3 * budget}
    return [
        (
            ("cut", "min_context"),
            f"cut.min_context: {control} needs {needs[control]} characters of context "
            f"(for max_hidden {study.cut.max_hidden}), not {study.cut.min_context}: "
            "raise min_context, lower max_hidden, or list the controls without it",
        )
        for control in study.controls
        if study.cut.min_context < needs.get(control, 0)
    ]


def _refusal(where: Where, check: Any, *arguments: Any) -> list[tuple[Where, str]]:
    try:
        check(*arguments)
    except ForewordError as error:
        return [(where, f"{'.'.join(map(str, where))}: {error}")]
    return []


def _lines(text: str) -> dict[Where, int]:
    """The line of every table and key of a TOML file, by its path.

    Keys inside of inline tables and multi-line strings are not found; `_line` falls back to the
    line of what holds them.
    """
    lines: dict[Where, int] = {}
    table: Where = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*\[\[\s*([\w.-]+)\s*\]\]", line):
            counts[match[1]] = counts.get(match[1], -1) + 1
            table = (*match[1].split("."), counts[match[1]])
            lines[table] = number
        elif match := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = tuple(match[1].split("."))
            lines[table] = number
        elif match := re.match(r"\s*([\w.-]+|\"[^\"]*\"|'[^']*')\s*=", line):
            lines.setdefault((*table, *match[1].strip("\"'").split(".")), number)
    return lines


def _line(lines: dict[Where, int], where: Where) -> int:
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return lines[where[:length]]
    return min((line for key, line in lines.items() if key[:1] == where[:1]), default=1)


def _by_line(report: str) -> tuple[int, str]:
    match = re.search(r":(\d+): ", report)
    return (int(match[1]) if match else 0, report)
