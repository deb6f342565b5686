import pickle
from dataclasses import replace
from pathlib import Path

from scorers import FLAT

import foreword
from foreword.cluster.actor import has_gpus, on_own_device
from foreword.records import Pair
from foreword.scores import ScriptedScorer
from foreword.scores.local import LocalScorer


def test_a_scorer_that_is_sent_to_an_actor_is_the_same_scorer(tiny_model: Path) -> None:
    scorer = foreword.load_scorer(f"hf:{tiny_model}", device="cpu")
    sent = pickle.loads(pickle.dumps(scorer))
    assert sent == scorer
    assert sent.scorer_id == scorer.scorer_id
    pairs = [Pair(id="a", prompt="p", target="xy")]
    assert sent.score(pairs) == scorer.score(pairs)


def test_an_actor_sees_one_gpu_and_calls_it_the_first(tiny_model: Path) -> None:
    scorer = foreword.load_scorer(f"hf:{tiny_model}", device="cpu")
    assert isinstance(scorer, LocalScorer)
    many = replace(scorer, devices=("cuda:0", "cuda:1"))
    assert has_gpus(many)
    assert on_own_device(many) == replace(scorer, devices=("cuda:0",))
    assert on_own_device(many).scorer_id == many.scorer_id


def test_other_scorers_are_left_as_they_are(tiny_model: Path) -> None:
    scorer = foreword.load_scorer(f"hf:{tiny_model}", device="cpu")
    scripted: ScriptedScorer = FLAT
    assert on_own_device(scorer) is scorer
    assert on_own_device(scripted) is scripted
