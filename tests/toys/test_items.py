import math
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from foreword.errors import UsageError
from foreword.toys import BUILT_IN, Toy, read_toys

TOYS = read_toys()
RENAMED = {1: "kj", 2: "xt", 3: "xy", 4: "nm", 5: "il", 6: "bc", 7: "sn", 8: "tx"}
"""Number of a renaming → the bound variable in the target, and its other name."""


def test_there_are_eight_toys_of_each_of_four_kinds() -> None:
    assert Counter(toy.kind for toy in TOYS) == dict.fromkeys(
        ("sum", "product", "renaming", "fraction"), 8
    )
    assert len({toy.prefix + toy.target for toy in TOYS}) == len(TOYS)


FUNCTIONS = ("\\sin", "\\cos", "\\exp")


def value(latex: str, letters: dict[str, float]) -> float:
    """What a formula of the list is worth, with a number for each letter."""
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", latex)
    text = re.sub(r"e\^\{([^{}]*)\}", r"\\exp(\1)", text)
    text = re.sub(r"\\(cdot|times)\b", "*", text).replace("^", "**")
    parts = re.findall(r"\\[a-z]+|[A-Za-z](?:_\d)?|\d+|\*\*|[-+*/()]", text)
    assert "".join(parts) == text.replace(" ", "")
    code = ""
    for before, part in zip(["+", *parts], parts, strict=False):
        is_factor = part[0] not in "+-*/)"
        if is_factor and before[0] not in "+-*/(" and before not in FUNCTIONS:
            code += "*"
        is_letter = part not in FUNCTIONS and (part[0].isalpha() or part[0] == "\\")
        code += f"letters[{part!r}]" if is_letter else part.removeprefix("\\")
    scope = {"letters": letters, "sin": math.sin, "cos": math.cos, "exp": math.exp}
    return float(eval(code, scope))


@pytest.mark.parametrize("toy", [t for t in TOYS if t.kind != "renaming"], ids=lambda t: t.name)
def test_what_is_written_otherwise_has_the_same_value_and_what_is_wrong_has_not(toy: Toy) -> None:
    draw = random.Random(toy.name)
    names = re.findall(r"\\[a-z]+|[A-Za-z](?:_\d)?", toy.target + toy.reordered + toy.wrong)
    letters = {name: draw.uniform(1, 2) for name in names}
    true = value(toy.target, letters)
    assert math.isclose(value(toy.reordered, letters), true, rel_tol=1e-9)
    assert not math.isclose(value(toy.wrong, letters), true, rel_tol=1e-6)


@pytest.mark.parametrize("toy", [t for t in TOYS if t.kind == "renaming"], ids=lambda t: t.name)
def test_a_renaming_gives_one_bound_variable_a_name_that_is_free(toy: Toy) -> None:
    old, new = RENAMED[int(toy.name[-1])]
    words = re.findall(r"\\[A-Za-z]+|.", toy.target)
    assert new not in words
    assert "".join(new if word == old else word for word in words) == toy.reordered


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
def test_the_wrong_one_begins_as_the_reordered_one_and_has_other_symbols(toy: Toy) -> None:
    shared = toy.target[: toy.num_shared]
    assert toy.reordered.startswith(shared)
    assert toy.wrong.startswith(shared)
    assert toy.target.startswith(toy.before)
    assert toy.after.strip()[0].isalnum()
    symbols = re.findall(r"[A-Za-z]+|\d", toy.after)
    assert symbols[0] not in re.findall(r"[A-Za-z]+|\d", toy.wrong[toy.num_shared :])


GOOD = """
[[items]]
name = 'mine'
kind = 'sum'
prefix = 'Z='
target = ['X+A+', 'B']
reordered = 'X+B+A'
wrong = 'X+D+C'
context = 'Some sums follow.'
"""


def faults(folder: Path, text: str) -> list[str]:
    path = folder / "items.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_toys(path)
    return [line.removeprefix(f"{path}") for line in str(caught.value).splitlines()]


def test_a_file_of_ones_own_may_be_the_built_in_one_and_more(tmp_path: Path) -> None:
    path = tmp_path / "items.toml"
    path.write_text(BUILT_IN.read_text(encoding="utf-8") + GOOD, encoding="utf-8")
    found = read_toys(path)
    assert found[:-1] == TOYS
    assert (found[-1].name, found[-1].before, found[-1].after) == ("mine", "X+A+", "B")


FAULTS = {
    "a word that is none": ("wrong =", "wron =", "did you mean 'wrong'?"),
    "one piece": ("['X+A+', 'B']", "'X+A+B'", "items.0.target: write it in two pieces"),
    "three pieces": ("['X+A+', 'B']", "['X+', 'A+', 'B']", "write it in two pieces"),
    "an empty piece": ("['X+A+', 'B']", "['X+A+B', '']", "write it in two pieces"),
    "a number": ("'Z='", "3", "items.0.prefix: it should be text in quotes, not 3"),
    "nothing": ("'X+D+C'", "' '", "items.0.wrong: it should have text in it"),
    "the target again": ("'X+B+A'", "'X+A+B'", "reordered is the target itself"),
    "two of the same": ("'X+D+C'", "'X+B+A'", "reordered and wrong are the same"),
    "layout": ("'B']", "'B ']", "the target ends in white space"),
    "too early": ("['X+A+', 'B']", "['X+', 'A+B']", "the recovery point comes later than 'X+'"),
    "a line end in a name": ("'mine'", '"mi\\nne"', "one line of text that can be printed"),
    "the name of the sum": ("kind = 'sum'", "kind = 'all'", "the line over all kinds"),
    "backslashes": ("'X+B+A'", '"\\mu"', "LaTeX goes into single quotes"),
    "a table": ("[[items]]", "[items]", "under [[items]], in two brackets"),
    "another heading": ("[[items]]", "[[item]]", "did you mean 'items'?"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_of_a_file_has_its_sentence(name: str, tmp_path: Path) -> None:
    old, new, words = FAULTS[name]
    assert old in GOOD
    assert words in " ".join(faults(tmp_path, GOOD.replace(old, new)))


def test_all_faults_are_named_at_once_with_their_lines(tmp_path: Path) -> None:
    second = GOOD.replace("'X+D+C'", "''").replace("kind =", "kin =")
    lines = faults(tmp_path, GOOD.replace("'Z='", "''") + second)
    assert [line.split(":")[1] for line in lines] == ["5", "11", "13", "17"]


def test_a_name_is_there_once(tmp_path: Path) -> None:
    assert faults(tmp_path, GOOD * 2) == [":12: items.1.name: 'mine' is there twice"]


def test_a_file_without_items_or_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "[[items]]" in faults(tmp_path, "")[0]
    assert "[[items]]" in faults(tmp_path, "items = []")[0]
    with pytest.raises(UsageError, match="there is no list of toys "):
        read_toys(tmp_path / "none.toml")
