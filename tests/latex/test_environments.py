from foreword.latex.environments import (
    DISPLAYS,
    INNER,
    REMOVED,
    TRANSPARENT,
    VERBATIM,
    arguments,
    is_display,
)


def test_no_environment_is_of_two_kinds() -> None:
    kinds = [DISPLAYS, INNER, TRANSPARENT, VERBATIM, REMOVED]
    assert len(frozenset().union(*kinds)) == sum(map(len, kinds))


def test_a_star_changes_neither_the_kind_nor_the_arguments() -> None:
    assert is_display("equation*")
    assert not is_display("split")
    assert arguments("IEEEeqnarray*") == arguments("IEEEeqnarray") == "om"
    assert arguments("equation") == ""
