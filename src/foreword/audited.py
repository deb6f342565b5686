"""An audit of a study as the report shows it: where it lies, whether it is of this study."""

from collections.abc import Mapping
from pathlib import Path

from foreword import folder
from foreword.audit import AuditRow, conclusion, findings, shares
from foreword.errors import TableError, UsageError
from foreword.findings import Attacks
from foreword.store import JSON, hash_file, read_table

TABLE = "audit.parquet"
_FOLDER = "audit"


def audit_folder(study: Path) -> Path:
    """Where the audit of a study lies, unless another place is named."""
    return study / _FOLDER


def find_audit(study: Path, given: Path | None = None) -> tuple[Path | None, str]:
    """The table of a study's audit; or None, and why one that lies in the usual place is left out.

    Args:
        study: the study's folder.
        given: the audit's folder, as a reader names it; by default the one in the study's.

    Raises:
        UsageError: there is no audit in the folder that was named, or it is of another study.
    """
    path = (given or audit_folder(study)) / TABLE
    if not path.is_file():
        if given:
            raise UsageError(
                f"there is no audit in {given}: `foreword audit {study} --out {given}`"
            )
        return None, ""
    reason = _foreign(path, study)
    if reason and given:
        raise UsageError(f"{path} {reason}")
    return (None, f"{path} {reason}") if reason else (path, "")


def _foreign(path: Path, study: Path) -> str:
    inputs = folder.inputs_of(path)
    again = "audit this study again, with --overwrite"
    if inputs.get("cuts") != folder.table_hash(study / "cuts.parquet"):
        return f"is an audit of other cuts: {again}"
    scored = {hash_file(one) for one in folder.scored_forecasts(study)}
    if set(inputs.get("forecasts", ())) != scored:
        return f"is an audit of other forecasts: {again}"
    return ""


def read_attacks(path: Path) -> Attacks:
    """What an audit's table says, computed from its rows.

    Raises:
        TableError: it is damaged.
        ForewordError: a paper is in both halves.
    """
    rows = read_table(path, AuditRow)
    notes, said = folder.notes(path), shares(rows)
    try:
        return Attacks(
            lifts=tuple(findings(rows)),
            conclusions={
                each: conclusion([one for one in said if one.scorer_id == each])
                for each in dict.fromkeys(one.scorer_id for one in said)
            },
            texts=_texts(notes),
            effort={
                name.replace("_", " "): "all" if value is None else str(value)
                for name, value in folder.inputs_of(path)["rules"].items()
            },
            fitted_on=tuple(notes["split"]["fit"]),
            judged_on=tuple(notes["split"]["judge"]),
            left_out=tuple(notes["left_out"]),
            sha256=hash_file(path),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise TableError(
            f"{path} does not say how it was made: audit again, with --overwrite"
        ) from error


def _texts(notes: Mapping[str, JSON]) -> tuple[tuple[str, str], ...]:
    found = [(name, one["text"]) for name, one in notes["searches"].items()]
    if notes["priming"]:
        name, place, text = notes["priming"]
        found.append((f"priming, {place} the forecast ({name})", text))
    return tuple((str(name), str(text)) for name, text in found)
