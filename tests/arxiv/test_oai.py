"""Pages: hostile ones, and real ones where they are at hand."""

import re
import zlib
from pathlib import Path

import pytest
from arxiv_server import FakePaper, oai

from foreword.arxiv.connection import Answer, UnusableAnswerError
from foreword.arxiv.ids import parse_id, set_of
from foreword.arxiv.oai import Page, read_page
from foreword.errors import FetchError

SAMPLES = Path(__file__).resolve().parents[2] / ".." / "shared" / "arxiv"


def page(text: str | bytes) -> Page:
    return read_page(Answer(200, text if isinstance(text, bytes) else text.encode()))


def records(*papers: FakePaper, token: str = "") -> str:
    inside = "".join(paper.record() for paper in papers)
    return oai(f"<ListRecords>{inside}<resumptionToken>{token}</resumptionToken></ListRecords>")


def test_a_page_gives_its_papers_days_and_token() -> None:
    read = page(records(FakePaper("2611.00001"), FakePaper("math/0309136"), token=" t|1 "))
    assert [record.paper for record in read.records] == ["2611.00001", "math/0309136"]
    assert (read.days, read.token) == (("2026-11-03", "2026-11-03"), "t|1")


def test_versions_are_in_order_and_in_utc() -> None:
    paper = FakePaper("2611.00001", days=("2026-11-03", "2026-11-09"), types={2: "D"})
    text = records(paper).replace("Tue, 03 Nov 2026 10:20:30 GMT", "Tue, 3 Nov 2026 23:30:00 -0500")
    text = re.sub(r"(<version version=.v1.*?</version>)(<version.*?</version>)", r"\2\1", text)
    record = page(text).records[0]
    assert [version.number for version in record.versions] == [1, 2]
    assert record.versions[0].submitted == "2026-11-04T04:30:00Z"
    assert record.first_day == "2026-11-04"
    assert not record.versions[1].is_withdrawn


def test_a_record_that_lacks_what_it_must_have_is_left_out_by_name() -> None:
    whole = records(FakePaper("2611.00001"), FakePaper("2611.00002"))
    for damage in ("<id>../../x</id>", "<id></id>"):
        read = page(whole.replace("<id>2611.00002</id>", damage))
        assert [record.paper for record in read.records] == ["2611.00001"]
        assert (read.damaged, read.deleted) == (("2611.00002",), ())
    read = page(records(FakePaper("2611.00001", is_deleted=True)))
    assert (read.records, read.damaged, read.deleted) == ((), (), ("2611.00001",))
    nameless = whole.replace("<identifier>oai:arXiv.org:2611.00002</identifier>", "")
    read = page(nameless.replace("<id>2611.00002</id>", ""))
    assert read.damaged == ("a record without an identifier",)
    long = whole.replace("<id>2611.00002</id>", "").replace("org:2611.00002", "org:" + "x" * 999)
    assert page(long).damaged == ("x" * 100,)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(
    "damage",
    [
        ('<version version="v{}">', '<version version="v0{}">'),
        ('<version version="v{}">', "<version>"),
        (r"(v{}.><date>).*?</date>", r"\1yesterday</date>"),
        (r"(v{}.><date>).*?</date>", r"\1</date>"),
        (r"(v{}.>)<date>.*?</date>", r"\1"),
        (r"(v{}.><date>).*?</date>", r"\1Tue, 31 Nov 2026 10:20:30 GMT</date>"),
        (r"(v{}.><date>).*?</date>", r"\1Tue, 03 Nov 2026 10:20:30</date>"),
        (r"(v{}.><date>).*?</date>", r"\1Tue, 03 Nov 2026 10:20:30 +9999999</date>"),
        (r"(v{}.><date>).*?</date>", r"\1Fri, 31 Dec 9999 23:20:30 -0500</date>"),
        (r"(v{}.><date>).*?</date>", r"\1Tue, 99999999999999999999 Nov 2026 10:20:30 GMT</date>"),
    ],
)
def test_one_version_that_cannot_be_read_damages_the_whole_record(
    number: int, damage: tuple[str, str]
) -> None:
    days = ("2025-05-02", "2026-11-03", "2026-11-05")
    broken = re.sub(
        damage[0].format(number), damage[1].format(number), FakePaper("2505.00001", days).record()
    )
    whole = FakePaper("2611.00002")
    read = page(oai(f"<ListRecords>{broken}{whole.record()}</ListRecords>"))
    assert [record.paper for record in read.records] == ["2611.00002"]
    assert read.damaged == ("2505.00001",)
    assert read.days == ("2026-11-05", "2026-11-03")


@pytest.mark.parametrize(
    "versions", ["", "v2", "v2 v3", "v1 v1", "v1 v2 v2"], ids=lambda versions: versions or "none"
)
def test_a_record_without_its_first_version_or_with_one_twice_is_damaged(versions: str) -> None:
    paper = FakePaper("2611.00001", days=("2026-11-03",))
    one = re.search(r"<version .*</version>", paper.record())
    assert one
    several = "".join(one[0].replace("v1", number) for number in versions.split())
    read = page(records(paper).replace(one[0], several))
    assert (read.records, read.damaged) == ((), ("2611.00001",))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        oai(""),
        oai("<ListRecords></ListRecords>"),
        oai("<ListRecords><resumptionToken>t</resumptionToken></ListRecords>"),
        records(FakePaper("2611.00001"))[:-60],
        "<html><body>busy</body></html>",
        '{"error": "busy"}',
        "busy",
        records(FakePaper("2611.00001")).encode("utf-16"),
        b"\x1f\x8b torn",
        b"\xff\xfe",
    ],
)
def test_what_is_no_page_may_be_one_next_time(text: str | bytes) -> None:
    with pytest.raises(UnusableAnswerError):
        page(text)


def test_entities_are_never_expanded() -> None:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    for declare in (
        f"<!DOCTYPE x [{laughs}]>",
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://evil.example/x.dtd">',
    ):
        with pytest.raises(FetchError, match="entities"):
            page(oai("<ListRecords>&a9;</ListRecords>", declare))
    text = records(FakePaper("2611.00001", title="On <!DOCTYPE html>"))
    assert page(text).records[0].title == "On <!DOCTYPE html>"
    hidden = oai("<error code='x'>&a1;</error>", f"<!DOCTYPE x [{laughs}]>").encode("utf-16")
    with pytest.raises(UnusableAnswerError):
        page(hidden)


def test_a_page_that_was_cut_off_is_no_page() -> None:
    with pytest.raises(FetchError, match="larger than 50 MB"):
        read_page(Answer(200, b"<", is_whole=False))


def test_a_page_may_come_packed() -> None:
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(records(FakePaper("2611.00001")).encode()) + packer.flush()
    assert len(page(packed).records) == 1


def test_errors_of_the_protocol_keep_their_names() -> None:
    read = page(oai('<error code="badResumptionToken">  too\n old </error>'))
    assert (read.error, read.words) == ("badResumptionToken", "too old")


@pytest.mark.parametrize(
    ("text", "paper", "version"),
    [
        ("2604.19885", "2604.19885", None),
        ("0704.0001v12", "0704.0001", 12),
        ("arXiv:hep-th/9901001v1", "hep-th/9901001", 1),
        ("math.GT/0309136", "math/0309136", None),
        ("https://arxiv.org/abs/2604.19885v2", "2604.19885", 2),
    ],
)
def test_identifiers_of_both_styles(text: str, paper: str, version: int | None) -> None:
    assert (parse_id(text).paper, parse_id(text).version) == (paper, version)


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("cs.LG", "cs:cs:LG"),
        ("q-bio.NC", "q-bio:q-bio:NC"),
        ("cond-mat.mtrl-sci", "physics:cond-mat:mtrl-sci"),
        ("physics.optics", "physics:physics:optics"),
        ("astro-ph", "physics:astro-ph"),
        ("math-ph", "physics:math-ph"),
    ],
)
def test_a_category_is_a_set(category: str, name: str) -> None:
    assert set_of(category) == name


# ------------------------------------------------------------------------- real answers of arXiv


def as_raw(text: str) -> str:
    """A real page in the format `arXiv`, with what only arXivRaw has put in: versions."""
    text = text.replace("http://arxiv.org/OAI/arXiv/", "http://arxiv.org/OAI/arXivRaw/")
    text = re.sub(r"<(/?)arXiv(?=[ >])", r"<\1arXivRaw", text)
    named = '<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/" xsi'
    text = text.replace("<arXivRaw xsi", named)
    return re.sub(
        r"<created>(\d{4}-\d\d-\d\d)</created>",
        '<version version="v1"><date>Mon, 2 Apr 2007 19:18:42 GMT</date><size>9kb</size></version>',
        text,
    )


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not there")
@pytest.mark.parametrize(
    "path", sorted((SAMPLES / "oai").glob("*.xml")), ids=lambda path: path.stem
)
def test_real_pages_read_in_another_format_as_none_and_in_ours_whole(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    num = text.count("<metadata>")
    assert len(page(text).damaged) == num
    read = page(as_raw(text))
    assert (len(read.records), read.damaged, read.deleted) == (num, (), ())
    for record in read.records:
        assert record.title
        assert record.abstract
        assert record.categories
        assert f"<id>{record.paper}</id>" in text


def abs_record(path: Path) -> FakePaper:
    """A paper with the versions that a real record of arXiv has."""
    head = path.read_text(encoding="utf-8").split("\\\\\n")[1]
    found = re.findall(r"^Date.*?: *\w+, +(.*?) GMT +\((\w+?)(?:,(\w+))?\)", head, re.MULTILINE)
    sizes = {number: size for number, (_, size, _) in enumerate(found, 1)}
    types = {number: kind for number, (_, _, kind) in enumerate(found, 1)}
    name = re.search(r"^arXiv:(\S+)", head, re.MULTILINE)
    assert name
    assert found
    return FakePaper(name[1], days=("2016-06-05",) * len(found), sizes=sizes, types=types)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not there")
@pytest.mark.parametrize(
    ("name", "paper", "withdrawn"),
    [
        ("canonical_withdrawn", "1606.01467", [False] * 6 + [True]),
        ("canonical_1607.08199", "1607.08199", [False] * 5),
        ("browse_9202001", "alg-geom/9202001", [False]),
        ("browse_0704.0001", "0704.0001", [False] * 2),
    ],
)
def test_real_versions_say_whether_they_are_withdrawn(
    name: str, paper: str, withdrawn: list[bool]
) -> None:
    record = page(records(abs_record(SAMPLES / "abs" / f"{name}.abs"))).records[0]
    assert record.paper == paper
    assert [version.is_withdrawn for version in record.versions] == withdrawn
