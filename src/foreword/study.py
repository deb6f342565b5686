"""A study: which papers, which cuts, which predictors, which scorer, which controls.

Every field has a default.
"""

import re
from datetime import date, datetime
from importlib import resources
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from foreword.cuts import CutRules, Part, ProseRules, Rules
from foreword.dates import parse_days
from foreword.folder import listed_sources, the_listing
from foreword.forecasts import Predictor, PredictorSettings, label_of, load_predictor
from foreword.licences import LICENCES
from foreword.models import DTYPES
from foreword.records import MOST_SAMPLES, CutKind
from foreword.score_tables import is_plain_name
from foreword.scores import Boundary, Scorer, controls_of, load_scorer
from foreword.slate import Criteria


def plain_name(value: str) -> str:
    """A name that can stand in a file's name.

    Raises:
        ValueError: it can't.
    """
    if not is_plain_name(value):
        raise ValueError("a name is made of letters, digits, '.', '_' and '-', 100 at most")
    return value


def _day_or_month(value: Any) -> Any:
    """A date of TOML, or a day or month in quotes, as text; a time has an hour too much."""
    if isinstance(value, date) and not isinstance(value, datetime):
        value = value.isoformat()
    if not isinstance(value, str):
        raise PydanticCustomError("days", "it should be a day, 2025-06-01, or a month, '2025-06'")
    parse_days(value)
    return value


DayOrMonth = Annotated[str, BeforeValidator(_day_or_month)]
"""A day, or a whole month."""


class Section(BaseModel):
    """A table of the study file: known fields alone, of the right kinds."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Papers(Section):
    """Where the papers are."""

    paths: tuple[str, ...] = Field(default=(), strict=False)
    """Files, folders and e-prints, relative to the study file."""
    listing: str | None = None
    """A `listing.parquet` that `foreword papers fetch` wrote: all of its papers. With neither this
    nor `paths`: the sample papers."""
    main: dict[str, str] = {}
    """For a paper with several candidates: its id, and its main file."""
    keep_hidden: bool = False
    """Leave text that can't be seen (white, tiny, of no width) where it is."""
    dates: dict[str, DayOrMonth] = {}
    """When papers were first public: id, and a day or a month; for the report alone."""

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


class SlateSection(Section):
    """What is asked of a paper; the fields of `slate.Criteria`."""

    categories: tuple[str, ...] = Field(default=(), strict=False)
    primary_categories: tuple[str, ...] = Field(default=(), strict=False)
    first_day: date | None = Field(default=None, strict=False)
    last_day: date | None = Field(default=None, strict=False)
    licences: tuple[str, ...] = Field(default=(), strict=False)
    min_characters: int = Field(default=0, ge=0)
    max_characters: int | None = Field(default=None, ge=1)
    min_cuts: int = Field(default=0, ge=0)
    max_papers: int | None = Field(default=None, ge=1)

    @field_validator("licences")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if re.sub(r"-\d\.\d\Z", "", name) not in LICENCES:
                raise ValueError(f"arXiv has no licence {name}, it has {', '.join(LICENCES)}")
        return value

    @model_validator(mode="after")
    def _in_order(self) -> "SlateSection":
        if self.first_day and self.last_day and self.last_day < self.first_day:
            raise ValueError("last_day must not be before first_day")
        if self.max_characters is not None and self.max_characters < self.min_characters:
            raise ValueError("max_characters must not be below min_characters")
        return self

    @property
    def criteria(self) -> Criteria:
        """What the slate stage takes."""
        return Criteria(**self.model_dump())


class CutSection(Section):
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


class ProseSection(Section):
    """How to cut prose; the fields of `ProseRules`."""

    min_context: int = Field(default=10_000, ge=0)
    hidden: int = Field(default=2_400, ge=1)
    asked: int = Field(default=1_800, ge=1)
    budget: int = Field(default=1_000, ge=1)
    per_paper: int = Field(default=10, ge=1)
    also_in: tuple[Part, ...] = Field(default=(), strict=False)


class PredictorSection(Section):
    """One predictor; the same model may stand in several, under different names."""

    model: str
    """`copy`, `smollm2`, `hf:NAME`, or a chat model such as `openai/NAME`."""
    name: str = ""
    """The name on the leaderboard; by default made from the model's."""
    context_characters: int = Field(default=10_000, ge=0)
    temperature: float = Field(default=1.0, ge=0, strict=False, allow_inf_nan=False)
    samples: int = Field(default=1, ge=1, le=MOST_SAMPLES)
    """Forecasts of each cut; where there are several, a cut's lift is their mean."""
    top_p: float | None = Field(default=None, gt=0, le=1, strict=False)
    max_tokens: int | None = Field(default=None, ge=1)
    reasoning_effort: str | None = None
    base_url: str | None = None
    input_price: float | None = Field(default=None, ge=0, strict=False, allow_inf_nan=False)
    output_price: float | None = Field(default=None, ge=0, strict=False, allow_inf_nan=False)
    max_connections: int = Field(default=8, ge=1)
    timeout_s: float = Field(default=600, gt=0, strict=False, allow_inf_nan=False)
    knowledge_cutoff: DayOrMonth | None = None
    """Of what the model has read, as its maker states it; for the report alone."""

    @property
    def label(self) -> str:
        """The name on the leaderboard and in file names."""
        return label_of(self.model, self.name)

    @property
    def settings(self) -> PredictorSettings:
        """What the forecasts stage takes."""
        apart = {"model", "name", "samples", "knowledge_cutoff"}
        return PredictorSettings(**self.model_dump(exclude=apart))

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
        return plain_name(value) if value else value

    @field_validator("samples")
    @classmethod
    def _drawn(cls, value: int, info: ValidationInfo) -> int:
        if value > 1 and info.data.get("model") == "copy":
            raise ValueError("'copy' draws nothing, so all its samples would be equal: leave it 1")
        if value > 1 and info.data.get("temperature") == 0:
            raise ValueError(
                "at temperature 0 the likeliest token is taken each time, so that all samples "
                "would be equal: leave it 1, or raise the temperature"
            )
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


class ScorerSection(Section):
    """The frozen model that scores."""

    model: str = "smollm2"
    """`smollm2`, `hf:NAME`, or `openai:BASE_URL#MODEL`."""
    dtype: str = "auto"
    device: str = "auto"
    adapter: str | None = None
    """The folder of one that `foreword finetune` trained on this model."""
    boundary: Boundary = "exact"
    statistics: bool = False
    """Keep the rank, entropy and such of each token too."""
    unproven: bool = False
    """Use a scorer that the probe finds too weak to be trusted."""
    tokenizer: str | None = None
    """Of a scorer by URL, as `max_connections` and `timeout_s`."""
    max_connections: int = Field(default=8, ge=1)
    timeout_s: float = Field(default=300.0, gt=0, strict=False, allow_inf_nan=False)
    knowledge_cutoff: DayOrMonth | None = None
    """As a predictor's."""

    @property
    def scorer(self) -> Scorer:
        """The scorer itself; a local model is loaded when it is first asked.

        Raises:
            ForewordError: there is no such model or device.
        """
        apart = {"model", "statistics", "unproven", "name", "knowledge_cutoff"}
        how = self.model_dump(exclude=apart)
        return load_scorer(self.model, **how)

    @field_validator("model")
    @classmethod
    def _no_secret(cls, value: str) -> str:
        if re.match(r"openai:[^#]*[@?]", value):
            raise PydanticCustomError(
                "base_url",
                "its URL has a name or a key in it; leave it out: "
                "the key comes from FOREWORD_SCORER_KEY in the environment",
            )
        return value

    @field_validator("dtype")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in ("auto", *DTYPES):
            raise ValueError(f"it is auto, {', '.join(DTYPES)}")
        return value


class FurtherScorerSection(ScorerSection):
    """Another scorer, beside the one of the leaderboard."""

    name: str
    """In file names, on the report's pages and, of a trained control, on the ladder."""

    @field_validator("name")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        return plain_name(value)


Control = Annotated[str, Field(strict=True)]


class Study(Section):
    """A study file, checked."""

    title: str = ""
    kind: CutKind = "equation"
    """What is cut: by the rules of `cut`, or by those of `prose`."""
    seed: int = Field(default=0, ge=0)
    papers: Papers = Papers()
    slate: SlateSection = SlateSection()
    cut: CutSection = CutSection()
    prose: ProseSection = ProseSection()
    predictors: tuple[PredictorSection, ...] = Field(
        default=(PredictorSection(model="copy"), PredictorSection(model="smollm2")), strict=False
    )
    scorer: ScorerSection = ScorerSection()
    scorers: tuple[FurtherScorerSection, ...] = Field(default=(), strict=False)
    """More scorers: each judges the same forecasts, or, trained on contexts alone, is a control."""
    controls: tuple[Control, ...] = Field(
        default_factory=lambda fields: controls_of(fields.get("kind", "equation")), strict=False
    )

    @property
    def rules(self) -> Rules:
        """What the cuts stage takes."""
        if self.kind == "prose":
            return ProseRules(**self.prose.model_dump())
        return CutRules(**self.cut.model_dump())


def sample_papers() -> list[Path]:
    """The three papers that come with foreword, for the demo and for trying things out."""
    folder = Path(str(resources.files("foreword"))) / "samples"
    return sorted(path for path in folder.iterdir() if path.is_dir())


def paper_paths(study: Study, folder: Path) -> list[Path]:
    """The paths that a study names, relative to the folder of its file, each once.

    Raises:
        TableError: there is no such listing.
    """
    paths = [folder / path for path in study.papers.paths]
    if listing := listing_path(study, folder):
        paths += listed_sources(listing)
    elif not paths:
        paths = sample_papers()
    return list({path.resolve(): path for path in reversed(paths)}.values())[::-1]


def listing_path(study: Study, folder: Path) -> Path | None:
    """The listing that a study names, relative to the folder of its file."""
    return the_listing(folder / study.papers.listing) if study.papers.listing else None
