"""How a server has to be asked to tell the log-probabilities of a prompt's tokens; tried out."""

from dataclasses import replace

from foreword.errors import ModelError
from foreword.records import Pair
from foreword.scores.served.link import NoAnswerError, RejectedError
from foreword.scores.served.placed import texts_agree
from foreword.scores.served.server import Capabilities, Server

_TRIED = Pair(
    id="tried", prompt="The integers from one to ten are 1, 2, 3, 4,", target=" 5, 6, 7, 8, 9, 10."
)
_MAX_TRIES = 4
_WAYS = (
    Capabilities(form="echo", max_tokens=0, wants_ids=True),
    Capabilities(form="echo", max_tokens=1, wants_ids=True),
    Capabilities(form="echo", max_tokens=1, wants_ids=False),
    Capabilities(form="prompt_logprobs", max_tokens=1, wants_ids=True),
    Capabilities(form="prompt_logprobs", max_tokens=1, wants_ids=False),
)


def find_capabilities(server: Server) -> Capabilities:
    """What a server can do, found by asking for the scores of a short known text.

    The first way of asking that brings token ids is taken, else the first that works.

    Raises:
        ModelError: it can't be reached, or can't score; the message says what it did.
    """
    found: Capabilities | None = None
    answered = rejected = ""
    for way in _WAYS:
        try:
            working = _tried(server, way)
        except RejectedError as error:
            rejected = rejected or str(error)
        except ValueError as error:
            answered = answered or str(error)
        except NoAnswerError as error:
            raise ModelError(
                f"{server.link.url} can't be reached: {error}; check that it runs, and the URL"
            ) from None
        else:
            if working.returns_ids:
                return working
            found = found or working
    if found is None:
        raise ModelError(
            f"{server.link.url} can't score with {server.model}: {answered or rejected}. A server "
            "has to give the log-probabilities of the prompt's tokens over /completions (`echo` "
            "with `logprobs`, or `prompt_logprobs`), as vLLM, SGLang, Fireworks and "
            "`foreword serve` do"
        )
    return found


def _tried(server: Server, way: Capabilities) -> Capabilities:
    """A way of asking that works, with whether it brings token ids.

    Raises:
        ValueError: it does not work; the message says what the server did.
        ModelError: the tokenizer given is another one than the server's.
    """
    tokens, request, scores = server.ask(_TRIED, way, max_tries=_MAX_TRIES)
    if scores.failure:
        raise ValueError(scores.failure)
    if not any(scores.logprobs):
        raise ValueError("all its log-probabilities are 0, which stands for missing values")
    why = texts_agree(tokens, request.ids, server.tokenizer) if request else None
    if why:
        raise ModelError(f"the tokenizer given is not that of {server.link.url}: {why}")
    return replace(way, returns_ids=all(token.id is not None for token in tokens[1:]))
