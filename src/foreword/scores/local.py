"""A scorer that runs a causal language model on this machine."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from foreword.devices import device_name
from foreword.models import ModelFiles, load_model, software_versions, window
from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary
from foreword.scores.distribution import read_rows, statistics_of
from foreword.scores.packed import can_pack, packed_rows, shared_beginning, tree_of
from foreword.scores.request import Request, begin_of_text, check_tokenizer, make_request, result
from foreword.scores.workload import Tokens
from foreword.store import fingerprint, hash_file

_PACK = 4096  # tokens that go through the model at once, unless one pair alone is longer
_MOST_GATHERED = 4 * _PACK  # places of a pack in attention: its sequences times the longest


_ATTENTION = (
    "blocks of 32 queries in float32, or the model's own if not packed",
    "torch's kernel in the dtype of the model, blocks if it has a window, its own if not packed",
)


@cache
def code_hash() -> str:
    """Of the code between a pair and its numbers, this package's own."""
    names = ("boundary", "distribution", "local", "packed", "request")
    here = Path(__file__).parent
    files = [here / f"{name}.py" for name in names]
    files += [here.parent / f"{name}.py" for name in ("adapters", "arithmetic", "models")]
    return fingerprint([hash_file(path) for path in files])


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalScorer:
    """Scores the pairs it is given in one pass, what their prompts share computed once.

    A model of a family that can't be packed is run one pair at a time.
    """

    files: ModelFiles
    boundary: Boundary = "exact"
    dtype: str = "float32"
    devices: tuple[str, ...] = ("cpu",)
    """As torch names them. Each has a copy of the model, and works on its own calls of `score`."""
    _free: "SimpleQueue[str]" = field(
        default_factory=SimpleQueue, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for device in self.devices:
            self._free.put(device)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy in another process has a queue of its own."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return partial(type(self), **given), ()

    @property
    def workers(self) -> int:
        """One for each device."""
        return len(self.devices)

    @property
    def has_statistics(self) -> bool:
        """Always: it sees the whole distribution."""
        return True

    @property
    def identity(self) -> dict[str, Any]:
        """All that can change a number: the model's files, software, precision, boundary rule.

        The hash of the files covers weights, tokenizer and configuration, and so any revision; a
        folder with an adapter beside the weights is refused, and one that is added to them has a
        hash of its own. The code that makes the numbers is hashed, because its version stays the
        same between two releases.
        """
        adapter = self.files.adapter
        added = {"adapter": adapter.sha256, "peft": version("peft")} if adapter else {}
        return {
            **added,
            "attention": _ATTENTION[self.devices[0] != "cpu"],
            "backend": "transformers, packed where it can be, log-softmax by a cascade sum",
            "begin_of_text": "as the tokenizer does by default; special tokens in text are text",
            "boundary": self.boundary,
            "code": code_hash(),
            "device": device_name(self.devices[0]),
            "dtype": self.dtype,
            "head_dtype": "float32",
            "model_sha256": self.files.sha256,
            "software": dict(software_versions()),
        }

    @property
    def scorer_id(self) -> str:
        """`<model's name, without folders>@<16 hex digits of the hash of identity>`.

        With an adapter, its route stands after the name: `smollm2+context-only@…`.
        """
        name = self.files.name.removeprefix("hf:").rstrip("/").split("/")[-1]
        if self.files.adapter:
            name += f"+{self.files.adapter.route}"
        return f"{name}@{fingerprint(self.identity)[:16]}"

    @property
    def adapter_sha256(self) -> str | None:
        """The hash of its adapter's files."""
        return self.files.adapter.sha256 if self.files.adapter else None

    @property
    def trained_on(self) -> tuple[str, ...]:
        """Ids of the papers that its adapter has seen; none without one."""
        return self.files.adapter.trained_on if self.files.adapter else ()

    @property
    def facts(self) -> dict[str, Any]:
        """What else there is to know of the loaded model: its file, its window, how it is run.

        Raises:
            ModelError: the model can't be loaded.
        """
        model, tokenizer = load_model(self.files, dtype=self.dtype, device=self.devices[0])
        return {
            "folder": str(self.files.folder),
            "devices": ", ".join(self.devices),
            "tokens at most": window(model),
            "begin-of-text token": bool(begin_of_text(tokenizer)),
            "requests of a cut": "in one pass" if can_pack(model) else "one at a time",
        }

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        """One result a pair, in order.

        Raises:
            ModelError: the model can't be loaded.
        """
        if not pairs:
            return []
        device = self._free.get()
        try:
            model, tokenizer = load_model(self.files, dtype=self.dtype, device=device)
            check_tokenizer(tokenizer, self.files.name)
            return _scored(pairs, model, tokenizer, self.boundary, statistics=statistics)
        finally:
            self._free.put(device)

    def count(self, pairs: Sequence[Pair]) -> Tokens:
        """The tokens of pairs that are scored together; those that can't be scored have none.

        Raises:
            ModelError: the model can't be loaded.
        """
        model, tokenizer = load_model(self.files, dtype=self.dtype, device=self.devices[0])
        check_tokenizer(tokenizer, self.files.name)
        requests: list[Request] = []
        for pair in pairs:
            with suppress(ValueError):
                requests.append(make_request(pair, tokenizer, self.boundary, window(model)))
        packs = _packs(requests) if can_pack(model) else ([request] for request in requests)
        return Tokens(
            total=sum(len(request.ids) for request in requests),
            distinct=sum(len(tree_of([each.ids for each in pack]).tokens) for pack in packs),
            targets=sum(len(request.ids) - request.first for request in requests),
        )

    def rows(
        self, requests: Sequence[Request], *, statistics: bool = False, top: bool = False
    ) -> list[list[list[float]]]:
        """What the model says of each scored token of ready-made requests, as `read_rows` has it.

        Raises:
            ModelError: the model can't be loaded.
        """
        device = self._free.get()
        try:
            model, _ = load_model(self.files, dtype=self.dtype, device=device)
            return list(_rows(model, requests, statistics=statistics, top=top))
        finally:
            self._free.put(device)


def _scored(
    pairs: Sequence[Pair], model: Any, tokenizer: Any, rule: Boundary, *, statistics: bool
) -> list[TokenScores]:
    results: dict[int, TokenScores] = {}
    requests: dict[int, Request] = {}
    for index, pair in enumerate(pairs):
        try:
            requests[index] = make_request(pair, tokenizer, rule, window(model))
        except ValueError as error:
            results[index] = TokenScores(failure=str(error))
    found = _rows(model, list(requests.values()), statistics=statistics)
    for (index, request), rows in zip(requests.items(), found, strict=True):
        logprobs = [row[0] for row in rows]
        ids = request.ids[request.first :]
        results[index] = result(ids, request.span, logprobs, statistics_of(rows))
    return [results[index] for index in range(len(pairs))]


def _rows(
    model: Any, requests: Sequence[Request], *, statistics: bool, top: bool = False
) -> Iterator[list[list[float]]]:
    """What the model says of each scored token of each request, as `read_rows` has it."""
    if not can_pack(model):
        for request in requests:
            yield _alone(model, request, statistics=statistics, top=top)
        return
    for pack in _packs(requests):
        sequences, firsts = [each.ids for each in pack], [each.first for each in pack]
        yield from packed_rows(model, sequences, firsts, statistics=statistics, top=top)


def _packs(requests: Sequence[Request]) -> Iterator[list[Request]]:
    """Consecutive requests of at most `_PACK` tokens, what one shares with the last not counted."""
    pack: list[Request] = []
    held = longest = 0
    for request in requests:
        size = len(request.ids)
        shared = shared_beginning(pack[-1].ids, request.ids) if pack else 0
        longest = max(longest, size)  # attention fills all up to the longest
        if pack and (held + size - shared > _PACK or (len(pack) + 1) * longest > _MOST_GATHERED):
            yield pack
            pack, held, shared, longest = [], 0, 0, size
        pack.append(request)
        held += size - shared
    if pack:
        yield pack


def _alone(model: Any, request: Request, *, statistics: bool, top: bool) -> list[list[float]]:
    """A whole pass over one request, with the model's own attention."""
    import torch

    targets = request.ids[request.first :]
    with torch.inference_mode():
        tokens = torch.tensor([request.ids[:-1]], device=model.device)
        logits = model(tokens, logits_to_keep=len(targets), use_cache=False).logits[0].float()
        wanted = torch.tensor(targets, device=logits.device)
        rows: list[list[float]] = read_rows(logits, wanted, statistics=statistics, top=top).tolist()
    return rows
