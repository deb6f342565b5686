"""The command of the server."""

import importlib.util
from typing import Any

import click

from foreword.errors import ForewordError, UsageError
from foreword.flags import scorer_flags
from foreword.remote import key_from
from foreword.terminal import say

_PACKAGES = ("prometheus_client", "starlette", "uvicorn")
_MIB = 2**20


@click.command()
@scorer_flags
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="0: any free one.",
)
@click.option(
    "--max-queue",
    type=click.IntRange(min=1),
    default=256,
    show_default=True,
    help="Requests held at a time; more are told to come again.",
)
@click.option(
    "--max-body-mb",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="MiB that a request may have.",
)
def serve(scorer: str, host: str, port: int, max_queue: int, max_body_mb: int, **how: Any) -> int:
    """Answer requests for log-probabilities over HTTP, in the shape of OpenAI's completions.

    With FOREWORD_SERVE_TOKEN set, clients must send it as a bearer token. Ctrl-C, or SIGTERM, ends
    it once what it has accepted is answered.

    \b
    Example:
      foreword serve --scorer smollm2 --port 8000
    """
    absent = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if absent:
        raise ForewordError(
            f"foreword serve needs {', '.join(absent)}: "
            "run `pip install -c constraints.txt -e '.[serve]'` in foreword's folder"
        )
    from foreword.scores import LocalScorer, load_scorer
    from foreword.serve import Settings, run_server

    loaded = load_scorer(scorer, **how)
    if not isinstance(loaded, LocalScorer):
        raise UsageError(f"{scorer} is not a model on this machine, so that it can't be served")
    if loaded.files.adapter:
        say("requests name no paper: keep those the adapter was trained on out of them")
    settings = Settings(
        max_queue=max_queue,
        max_body_bytes=max_body_mb * _MIB,
        token=key_from("FOREWORD_SERVE_TOKEN"),
    )
    run_server(loaded, settings, host=host, port=port, say=say)
    return 0
