"""A scorer that asks a server of OpenAI's completions shape for a prompt's log-probabilities."""

import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

from foreword.errors import ModelError
from foreword.models import ModelFiles, load_tokenizer, software_versions
from foreword.records import Pair, TokenScores
from foreword.scores.boundary import Boundary
from foreword.scores.request import check_tokenizer
from foreword.scores.scorer import NO_ANSWER, check_statistics
from foreword.scores.served.capabilities import find_capabilities
from foreword.scores.served.identity import known_scorer_id, told_scorer_id
from foreword.scores.served.link import Link, NoAnswerError
from foreword.scores.served.server import Capabilities, Server
from foreword.store import fingerprint


class Session:
    """What is found out about a server, once, and the threads that ask it."""

    def __init__(self, link: Link, model: str) -> None:
        self.link = link
        self.model = model
        self._lock = threading.RLock()
        self._ready: tuple[Server, Capabilities] | None = None
        self._failed: ModelError | None = None
        self.pool = ThreadPoolExecutor(link.max_connections, "foreword-served")
        weakref.finalize(self, _close, link, self.pool)

    @cached_property
    def known(self) -> tuple[str | None, bool]:
        """What the server calls its scorer, and whether it said so in this run."""
        with self._lock:
            return known_scorer_id(self.link, self.model)

    def ready(self, boundary: Boundary, files: ModelFiles | None) -> tuple[Server, Capabilities]:
        """The server, tried out when this is first called, and how it has to be asked.

        Raises:
            ModelError: it can't be reached, can't score, or serves another model than before.
        """
        with self._lock:
            if self._failed:  # threads that waited for the outcome do not all try again
                raise self._failed
            if self._ready is None:
                try:
                    self._ready = self._tried(boundary, files)
                except ModelError as error:
                    self._failed = error
                    raise
            return self._ready

    def _tried(self, boundary: Boundary, files: ModelFiles | None) -> tuple[Server, Capabilities]:
        server = Server(
            link=self.link,
            model=self.model,
            boundary=boundary,
            tokenizer=_tokenizer(files) if files else None,
            scorer_id=self._confirmed(),
        )
        return server, find_capabilities(server)

    def _confirmed(self) -> str | None:
        known, is_said = self.known
        try:
            told = known if is_said else told_scorer_id(self.link, self.model)
        except NoAnswerError as error:
            raise ModelError(
                f"{self.link.url} can't be reached: {error}. What was finished is kept: "
                "run the same command later"
            ) from None
        if told != known:
            raise ModelError(
                f"{self.link.url} serves another model than before: run the same command again"
            )
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedScorer:
    """Scores pairs by asking a server, as many at a time as it may have connections.

    Made by `load_scorer`, which checks the URL. A pair that the server has no answer for has a
    failure that says so, and is asked for again by the next run.
    """

    session: Session = field(repr=False, compare=False)
    boundary: Boundary = "exact"
    tokenizer_files: ModelFiles | None = None
    """The server's tokenizer: prompts are sent as ids. None: as text."""

    @property
    def workers(self) -> int:
        """As many as there are connections: each call waits for its own pairs only."""
        return self.session.link.max_connections

    @property
    def has_statistics(self) -> bool:
        """Never: completions tell of the token that came, not of the distribution."""
        return False

    @property
    def identity(self) -> dict[str, Any]:
        """All that is known of what can change a number. No key.

        Raises:
            ModelError: the server can't be reached, and never was.
        """
        files = self.tokenizer_files
        software = software_versions() if files else {}
        return {
            "backend": "log-probabilities of the prompt, by OpenAI's completions",
            "base_url": self.session.link.url,
            "begin_of_text": "as the tokenizer does by default" if files else "as the server does",
            "boundary": self.boundary,
            "model": self.session.model,
            "server_scorer_id": self.session.known[0],
            "software": {
                "foreword": version("foreword"),
                **{name: software[name] for name in ("tokenizers", "transformers") if files},
            },
            "tokenizer_sha256": files.sha256 if files else None,
        }

    @property
    def is_identified(self) -> bool:
        """Whether the server says which weights it serves, as `foreword serve` does."""
        return self.session.known[0] is not None

    @property
    def scorer_id(self) -> str:
        """`<model's name, without folders>@<16 hex digits of the hash of identity>`."""
        name = self.session.model.rstrip("/").split("/")[-1]
        return f"{name}@{fingerprint(self.identity)[:16]}"

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        """One result a pair, in order.

        Raises:
            UsageError: statistics are asked for: completions have none.
            ModelError: the server can't be used; the message says why.
        """
        check_statistics(self, statistics=statistics)
        if not pairs:
            return []
        server, way = self.session.ready(self.boundary, self.tokenizer_files)
        results = [self.session.pool.submit(_scored, server, way, pair) for pair in pairs]
        try:
            return [result.result() for result in results]
        finally:
            for result in results:
                result.cancel()


def _scored(server: Server, way: Capabilities, pair: Pair) -> TokenScores:
    try:
        return server.ask(pair, way).scores
    except NoAnswerError as error:
        return TokenScores(failure=f"{NO_ANSWER}: {error}")
    except ValueError as error:
        return TokenScores(failure=str(error))


def _tokenizer(files: ModelFiles) -> Any:
    tokenizer = load_tokenizer(files)
    check_tokenizer(tokenizer, files.name)
    return tokenizer


def _close(link: Link, pool: ThreadPoolExecutor) -> None:
    pool.shutdown(wait=False, cancel_futures=True)
    link.close()
