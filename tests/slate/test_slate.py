from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from foreword.catalogue import Candidate, Listing
from foreword.cuts import CutRules
from foreword.records import Display, Failure, Paper
from foreword.slate import Criteria, choose_slate, count_left_out

RULES = CutRules(min_context=0, min_hidden=5)


def paper(name: str, *formulas: str, length: int = 0) -> Paper:
    text, displays = "", []
    for formula in formulas:
        start = len(text)
        text += rf"\[{formula}\] "
        end = len(text) - 1
        displays.append(
            Display(environment="[", start=start, body_start=start + 2, body_end=end - 2, end=end)
        )
    return Paper(id=name, text=text.ljust(length, "x"), displays=tuple(displays))


def listing(name: str, **fields: object) -> Listing:
    made = Listing(
        paper_id=name,
        id=name,
        version=1,
        state="ok",
        first_submitted="2026-11-03T17:52:31Z",
        licence="http://creativecommons.org/licenses/by/4.0/",
        categories=("math.AG", "hep-th"),
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def verdicts(slate: Sequence[Candidate]) -> dict[str, int | str | None]:
    return {one.paper_id: one.place or one.reason for one in slate}


def test_without_criteria_every_paper_is_taken_in_its_order() -> None:
    slate = choose_slate([paper("b"), paper("a")], Criteria(), rules=RULES)
    assert verdicts(slate) == {"b": 1, "a": 2}


@pytest.mark.parametrize(
    ("criteria", "fields", "reason"),
    [
        (Criteria(categories=("hep-th",)), {}, None),
        (Criteria(categories=("math",)), {}, None),
        (Criteria(categories=("mat",)), {}, "category"),
        (Criteria(primary_categories=("hep-th",)), {}, "category"),
        (Criteria(primary_categories=("math.AG", "quant-ph")), {}, None),
        (Criteria(categories=("hep-th",)), {"categories": ()}, "category"),
        (Criteria(first_day=date(2026, 11, 3), last_day=date(2026, 11, 3)), {}, None),
        (Criteria(first_day=date(2026, 11, 4)), {}, "day"),
        (Criteria(last_day=date(2026, 11, 2)), {}, "day"),
        (Criteria(first_day=date(2026, 1, 1)), {"first_submitted": ""}, "day"),
        (Criteria(first_day=date(2026, 1, 1)), {"first_submitted": "not a day"}, "day"),
        (Criteria(last_day=date(2027, 1, 1)), {"first_submitted": ""}, "day"),
        (Criteria(licences=("CC0", "CC-BY")), {}, None),
        (Criteria(licences=("CC-BY-3.0",)), {}, "licence"),
        (Criteria(licences=("CC-BY",)), {"licence": ""}, "licence"),
        (
            Criteria(licences=("CC-BY",)),
            {"licence": "http://creativecommons.org/licenses/by-sa/4.0/"},
            "licence",
        ),
        (Criteria(min_characters=11), {}, "too short"),
        (Criteria(max_characters=9), {}, "too long"),
        (Criteria(min_characters=10, max_characters=10), {}, None),
    ],
)
def test_each_criterion_takes_and_leaves_out(
    criteria: Criteria, fields: dict[str, object], reason: str | None
) -> None:
    (one,) = choose_slate(
        [paper("p", length=10)], criteria, rules=RULES, listings=[listing("p", **fields)]
    )
    assert one.reason == reason
    assert (one.place is None) == (reason is not None)
    assert bool(one.detail) == (reason is not None)


def test_what_no_listing_tells_is_not_taken_for_met() -> None:
    (one,) = choose_slate([paper("p")], Criteria(licences=("CC-BY",)), rules=RULES)
    assert (one.reason, one.detail) == ("not listed", "no listing tells its licences")
    (one,) = choose_slate([paper("p")], Criteria(min_characters=0), rules=RULES)
    assert one.place == 1


FORMULAS = ("a = b + c + d + e", "x = y + z + u + v", "p = q + r + s + t")


def test_qualifying_equations_are_counted_without_those_of_an_earlier_paper_of_the_slate() -> None:
    papers = [paper("few", FORMULAS[0]), paper("many", *FORMULAS), paper("copy", *FORMULAS)]
    slate = choose_slate(papers, Criteria(min_cuts=2), rules=RULES)
    assert [one.num_qualifying for one in slate] == [1, 3, 0]
    assert verdicts(slate) == {"few": "too few cuts", "many": 1, "copy": "too few cuts"}


def test_the_cuts_that_were_counted_are_the_cuts_that_are_made() -> None:
    from foreword.stages import cut_papers

    papers = [paper("a", *FORMULAS[:2]), paper("b", *FORMULAS), paper("c", *FORMULAS[::-1])]
    slate = choose_slate(papers, Criteria(min_cuts=1, max_papers=2), rules=RULES, seed=3)
    taken = sorted((one.place, one.paper_id) for one in slate if one.place)
    by_id = {one.id: one for one in papers}
    cuts, _ = cut_papers([by_id[name] for _, name in taken], RULES, seed=3)
    counted = {one.paper_id: one.num_qualifying for one in slate if one.place}
    assert {name: sum(cut.paper_id == name for cut in cuts) for name in counted} == counted


def test_a_draw_depends_on_the_seed_and_the_ids_alone() -> None:
    papers = [paper(f"p{n}") for n in range(20)]
    drawn = [verdicts(choose_slate(papers, Criteria(max_papers=6), rules=RULES, seed=s))
             for s in (0, 0, 1)]  # fmt: skip
    assert drawn[0] == drawn[1] != drawn[2]
    assert sorted(v for v in drawn[0].values() if isinstance(v, int)) == [1, 2, 3, 4, 5, 6]
    assert list(drawn[0].values()).count("not drawn") == 14
    backwards = choose_slate(papers[::-1], Criteria(max_papers=6), rules=RULES)
    assert verdicts(backwards) == drawn[0]
    order = [name for name, place in drawn[0].items() if isinstance(place, int)]
    without = [one for one in papers if one.id in order]
    again = verdicts(choose_slate(without, Criteria(max_papers=6), rules=RULES))
    assert again == {name: drawn[0][name] for name in again}


def test_papers_that_were_not_read_are_candidates_too() -> None:
    failure = Failure(
        stage="papers",
        item="/home/me/torn.tar.gz",
        reason="/home/me/torn.tar.gz, in /home/me, is torn",
        state="bad archive",
        paper_id="torn",
    )
    listings = [
        listing("p"),
        listing("unread"),
        listing("gone", state="withdrawn", reason="version 2 is withdrawn"),
        listing("torn"),
    ]
    slate = choose_slate(
        [paper("p")], Criteria(), rules=RULES, listings=listings, failures=[failure]
    )
    assert verdicts(slate) == {"p": 1, "torn": "no text", "unread": "not read", "gone": "no text"}
    assert [one.detail for one in slate][1:] == [
        "bad archive: torn.tar.gz, in me, is torn",
        "it is listed, and was not given to be read",
        "withdrawn: version 2 is withdrawn",
    ]
    assert count_left_out(slate) == {"no text": 2, "not read": 1}
    assert all(one.licence == "CC-BY-4.0" for one in slate)
