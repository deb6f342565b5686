import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tuning import some_cuts

from foreword.adapters import find_adapter
from foreword.errors import ModelError, UsageError
from foreword.models import find_model
from foreword.records import Pair
from foreword.scores import LocalScorer, load_scorer, score_all
from foreword.store import Journal

PAIRS = [
    Pair(id=str(n), prompt=f"Let $x$ be. \\[{'a' * n}=", target=r"\left(b+c\right)\]")
    for n in range(1, 5)
]


def scorer_with(model: Path, adapter: Path | None) -> LocalScorer:
    scorer = load_scorer(f"hf:{model}", adapter=adapter, device="cpu")
    assert isinstance(scorer, LocalScorer)
    return scorer


def by_peft(model: Path, adapter: Path, ids: list[int], count: int) -> list[float]:
    """A plain pass of the model with peft's own layers beside its weights, one text at a time."""
    import peft
    import torch
    import transformers

    base = transformers.AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    adapted = peft.PeftModel.from_pretrained(base, adapter).eval()
    with torch.inference_mode():
        table = torch.log_softmax(adapted(torch.tensor([ids])).logits[0].double(), dim=-1)
    return [float(table[t - 1, ids[t]]) for t in range(len(ids) - count, len(ids))]


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")  # peft's own
def test_packed_with_the_adapter_equals_transformers_and_peft(
    tiny_model: Path, adapter: Path
) -> None:
    from foreword.models import load_model
    from foreword.scores.packed import can_pack

    scorer = scorer_with(tiny_model, adapter)
    model, tokenizer = load_model(scorer.files)
    assert can_pack(model)
    found = scorer.score(PAIRS)
    plain = scorer_with(tiny_model, None).score(PAIRS)
    for pair, result, without in zip(PAIRS, found, plain, strict=True):
        ids = tokenizer(pair.prompt + pair.target, add_special_tokens=False)["input_ids"]
        expected = by_peft(tiny_model, adapter, ids, len(result.token_ids))
        assert result.logprobs == pytest.approx(expected, abs=1e-5)
        assert result.token_ids == without.token_ids
        assert max(abs(a - b) for a, b in zip(result.logprobs, without.logprobs, strict=True)) > 0.1


def test_the_frozen_model_of_the_same_process_stays_as_it_was(
    tiny_model: Path, adapter: Path
) -> None:
    before = scorer_with(tiny_model, None).score(PAIRS)
    scorer_with(tiny_model, adapter).score(PAIRS)
    assert scorer_with(tiny_model, None).score(PAIRS) == before


def test_the_adapter_is_in_the_id_with_the_record_of_its_papers(
    tiny_model: Path, adapter: Path, tmp_path: Path
) -> None:
    plain, adapted = scorer_with(tiny_model, None), scorer_with(tiny_model, adapter)
    assert "adapter" not in plain.identity
    assert adapted.identity["adapter"] == adapted.adapter_sha256
    assert adapted.scorer_id.partition("@")[0] == f"{tiny_model.name}+context-only"
    copy = shutil.copytree(adapter, tmp_path / "copy")
    assert scorer_with(tiny_model, copy).scorer_id == adapted.scorer_id
    change(copy / "training.json", trained_on=["another"])
    assert scorer_with(tiny_model, copy).scorer_id != adapted.scorer_id


def test_cuts_of_papers_it_was_trained_on_have_a_reason_and_no_number(
    tiny_model: Path, adapter: Path, tmp_path: Path
) -> None:
    found = find_adapter(adapter)
    assert len(found.trained_on) == 3
    scorer = scorer_with(tiny_model, adapter)
    new = replace(some_cuts()[0], id="new/0/2", paper_id="new")
    with Journal(tmp_path / "journal") as journal:
        scores = score_all(
            [*some_cuts(), new], [], scorer, controls=("empty",), seed=0, journal=journal
        )
    for score in scores:
        if score.paper_id in found.trained_on:
            assert score.failure == "the scorer's adapter was trained on this paper"
            assert score.logprobs == ()
        else:
            assert score.failure is None
    assert {score.paper_id for score in scores if score.logprobs} == {*found.held_out, "new"}


def test_another_version_of_a_paper_is_that_paper(
    tiny_model: Path, adapter: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(adapter, tmp_path / "copy")
    change(copy / "training.json", trained_on=["2604.19885v1"])
    cut = replace(some_cuts()[0], paper_id="2604.19885v2")
    with Journal(tmp_path / "journal") as journal:
        [score] = score_all(
            [cut], [], scorer_with(tiny_model, copy), controls=("empty",), seed=0, journal=journal
        )
    assert "trained on this paper" in (score.failure or "")


def test_an_adapter_of_another_model_is_refused(adapter: Path) -> None:
    with pytest.raises(ModelError, match="trained on another model than smollm2"):
        load_scorer("smollm2", adapter=adapter, device="cpu")


def test_a_server_has_no_adapter(adapter: Path) -> None:
    with pytest.raises(UsageError, match="adapter has no meaning"):
        load_scorer("openai:http://localhost:1/v1#m", adapter=adapter)


def test_a_model_folder_with_an_adapter_in_it_is_refused(adapter: Path) -> None:
    with pytest.raises(ModelError, match="--adapter"):
        find_model(f"hf:{adapter}")


def change(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def as_pickle(folder: Path) -> None:
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")


def cut_short(folder: Path) -> None:
    path = folder / "adapter_model.safetensors"
    path.write_bytes(path.read_bytes()[:100])


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pickle": (as_pickle, "lacks adapter_model.safetensors"),
    "no record": (lambda folder: (folder / "training.json").unlink(), "lacks training.json"),
    "a damaged record": (lambda f: (f / "training.json").write_text("{"), "damaged"),
    "a record without papers": (
        lambda f: (f / "training.json").write_text('{"route": "r", "base_sha256": "x"}'),
        "trained_on",
    ),
    "a paper on both sides": (
        lambda f: change(f / "training.json", trained_on=["a"], held_out=["a"]),
        "on both sides",
    ),
    "weights cut short": (cut_short, "can't be used"),
    "another kind of adapter": (
        lambda f: change(f / "adapter_config.json", use_dora=True),
        "more than plain LoRA .use_dora",
    ),
    "a module to import": (
        lambda f: change(f / "adapter_config.json", megatron_config={"a": 1}, megatron_core="os"),
        "more than plain LoRA .megatron_config, megatron_core",
    ),
    "a pattern for modules": (
        lambda f: change(f / "adapter_config.json", target_modules="(a+)+b"),
        "damaged",
    ),
    "other matrices": (
        lambda f: change(f / "adapter_config.json", target_modules=["q_proj"]),
        "does not fit",
    ),
    "another rank": (lambda f: change(f / "adapter_config.json", r=2), "can't be used"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_adapter_ends_in_a_sentence(
    name: str, tiny_model: Path, adapter: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(adapter, tmp_path / "copy")
    spoil, complaint = SPOILT[name]
    spoil(folder)
    with pytest.raises(ModelError, match=complaint):
        scorer_with(tiny_model, folder).score(PAIRS[:1])
