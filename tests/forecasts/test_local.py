import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from predictor_checks import ODD_CUTS, check_predictor
from questions import make_cut

from foreword.forecasts import LocalPredictor, PredictorSettings, load_predictor
from foreword.forecasts.local import _draw, _sample
from foreword.models import find_model, load_model
from tiny_model import save_tiny_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


def predictor(tiny: Path, **settings: float) -> LocalPredictor:
    return LocalPredictor(
        files=find_model(f"hf:{tiny}"),
        settings=PredictorSettings(**settings),  # type: ignore[arg-type]
    )


def test_it_passes_the_checks_of_every_predictor(tiny: Path) -> None:
    check_predictor(predictor(tiny), repeats=True)


def test_it_is_silent(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    list(predictor(tiny).answers([ODD_CUTS[0].question], seed=0))
    assert capfd.readouterr() == ("", "")


def test_an_answer_depends_on_the_seed_and_the_cut_and_says_its_seed(tiny: Path) -> None:
    questions = [make_cut(0).question, make_cut(1).question]
    first, second = predictor(tiny).answers(questions, seed=0)
    [other] = predictor(tiny).answers(questions[:1], seed=1)
    assert len({first.raw, second.raw, other.raw}) == 3
    assert len({first.seed, second.seed, other.seed}) == 3


def test_the_global_random_state_is_neither_used_nor_changed(tiny: Path) -> None:
    question = make_cut().question
    torch.manual_seed(1)
    before = torch.get_rng_state()
    [first] = predictor(tiny).answers([question], seed=0)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    assert [first] == list(predictor(tiny).answers([question], seed=0))


def test_an_answer_is_no_longer_than_can_be_used(tiny: Path) -> None:
    question = make_cut().question
    [answer] = predictor(tiny).answers([question], seed=0)
    assert answer.output_tokens
    assert answer.output_tokens <= question.length_hint + 40
    [answer] = predictor(tiny, max_tokens=3).answers([question], seed=0)
    assert (answer.output_tokens, answer.finish_reason) == (3, "max_tokens")


def test_a_context_beyond_the_window_loses_its_beginning_and_says_so(tiny: Path) -> None:
    cut = make_cut(context="a" * 1000)
    [answer] = predictor(tiny).answers([cut.question], seed=0)
    assert answer.input_tokens == 256 - (cut.question.length_hint + 40)
    assert "tokens of context did not fit the model" in (answer.failure or "")
    assert answer.missing is None
    [answer] = predictor(tiny, context_characters=10).answers([cut.question], seed=0)
    assert answer.failure is None


def test_step_by_step_with_the_cache_is_the_whole_pass_without_it(tiny: Path) -> None:
    model, _ = load_model(find_model(f"hf:{tiny}"))
    prompt = [5, 6, 7, 8]
    settings = PredictorSettings(temperature=0)
    drawn = _sample(model, prompt, set(), settings, seed=0)
    for token in (next(drawn) for _ in range(20)):
        assert token == int(model(torch.tensor([prompt])).logits[0, -1].argmax())
        prompt.append(token)


def scripted(text: str) -> Iterator[int]:
    return iter(text.encode())


class Bytes:
    @staticmethod
    def decode(ids: list[int], **_: object) -> str:
        return bytes(ids).decode(errors="replace")


@pytest.mark.parametrize(
    ("text", "left", "reason"),
    [
        (r"a + \eeta + b \ee Thus", r"a + \eeta + b \ee ", "stop"),
        ("a\n\nb", "a\n\n", "stop"),
        ("x" * 99, "x" * 50, "length"),
        ("ab", "ab", "stop"),
    ],
)
def test_it_stops_where_the_display_closes_or_the_answer_is_long(
    text: str, left: str, reason: str
) -> None:
    from foreword.forecasts.local import _write

    question = make_cut(opening=r"\be", closing=r"\ee", prefix="x =").question
    written, count, why = _write(scripted(text), 90, 50, question, Bytes())
    assert (written, count, why) == (left, len(left), reason)


def test_the_draw_follows_the_softmax() -> None:
    logits = torch.tensor([0.0, 2.0, -1.0, 1.0])
    generator = torch.Generator().manual_seed(0)

    def shares(**settings: float) -> torch.Tensor:
        chosen = PredictorSettings(**settings)  # type: ignore[arg-type]
        draws = [_draw(logits, chosen, generator) for _ in range(4000)]
        return torch.bincount(torch.tensor(draws), minlength=4) / 4000

    close = {"rtol": 0.0, "atol": 0.03}
    torch.testing.assert_close(shares(temperature=1.0), torch.softmax(logits, 0), **close)
    torch.testing.assert_close(shares(temperature=2.0), torch.softmax(logits / 2, 0), **close)
    kept = torch.tensor([0.0, 2.0, -torch.inf, 1.0])  # 64 % and 24 % reach 0.9 only with 9 % more
    torch.testing.assert_close(shares(top_p=0.9), torch.softmax(kept, 0), **close)
    assert shares(top_p=0.1).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert shares(temperature=0).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_the_embedded_model_writes_latex() -> None:
    smollm2 = load_predictor("smollm2", PredictorSettings(context_characters=400))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = list(smollm2.answers([make_cut(i).question for i in range(3)], seed=0))
    assert any("\\" in (answer.raw or "") for answer in answers)
