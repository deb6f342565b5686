from predictor_checks import check_predictor
from questions import make_cut

from foreword.forecasts import Answer, ScriptedPredictor


def test_it_passes_the_checks_of_every_predictor() -> None:
    script = {make_cut(number).id: "y" for number in range(3)}
    answers = check_predictor(ScriptedPredictor(script=script), repeats=True)
    assert [answer.missing for answer in answers] == [None] * 3 + ["empty"] * 3


def test_another_script_is_another_identity() -> None:
    one = ScriptedPredictor(script={"a": "x"})
    other = ScriptedPredictor(script={"a": Answer(cut_id="a", raw="x", model="m")})
    assert one.identity != other.identity == ScriptedPredictor(script=other.script).identity
