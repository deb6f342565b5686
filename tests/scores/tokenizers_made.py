"""Tokenizers of the kinds that causal models have, made by hand, and what their tokens stand for.

Each has pieces that straddle the boundaries of the tests, lacks characters that it must then spell
in bytes, and begins a text with `<s>` if asked to.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers.convert_slow_tokenizer import bytes_to_unicode

LETTERS = "abefghilrtxy=+\\{}()012.,L$\n"
"""Characters with a token of their own; all others are spelled in bytes, or are none."""
_JOINED = ["=\\", "le", "ft", "left", "\n\n", "ri", "xy", "x=", "\\le", "▁=", "▁x", "▁▁", "▁\\"]
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def _pieces(tokens: Sequence[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Vocabulary and merges: each longer piece of two shorter ones that are there."""
    vocabulary = {token: i for i, token in enumerate(["<unk>", "<s>", "<end>", *tokens])}
    merges = []
    for piece in tokens:
        cuts = [(piece[:i], piece[i:]) for i in range(1, len(piece))]
        merges += [cut for cut in cuts if set(cut) <= vocabulary.keys()][:1]
    return vocabulary, merges


def _byte_level(*, prefix: bool, composing: bool) -> Tokenizer:
    spelled = [piece.replace("▁", "Ġ").replace("\n", "Ċ") for piece in _JOINED]
    vocabulary, merges = _pieces([*sorted(pre_tokenizers.ByteLevel.alphabet()), *spelled])
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=False)
    if composing:
        tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def _with_fallback() -> Tokenizer:
    vocabulary, merges = _pieces([*_BYTES, "▁", "∀", *LETTERS, *_JOINED])
    return Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True))


def gpt2() -> Tokenizer:
    return _byte_level(prefix=False, composing=False)


def roberta() -> Tokenizer:
    """Puts a space before the text."""
    return _byte_level(prefix=True, composing=False)


def qwen() -> Tokenizer:
    """Composes characters."""
    return _byte_level(prefix=False, composing=True)


def llama() -> Tokenizer:
    """Puts `▁` before the text."""
    tokenizer = _with_fallback()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return tokenizer


def llama_legacy() -> Tokenizer:
    """Puts `▁` before the text even if it begins with a space."""
    tokenizer = _with_fallback()
    steps = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    tokenizer.normalizer = normalizers.Sequence(steps)
    return tokenizer


def gemma() -> Tokenizer:
    """Puts nothing before the text."""
    tokenizer = _with_fallback()
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    return tokenizer


def unigram() -> Tokenizer:
    """Gives runs of unknown characters one place, all their bytes the same offsets."""
    longest_first = sorted(["▁", "∀", *LETTERS, *_JOINED], key=len, reverse=True)
    tokens = ["<unk>", "<s>", "<end>", *_BYTES, *longest_first]
    scored = [(token, -10.0 if len(token) == 1 else -5.0) for token in tokens]
    tokenizer = Tokenizer(models.Unigram(scored, 0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return tokenizer


KINDS: dict[str, Callable[[], Tokenizer]] = {
    kind.__name__: kind for kind in (gpt2, roberta, qwen, llama, llama_legacy, gemma, unigram)
}


def beginning(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, made to begin a text with `<s>`."""
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def lossy(kind: str) -> Tokenizer:
    """Tokenizers that change or drop text."""
    characters = [chr(code) for code in range(0x21, 0x7F)]
    if kind == "unknown":  # no bytes to fall back to
        vocabulary, merges = _pieces(["▁", *LETTERS, *_JOINED])
        tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
        return tokenizer
    vocabulary, _ = _pieces(["▁", *characters, "\n"])
    tokenizer = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    made: dict[str, Any] = {
        "compatible": normalizers.NFKC(),
        "lowercase": normalizers.Lowercase(),
        "stripping": normalizers.Strip(),
        "line breaks": normalizers.Replace("\n", " "),
    }
    spaces = normalizers.Replace(" ", "▁")
    if kind in made:
        tokenizer.normalizer = normalizers.Sequence([made[kind], spaces])
    else:  # white space between words
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def stands_for(kind: str, tokens: Sequence[str], text: str) -> list[bytes]:
    """The bytes of the text that each token stands for, by the rules of its kind alone."""
    if kind in ("gpt2", "roberta", "qwen"):
        decode = {letter: byte for byte, letter in bytes_to_unicode().items()}
        found = [bytes(decode[letter] for letter in token) for token in tokens]
    else:
        found = _pieces_of(tokens, text)
    begun = {"roberta": not text.startswith(" "), "llama_legacy": True}
    begun |= dict.fromkeys(("llama", "unigram"), not text.startswith((" ", "▁")))
    if begun.get(kind):
        assert found[0].startswith((b" ", "▁".encode()))
        found[0] = found[0].removeprefix(b" ").removeprefix("▁".encode())
    return found


def _pieces_of(tokens: Sequence[str], text: str) -> list[bytes]:
    """`▁` stands for a space, and for itself: there are as many in the text as in the tokens."""
    signs = [sign for sign in text if sign in " ▁"]
    signs = [" "] * (sum(token.count("▁") for token in tokens) - len(signs)) + signs
    found = []
    for token in tokens:
        byte = token in _BYTES and token not in text
        letters = (signs.pop(0) if letter == "▁" else letter for letter in token)
        found.append(bytes([_BYTES.index(token)]) if byte else "".join(letters).encode())
    return found
