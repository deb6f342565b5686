import os
from pathlib import Path

import pytest

import foreword
from foreword.cluster import Cluster
from foreword.cluster.tasks import each_as_task
from foreword.cluster.work import Cutting, Reading
from foreword.errors import ForewordError
from foreword.stages import make_cuts, make_papers
from foreword.study import sample_papers

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "tex"
SOME = ("msd-errors", "jmlr-orff", "lu-siam", "amortized-opt", "hott-book", "yellowpaper")


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    (tmp_path / "bad.tex").write_bytes(b"%PDF-1.4")
    note = tmp_path / "note.tex"
    note.write_text("A note.\n")
    (tmp_path / "twin.tex").write_text(note.read_text())
    found = [CORPUS / name for name in SOME if (CORPUS / name).is_dir()]
    return [tmp_path / "bad.tex", *sample_papers(), note, *found, tmp_path / "twin.tex"]


def test_papers_and_cuts_of_a_cluster_are_the_same_bytes(
    cluster: Cluster, sources: list[Path], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    make_papers(sources, here / "papers")
    make_papers(sources, there / "papers", read=Reading(cluster))
    assert (here / "papers").read_bytes() == (there / "papers").read_bytes()
    for number, rules in enumerate((foreword.CutRules(), foreword.CutRules(per_paper=1000))):
        name = f"cuts-{number}"
        make_cuts(here / "papers", here / name, rules=rules, seed=0)
        make_cuts(here / "papers", there / name, rules=rules, seed=0, cut=Cutting(cluster))
        assert (here / name).read_bytes() == (there / name).read_bytes()


def test_a_paper_that_the_nodes_do_not_see_is_no_paper_that_can_not_be_read(
    cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "note.tex").write_text("A note.\n")
    here_alone = os.open(tmp_path, os.O_RDONLY)
    try:
        path = Path(f"/proc/self/fd/{here_alone}/note.tex")
        with pytest.raises(ForewordError, match="does not see /proc"):
            Reading(cluster)([path], mains={}, keep_hidden=False, progress=iter)
    finally:
        os.close(here_alone)


def test_results_come_in_order(cluster: Cluster) -> None:
    words = [f"word {i}" for i in range(40)]
    assert list(each_as_task(cluster.ray, str.upper, words)) == [word.upper() for word in words]


def test_an_error_in_a_task_is_raised_as_it_is(cluster: Cluster) -> None:
    from operator import itemgetter

    with pytest.raises(KeyError):
        list(each_as_task(cluster.ray, itemgetter("a"), [{"a": 1}, {"b": 1}]))


def test_a_cluster_that_does_not_answer_ends_in_a_sentence(cluster: Cluster) -> None:
    from time import sleep

    with pytest.raises(ForewordError, match=r"nothing came back .* do other jobs hold"):
        list(each_as_task(cluster.ray, sleep, [60], patience_s=0.5))
