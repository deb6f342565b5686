from datetime import date

import pytest

from foreword.dates import Days, day_of_time, days_of_id, first_public, group_of, parse_days


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2025-06-01", (2025, 6, 1), (2025, 6, 1)),
        ("2025-06", (2025, 6, 1), (2025, 6, 30)),
        ("2024-02", (2024, 2, 1), (2024, 2, 29)),
        ("1900-02", (1900, 2, 1), (1900, 2, 28)),
        ("2025-12", (2025, 12, 1), (2025, 12, 31)),
    ],
)
def test_a_day_is_itself_and_a_month_is_all_of_its_days(
    text: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    assert parse_days(text) == Days(date(*first), date(*last))


@pytest.mark.parametrize(
    "text",
    ["", "2025", "2025-13", "2025-00", "2025-02-29", "2025-6", "2025-06-01T00:00", " 2025-06",
     "2025-06\n", "0000-05", "20250601", "2025-W05-1", "٢٠٢٥-٠٦", "soon", "2025-06-01" * 99],
)  # fmt: skip
def test_what_is_no_date_is_refused_in_few_words(text: str) -> None:
    with pytest.raises(ValueError, match="is no date: write a day, 2025-06-01") as caught:
        parse_days(text)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("name", "month"),
    [
        ("2604.19885", "2026-04"),
        ("2604.19885v1", "2026-04"),
        ("2604.19885v12", "2026-04"),
        ("arXiv-2604.19885v2", "2026-04"),
        ("arXiv:2604.19885", "2026-04"),
        ("1501.00001", "2015-01"),
        ("1412.9999", "2014-12"),
        ("0704.0001v3", "2007-04"),
        ("hep-th_9901001v1", "1999-01"),
        ("hep-th/9901001", "1999-01"),
        ("math_0309136", "2003-09"),
        ("math.GT_0309136v2", "2003-09"),
        ("cs_0703001", "2007-03"),
        ("alg-geom_9107001", "1991-07"),
    ],
)
def test_an_identifier_is_its_month_whatever_the_version(name: str, month: str) -> None:
    assert days_of_id(name) == parse_days(month)


@pytest.mark.parametrize(
    "name",
    [
        "notes",
        "2604",
        "2604.1988",  # four digits, from a year that has five
        "1412.00001",  # five digits, from a year that has four
        "2613.00001",  # there is no such month
        "2600.00001",
        "2604.00000",  # numbers begin at 1
        "2604.198855",
        "2604.19885v0",
        "2604.19885-old",
        "my-2604.19885",
        "0703.0001",  # the new style begins in April 2007
        "9901.00001",  # an old style's year in the new style
        "hep-th_0704001",  # the old style ends in March 2007
        "hep-th_9106001",
        "hep-th_5001001",
        "hep-th_9913001",
        "notes_9901001",  # arXiv has no such archive
        "thesis_0001001",
        "hep-th9901001",
        "2604.19885\n",
        "٢٦٠٤.١٩٨٨٥",
        "",
    ],
)
def test_a_name_that_only_looks_like_an_identifier_has_no_date(name: str) -> None:
    assert days_of_id(name) is None
    assert first_public(name).source is None
    assert group_of(first_public(name), "2020-01-01") == "unknown"


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2026-11-03T17:52:31Z", "2026-11-03"),
        ("2026-11-03", "2026-11-03"),
        ("2026-11-03T23:30:00-05:00", "2026-11-04"),
        ("2026-11-03T00:30:00+09:00", "2026-11-02"),
        ("2026-11-03T23:59:59", "2026-11-03"),
    ],
)
def test_a_time_of_a_listing_is_its_day_in_utc(time: str, day: str) -> None:
    assert day_of_time(time) == parse_days(day)


@pytest.mark.parametrize("time", ["", "not a day", "2026-02-30", "0001-01-01T00:00:00+05:00"])
def test_a_time_that_can_not_be_read_is_no_day(time: str) -> None:
    assert day_of_time(time) is None
    assert first_public("2604.19885", listed=time).source == "identifier"


def test_a_listing_tells_more_than_the_identifier_and_is_of_the_first_version() -> None:
    found = first_public("2604.19885v4", listed="2026-04-30T12:00:00Z")
    assert (found.first, found.last, found.source) == ("2026-04-30", "2026-04-30", "listing")


def test_what_is_stated_counts_before_the_name_both_ways() -> None:
    for stated in ("2020-01-01", "2029-01-01"):
        found = first_public("2604.19885", stated=stated)
        assert (found.first, found.source) == (stated, "stated")


def test_beside_a_listing_the_earlier_counts_so_nobody_can_state_a_paper_younger() -> None:
    listed = "2026-04-20T12:00:00Z"
    younger = first_public("a", listed=listed, stated="2026-05-01")
    assert (younger.first, younger.last, younger.source) == ("2026-04-20", "2026-04-20", "listing")
    older = first_public("a", listed=listed, stated="2026-03-01")
    assert (older.first, older.last, older.source) == ("2026-03-01", "2026-03-01", "stated")
    month = first_public("a", listed=listed, stated="2026-04")
    assert (month.first, month.last, month.source) == ("2026-04-01", "2026-04-20", "stated")


@pytest.mark.parametrize(
    ("stated", "cutoff", "group"),
    [
        ("2025-06-02", "2025-06-01", "after"),
        ("2025-06-01", "2025-06-01", "before"),  # the cutoff's own day has been read
        ("2025-05-31", "2025-06-01", "before"),
        ("2025-06", "2025-05-31", "after"),
        ("2025-06", "2025-06-01", "unknown"),
        ("2025-06", "2025-06-29", "unknown"),
        ("2025-06", "2025-06-30", "before"),
        ("2025-06", "2025-05", "after"),
        ("2025-06", "2025-06", "unknown"),
        ("2025-06", "2025-07", "before"),
        ("2025-06-15", "2025-06", "unknown"),
        ("2025-06-01", "2025-06", "before"),  # on the first day, whichever day the cutoff is
        ("2025-07-01", "2025-06", "after"),
        ("2025-06-15", None, "unknown"),
    ],
)
def test_only_what_lies_wholly_on_one_side_is_on_it(
    stated: str, cutoff: str | None, group: str
) -> None:
    assert group_of(first_public("a", stated=stated), cutoff) == group
