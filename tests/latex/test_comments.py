from foreword.latex.comments import comment_end, ends_in_word, strip_comments


def test_a_comment_eats_its_line_end_and_the_next_lines_blanks() -> None:
    assert strip_comments("a % one\n \t b") == "a b"


def test_an_escaped_percent_is_no_comment_but_one_after_a_line_break_is() -> None:
    assert strip_comments("50\\% of\nx\\\\% gone\ny") == "50\\% of\nx\\\\y"


def test_an_empty_line_after_a_comment_still_ends_the_paragraph() -> None:
    assert strip_comments("a % one\n\nb") == "a \n\nb"


def test_a_control_word_is_not_prolonged_by_the_next_line() -> None:
    assert strip_comments("\\alpha% one\nx") == "\\alpha\nx"
    assert strip_comments("\\\\alpha% one\nx") == "\\\\alphax"


def test_a_line_that_is_all_comment_goes_whole() -> None:
    assert comment_end("  % one\n  b", 2, alone=True) == len("  % one\n  ")
    assert comment_end("% one\n\nb", 0, alone=True) == len("% one\n")


def test_a_comment_without_a_line_end_reaches_to_the_end() -> None:
    assert strip_comments("a% one") == "a"


def test_a_word_that_is_longer_than_any_real_one_is_not_looked_for() -> None:
    word = "\\" + "a" * 1_000
    assert not ends_in_word(word, len(word))
