"""Licences by short names, and which of them allow a paper's text to be handed on.

The addresses are those that arXiv gives (https://info.arxiv.org/help/license/index.html, and what
its OAI-PMH answers hold for older papers).
"""

import re

OPEN_LICENCES = ("CC0", "CC-PDDC", "CC-BY", "CC-BY-SA")
"""They let anybody hand on parts of a paper, changed or not, for any purpose."""
LICENCES = (
    *OPEN_LICENCES,
    "CC-BY-NC-SA",
    "CC-BY-NC-ND",
    "arXiv-nonexclusive",
    "arXiv-assumed",
)
"""Every licence that a paper on arXiv can have, without versions."""

_CREATIVE_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/(?P<kind>by[a-z-]*)|publicdomain/zero)"
    r"/(?P<version>\d\.\d)/?"
)
_OTHERS = (
    (
        re.compile(r"https?://(?:www\.)?creativecommons\.org/licenses/publicdomain/?"),
        "CC-PDDC",
    ),
    (
        re.compile(r"https?://arxiv\.org/licenses/nonexclusive-distrib/(?P<version>\d\.\d)/?"),
        "arXiv-nonexclusive",
    ),
    (re.compile(r"https?://arxiv\.org/licenses/assumed-1991-2003/?"), "arXiv-assumed"),
)


def licence_name(address: str) -> str:
    """A licence's short name with its version; what is not known stays as it is.

    >>> licence_name("http://creativecommons.org/licenses/by-nc-sa/4.0/")
    'CC-BY-NC-SA-4.0'
    >>> licence_name("http://arxiv.org/licenses/nonexclusive-distrib/1.0/")
    'arXiv-nonexclusive-1.0'
    """
    if found := _CREATIVE_COMMONS.fullmatch(address):
        kind = f"CC-{found['kind'].upper()}" if found["kind"] else "CC0"
        return f"{kind}-{found['version']}"
    for pattern, name in _OTHERS:
        if found := pattern.fullmatch(address):
            version = found.groupdict().get("version")
            return f"{name}-{version}" if version else name
    return address


def is_licence(address: str, name: str) -> bool:
    """Whether a licence's address is of the licence of that short name, in any version or in one.

    >>> by = "http://creativecommons.org/licenses/by/4.0/"
    >>> is_licence(by, "CC-BY"), is_licence(by, "CC-BY-4.0"), is_licence(by, "CC-BY-3.0")
    (True, True, False)
    """
    full = licence_name(address)
    return name in (full, re.sub(r"-\d\.\d\Z", "", full))


def is_open(address: str) -> bool:
    """Whether a licence lets anybody hand on a paper's text; none at all does not.

    >>> is_open("http://creativecommons.org/licenses/by-nc-nd/4.0/"), is_open("")
    (False, False)
    """
    return any(is_licence(address, name) for name in OPEN_LICENCES)
