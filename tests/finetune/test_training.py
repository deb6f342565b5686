import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tuning import QUICK, a_task, some_cuts, tuned, write_cuts, write_forecasts

from foreword.errors import ForewordError, TableError, UsageError
from foreword.finetune import Settings, make_adapter
from foreword.finetune.objective import objective, token_costs
from foreword.finetune.settings import learning_rate
from foreword.finetune.train import steps_of
from foreword.models import find_model, load_model
from foreword.records import Pair
from foreword.scores import control_prompt, load_scorer, target
from foreword.scores.request import make_request

FILES = ("adapter_model.safetensors", "adapter_config.json", "training.json", "loss.jsonl")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "loss.jsonl").read_text().splitlines()]


def test_costs_of_a_filled_batch_are_what_the_scorer_says(tiny_model: Path) -> None:
    model, tokenizer = load_model(find_model(f"hf:{tiny_model}"))
    pairs = [
        Pair(id=cut.id, prompt=control_prompt(cut, "same-budget", seed=0) * (n + 1),
             target=target(cut))
        for n, cut in enumerate(some_cuts(1, 4))
    ]  # fmt: skip
    requests = [make_request(pair, tokenizer, "exact", None) for pair in pairs]
    scored = load_scorer(f"hf:{tiny_model}", device="cpu").score(pairs)
    for costs, result in zip(token_costs(model, requests), scored, strict=True):
        assert (-costs).tolist() == pytest.approx(result.logprobs, abs=1e-5)


def test_the_objective_is_its_definition() -> None:
    import torch

    costs = [0.1, 1.9, 2.0, 2.5, 30.0]
    expected = sum(min(cost, 2.0) + 0.05 * cost for cost in costs) / 5
    assert float(objective(torch.tensor(costs), clip_nats=2, raw_weight=0.05)) == pytest.approx(
        expected
    )


def test_a_clipped_token_still_has_a_gradient() -> None:
    import torch

    costs = torch.tensor([1.0, 9.0], requires_grad=True)
    objective(costs, clip_nats=2, raw_weight=0.05).backward()
    assert costs.grad is not None
    assert costs.grad.tolist() == pytest.approx([1.05 / 2, 0.05 / 2])


def test_after_the_warm_up_the_rate_is_that_of_transformers() -> None:
    import torch
    from transformers import get_cosine_schedule_with_warmup

    settings = Settings(learning_rate=1.0, warmup_share=0.1)
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    theirs = get_cosine_schedule_with_warmup(optimizer, 5, 50)
    for step in range(50):
        if step >= 5:
            assert learning_rate(step, 50, settings) == pytest.approx(theirs.get_last_lr()[0])
        assert learning_rate(step, 50, settings) > 0
        optimizer.step()
        theirs.step()


def test_every_epoch_has_each_example_once() -> None:
    settings = Settings(batch_size=4, accumulation=2, epochs=3)
    steps = steps_of(21, settings)
    assert [len(step) for step in steps] == [8, 8, 5] * 3
    for epoch in range(3):
        seen = [index for step in steps[3 * epoch : 3 * epoch + 3] for index in step]
        assert sorted(seen) == list(range(21))
    assert steps[:3] != steps[3:6]


@pytest.mark.parametrize(
    "wrong",
    [{"rank": 0}, {"learning_rate": math.nan}, {"dropout": 1.0}, {"raw_weight": -1},
     {"modules": ()}, {"weight_decay": -1.0}, {"epochs": 0}, {"learning_rate": 2.0}],
)  # fmt: skip
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong)).rstrip("s")):
        Settings(**wrong)


def test_training_lowers_the_loss_on_papers_it_has_not_seen(
    tmp_path: Path, tiny_model: Path
) -> None:
    # A random model's tokens all cost more than 2 nats, where there is next to no gradient.
    settings = replace(QUICK, epochs=8, clip_nats=8.0)
    found = tuned(tmp_path, tiny_model, settings=settings)
    rows = rows_of(found.folder)
    assert found.after < found.before - 0.1
    assert rows[0]["held_out_loss"] == found.before
    assert rows[-1]["held_out_loss"] == found.after
    assert rows[0]["held_out_clipped"] <= min(8.0, rows[0]["held_out_raw"])
    assert rows[0]["held_out_loss"] == pytest.approx(
        rows[0]["held_out_clipped"] + 0.05 * rows[0]["held_out_raw"]
    )
    assert [row["step"] for row in rows] == list(range(len(rows)))
    assert "<svg" in (found.folder / "loss.svg").read_text()


def test_the_split_and_what_it_was_made_from_are_beside_the_adapter(
    tmp_path: Path, tiny_model: Path
) -> None:
    found = tuned(tmp_path, tiny_model)
    record = json.loads((found.folder / "training.json").read_text())
    assert len(record["trained_on"]) == 3
    assert len(record["held_out"]) == 1
    assert record["num_examples"] == [9, 3] == [found.num_trained_on, found.num_held_out]
    assert record["inputs"]["settings"]["rank"] == QUICK.rank
    assert str(tmp_path) not in (found.folder / "training.json").read_text()
    assert str(tiny_model) not in (found.folder / "adapter_config.json").read_text()
    again = tuned(tmp_path, tiny_model, "again", split=found.folder / "training.json")
    assert (
        json.loads((again.folder / "training.json").read_text())["held_out"] == record["held_out"]
    )


def test_equal_seeds_give_equal_bytes_and_other_seeds_others(
    tmp_path: Path, tiny_model: Path
) -> None:
    one, two = (tuned(tmp_path, tiny_model, name).folder for name in ("one", "two"))
    for name in FILES:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    other = tuned(tmp_path, tiny_model, "three", settings=replace(QUICK, seed=1)).folder
    assert (one / FILES[0]).read_bytes() != (other / FILES[0]).read_bytes()


def test_the_state_of_torch_is_left_alone(tmp_path: Path, tiny_model: Path) -> None:
    import torch

    torch.manual_seed(7)
    expected = torch.rand(3).tolist()
    torch.manual_seed(7)
    tuned(tmp_path, tiny_model, settings=replace(QUICK, epochs=1))
    assert torch.rand(3).tolist() == expected


KILLED = """
import os, signal
from pathlib import Path
from foreword.finetune import make_adapter, train
from tuning import a_task

done = 0
before = train._step
def step(*arguments):
    global done
    done += 1
    if done == STEPS:
        os.kill(os.getpid(), signal.SIGKILL)
    return before(*arguments)
train._step = step
make_adapter(a_task(Path("."), Path(MODEL)), Path("killed"))
"""


@pytest.mark.parametrize("steps", [2, 6])  # of nine, with a checkpoint each second one
def test_a_killed_training_ends_as_an_undisturbed_one(
    steps: int, tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    write_cuts(Path("cuts.parquet"))
    code = KILLED.replace("STEPS", str(steps)).replace("MODEL", repr(str(tiny_model)))
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not Path("killed/training.json").exists()
    assert Path("killed/checkpoint.safetensors").exists() == (steps > 2)
    task = a_task(Path("."), tiny_model)
    assert not make_adapter(task, Path("killed")).reused
    make_adapter(task, Path("whole"))
    for name in (*FILES, "loss.svg"):
        assert Path("killed", name).read_bytes() == Path("whole", name).read_bytes(), name
    assert not Path("killed/checkpoint.safetensors").exists()


def test_a_training_that_is_done_is_not_done_again(tmp_path: Path, tiny_model: Path) -> None:
    one = tuned(tmp_path, tiny_model)
    again = tuned(tmp_path, tiny_model)
    assert again == replace(one, reused=True)
    with pytest.raises(TableError, match="made with other settings: give --overwrite"):
        tuned(tmp_path, tiny_model, settings=replace(QUICK, rank=2))
    task = a_task(tmp_path, tiny_model, settings=replace(QUICK, rank=2))
    assert not make_adapter(task, one.folder, overwrite=True).reused


def stopped(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def begun(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a checkpoint and no adapter: stopped before the adapter was written."""
    with monkeypatch.context() as patch:
        patch.setattr("foreword.finetune.tune.write_adapter", stopped)
        with pytest.raises(KeyboardInterrupt):
            tuned(tmp_path, tiny_model)
    return tmp_path / "adapter"


def test_a_checkpoint_of_other_settings_is_refused(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begun(tmp_path, tiny_model, monkeypatch)
    other = a_task(tmp_path, tiny_model, settings=replace(QUICK, seed=3))
    with pytest.raises(TableError, match="begun with other settings"):
        make_adapter(other, folder)
    assert (folder / "checkpoint.safetensors").exists()
    assert not make_adapter(other, folder, overwrite=True).reused


def test_a_damaged_checkpoint_ends_in_a_sentence(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(tmp_path, tiny_model, monkeypatch) / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(TableError, match="is damaged: delete it"):
        tuned(tmp_path, tiny_model)


def test_a_loss_that_is_no_number_ends_in_a_sentence(tmp_path: Path, tiny_model: Path) -> None:
    with pytest.raises(ForewordError, match="lower --learning-rate"):
        tuned(tmp_path, tiny_model, settings=replace(QUICK, raw_weight=1e38))


def test_a_model_without_such_matrices_says_what_to_do(tmp_path: Path, tiny_model: Path) -> None:
    with pytest.raises(ForewordError, match="--module"):
        tuned(tmp_path, tiny_model, settings=replace(QUICK, modules=("c_attn",)))


def test_the_scaffold_is_learned_from_forecasts(tmp_path: Path, tiny_model: Path) -> None:
    cuts = some_cuts()
    write_cuts(tmp_path / "cuts.parquet", cuts)
    table = write_forecasts(tmp_path / "forecasts-guess.parquet", cuts)
    found = tuned(tmp_path, tiny_model, route="scaffold-aware", forecasts=(table,))
    assert found.num_trained_on + found.num_held_out == len(cuts) - 1  # one is missing
    assert json.loads((found.folder / "training.json").read_text())["route"] == "scaffold-aware"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"route": "scaffold-aware"}, "needs tables of forecasts"),
        ({"control": "true-suffix"}, "no adapter can be trained on 'true-suffix'"),
        ({"control": "reveal:0.5"}, "no adapter can be trained on"),
    ],
)
def test_a_route_has_what_it_needs_and_never_the_answer(
    changes: dict[str, Any], complaint: str, tmp_path: Path, tiny_model: Path
) -> None:
    with pytest.raises(UsageError, match=complaint):
        tuned(tmp_path, tiny_model, **changes)


def test_what_can_not_be_an_example_is_named(tmp_path: Path, tiny_model: Path) -> None:
    cuts = some_cuts()
    cuts[0] = replace(cuts[0], context="short")
    write_cuts(tmp_path / "cuts.parquet", cuts)
    [failure] = tuned(tmp_path, tiny_model).failures
    assert failure.item == "p0/0/2 same-budget"
    assert "context has 5 characters" in failure.reason


def test_examples_are_bounded_by_a_draw(tmp_path: Path, tiny_model: Path) -> None:
    found = tuned(tmp_path, tiny_model, most_examples=4, most_held_out=2)
    assert (found.num_trained_on, found.num_held_out) == (4, 2)
