import dataclasses
from pathlib import Path

import pytest
from make_records import Study, make_study
from page_reader import PageReader

from foreword.records import Macro
from foreword.report import write_report

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "style end": "</style><script>alert(1)</script>",
    "title end": "</title></head><body onload=alert(1)>",
    "handler": '" onmouseover="alert(1)" x="',
    "unquoted handler": " onclick=alert(1) ",
    "single quotes": "' onfocus='alert(1)' autofocus='",
    "image": "<img src=x onerror=alert(1)>",
    "outside image": '<img src="https://example.org/x.png">',
    "link": '<a href="javascript:alert(1)">x</a>',
    "href": r"\href{javascript:alert(1)}{x}",
    "url": r"\url{https://example.org}",
    "latex text": r"\text{<script>alert(1)</script>}",
    "latex class": r"\class{evil}{x}\style{position:fixed}{x}\html{<b>}",
    "comment": "--><!-- x -->",
    "cdata": "]]><![CDATA[ x ]]>",
    "pre end": "</pre></article></main><h1>gone</h1>",
    "math end": r"\text{</math><img src=x onerror=alert(1)>}",
    "svg": "<svg onload=alert(1)><title>x</title>",
    "meta": '<meta http-equiv="refresh" content="0;url=https://example.org">',
    "template": "{{ 7*7 }}{% raw %}{# x #}",
    "entity": "&lt;script&gt;&amp;&#60;&colon;",
    "NUL": "a\x00b\x1b[31mred\x07",
    "surrogate": "a\ud800b\udfffc",
    "bidi": "abc\u202edcb\u2066x\u2069\u200f",
    "zero width": "a\u200bb\u200cc\u200dd\ufeffe\u00adf",
    "tags": "a\U000e0041\U000e007f",
    "line ends": "a\r\nb\u2028c\u2029d\x85e",
    "private": "a\ue000b\uffffc",
    "marks": "a" + "\u0301" * 300,
    "long": "x" * 100_000,
    "braces": "{" * 10_000,
    "balanced braces": "{" * 5_000 + "}" * 5_000,
    "roots": r"\sqrt" * 5_000,
    "empty": "",
    "spaces": " \n\t ",
}
ALLOWED_ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "title", "role"),
    *("aria-label", "aria-labelledby", "tabindex", "scope", "rowspan", "colspan", "dir", "display"),
    *("viewbox", "width", "height", "x", "y", "cx", "cy", "r", "d", "dy", "displaystyle"),
    *("scriptlevel", "stretchy", "lspace", "rspace", "minsize", "maxsize", "form", "accent"),
    *("mathvariant", "movablelimits", "symmetric", "linethickness", "fence", "separator"),
}


def write(study: Study, folder: Path, **changes: object) -> str:
    settings: dict[str, object] = {
        "title": "A study",
        "analysis": study.analysis,
        "cuts": study.cuts,
        "forecasts": study.forecasts,
        "scores": study.scores,
        "facts": {"Seed": "0"},
        "rejected": {"no candidate site": 2},
    }
    path = folder / "report.html"
    write_report(path, **(settings | changes))  # type: ignore[arg-type]
    return path.read_bytes().decode("utf-8")


def spoilt(text: str) -> Study:
    """A small study with a text at every place that others write."""
    study = make_study(num_cuts=5, num_papers=2, predictors=("large", text))
    cuts = [
        dataclasses.replace(
            cut,
            context=text * 2,
            prefix=cut.prefix + (text if n == 1 else ""),
            hidden=text if n == 2 else cut.hidden,
            file=text,
            environment=text if n == 3 else cut.environment,
            macros=(*cut.macros, Macro(name="half", num_args=1, default=text, body=text)),
        )
        for n, cut in enumerate(study.cuts)
    ]
    forecasts = [
        dataclasses.replace(f, text=text, raw=text)
        if f.text is not None
        else dataclasses.replace(f, failure=text)
        for f in study.forecasts
    ]
    scores = [
        dataclasses.replace(score, token_texts=(text[:200],) * len(score.token_ids))
        if n % 3
        else dataclasses.replace(
            score, token_ids=(), token_texts=(), logprobs=(), failure=text, prompt_bytes=None
        )
        for n, score in enumerate(study.scores)
    ]
    missing = tuple(
        dataclasses.replace(item, item=text, reason=text) for item in study.analysis.missing
    )
    analysis = dataclasses.replace(study.analysis, scorer_id=text, missing=missing)
    return Study(analysis, cuts, forecasts, scores)


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> PageReader:
    return PageReader(write(make_study(), tmp_path_factory.mktemp("ordinary")))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(name: str, tmp_path: Path, ordinary: PageReader) -> None:
    text = HOSTILE[name]
    page = write(spoilt(text), tmp_path, title=text, facts={text: text}, rejected={text: 3})
    reader = PageReader(page)
    assert reader.elements.keys() <= ordinary.elements.keys() | {"code", "mspace", "mtext", "i"}
    assert {attribute for _, attribute, _ in reader.attributes} <= ALLOWED_ATTRIBUTES
    assert set(reader.values("href")) <= {"#leaderboard", "#examples"}
    assert reader.elements["style"] == reader.elements["body"] == reader.elements["h1"] == 1
    assert reader.elements["meta"] == ordinary.elements["meta"]
    assert (reader.unbalanced, reader.open) == ([], [])
    assert len(page.encode("utf-8")) <= 2_000_000


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("NUL", "a⟨U+0000⟩b⟨U+001B⟩[31mred⟨U+0007⟩"),
        ("surrogate", "a⟨U+D800⟩b⟨U+DFFF⟩c"),
        ("bidi", "abc⟨U+202E⟩dcb⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩"),
        ("zero width", "a⟨U+200B⟩b⟨U+200C⟩c⟨U+200D⟩d⟨U+FEFF⟩e⟨U+00AD⟩f"),
        ("tags", "a⟨U+E0041⟩⟨U+E007F⟩"),
        ("script", "<script>alert(1)</script>"),
        ("template", "{{ 7*7 }}{% raw %}{# x #}"),
        ("entity", "&lt;script&gt;&amp;&#60;&colon;"),
    ],
)
def test_what_was_hidden_is_spelt_out(name: str, shown: str, tmp_path: Path) -> None:
    page = write(spoilt(HOSTILE[name]), tmp_path, title=HOSTILE[name])
    assert shown in PageReader(page).text
    assert not any(
        character in page for character in "\x00\x1b\u202e\u2066\u200b\u200d\ufeff\u00ad"
    )


def test_hostile_macros_end(tmp_path: Path) -> None:
    study = make_study(num_cuts=3, predictors=("large",))
    bombs = (
        Macro(name="half", num_args=0, default=None, body=r"\norm\half\half"),
        Macro(name="norm", num_args=1, default=None, body=r"\norm{#1#1}"),
    )
    cuts = [dataclasses.replace(cut, macros=bombs) for cut in study.cuts]
    page = write(Study(study.analysis, cuts, study.forecasts, study.scores), tmp_path)
    assert "not typeset" in page
