from typing import get_args

from foreword.cuts import REASONS, Reason, Rejection, count_reasons, explain


def rejection(display: int, reason: Reason, environment: str = "align") -> Rejection:
    return Rejection(
        paper_id="p",
        display=display,
        environment=environment,
        file="a.tex",
        line=display + 1,
        reason=reason,
        detail="3 characters",
    )


def test_every_reason_is_explained() -> None:
    assert list(REASONS) == list(get_args(Reason))
    assert all(REASONS.values())


def test_counts_come_in_the_order_of_the_reasons() -> None:
    rejected = [rejection(0, "too long"), rejection(1, "early"), rejection(2, "too long")]
    assert list(count_reasons(rejected).items()) == [("early", 1), ("too long", 2)]
    assert count_reasons([]) == {}


def test_the_explanation_has_a_line_for_each_reason_and_each_equation() -> None:
    lines = explain([rejection(0, "no site"), rejection(1, "no site")])
    assert lines[0] == f"2 no site: {REASONS['no site']}"
    assert lines[1:] == [
        "p a.tex:1 equation 0 (align): no site, 3 characters",
        "p a.tex:2 equation 1 (align): no site, 3 characters",
    ]
    assert explain([]) == []


def test_control_characters_in_a_papers_names_never_reach_a_terminal() -> None:
    line = explain([rejection(0, "early", environment="\x1b[2Jali\u202egn\n")])[1]
    assert line.isprintable()
    assert r"\x1b[2Jali\u202egn\n" in line
