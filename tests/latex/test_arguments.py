from hypothesis import given
from hypothesis import strategies as st

from foreword.latex.arguments import Arguments, brace_pairs
from foreword.latex.tokens import group_end


def reader(text: str) -> Arguments:
    return Arguments(text, 0, brace_pairs(text))


@given(st.text(alphabet="{}\\ab", max_size=30))
def test_brace_pairs_are_the_groups_that_tokens_find(text: str) -> None:
    pairs = brace_pairs(text)
    for start in range(len(text)):
        if start in pairs:
            assert group_end(text, start) == pairs[start] + 1


def test_a_brace_in_a_comment_is_none() -> None:
    assert brace_pairs("{ % }\n}") == {0: 6}


def test_brackets_in_braces_close_no_option() -> None:
    assert reader("[a{]}b] c").option() == "a{]}b"


def test_an_option_without_an_end_is_none_and_nothing_is_read() -> None:
    read = reader("[0,1) is an interval")
    assert read.option() is None
    assert read.at == 0


def test_an_option_does_not_reach_out_of_its_group() -> None:
    assert reader("[a} b]").option() is None


def test_blanks_and_comments_before_an_argument_are_passed_over() -> None:
    assert reader(" % note\n {x}").group() == "x"


def test_a_name_may_stand_bare_or_in_braces() -> None:
    assert reader("\\be").control() == "be"
    assert reader("{ \\be }").control() == "be"
    assert reader("{\\be x}").control() is None
