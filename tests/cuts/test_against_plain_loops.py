"""What reads fast gives what its definition gives, written as a plain loop."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_by_hand import macro, paper

from foreword.cuts import lexemes as fast
from foreword.cuts import sites, symbols
from foreword.cuts.arguments import (
    LONGEST_OPTION,
    UnbalancedError,
    argument_end,
    braced_end,
    option_end,
    skip_space,
)
from foreword.cuts.content import BareText, bare, likeness, without_bookkeeping
from foreword.cuts.lexemes import Lexeme, Vocabulary
from foreword.cuts.places import places
from foreword.latex.diagrams import DIAGRAM_ENVIRONMENTS, DIAGRAM_WORDS, Diagrams
from foreword.latex.macros import control_names, used_macros
from foreword.latex.tokens import group_end, token_at, tokens
from foreword.records import Macro, Segment

PIECES = [
    *"ab1=+-<&,;:()[]|{}$^_~ %\n\\é",
    *(r"\alpha", r"\le ", r"\left(", r"\right)", r"\\", r"\\[2pt]", r"\\ [", r"\,", r"\!", r"\ "),
    *("{a}", "{ ~b c }", "{}", "{ }", "{+}", "^{n+1}", "_i", "^\\a", r"_\mathrm{eff}", "^{a{b}}"),
    *(r"\begin{split}", r"\end{split}", r"\begin{cases}", r"\end{cases}", r"\bigl(", r"\bigr|"),
    *(r"\label{eq:a}", r"\label {a", r"\tag*{A}", r"\tag", r"\nonumber", r"\quad", r"\labels"),
    *(r"\text{ if $a$}", r"\text{Tr}", r"\stackrel{!}{=}", r"\xrightarrow[u]{f}", r"\sqrt[3]"),
    *(r"\mspace{1&2}", r"\own", r"\pair", r"\fig", r"\tikz", r"\xy", r"\begin{tikzpicture}"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
OWN = Vocabulary([macro("own", r"ab \left( cd"), macro("pair", "x=", 1), macro("a", "{+b")])


def plain_lexemes(text: str, vocabulary: Vocabulary) -> Iterator[Lexeme]:
    """Each token on its own."""
    at = 0
    while at < len(text):
        token = token_at(text, at)
        at = token.end
        if token.kind in ("word", "symbol"):
            found = list(fast._control(text, token.start, token.end, vocabulary))
            at = found[-1].end
            yield from (piece for piece in found if piece.role != "blank")
        elif token.text in ("^", "_"):
            at = argument_end(text, at)
            if text.startswith("\\", skip_space(text, token.end)):
                while text.startswith("{", at):
                    at = braced_end(text, at)
            yield Lexeme("script", token.start, at)
        elif empty := re.compile(r"\{\s*\}").match(text, token.start):
            at = empty.end()
            yield Lexeme("empty", token.start, at)
        elif token.kind not in ("space", "comment") and token.text != "~":
            role = symbols.ROLE_OF_CHARACTER.get(token.text, "operand")
            yield Lexeme(role, token.start, at)


def ends_or_fault(body: str, vocabulary: Vocabulary) -> list[int] | str:
    try:
        return sites.operator_ends(body, vocabulary)
    except UnbalancedError as error:
        return str(error)


@given(texts)
def test_a_formula_is_read_as_if_token_by_token(body: str) -> None:
    read = ends_or_fault(body, OWN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sites, "lexemes", plain_lexemes)
        assert ends_or_fault(body, OWN) == read


@given(texts.map(lambda body: f"{{{body}"))
def test_a_group_ends_where_counting_tokens_says_so(text: str) -> None:
    depth, end = 0, None
    for token in tokens(text):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0:
            end = token.end
            break
    assert group_end(text, 0) == end


UNREAD = re.compile(
    r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag|q?quad)(?![A-Za-z])|\\[,;:!>]|[\s~]+"
)
LAYOUT = re.compile(
    r"\\(?:left|right|middle|[bB]igg?[lrm]?|display(?:style|limits)|limits|nolimits|mspace\{[^{}]*\}"
    r"|hspace\*?\{[^{}]*\}|allowbreak|noindent|hfill|strut)(?![A-Za-z])"
    r"|\\\\(?:\*?\[[^\[\]]*\])?|\\[ !]|[&~]"
)


@given(texts)
def test_what_a_formula_says_is_what_one_pass_over_it_leaves(text: str) -> None:
    said = UNREAD.sub("", text).rstrip(".,;:")
    assert bare(text) == said
    assert likeness(text) == LAYOUT.sub("", said).rstrip(".,;:")


@given(texts)
def test_bookkeeping_is_left_out_token_by_token(text: str) -> None:
    kept, skip_to = [], 0
    for token in tokens(text):
        if token.start < skip_to:
            continue
        if token.text in (r"\label", r"\tag"):
            brace = token.end + text.startswith("*", token.end)
            closed = group_end(text, brace) if text.startswith("{", brace) else None
            skip_to = closed or token.end
        elif token.text not in (r"\nonumber", r"\notag"):
            kept.append(token.text)
    assert without_bookkeeping(text) == "".join(kept)


@given(st.lists(texts, max_size=3).map("".join), st.data(), st.integers(1, 20))
def test_what_a_stretch_says_does_not_depend_on_the_parts_it_is_read_in(
    text: str, data: st.DataObject, part: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foreword.cuts.content._PART", part)
        whole = BareText(text)
    for _ in range(5):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        assert whole.between(start, end) == bare(text[start:end])


@given(texts, st.lists(st.tuples(st.sampled_from(["own", "fig", "xy", "a"]), texts), max_size=4))
def test_a_diagram_is_one_by_any_text_that_its_macros_lead_to(
    body: str, bodies: list[tuple[str, str]]
) -> None:
    macros: list[Macro] = [macro(name, text) for name, text in bodies]
    used = used_macros(body, macros)
    found = [body, *(one.body for one in used)]
    words = set[str]().union(*map(control_names, found)) - {one.name for one in used}
    begun = {name for text in found for name in re.findall(r"\\begin\{([^{}]*)\}", text)}
    expected = bool(words & DIAGRAM_WORDS or begun & DIAGRAM_ENVIRONMENTS)
    assert Diagrams(macros).has("equation", body) == expected


def test_places_are_those_that_the_paper_finds_one_by_one() -> None:
    made = paper(["a\n=b", "c", "d\n\n=e", "f"], before="Let\nus\nbegin. ")
    for starts in ([0], [0, 20, 50], [0, 14, 15, 100]):
        segments = [Segment(start=at, file=f"{at}.tex", line=at + 1, column=1) for at in starts]
        object.__setattr__(made, "segments", tuple(segments))
        object.__setattr__(made, "displays", made.displays[::-1])
        assert places(made) == [made.locate(display.start) for display in made.displays]
    object.__setattr__(made, "segments", ())
    assert places(made) == [("", 0)] * 4


@given(texts.map(lambda text: f"[{text}"), st.booleans())
def test_an_option_ends_where_counting_tokens_says_so(text: str, sure: bool) -> None:
    depth, end = 0, 0
    for token in tokens(text, 1, text.rfind("]", 0, LONGEST_OPTION) + 1):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0 or (token.text == "]" and depth == 0):
            end = token.end if depth == 0 and (sure or text.startswith("{", token.end)) else 0
            break
    assert option_end(text, 0, sure=sure) == end
