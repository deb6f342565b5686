"""Whether the nodes of a cluster have what the work needs: the same files, the same software."""

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foreword.adapters import find_adapter
from foreword.cluster.pool import Node
from foreword.errors import ForewordError
from foreword.models import ModelFiles, find_model
from foreword.scores import Scorer
from foreword.scores.local import LocalScorer
from foreword.store import write_text
from foreword.store.journal import first_line

_ANSWER_S = 600.0
"""A node that has to hash a large model takes minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a node must have."""

    cwd: str
    """The folder that relative paths start from."""
    paths: tuple[str, ...] = ()
    """What must be there."""
    token: tuple[str, str] | None = None
    """A file, and what this process wrote in it."""
    scorer: Scorer | None = None
    scorer_id: str = ""
    """As this process sees it; it covers the versions of the software."""
    model: ModelFiles | None = None
    """Whose bytes are to be compared."""


def lacks(needs: Needs) -> str:
    """What this machine lacks, in words; nothing where it has all."""
    try:
        os.chdir(needs.cwd)
    except OSError:
        return f"it has no folder {needs.cwd}"
    for path in needs.paths:
        if not Path(path).exists():
            return f"it does not see {path}"
    if needs.token and not _is_seen(*needs.token):
        return f"it does not see what is written into {Path(needs.token[0]).parent}"
    if needs.scorer and needs.scorer.scorer_id != needs.scorer_id:
        return (
            f"the scorer is {needs.scorer.scorer_id} there and {needs.scorer_id} here: other "
            "versions of torch, transformers or foreword"
        )
    return _model_lacks(needs.model) if needs.model else ""


def _is_seen(path: str, text: str) -> bool:
    try:
        return Path(path).read_text(encoding="ascii") == text
    except (OSError, UnicodeDecodeError):
        return False


def _model_lacks(files: ModelFiles) -> str:
    place = files.folder / files.gguf_file if files.gguf_file else files.folder
    try:
        found = find_model(f"hf:{place}")
    except ForewordError as error:
        return f"it has no model {place} ({error})"
    if found.sha256 != files.sha256:
        return f"its model {place} is another one"
    if not files.adapter:
        return ""
    try:
        adapter = find_adapter(files.adapter.folder)
    except ForewordError as error:
        return f"it has no adapter {files.adapter.folder} ({error})"
    same = adapter.sha256 == files.adapter.sha256
    return "" if same else f"its adapter {files.adapter.folder} is another one"


def check_nodes(ray: Any, nodes: Sequence[Node], needs: Needs) -> None:
    """Ask every node what it lacks.

    Raises:
        ForewordError: one lacks something, or does not answer; all are named.
    """
    here = ray.get_runtime_context().get_node_id()
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    ask = ray.remote(num_cpus=0)(lacks)
    answers = [
        ask.options(scheduling_strategy=strategy(node_id=node.id, soft=False)).remote(needs)
        for node in nodes
    ]
    done, _ = ray.wait(answers, num_returns=len(answers), timeout=_ANSWER_S)
    wrong = []
    for node, answer in zip(nodes, answers, strict=True):
        reason = _answer(ray, answer) if answer in done else "it does not answer"
        if reason:
            where = "this machine" if node.id == here else f"node {node.name}"
            wrong.append(f"{where}: {reason}")
    if wrong:
        raise ForewordError(
            "not every node of the cluster has what this needs:\n  "
            + "\n  ".join(wrong)
            + "\nAll nodes need the same files at the same paths, and the same packages"
        )


def _answer(ray: Any, answer: Any) -> str:
    try:
        reason: str = ray.get(answer)
    except ray.exceptions.RayTaskError as error:
        return f"foreword does not run there ({first_line(error.cause or error)})"
    except ray.exceptions.RayError as error:
        return f"it can't be reached ({first_line(error)})"
    return reason


@contextmanager
def token_in(folder: Path) -> Iterator[tuple[str, str]]:
    """A file with a word that nobody can guess, for as long as the block runs."""
    word = secrets.token_hex(16)
    path = folder / f"token-{word}"
    write_text(path, word)
    try:
        yield str(path.absolute()), word
    finally:
        path.unlink(missing_ok=True)


def model_of(scorer: Scorer) -> ModelFiles | None:
    """The files of a scorer that loads a model on the node where it scores."""
    return scorer.files if isinstance(scorer, LocalScorer) else None
