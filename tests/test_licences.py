import pytest

from foreword.licences import LICENCES, is_licence, is_open, licence_name

COMMONS = "http://creativecommons.org/licenses"


@pytest.mark.parametrize(
    ("address", "name", "opened"),
    [
        (f"{COMMONS}/by/4.0/", "CC-BY-4.0", True),
        (f"{COMMONS}/by/3.0", "CC-BY-3.0", True),
        (f"{COMMONS}/by-sa/4.0/", "CC-BY-SA-4.0", True),
        (f"{COMMONS}/by-nc-sa/4.0/", "CC-BY-NC-SA-4.0", False),
        (f"{COMMONS}/by-nc-nd/4.0/", "CC-BY-NC-ND-4.0", False),
        (f"{COMMONS}/publicdomain/", "CC-PDDC", True),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0", True),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arXiv-nonexclusive-1.0", False),
        ("http://arxiv.org/licenses/assumed-1991-2003/", "arXiv-assumed", False),
        ("", "", False),
        ("http://example.org/by/4.0/", "http://example.org/by/4.0/", False),
        (f"{COMMONS}/by/4.0/?x=by-nc", f"{COMMONS}/by/4.0/?x=by-nc", False),
    ],
)
def test_addresses_have_names_and_few_are_open(address: str, name: str, opened: bool) -> None:
    assert licence_name(address) == name
    assert is_open(address) is opened


def test_a_name_without_a_version_is_any_version_of_that_licence_and_no_other() -> None:
    held = [name for name in LICENCES if is_licence(f"{COMMONS}/by-nc-sa/4.0/", name)]
    assert held == ["CC-BY-NC-SA"]
