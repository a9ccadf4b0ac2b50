"""``porism fuse``: runs fused into one."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.formats.runs import RunForm, read_run, run_form
from porism.model import TopicId
from tests.rank.ensembles.slow_median_ranks import slow_median_order

ONE = {"A.1": "abc", "A.2": "xy"}
OTHER = {"A.1": "cb", "A.3": "z"}


def write(path: Path, topics: dict[str, str], form: str = "task1") -> Path:
    lines = []
    for topic, documents in topics.items():
        for rank, doc_id in enumerate(documents, start=1):
            score = 10 - rank
            lines.append(
                {
                    "task1": f"{topic}\t{doc_id}\t{rank}\t{score}\tx",
                    "task2": f"{topic}\t{doc_id}\t{ord(doc_id)}\t{rank}\t{score}\tx",
                    "trec": f"{topic} Q0 {doc_id} {rank} {score} x",
                }[form]
            )
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    return (
        str(write(tmp_path / "one.tsv", ONE)),
        str(write(tmp_path / "other.tsv", OTHER)),
    )


def fuse(*arguments: str) -> Result:
    return CliRunner().invoke(porism, ["fuse", *arguments])


def order(path: Path, topic: str = "A.1") -> str:
    return "".join(hit.doc_id for hit in read_run(path).rankings[TopicId(topic)])


def test_reciprocal_ranks_of_every_topic_that_a_run_has(
    runs: tuple[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "fused.tsv"
    done = fuse(*runs, "-o", str(out))
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{out}: 6 results for 3 topics\n"
    fused = read_run(out)
    assert fused.name == "fused"
    assert list(fused.rankings) == ["A.1", "A.2", "A.3"]
    scores = {hit.doc_id: hit.score for hit in next(iter(fused.rankings.values()))}
    assert scores == pytest.approx({"c": 1 / 63 + 1 / 61, "b": 2 / 62, "a": 1 / 61}, rel=1e-5)


def test_median_ranks_are_those_of_the_reference(runs: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "fused.tsv"
    assert fuse(*runs, "--by", "ibc", "--depth", "7", "-o", str(out)).exit_code == 0
    expected = slow_median_order([list("abc"), list("cb")], 7)
    assert order(out) == "".join(doc_id for doc_id, _ in expected)


def test_weights_and_the_constant_count(runs: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "fused.tsv"
    assert fuse(*runs, "--weights", "1,0", "-o", str(out)).exit_code == 0
    assert order(out) == "abc"
    assert fuse(*runs, "--by", "combsum", "--weights", "0.1,1", "-o", str(out)).exit_code == 0
    assert order(out) == "cab"
    assert fuse(*runs, "--k", "1", "-o", str(out)).exit_code == 0
    (best, *_) = read_run(out).rankings[TopicId("A.2")]
    assert (best.doc_id, best.score) == ("x", 0.5)


def test_columns_and_posts_of_formulas_are_kept(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tsv", {"B.1": "pq"}, "task2")
    other = write(tmp_path / "b.tsv", {"B.1": "qr"}, "task2")
    out = tmp_path / "fused.tsv"
    done = fuse(
        str(one), str(other), "--by", "combmnz", "-o", str(out), "--run-name", "all", "--json"
    )
    assert json.loads(done.stdout) == {
        "run": "all",
        "by": "combmnz",
        "weights": [1.0, 1.0],
        "runs": ["a", "b"],
        "topics": 1,
        "results": 3,
    }
    assert run_form(out) is RunForm.TASK2
    assert {hit.post_id for hit in read_run(out).rankings[TopicId("B.1")]} == {"112", "113", "114"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weights", "1"], "found 1 weights: expected one for each run"),
        (["--weights", "1,x"], "expected numbers as in 1,0.5,2"),
        (["--weights", "0,0"], "not all of them 0"),
        (["--weights", "nan,1"], "expected numbers from 0"),
        (["--by", "ibc", "--weights", "1,1"], "a median has no weights"),
        (["--by", "combsum", "--k", "3"], "--k is the constant of --by rrf"),
        (["--k", "0"], "--k"),
    ],
)
def test_bad_options_are_refused(
    runs: tuple[str, str], tmp_path: Path, arguments: list[str], message: str
) -> None:
    out = tmp_path / "fused.tsv"
    done = fuse(*runs, *arguments, "-o", str(out))
    assert done.exit_code == 2
    assert message in done.stderr
    assert not out.exists()


def test_runs_that_do_not_belong_together_are_refused(
    runs: tuple[str, str], tmp_path: Path
) -> None:
    out = str(tmp_path / "fused.tsv")
    assert "expected two runs or more" in fuse(runs[0], "-o", out).stderr
    trec = write(tmp_path / "trec.txt", ONE, "trec")
    done = fuse(runs[0], str(trec), "-o", out)
    assert done.exit_code == 1
    assert "is a TREC run" in done.stderr
    assert "expected runs with the same columns" in done.stderr
    disjoint = write(tmp_path / "third.tsv", {"A.9": "a"})
    done = fuse(runs[0], str(disjoint), "-o", out)
    assert done.exit_code == 1
    assert "one, third have no topic in common" in done.stderr
    twice = tmp_path / "twice.tsv"
    twice.write_text("A.1\ta\t1\t2\tx\nA.1\ta\t2\t1\tx\n")
    assert "for the second time" in fuse(runs[0], str(twice), "-o", out).stderr
    assert not Path(out).exists()
