import pytest

from foreword.cuts.sentences import sentence_ends


def ends(text: str) -> list[str]:
    return [text[at:] for at in sentence_ends(text)]


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("We go. They stay", [" They stay"]),
        ("We go.\nThey stay", ["They stay"]),
        ("We go.\n  They stay", ["  They stay"]),
        ("We go.\n\n  they stay", ["  they stay"]),
        ("So $x$.\n\n$y$ stays", ["$y$ stays"]),
        ("Is it? Yes! No.'' So (they say.) It is", [" Yes! No.'' So (they say.) It is",
         " No.'' So (they say.) It is", " So (they say.) It is", " It is"]),
        ("so \\emph{we go.} They stay", [" They stay"]),
        ("by Fig. 3 and Eq. (2), e.g. A and i.e. B, by J. Smith et al. They", []),
        ("so. they go on", []),
        ("a.\n\n\\begin{figure}", []),
        ("a.\n\n\\section{B}", []),
        ("a.\n\n\\[x\\]", []),
        ("a.\n\n$$x$$", []),
        ("Über.\n\nÉtale maps", ["Étale maps"]),
        ("\n\nA beginning", []),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_says_so(text: str, behind: list[str]) -> None:
    assert ends(text) == behind
