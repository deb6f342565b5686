"""What a server says of a prompt's tokens, read from its answer in either of two shapes.

`echo`             `logprobs` with lists: `tokens`, `token_logprobs`, and what else the server knows
                   of them. The tokens that were generated come last.
`prompt_logprobs`  vLLM's own: a dictionary a token, from ids (as text) to log-probabilities.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from foreword.store import JSON

Form = Literal["echo", "prompt_logprobs"]
_LARGEST = 10**9
_ID_AS_TEXT = re.compile(r"token_id:([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token, as the server tells it."""

    logprob: float | None
    """In nats. None where the server gives none, as for the first token of all."""
    text: str | None = None
    """As the server shows it; None where it doesn't."""
    id: int | None = None
    start: int | None = None
    """Where it starts, in bytes of the prompt; None for a special token, or where it isn't told."""


def read_answer(body: JSON, form: Form) -> list[Token]:
    """The tokens of the prompt, in order; in the form `echo` those that were generated can follow.

    Raises:
        ValueError: the answer has no such tokens, or lists of them that don't go together.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise ValueError("the server's answer is no completion")
    choice = choices[0]
    if form == "prompt_logprobs":
        return _from_dictionaries(choice)
    return _from_lists(choice)


def _from_lists(choice: Mapping[str, JSON]) -> list[Token]:
    found = choice.get("logprobs")
    told = found if isinstance(found, dict) else {}
    if not told.get("tokens") or not isinstance(told["tokens"], list):
        raise ValueError("the server's answer has no list of tokens with log-probabilities")
    texts = [_text(text) for text in told["tokens"]]
    logprobs = [_number(value) for value in _list(told, "token_logprobs", len(texts))]
    of_prompt = _ids(choice.get("prompt_token_ids"))
    named = [_id_in(text) for text in texts]
    ids = of_prompt or _ids(told.get("token_ids"), len(texts)) or named
    starts = [_whole(start) for start in _list(told, "byte_offset", len(texts), absent=True)]
    if of_prompt and len(texts) < len(of_prompt):
        raise ValueError(f"the server tells {len(texts)} of its {len(of_prompt)} prompt tokens")
    return [
        Token(logprob=logprob, text=text, id=id_, start=start)
        for logprob, text, id_, start in zip(logprobs, texts, ids, starts, strict=False)
    ]


def _from_dictionaries(choice: Mapping[str, JSON]) -> list[Token]:
    told = choice.get("prompt_logprobs")
    if not isinstance(told, list) or not told:
        raise ValueError("the server's answer has no list of prompt_logprobs")
    ids = _ids(choice.get("prompt_token_ids")) or [None] * len(told)
    if len(ids) != len(told):
        raise ValueError(f"the server tells {len(told)} of its {len(ids)} prompt tokens")
    return [_from_dictionary(entry, id_) for entry, id_ in zip(told, ids, strict=True)]


def _from_dictionary(entry: JSON, id_: int | None) -> Token:
    """The token that came, which stands beside the most probable one where it is another."""
    if entry is None:
        return Token(logprob=None, id=id_)
    if not isinstance(entry, dict) or not all(isinstance(e, dict) for e in entry.values()):
        raise ValueError("the server's prompt_logprobs are no dictionaries of log-probabilities")
    keys = [str(id_)] if id_ is not None else list(entry)
    if len(keys) > 1:
        keys = [key for key in keys if entry[key].get("rank") != 1]
    if len(keys) != 1 or keys[0] not in entry or not keys[0].isdecimal():
        raise ValueError("the server's prompt_logprobs don't say which token came")
    told = entry[keys[0]]
    text = told.get("decoded_token")
    return Token(
        logprob=_number(told.get("logprob")),
        text=None if text is None else _text(text),
        id=int(keys[0][:9]),
    )


def _list(told: Mapping[str, JSON], name: str, length: int, *, absent: bool = False) -> list[JSON]:
    found = told.get(name)
    if found is None and absent:
        return [None] * length
    if not isinstance(found, list) or len(found) != length:
        raise ValueError(f"the server's {name} are not one a token")
    return found


def _text(value: JSON) -> str:
    if not isinstance(value, str):
        raise ValueError("the server's tokens are no texts")  # noqa: TRY004 (refused as a value)
    return value


def _number(value: JSON) -> float | None:
    if value is None or isinstance(value, float):
        return value
    if type(value) is int and abs(value) <= _LARGEST:
        return float(value)
    raise ValueError("the server's log-probabilities are no numbers")


def _whole(value: JSON) -> int | None:
    if value is None or type(value) is int:
        return value
    raise ValueError("the server's byte offsets are no whole numbers")


def _ids(value: JSON, length: int | None = None) -> Sequence[int | None]:
    """A list of ids; empty where there is none, or none of that length."""
    if not isinstance(value, list) or length not in (None, len(value)):
        return []
    return value if all(type(id_) is int and 0 <= id_ <= _LARGEST for id_ in value) else []


def _id_in(text: str) -> int | None:
    """The id in `token_id:17`, as vLLM can be told to name tokens."""
    found = _ID_AS_TEXT.fullmatch(text)
    return int(found[1]) if found else None
