from paper_by_hand import equation, paper

from foreword.cuts.choose import random_for
from foreword.cuts.content import tidy
from foreword.cuts.filler import filler_for

DRAW = ("seed", "cut")


def test_the_filler_is_made_of_other_equations_and_long_enough() -> None:
    made = paper([equation(i) for i in range(9)])
    for display in made.displays:
        hidden = made.text[display.body_start + 90 : display.body_end]
        filler = filler_for(made, display, hidden, 600, random_for(0, *DRAW))
        assert 600 <= len(filler) < 600 + 200
        assert tidy(filler) == filler
        assert tidy(hidden) not in filler


def test_equations_that_stand_close_before_are_used_last() -> None:
    far, near = [f"far_{i} = {i}" for i in range(3)], [f"near_{i} = {i}" for i in range(3)]
    made = paper([*far, "x " * 1500, *near, "target = 1"])
    display = made.displays[-1]
    some = filler_for(made, display, "target", 20, random_for(0, *DRAW))
    assert "far" in some
    assert "near" not in some
    everything = filler_for(made, display, "target", 10_000, random_for(0, *DRAW))
    assert everything.rindex("far") < everything.index("near")
    assert sorted(everything.split()) == sorted(" ".join([*far, "x " * 1500, *near]).split())
    again = {
        filler_for(made, display, "target", 10_000, random_for(seed, *DRAW)) for seed in range(9)
    }
    assert len(again) > 1


def test_what_would_bring_in_the_answer_is_left_out() -> None:
    made = paper(["a = b\n +  c", "x = b + c", "q = b", r"\includegraphics{b}", "+ c = r", "z"])
    for seed in range(20):
        filler = filler_for(made, made.displays[0], " b\n+ c", 10_000, random_for(seed, *DRAW))
        assert "b + c" not in filler
        assert "includegraphics" not in filler
        assert "z" in filler


def test_a_paper_with_one_equation_has_no_filler() -> None:
    made = paper(["a = b"])
    assert filler_for(made, made.displays[0], "b", 600, random_for(0)) == ""
