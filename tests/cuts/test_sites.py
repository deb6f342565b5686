import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_by_hand import macro

from foreword.cuts.arguments import UnbalancedError
from foreword.cuts.lexemes import Vocabulary
from foreword.cuts.sites import candidate_sites, operator_ends
from foreword.latex.tokens import tokens
from foreword.records import Macro


def marked(body: str, vocabulary: Vocabulary | None = None) -> str:
    """The body with a mark at each place at which it could be cut."""
    ends = operator_ends(body, vocabulary or Vocabulary())
    return "".join(c + "¦" * (i + 1 in ends) for i, c in enumerate(body))


@pytest.mark.parametrize(
    "expected",
    [
        r"a =¦ b +¦ c -¦ d",
        r"a \le¦ b \left( c = d \right) \lesssim¦ e",
        r"a\leq¦ b\leftarrow¦ c",
        r"a :=¦ b =:¦ c",
        r"a \coloneqq¦ b \to¦ c \mapsto¦ d",
        r"a &=¦ b \\ &=¦ c",
        r"a ={}¦ b = {}¦& c",
        r"a \not=¦ b \neq¦ c",
        r"a ==¦ b <=¦ c",
        r"a =\!=¦ b",
        r"a ∈¦ B ⊕¦ C",
    ],
)
def test_relations_and_signs_between_terms_are_sites(expected: str) -> None:
    assert marked(expected.replace("¦", "")) == expected


@pytest.mark.parametrize(
    "expected",
    [
        r"-a =¦ -b +¦ (-c) \cdot -d",
        r"a = {}¦-b, -c, \; +d; \pm e",
        r"\sum_{i} -a \log -b -¦ c",
        r"|-a| +¦ |b| -¦ \|-c\|",
        r"a \in¦ \{-1, +1\}",
        r"\left.-a\right| -¦ \bigl[-b\bigr] -¦ c",
        r"\langle -a \rangle -¦ \bigl|-b\bigr|",
        r"a =¦ b \text{ if } -c",
        r"\text{Tr} -¦ b",
        r"a {=} -b \mathrel{=}¦ -c",
        r"a &&-b",
        r"& - a &=¦ -b",
        r"\kern-3pt a \hskip -2em b",
    ],
)
def test_a_sign_that_joins_no_two_terms_is_no_site(expected: str) -> None:
    assert marked(expected.replace("¦", "")) == expected


@pytest.mark.parametrize(
    "expected",
    [
        r"a =¦ b \\ &\quad +¦ c \\ & {}-¦ d",
        r"x &=¦ 1 \\ -y &=¦ 2",
        r"x =¦ 1 \\ -y =¦ 2",
        r"x & =¦ & 1 \\ & & -¦ y",
        r"x &=¦ 1 \\[-2pt] &-¦ 3 \\* [+3mm] &+¦ 4",
        r"x =¦ \begin{cases} -1 & y <¦ 0 \\ +2 & -y \ge¦ 0 \end{cases}",
        r"\begin{aligned}[t] a &=¦ b \\ &+¦ c \end{aligned} =¦ 0",
        r"\begin{alignedat}{2} a &=¦ b \end{alignedat}",
    ],
)
def test_rows_of_the_display_are_read_as_rows(expected: str) -> None:
    assert marked(expected.replace("¦", "")) == expected


@pytest.mark.parametrize(
    "body",
    [
        r"x_{a=b}^{c+d} y^+ z^- w_\pm v^\ge",
        r"\frac{a+b}{c=d} \sqrt[n+1]{e}",
        r"\label{eq:a=b} \tag{c+d} \text{where $a=b$} \mbox{x = y}",
        r"\intertext{and so a = b}",
        r"\left( a = b + c \right)",
        r"\left\{ \begin{aligned} a &= b \end{aligned} \right.",
        r"\begin{pmatrix} a = b \\ c + d \end{pmatrix}",
        r"\begin{array}{c@{=}c} a = b \end{array}",
        r"\xi[k=1]{x}",
        r"\left< a \right> \left< b \right>",
        r"a, =, b",
        r"(=) \{+\} a =",
        r"\begin{unknown}[a=b] c = d \end{unknown}",
        r"\bigl< a \bigr>",
    ],
)
def test_operators_that_are_not_at_top_level_are_no_sites(body: str) -> None:
    assert operator_ends(body) == []


def test_an_operator_keeps_its_scripts_and_its_label() -> None:
    assert marked("a =_A b +_{G} c") == "a =_A¦ b +_{G}¦ c"
    assert marked(r"a \xrightarrow[u]{f=g} b") == r"a \xrightarrow[u]{f=g}¦ b"
    assert marked(r"a \xrightarrow\delta b") == r"a \xrightarrow\delta¦ b"
    assert marked(r"a \stackrel{\text{def}}{=} b") == r"a \stackrel{\text{def}}{=}¦ b"
    assert marked(r"a \overset\tau\longmapsto b") == r"a \overset\tau\longmapsto¦ b"


def test_a_papers_own_words_are_seen_for_what_they_stand_for() -> None:
    own = Vocabulary(
        [
            macro("eqdef", r"\mathrel{\mathop:}="),
            macro("ra", r"\to"),
            macro("to", r"\rightarrow"),
            macro("lb", r"\left("),
            macro("rb", r"\right)"),
            macro("bm", r"\begin{pmatrix}"),
            macro("em", r"\end{pmatrix}"),
            macro("nn", r"\nonumber\\"),
            macro("H", "H+V"),
            macro("E", r"\times10^{#1}", num_args=1),
            macro("F", r"\@ifnextchar-{\@@F}{\@F}"),
            macro("loop", r"\loop +"),
            macro("opt", "x", num_args=2, default="a"),
        ]
    )
    assert marked(r"a \eqdef -b \ra c", own) == r"a \eqdef¦ -b \ra¦ c"
    assert marked(r"\lb a=b \rb -c \bm d=e \em", own) == r"\lb a=b \rb -¦c \bm d=e \em"
    assert marked(r"a=b \nn &+c \H x", own) == r"a=¦b \nn &+¦c \H x"
    assert marked(r"3\F-9 +1", own) == r"3\F-9 +¦1"
    assert marked(r"3\E-9 +1 \loop \opt[k=1]-", own) == r"3\E-9 +¦1 \loop \opt[k=1]-"


@pytest.mark.parametrize(
    "body",
    [
        "{a",
        "a}",
        r"\left( a",
        r"a \right)",
        r"{ \left( } \right)",
        r"\begin{aligned} a \end{split}",
        r"\begin{pmatrix} a",
        r"\frac{a",
        r"x_{a",
        "a $ b",
    ],
)
def test_a_body_without_partners_says_so(body: str) -> None:
    with pytest.raises(UnbalancedError):
        candidate_sites(body)


def test_the_site_nearest_to_the_middle_comes_first_and_the_earlier_one_of_two() -> None:
    assert candidate_sites("abc=de=fgh") == (4,)
    assert candidate_sites("abc=d=ef") == (4,)
    assert candidate_sites("abc=ef=abc") == (4,)
    assert candidate_sites("abcd=f=ghijk") == (5, 7)
    assert candidate_sites("abcde+f+ghijkl") == (6, 8)


def test_a_deeply_nested_body_is_read_without_recursion() -> None:
    assert candidate_sites("{" * 2_000 + "}" * 2_000 + "=x" * 4_000)
    assert candidate_sites(r"\left(" * 3_000 + r"\right)" * 3_000) == ()
    many = [macro(f"m{'x' * i}", rf"\m{'x' * (i + 1)}\m{'x' * (i + 1)}") for i in range(300)]
    assert operator_ends(r"a = \m", Vocabulary([*many, macro("m" + "x" * 300, r"\left(")])) == [3]


PIECES = [
    *"ab12=+-<&,()[]|:' ~\n",
    *(r"\alpha", r"\le", r"\leq ", r"\left(x=1\right)", r"\lesssim ", r"\pm ", r"\\", r"\\[2pt]"),
    *("{a+b}", "{}", "_i", "^{n+1}", "^+", r"_\mathrm{eff}", r"\text{ if $a=b$}", r"\frac{1}{2}"),
    *(r"\begin{split}a&=b\end{split}", r"\begin{matrix}a=b\end{matrix}", r"\bigl(", r"\quad "),
    *(r"\label{eq:a=b}", r"\stackrel{!}{=}", r"\xrightarrow{f}", r"\sum_{i=1}^n", ":=", r"\{"),
]
bodies = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(bodies)
def test_sites_stand_in_the_middle_third_between_tokens_and_outside_of_braces(body: str) -> None:
    starts = {token.start for token in tokens(body)}
    for site in candidate_sites(body):
        assert len(body) / 3 <= site <= 2 * len(body) / 3
        assert site in starts
        kinds = [token.kind for token in tokens(body, 0, site)]
        assert kinds.count("open") == kinds.count("close")
        words = [token.text for token in tokens(body, 0, site)]
        assert words.count(r"\left") == words.count(r"\right")


@given(bodies)
def test_sites_come_nearest_first(body: str) -> None:
    keys = [(abs(2 * site - len(body)), site) for site in candidate_sites(body)]
    assert keys == sorted(keys)


@given(st.text(alphabet=r"\{}[]()$&^_=+-|:%~ ab2" + "\n", max_size=60))
def test_any_text_gives_sites_or_says_that_it_is_unbalanced(body: str) -> None:
    try:
        sites = candidate_sites(body, Vocabulary([macro("a", "{+"), macro("ab", "b=", 1)]))
    except UnbalancedError:
        return
    assert all(0 < site < len(body) for site in sites)


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        (r"a=\bigl(q-1\bigr)+(x+y)-[0,1)+w", ["a=", r"\bigr)+", "+(x+y)-", "-[0,1)+"]),
        (r"\{u+v\}+|x+y|+\langle a+b\rangle+1", [r"v\}+", "+|x+y|+", r"b\rangle+"]),
        (r"\begin{aligned}a&=(b\\&+c)+d\end{aligned}+e", ["}a&=", "&+c)+", "aligned}+"]),
    ],
)
def test_a_sign_in_a_pair_of_brackets_is_not_at_top_level(body: str, ends: list[str]) -> None:
    found = [body[:end] for end in operator_ends(body)]
    assert len(found) == len(ends)
    assert all(a.endswith(b) for a, b in zip(found, ends, strict=True))


@pytest.mark.parametrize(
    "expected",
    [
        r"\arraycolsep=1.4pt a =¦ b",
        r"\jot 3pt a =¦ b",
        r"a =¦ b \postdisplaypenalty=100",
        r"a =¦ b \interdisplaylinepenalty -10 +¦ c",
        r"a =¦ \thickmuskip=\medmuskip b",
    ],
)
def test_what_tex_is_told_is_no_formula(expected: str) -> None:
    assert marked(expected.replace("¦", "")) == expected


def test_arguments_of_a_macro_by_its_signature_belong_to_it() -> None:
    words = Vocabulary(
        [
            Macro(name="norm", num_args=1, default=None, body="", arguments="s o m"),
            Macro(name="at", num_args=0, default=None, body="", arguments="d<> t+"),
            Macro(name="Phi", num_args=0, default=None, body=r"\le", arguments="="),
            macro("le", "x"),
        ]
    )
    expected = r"\norm*[\big]{a=b} =¦ \norm [x]{y} +¦ \at<a=b>+ +¦ \at c \Phi¦ d"
    assert marked(expected.replace("¦", ""), words) == expected
