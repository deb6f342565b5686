"""What a table says it was made from, checked where it is read.

Any program may write a table, and any byte of one may be wrong. What stages ask of a provenance
has its type here, so that a reader meets a sentence, and no stage a surprise.
"""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foreword.errors import TableError
from foreword.store.files import JSON

if TYPE_CHECKING:
    from pydantic import BaseModel


def read_provenance(path: Path) -> dict[str, JSON] | None:
    """What a table says it was made from; None when there is no such table, or it does not say.

    Raises:
        TableError: it says so in a way that no stage would.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pydantic import ValidationError

    if not path.is_file():
        return None
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowInvalid, OSError):
        return None
    try:
        found: JSON = json.loads(metadata.get(b"foreword", b"null"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    try:
        _shape().model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))[:100]
        raise TableError(
            f"{path} says of itself what no stage would write ({where}: {first['msg'].lower()}): "
            "it is damaged, or of another program; make it again"
        ) from error
    return found


@cache
def _shape() -> "type[BaseModel]":
    """The fields that some stage reads; there may be others."""
    from pydantic import BaseModel, ConfigDict, Field

    class Part(BaseModel):
        model_config = ConfigDict(extra="allow", strict=True)

    class Probe(Part):
        repeated: float = Field(allow_inf_nan=False)
        shuffled: float = Field(allow_inf_nan=False)
        repeat_noise: float = Field(allow_inf_nan=False)
        order_noise: float = Field(allow_inf_nan=False)
        weakness: str | None

    class Inputs(Part):
        papers: str | None = None
        slate: str | None = None
        listing: str | None = None
        cuts: str | None = None
        forecasts: list[str] | None = None
        controls: list[str] = Field(default_factory=list)
        scorer_id: str | None = None
        scorers: list[str] = Field(default_factory=list)
        adapter: str | None = None
        rules: dict[str, Any] = Field(default_factory=dict)
        criteria: dict[str, Any] = Field(default_factory=dict)

    class Notes(Part):
        failed: list[dict[str, str]] = Field(default_factory=list)
        probe: Probe | None = None
        scorer: dict[str, str] = Field(default_factory=dict)
        rejected: dict[str, int] = Field(default_factory=dict)
        read: dict[str, str] = Field(default_factory=dict)
        withheld: list[str] = Field(default_factory=list)
        queries: list[dict[str, Any]] = Field(default_factory=list)
        choice: str | None = None
        named: str | None = None

    class Provenance(Part):
        stage: str = ""
        version: str = ""
        rows: int = 0
        inputs: Inputs = Inputs()
        notes: Notes = Notes()
        queries: list[dict[str, Any]] = Field(default_factory=list)

    return Provenance
