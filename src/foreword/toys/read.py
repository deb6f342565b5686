"""The list of toys: a TOML file, the package's own or the user's."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from foreword.errors import UsageError
from foreword.toml_file import Where, explain, read_toml, reports
from foreword.toys.item import ALL, Toy, num_alike

BUILT_IN = Path(__file__).with_name("toys.toml")
"""The package's own list; the file to start one's own from."""


class _Item(BaseModel):
    """One item of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str
    kind: str
    prefix: str
    target: tuple[str, str] = Field(strict=False)
    reordered: str
    wrong: str
    context: str

    @field_validator("target", mode="before")
    @classmethod
    def _two_pieces(cls, value: Any) -> Any:
        is_list = isinstance(value, list) and all(isinstance(piece, str) for piece in value)
        if not is_list or len(value) != 2 or not all(value):
            raise ValueError(
                "write it in two pieces, the second from the recovery point on, as in ['X+A+', 'B']"
            )
        return value

    @field_validator("name", "kind", "prefix", "reordered", "wrong", "context")
    @classmethod
    def _not_empty(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("it should have text in it")
        return value

    @field_validator("name", "kind")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("it should be one line of text that can be printed")
        return value

    @field_validator("kind")
    @classmethod
    def _no_line_of_its_own(cls, value: str) -> str:
        if value == ALL:
            raise ValueError(f"'{ALL}' is the line over all kinds: take another word")
        return value

    @model_validator(mode="after")
    def _parts_before_it_recovers(self) -> "_Item":
        target = "".join(self.target)
        if target != target.rstrip():
            raise ValueError("the target ends in white space, which is layout: leave it out")
        for name, text in (("reordered", self.reordered), ("wrong", self.wrong)):
            if text.strip() == target.strip():
                raise ValueError(f"{name} is the target itself, which is the exact forecast")
        if self.reordered.strip() == self.wrong.strip():
            raise ValueError("reordered and wrong are the same")
        shared = target[: num_alike(target, self.reordered.rstrip())]
        if len(shared) >= len(self.target[0]):
            raise ValueError(
                f"reordered and the target are the same up to {shared!r}, so the recovery point "
                f"comes later than {self.target[0]!r}: put more into the target's first piece"
            )
        return self

    @property
    def toy(self) -> Toy:
        given = self.model_dump()
        before, after = given.pop("target")
        return Toy(before=before, after=after, **given)


class _File(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    items: tuple[_Item, ...] = Field(strict=False)

    @field_validator("items")
    @classmethod
    def _some(cls, value: tuple[_Item, ...]) -> tuple[_Item, ...]:
        if not value:  # as min_length, but that also counts out the items with faults
            raise ValueError("there is none")
        return value


def read_toys(path: Path = BUILT_IN) -> list[Toy]:
    """The toys that a TOML file lists, in its order, checked in full.

    >>> sorted({toy.kind for toy in read_toys()})
    ['fraction', 'product', 'renaming', 'sum']

    Raises:
        UsageError: the file can't be read, or some items are wrong: all faults are named.
    """
    text, fields = read_toml(path, "list of toys")
    try:
        found = _File.model_validate(fields)
    except ValidationError as error:
        wrong = [_explain(item) for item in error.errors()]
    else:
        wrong = _twice([item.name for item in found.items])
        if not wrong:
            return [item.toy for item in found.items]
    raise UsageError("\n".join(reports(path, text, wrong)))


def _explain(error: Any) -> tuple[Where, str]:
    whole = error["loc"] == ("items",)
    message = "write each item as a table under [[items]], in two brackets" if whole else None
    return explain(error, lambda where: _Item if where else _File, message)


def _twice(names: list[str]) -> list[tuple[Where, str]]:
    return [
        (("items", index, "name"), f"items.{index}.name: '{name}' is there twice")
        for index, name in enumerate(names)
        if name in names[:index]
    ]
