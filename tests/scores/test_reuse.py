import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cuts_made import a_cut

from foreword.records import Pair, TokenScores
from foreword.scores import CONTROLS, ScriptedScorer, request_key, score_all, score_pairs
from foreword.store import Cache, Journal, to_row

FLAT = ScriptedScorer(lambda before, letter: -len(before) / 7)
PAIRS = [Pair(id=str(n), prompt=f"∀𝓁 {n}", target=f"é{n}") for n in range(40)]


@dataclass
class Asked:
    """A fake that remembers what it was asked, fails some of it, and can be killed."""

    fails: str = "none of them"
    dies_after: int = 10**9
    asked: list[str] = field(default_factory=list)
    scorer_id: str = "scripted"
    workers: int = 1
    has_statistics: bool = True

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> list[TokenScores]:
        if len(self.asked) >= self.dies_after:
            raise KeyboardInterrupt
        self.asked += [pair.id for pair in pairs]
        return [
            TokenScores(failure="no") if self.fails in pair.prompt else FLAT.score([pair])[0]
            for pair in pairs
        ]


def scored(scorer: Asked, journal: Path, cache: Cache | None, count: int = 40) -> bytes:
    """The rows as text; each journal is a study of its own."""
    with Journal(journal) as kept:
        return repr(score_pairs(PAIRS[:count], scorer, journal=kept, cache=cache)).encode()


def test_a_second_study_computes_nothing_and_has_the_same_rows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    first, second, third = Asked(), Asked(), Asked()
    cache = Cache(tmp_path / "cache")
    rows = scored(first, tmp_path / "a", cache)
    assert scored(second, tmp_path / "b", Cache(tmp_path / "cache")) == rows
    assert (len(first.asked), second.asked) == (40, [])
    assert "40 of 40 requests were scored before, in another study" in caplog.messages
    caplog.clear()
    assert scored(third, tmp_path / "b", None) == rows
    assert scored(third, tmp_path / "b", cache) == rows
    assert (third.asked, caplog.messages) == ([], [])


def test_of_a_larger_study_the_rest_is_computed(tmp_path: Path) -> None:
    cache, shown = Cache(tmp_path / "cache"), []
    scored(Asked(), tmp_path / "a", cache, count=15)
    scorer = Asked()

    def progress(pairs: Sequence[Pair]) -> Sequence[Pair]:
        shown.append(len(pairs))
        return pairs

    with Journal(tmp_path / "b") as kept:
        score_pairs(PAIRS, scorer, journal=kept, cache=cache, progress=progress)
    assert scorer.asked == [str(n) for n in range(15, 40)]
    assert shown == [25]


def test_cuts_are_taken_from_other_studies_too(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    tables = []
    for scorer, name in ((Asked(), "a"), (Asked(dies_after=0), "b")):
        with Journal(tmp_path / name) as kept:
            tables.append(
                score_all(
                    [a_cut()], [], scorer, controls=CONTROLS, seed=0, journal=kept, cache=cache
                )
            )
    assert tables[0] == tables[1]


def test_failures_are_tried_again_in_another_study(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    scored(Asked(fails=" 7"), tmp_path / "a", cache)
    scorer = Asked()
    scored(scorer, tmp_path / "b", cache)
    assert scorer.asked == ["7"]


def test_another_scorer_and_statistics_are_other_requests(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    scored(Asked(), tmp_path / "a", cache)
    other = Asked(scorer_id="other")
    scored(other, tmp_path / "b", cache)
    assert len(other.asked) == 40
    with Journal(tmp_path / "c") as kept:
        with_more = Asked()
        score_pairs(PAIRS, with_more, journal=kept, cache=cache, statistics=True)
    assert len(with_more.asked) == 40


def test_what_was_done_before_a_kill_is_in_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    with pytest.raises(KeyboardInterrupt):
        scored(Asked(dies_after=16), tmp_path / "a", cache)
    scorer = Asked()
    scored(scorer, tmp_path / "b", cache)
    assert scorer.asked == [str(n) for n in range(16, 40)]


def test_what_only_the_journal_has_is_shared_when_its_study_goes_on(tmp_path: Path) -> None:
    scored(Asked(), tmp_path / "a", None)
    cache, scorer = Cache(tmp_path / "cache"), Asked()
    scored(scorer, tmp_path / "a", cache)
    scored(scorer, tmp_path / "b", cache)
    assert scorer.asked == []


@pytest.mark.parametrize(
    "row",
    [
        {},
        [],
        {"token_ids": [1], "token_texts": ["x"], "logprobs": ["much"]},
        {"token_ids": [1], "token_texts": ["x"], "logprobs": []},
        to_row(TokenScores(failure="no")),
    ],
)
def test_a_row_that_is_no_result_counts_as_not_there(row: object, tmp_path: Path) -> None:
    cache, scorer = Cache(tmp_path / "cache"), Asked()
    key = request_key("scripted", PAIRS[3], statistics=False)
    cache.add("scripted", {key: row})
    expected = scored(Asked(), tmp_path / "a", None)
    assert scored(scorer, tmp_path / "b", cache) == expected
    assert len(scorer.asked) == 40
    again = Asked()
    assert scored(again, tmp_path / "c", cache) == expected
    assert again.asked == []


def test_what_a_server_did_not_answer_here_may_be_known_elsewhere(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    missing = {request_key("scripted", PAIRS[3], statistics=False): {"failure": "no answer: 503"}}
    scored(Asked(), tmp_path / "a", cache)
    with Journal(tmp_path / "b") as journal:
        journal.add(missing)
    scorer = Asked()
    assert scored(scorer, tmp_path / "b", cache) == scored(Asked(), tmp_path / "a", None)
    assert scorer.asked == []


def test_results_without_ids_are_results(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    row = {"token_texts": ["é3"], "logprobs": [-1.0], "first_byte": 0, "prompt_bytes": 0}
    cache.add("scripted", {request_key("scripted", PAIRS[3], statistics=False): row})
    scorer = Asked()
    scored(scorer, tmp_path / "a", cache)
    assert len(scorer.asked) == 39


def test_a_cache_of_no_use_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(tmp_path)
    cache.path.write_bytes(b"nonsense" * 1000)
    scorer = Asked()
    assert scored(scorer, tmp_path / "a", cache) == scored(Asked(), tmp_path / "b", None)
    assert len(scorer.asked) == 40
    assert [record.levelname for record in caplog.records] == ["WARNING"]
