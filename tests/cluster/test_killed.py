"""The command, with an actor and then the driver killed, ends with the rows of a calm run here."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import foreword
from foreword.cluster import Cluster, ray_engines
from foreword.score_steps import Scoring, make_scores
from foreword.stages import make_cuts, make_papers
from foreword.study import CutSection, PredictorSection, ScorerSection, sample_papers

CONTROLS = ("empty", "same-budget")


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []


def wait_for(condition: Callable[[], object], child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert child.poll() is None, "it ended too early"
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_killed_actor_and_killed_driver_end_with_the_rows_of_a_calm_run(
    address: str, actors: Callable[[], list[int]], tiny_model: Path, tmp_path: Path
) -> None:
    papers, cuts = tmp_path / "papers", tmp_path / "cuts"
    make_papers(sample_papers(), papers)
    make_cuts(papers, cuts, rules=foreword.CutRules(per_paper=30), seed=0)
    scorer = foreword.load_scorer(f"hf:{tiny_model}")
    calm = tmp_path / "calm"
    scoring = Scoring(scorer=scorer, journal=tmp_path / "calm.journal", unproven=True)
    make_scores(cuts, [], calm, scoring=scoring, controls=CONTROLS, seed=0)
    out, journal = tmp_path / "out", tmp_path / "out.journal"
    controls = [word for control in CONTROLS for word in ("--control", control)]
    command = [sys.executable, "-c", "from foreword.cli import main; main()", "score", cuts,
               "--scorer", f"hf:{tiny_model}", *controls, "--out", out, "--unproven",
               "--engine", "ray", "--ray-address", address, "--actors", "2"]  # fmt: skip
    environment = {**os.environ, "FOREWORD_CACHE": "off"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as child:
        wait_for(lambda: len(lines_of(journal)) >= 3, child)
        os.kill(actors()[0], signal.SIGKILL)
        wait_for(lambda: len(lines_of(journal)) >= 6, child)
        child.send_signal(signal.SIGKILL)
    kept = lines_of(journal)
    assert 6 <= len(kept) < len(lines_of(tmp_path / "calm.journal"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    warning, progress, _ = done.stderr.splitlines()
    assert "mean little" in warning
    assert progress.startswith("scoring requests: ")
    assert out.read_bytes() == calm.read_bytes()
    assert lines_of(journal)[: len(kept)] == kept
    keys = Counter(key for line in lines_of(journal) for key in json.loads(line))
    assert max(keys.values()) == 1
    assert not list(tmp_path.glob("*.shards"))


@pytest.mark.slow
def test_a_study_on_a_cluster_is_the_same_study(
    cluster: Cluster, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = foreword.Study(
        title="t",
        cut=CutSection(per_paper=2),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=f"hf:{tiny_model}", statistics=True, unproven=True),
        controls=CONTROLS,
    )
    foreword.run(study, tmp_path, tmp_path / "here")
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    with ray_engines(tmp_path / "there" / "work" / "shards", num_actors=2) as engines:
        foreword.run(study, tmp_path, tmp_path / "there", engines=engines)
    for name in ("papers.parquet", "slate.parquet", "cuts.parquet", "scores.parquet"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert not (tmp_path / "there" / "work" / "shards").exists()
    assert cluster.ray.is_initialized()
