from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from toys_made import a_toy

from foreword.records import Pair, TokenScores
from foreword.scores import Means, ScriptedScorer, control_prompt
from foreword.store import Journal
from foreword.toys import CONDITIONS, ToyScore, failures_of, score_toys, toy_pairs
from foreword.toys.recovery import recovery_token

FLAT = ScriptedScorer(lambda before, letter: -1.0)


@dataclass(frozen=True)
class ScorerThatAlters:
    """A fake that changes what a flat scorer says of some pairs."""

    change: Callable[[Pair, TokenScores], TokenScores]
    scorer_id: str = "altered"
    workers: int = 1
    has_statistics: bool = False

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        return [
            self.change(pair, result) for pair, result in zip(pairs, FLAT.score(pairs), strict=True)
        ]


def rows_of(tmp_path: Path, scorer: ScriptedScorer | ScorerThatAlters) -> list[ToyScore]:
    with Journal(tmp_path / "journal") as journal:
        toys = [a_toy(), a_toy("two", before="X+A+", after="C")]
        return score_toys(toys, Means(scorer=scorer, journal=journal))


def test_prompts_are_those_of_real_cuts() -> None:
    cut = a_toy().cut
    assert a_toy().prompt("exact") == control_prompt(cut, "true-suffix", seed=0)
    assert a_toy().prompt("empty") == control_prompt(cut, "empty", seed=0)
    assert a_toy().prompt("context") == "Some sums follow.\n\\begin{equation}\nZ="
    assert "Z=X+B+A\n\\end{equation}" in a_toy().prompt("reordered")
    assert "Z=X+D+C\n\\end{equation}" in a_toy().prompt("wrong")
    assert all(a_toy().prompt(c).endswith("\\begin{equation}\nZ=") for c in CONDITIONS)


def test_targets_are_the_same_everywhere_and_leave_the_closing_delimiter_out() -> None:
    assert [pair.target for pair in toy_pairs([a_toy()])] == ["X+A+B"] * len(CONDITIONS)
    assert [pair.id for pair in toy_pairs([a_toy()])] == [f"one {c}" for c in CONDITIONS]


def test_a_row_for_each_toy_and_condition_with_the_token_at_the_recovery_point(
    tmp_path: Path,
) -> None:
    rows = rows_of(tmp_path, ScriptedScorer(lambda before, x: -0.5 if x == "B" else -3.0))
    assert [(row.item, row.condition) for row in rows] == [
        (item, condition) for item in ("one", "two") for condition in CONDITIONS
    ]
    assert {(row.recovery_token, row.recovery_bytes) for row in rows} == {(4, 0)}
    assert rows[0].token_texts[4] == "B"
    assert rows[0].recovery_probability == pytest.approx(0.60653, abs=1e-5)
    assert failures_of(rows) == []


def test_tokens_that_differ_between_conditions_are_a_failure_of_the_item(tmp_path: Path) -> None:
    def joined(pair: Pair, result: TokenScores) -> TokenScores:
        if pair.id != "one wrong":
            return result
        return replace(result, token_ids=(1, 2), token_texts=("X+A", "+B"), logprobs=(-1.0, -1.0))

    rows = rows_of(tmp_path, ScorerThatAlters(joined))
    assert all("not the same tokens" in (row.failure or "") for row in rows[:5])
    assert all(row.logprobs == () and row.recovery_token is None for row in rows[:5])
    assert all(row.failure is None for row in rows[5:])
    assert [failure.item for failure in failures_of(rows)] == ["one"]


def test_a_condition_that_fails_is_named_and_leaves_the_others(tmp_path: Path) -> None:
    def refused(pair: Pair, result: TokenScores) -> TokenScores:
        return TokenScores(failure="too long") if pair.id == "two empty" else result

    rows = rows_of(tmp_path, ScorerThatAlters(refused))
    assert [row.condition for row in rows if row.failure] == ["empty"]
    assert [(f.item, f.reason) for f in failures_of(rows)] == [("two empty", "too long")]


def test_an_item_without_a_token_at_the_recovery_point_says_so_once(tmp_path: Path) -> None:
    def joined(pair: Pair, result: TokenScores) -> TokenScores:
        if pair.id.startswith("two"):
            return result
        return replace(result, token_ids=(1, 2), token_texts=("X+", "A+B"), logprobs=(-1.0, -1.0))

    rows = rows_of(tmp_path, ScorerThatAlters(joined))
    assert all(row.logprobs and row.recovery_probability is None for row in rows[:5])
    (failure,) = failures_of(rows)
    assert (failure.item, "'A+B', also holds" in failure.reason) == ("one", True)


def test_the_token_is_found_by_bytes_where_letters_take_several() -> None:
    toy = replace(a_toy(before="é+α+", after="βγ"), prefix="∀=", reordered="é+β+α")
    start = len(toy.prompt("exact").encode())
    assert recovery_token(toy, "exact", ["é", "+", "α", "+", "βγ"], start) == (4, 0)
    assert recovery_token(toy, "exact", ["=é", "+α", "+β", "γ"], start - 1) == (2, 1)
    with pytest.raises(ValueError, match="cut in several tokens"):
        recovery_token(toy, "exact", ["é", "+", "α", "+", "", "β", "γ"], start)
    with pytest.raises(ValueError, match="do not add up"):
        recovery_token(toy, "exact", ["é", "+", "α", "+", "β"], start)


def test_a_token_that_reaches_back_to_the_parting_is_none() -> None:
    start = len(a_toy().prompt("exact"))
    for texts in (["X+A+B"], ["X+", "A+B"], ["=X+A+B"]):
        first = start - texts[0].startswith("=")
        with pytest.raises(ValueError, match="where target and forecast part"):
            recovery_token(a_toy(), "exact", texts, first)
    assert recovery_token(a_toy(), "exact", ["X+A", "+B"], start) == (1, 1)
    with pytest.raises(ValueError, match="before the first scored"):
        recovery_token(replace(a_toy(), before="X+A+", after="BC"), "exact", ["C"], start + 6)
