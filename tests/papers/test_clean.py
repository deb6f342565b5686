from pathlib import Path

import pytest
from papers_made import bodies, check_source_map, read_body, write_folder

from foreword.errors import SourceError
from foreword.papers import bounds, read_paper


def text_of(folder: Path, body: str, **others: str) -> str:
    paper = read_body(folder, body, **others)
    check_source_map(paper, folder)
    return paper.text.strip()


def test_comments_go_with_their_line_end(tmp_path: Path) -> None:
    assert text_of(tmp_path, "a % one\n  b 5\\% c\\\\% two\nd") == "a b 5\\% c\\\\d"


def test_a_comment_line_leaves_no_empty_line_in_a_display(tmp_path: Path) -> None:
    body = "\\begin{align}\n%Z\n  %Y\nX\n%W\n\\end{align}"
    assert text_of(tmp_path, body) == "\\begin{align}\nX\n\\end{align}"


def test_a_comment_at_the_end_of_a_display_does_not_hide_its_end(tmp_path: Path) -> None:
    body = "\\begin{align} a&=b\\\\ % c1\nc&=d % c2\n\\end{align}"
    assert text_of(tmp_path, body) == "\\begin{align} a&=b\\\\ c&=d \\end{align}"


def test_a_paragraph_end_behind_a_comment_stays(tmp_path: Path) -> None:
    assert text_of(tmp_path, "a % one\n% two\n\nb") == "a \n\nb"


def test_listings_hide_comments_conditionals_and_displays(tmp_path: Path) -> None:
    body = (
        "\\begin{lstlisting}\nx = 5 % \\iffalse \\begin{equation}\n\\end{lstlisting}\n"
        "\\verb|%| and \\verb*+\\[+ \\lstinline[language=C]!\\]%! \\[ y \\]"
    )
    paper = read_body(tmp_path, body)
    check_source_map(paper, tmp_path)
    assert "x = 5 % \\iffalse" in paper.text
    assert bodies(paper) == ["y"]


def test_a_commented_verbatim_opens_nothing(tmp_path: Path) -> None:
    assert text_of(tmp_path, "a\n% \\begin{verbatim}\nb") == "a\nb"


def test_an_address_may_hold_a_percent(tmp_path: Path) -> None:
    assert text_of(tmp_path, "\\url{https://e.com/a%20b} c % d") == "\\url{https://e.com/a%20b} c"


def test_comment_environments_go(tmp_path: Path) -> None:
    body = "a\n\\begin{comment}\n\\[ x \\]\n\\end{comment}\nb"
    assert text_of(tmp_path, body) == "a\nb"


def test_a_paper_may_define_a_comment_that_shows(tmp_path: Path) -> None:
    paper = read_body(
        tmp_path,
        "\\begin{comment} \\[ x \\] \\end{comment}",
        preamble="\\newtheorem{comment}[theorem]{Comment}",
    )
    assert bodies(paper) == ["x"]


def test_excluded_environments_go_and_own_listings_are_verbatim(tmp_path: Path) -> None:
    paper = read_body(
        tmp_path,
        "\\begin{drop} \\[ x \\] \\end{drop} \\begin{code} \\[ y \\] \\end{code} z",
        preamble="\\excludecomment{drop}\\lstnewenvironment{code}{}{}",
    )
    assert not paper.displays
    assert "\\[ x" not in paper.text
    assert "\\[ y" in paper.text


def test_what_surrounds_the_body_goes(tmp_path: Path) -> None:
    write_folder(
        tmp_path,
        {"a.tex": "Before \\[p\\]\n\\begin{document}\nText \\end{document} After \\[q\\]"},
    )
    assert read_paper(tmp_path / "a.tex").text.strip() == "Text"


def test_a_body_without_an_end_reaches_to_the_end_of_the_file(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.tex": "\\begin{document}\nText"})
    assert read_paper(tmp_path / "a.tex").text.strip() == "Text"


def test_endinput_ends_its_file_after_its_line(tmp_path: Path) -> None:
    part = "one \\endinput two\nthree\n"
    assert text_of(tmp_path, "\\input{part}\nfour", part_tex=part) == "one  two\nfour"


def test_definitions_leave_the_body_with_their_lines(tmp_path: Path) -> None:
    body = "\\[\na\n\\newcommand{\\x}[1]{\\begin{equation}#1}\n\\long\\def\\y{\\]}\nb\n\\]"
    assert text_of(tmp_path, body) == "\\[\na\nb\n\\]"


@pytest.mark.parametrize(
    "command",
    ["\\input{part}", "\\input part ", "\\input{part.tex}", '\\input{"part"}', '\\input"part"',
     "\\include{part}", "\\subfile{part}", "\\input{PART}", "\\input{ part }", "\\input{./part}",
     "\\import{.}{part}", "\\input part.tex"],
)  # fmt: skip
def test_includes_are_followed(tmp_path: Path, command: str) -> None:
    paper = read_body(tmp_path, f"a\n{command}\nb", part_tex="in the part\n")
    check_source_map(paper, tmp_path)
    assert paper.text.strip() == "a\nin the part\nb"
    assert paper.files == ("main.tex", "part.tex")
    assert paper.unresolved == ()


def test_includes_are_relative_to_the_main_file_then_to_the_including_one(tmp_path: Path) -> None:
    files = {
        "paper/main.tex": "\\documentclass{article}\\begin{document}\\input{sub/a}\\end{document}",
        "paper/sub/a.tex": "\\input{b}\\input{c}\\input{../d}",
        "paper/b.tex": "near main,",
        "paper/sub/b.tex": "WRONG",
        "paper/sub/c.tex": "near a,",
        "d.tex": "above",
    }
    paper = read_paper(write_folder(tmp_path, files))
    assert paper.text.split() == ["near", "main,", "near", "a,", "above"]


def test_parts_with_a_preamble_of_their_own_give_their_body_only(tmp_path: Path) -> None:
    part = "\\documentclass[main]{subfiles}\nNO\n\\begin{document}\nyes\n\\end{document}\nNO\n"
    assert text_of(tmp_path, "a \\subfile{part} b", part_tex=part) == "a \nyes\n b"


def test_includes_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    write_folder(tmp_path, {"secret.tex": "SECRET"})
    inside = tmp_path / "paper"
    inside.mkdir()
    body = f"a \\input{{../secret}} \\input{{{tmp_path}/secret}} \\input{{x/../../secret}}"
    paper = read_body(inside, body)
    assert "SECRET" not in paper.text
    assert len(paper.unresolved) == 3


def test_includes_that_are_not_there_are_listed_once(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "a \\input{gone} \\input{fig.pdf_tex} \\input{gone} \\input{\\x/y}")
    assert paper.unresolved == ("gone", "fig.pdf_tex", "\\x/y")


def test_no_include_is_followed_where_tex_would_not(tmp_path: Path) -> None:
    body = (
        "a\n% \\input{part}\n\\begin{verbatim}\n\\input{part}\n\\end{verbatim}\n"
        "\\iffalse \\input{part} \\fi \\newcommand{\\x}{\\input{part}}"
    )
    assert read_body(tmp_path, body, part_tex="PART").files == ("main.tex",)


def test_a_file_that_includes_itself_is_listed_and_not_followed(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "a \\input{part}", part_tex="b \\input{main} \\input{part}")
    assert paper.unresolved == ("main", "part")


def test_includes_that_grow_without_bound_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(bounds.MOST, "characters", 10_000)
    files = {f"f{i}.tex": f"\\input{{f{i + 1}}}" * 10 for i in range(9)}
    files |= {"f9.tex": "x", "main.tex": "\\begin{document}\\input{f0}\\end{document}"}
    with pytest.raises(SourceError, match="more than 10,000 characters"):
        read_paper(write_folder(tmp_path, files))


def test_includes_that_go_too_deep_are_refused(tmp_path: Path) -> None:
    files = {f"f{i}.tex": f"\\input{{f{i + 1}}}" for i in range(bounds.MAX_DEPTH + 1)}
    files["main.tex"] = "\\begin{document}\\input{f0}\\end{document}"
    with pytest.raises(SourceError, match="nested over 40 deep"):
        read_paper(write_folder(tmp_path, files))


def test_own_packages_are_read_for_their_definitions_only(tmp_path: Path) -> None:
    paper = read_body(
        tmp_path,
        "\\[ \\half \\]",
        preamble="\\usepackage{amsmath,own}",
        own_sty="TEXT \\[ x \\] \\newcommand{\\half}{\\frac12}\n\\endinput\n\\def\\no{}",
    )
    assert [macro.name for macro in paper.macros] == ["half"]
    assert bodies(paper) == ["\\half"]
    assert paper.files == ("main.tex", "own.sty")


def test_a_control_word_is_never_glued_to_what_follows(tmp_path: Path) -> None:
    assert text_of(tmp_path, "$\\alpha% c\nx$") == "$\\alpha\nx$"
    assert text_of(tmp_path, "$\\alpha\\iffalse c\\fi x$") == "$\\alpha x$"
