"""Bytes of a source file to text: UTF-8, else what the paper declares, else Windows-1252."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_INPUTENC: Mapping[str, str] = MappingProxyType(
    {
        "latin1": "cp1252",
        "ansinew": "cp1252",
        "cp1252": "cp1252",
        "latin2": "iso8859-2",
        "latin3": "iso8859-3",
        "latin4": "iso8859-4",
        "latin5": "iso8859-9",
        "latin9": "iso8859-15",
        "latin10": "iso8859-16",
        "applemac": "mac-roman",
        "cp437": "cp437",
        "cp850": "cp850",
        "cp852": "cp852",
        "cp855": "cp855",
        "cp858": "cp858",
        "cp865": "cp865",
        "cp866": "cp866",
        "cp1250": "cp1250",
        "cp1251": "cp1251",
        "cp1257": "cp1257",
        "koi8-r": "koi8-r",
        "koi8-u": "koi8-u",
        "iso88595": "iso8859-5",
        "maccyr": "mac-cyrillic",
    }
)
"""Names of the inputenc package, and of its friends, for 8-bit encodings, with Python's."""

_DECLARED = re.compile(
    rb"^[^%\n]{0,200}\\(?:usepackage\s*\[([\w-]+)\]\s*\{inputenc\}|inputencoding\s*\{([\w-]+)\})",
    re.MULTILINE,
)
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
_STRAY = "utf-8, stray bytes as cp1252"
_BOM = b"\xef\xbb\xbf"


def declared_encoding(data: bytes) -> str | None:
    r"""The 8-bit encoding that a main file declares, by Python's name; None if it declares none.

    >>> declared_encoding(rb"\usepackage[latin9]{inputenc}")
    'iso8859-15'
    """
    match = _DECLARED.search(data)
    if match is None:
        return None
    return _INPUTENC.get((match[1] or match[2]).decode("ascii", "replace").lower())


class Decoded(NamedTuple):
    """The text of a source file, and how its bytes were read."""

    text: str
    encoding: str
    """`utf-8`; by Python's name, the encoding that the paper declares; or `utf-8, stray bytes as
    cp1252`."""


def decode(data: bytes, declared: str | None = None) -> Decoded:
    r"""The text of a source file, each line ended by `\n`.

    UTF-8 where the bytes are that. Otherwise the declared encoding; without one, each run of
    bytes that is no UTF-8 is read as Windows-1252, so that a stray byte costs itself only.

    >>> decode(b"na\xefve \xe2\x89\xa4\r\n")
    Decoded(text='naïve ≤\n', encoding='utf-8, stray bytes as cp1252')
    """
    data = data.removeprefix(_BOM)
    encoding = "utf-8"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if declared is not None:
            text, encoding = data.decode(declared, "replace"), declared
        else:
            text, encoding = _NOT_ASCII.sub(_as_utf8, data).decode("utf-8"), _STRAY
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text if text.endswith("\n") else text + "\n", encoding)


def _as_utf8(run: re.Match[bytes]) -> bytes:
    """A run of bytes that are not ASCII, as UTF-8."""
    found = run.group()
    try:
        found.decode("utf-8")
    except UnicodeDecodeError:
        return found.decode("cp1252", "replace").encode("utf-8")
    return found
