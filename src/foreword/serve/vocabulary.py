"""Prompts as tokens, and tokens as text.

Each token of a prompt stands for some bytes of its text: of a special token (begin of text, end of
text) there are none, it has a name only. A token can end inside of a character.
"""

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from foreword.scores import byte_ends
from foreword.scores.boundary import byte_alphabet
from foreword.scores.request import begin_of_text

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
Spelling = Literal["bytes", "pieces", "other"]
"""`bytes`: in 256 letters (GPT-2, Llama 3, Qwen); `pieces`: `▁` and `<0x0A>` (Gemma, Llama 2)."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids, and what each stands for."""

    ids: list[int]
    pieces: list[bytes | None]
    """UTF-8 of the text that each token stands for; None for a special token."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where each token of a prompt stands in its text."""

    text: str
    tokens: list[str]
    """Text that each token adds, names of special ones; without the latter, joined: the text.
    A character cut in pieces goes to the piece that completes it."""
    text_offsets: list[int]
    """In characters; of the character that the token starts in."""
    byte_offsets: list[int | None]
    """In bytes of the UTF-8 text; None for special tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A model's tokenizer. It is no safer in threads than the tokenizer: use it in one."""

    tokenizer: Any
    size: int
    """Ids are below it."""
    stops: frozenset[int]
    """Tokens that end a text."""
    added: Mapping[int, Any]
    """Tokens that are no pieces of words."""
    spelling: Spelling

    @classmethod
    def of(cls, model: Any, tokenizer: Any) -> "Vocabulary":
        """What a loaded model reads and writes."""
        ends = model.generation_config.eos_token_id if model.generation_config else None
        stops = {tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])}
        return cls(
            tokenizer=tokenizer,
            size=model.get_input_embeddings().weight.shape[0],
            stops=frozenset(stop for stop in stops if stop is not None),
            added=tokenizer.added_tokens_decoder,
            spelling=_spelling(tokenizer),
        )

    def read_text(self, text: str, *, begin: bool = True) -> Prompt:
        """A text as the model reads it: special tokens written in it are text.

        Args:
            text: the prompt.
            begin: whether to begin as the tokenizer does by default, with a begin-of-text token
                if it has one.

        Raises:
            ValueError: the text can't be placed, token by token; the message says why.
        """
        ids, pieces = self._tokenized(text)
        first = begin_of_text(self.tokenizer) if begin else []
        if first and first[0] in ids:
            raise ValueError("the begin-of-text token stands in the text, so that there'd be two")
        return Prompt(first + ids, [*(None for _ in first), *pieces])

    def _tokenized(self, text: str) -> tuple[list[int], list[bytes]]:
        if not text:
            return [], []
        encoded = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)
        ids = encoded["input_ids"]
        ends = byte_ends(text, self.tokenizer.convert_ids_to_tokens(ids))
        data = text.encode()
        if not ends or ends[-1] != len(data):
            raise ValueError(f"the tokens cover {ends[-1] if ends else 0} of {len(data)} bytes")
        return ids, [data[a:b] for a, b in pairwise([0, *ends])]

    def read_ids(self, ids: Sequence[int]) -> Prompt:
        """Token ids as they are.

        Raises:
            ValueError: an id is none of the model's, or they can't be placed in a text.
        """
        strange = next((id_ for id_ in ids if not 0 <= id_ < self.size), None)
        if strange is not None:
            raise ValueError(f"token ids are from 0 to {self.size - 1}")
        pieces = [self.spelled(id_) for id_ in ids]
        said = self.tokenizer.decode(
            [id_ for id_, piece in zip(ids, pieces, strict=True) if piece is not None],
            clean_up_tokenization_spaces=False,
        )
        if self.spelling == "other":
            return Prompt(list(ids), self._read_back(ids, pieces, said))
        at, first = next(((at, piece) for at, piece in enumerate(pieces) if piece), (0, b""))
        if first.startswith(b" ") and not said.startswith(" "):
            pieces[at] = first[1:]  # Llama 2 puts a space before a text, and takes it away again
        return Prompt(list(ids), pieces)

    def _read_back(
        self, ids: Sequence[int], pieces: Sequence[bytes | None], said: str
    ) -> list[bytes | None]:
        """By the offsets of the text that the ids say, if its tokens are these ids."""
        again, parts = self._tokenized(said)
        if again != [id_ for id_, piece in zip(ids, pieces, strict=True) if piece is not None]:
            raise ValueError("the token ids are not those of the text that they stand for")
        rest = iter(parts)
        return [None if piece is None else next(rest) for piece in pieces]

    def spelled(self, id_: int) -> bytes | None:
        """UTF-8 of what a token adds to a text; None for a special one."""
        if id_ in self.added:
            token = self.added[id_]
            return None if token.special else token.content.encode()
        piece = self.tokenizer.convert_ids_to_tokens(id_)
        if piece is None:
            return None
        if self.spelling == "other":
            return bytes(self.tokenizer.decode([id_]), "utf-8")
        if self.spelling == "pieces":
            byte = _BYTE.fullmatch(piece)
            return bytes([int(byte[1], 16)]) if byte else piece.replace("▁", " ").encode()
        letters = byte_alphabet()
        return bytes(letters[letter] for letter in piece if letter in letters)

    def name(self, id_: int) -> str:
        """What a token is called outside of any text; `token_id:N` for one that is no text."""
        piece = self.spelled(id_)
        if piece is None:
            return self.tokenizer.convert_ids_to_tokens(id_) or f"token_id:{id_}"
        try:
            return piece.decode() or f"token_id:{id_}"
        except UnicodeDecodeError:
            return f"token_id:{id_}"

    def placed(self, prompt: Prompt) -> Placed:
        """Where each token of a prompt stands in its text."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        last = max((at for at, piece in enumerate(prompt.pieces) if piece is not None), default=-1)
        found = Placed("", [], [], [])
        texts: list[str] = []
        characters = size = 0
        for at, (id_, piece) in enumerate(zip(prompt.ids, prompt.pieces, strict=True)):
            found.text_offsets.append(characters)
            found.byte_offsets.append(None if piece is None else size)
            if piece is None:
                found.tokens.append(self.name(id_))
                continue
            text = decoder.decode(piece, at == last)
            found.tokens.append(text)
            texts.append(text)
            characters += len(text)
            size += len(piece)
        return Placed("".join(texts), found.tokens, found.text_offsets, found.byte_offsets)


def _spelling(tokenizer: Any) -> Spelling:
    decoder = tokenizer.backend_tokenizer.decoder
    rules = decoder.__getstate__().decode() if decoder else ""
    if '"ByteLevel"' in rules:
        return "bytes"
    return "pieces" if '"ByteFallback"' in rules or '"Metaspace"' in rules else "other"
