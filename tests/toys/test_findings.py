from dataclasses import replace

import pytest
from toys_made import scored

from foreword.toys import Findings, find, findings_json, findings_text
from foreword.toys.findings import Order

GOOD = {
    "exact": (-0.1, -0.1),
    "reordered": (-4.0, -0.2),
    "wrong": (-3.0, -1.0),
    "context": (-1.0, -1.0),
    "empty": (-2.0, -2.0),
}
BAD = GOOD | {"wrong": (-0.5, -0.5)}


def order_of(found: Findings, kind: str = "all", rule: str = "clip2") -> Order:
    (one,) = (order for order in found.orders if (order.kind, order.rule) == (kind, rule))
    return one


def test_means_are_over_items_and_softened_token_by_token() -> None:
    found = find(scored("a", GOOD) + scored("b", BAD, kind="product"))
    lines = {(line.kind, line.condition): line for line in found.lines}
    assert list(dict.fromkeys(line.kind for line in found.lines)) == ["sum", "product", "all"]
    wrong = lines["all", "wrong"]
    assert (wrong.num_items, wrong.raw, wrong.clip2) == pytest.approx((2, -1.25, -1.0))
    assert wrong.over_empty == pytest.approx(1.0)
    assert (wrong.lowest, wrong.highest) == pytest.approx((0.5, 1.5))
    assert lines["sum", "reordered"].raw == pytest.approx(-2.1)
    assert lines["sum", "reordered"].clip2 == pytest.approx(-1.1)
    assert lines["all", "empty"].over_empty == 0


def test_the_order_is_told_in_the_mean_and_item_by_item() -> None:
    found = find(scored("a", GOOD) + scored("b", BAD, kind="product"))
    whole = order_of(found)
    assert not whole.in_the_mean  # reordered −1.1 against wrong (−1.5 − 0.5) / 2
    assert (whole.num_items, whole.num_ordered) == (2, 1)
    assert whole.broken == {"b": ("reordered > wrong",)}
    assert whole.steps == {"exact > reordered": 2, "reordered > wrong": 1, "wrong > empty": 2}
    assert order_of(found, "sum").in_the_mean
    raw = order_of(found, "sum", "raw")
    assert not raw.in_the_mean
    assert raw.broken == {"a": ("reordered > wrong", "wrong > empty")}


def test_a_tie_is_no_order() -> None:
    flat = dict.fromkeys(GOOD, (-3.0, -5.0))
    assert order_of(find(scored("a", flat))).num_ordered == 0


def test_an_item_that_failed_somewhere_is_in_no_mean() -> None:
    rows = scored("a", GOOD) + scored("b", BAD)
    rows[-1] = replace(rows[-1], failure="too long", logprobs=(), recovery_token=None)
    found = find(rows)
    assert (found.num_items, found.num_left_out) == (2, 1)
    assert {line.num_items for line in found.lines} == {1}
    assert findings_json(found, rows)["items"][-1]["clip2"] is None


def test_recovery_is_of_the_items_that_have_it() -> None:
    rows = scored("a", GOOD) + scored("b", BAD, recovery=None)
    rows += [replace(row, recovery_bytes=1) for row in scored("c", BAD)]
    whole = find(rows).recoveries[-1]
    assert (whole.kind, whole.num_items, whole.num_reaching) == ("all", 2, 1)
    assert whole.probabilities["exact"] == pytest.approx(0.904837, abs=1e-6)
    assert whole.num_above_empty == {"exact": 2, "reordered": 2, "wrong": 2, "context": 2}
    assert "that token begins earlier: 1" in findings_text(find(rows))
    assert whole.probabilities["wrong"] == pytest.approx((0.367879 + 0.606531) / 2, abs=1e-6)


def test_the_text_says_plainly_whether_the_order_holds_and_where_not() -> None:
    text = findings_text(find(scored("a", GOOD) + scored("b", BAD, kind="product")))
    assert (
        "exact > reordered > wrong > empty, clip 2: does not hold in the mean, and in 1 of 2"
        in (text)
    )
    assert "b: not reordered > wrong" in text
    assert "clip 2: holds in the mean, and in 1 of 1" in findings_text(find(scored("a", GOOD)))


def test_nothing_scored_is_said_and_is_no_number() -> None:
    rows = [replace(row, failure="no", logprobs=()) for row in scored("a", GOOD)]
    found = find(rows)
    assert found.lines == found.orders == found.recoveries == ()
    assert "No item was scored" in findings_text(found)
    unfound = findings_text(find(scored("a", GOOD, recovery=None)))
    assert "No item has a token at the recovery point." in unfound
