"""``porism evaluate --only-in``: judgments restricted to the documents of a collection."""

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.catalog import index_plan
from porism.cli.main import porism
from porism.collection.sample import sample_qrels
from porism.collection.store import open_collection
from porism.evaluation import evaluate, restricted_qrels
from porism.formats.qrels import read_qrels
from porism.lab.visual_ids import judged_in_collection
from porism.searchindex.builder import IndexOptions, build_index

# Of the sample's posts 101 is a question, 102, 103 and 104 are answers.
QRELS = (
    "A.1 0 102 0\nA.1 0 103 1\nA.1 0 7000001 3\n"
    "A.2 0 102 3\nA.2 0 103 0\nA.2 0 101 3\n"
    "A.3 0 104 3\nA.3 0 7000002 0\n"
    "A.4 0 7000003 2\nA.4 0 104 0\nA.4 0 103 6\n"
)
RUN = "A.1 103 2\nA.1 102 1\nA.2 7000009 3\nA.2 103 2\nA.2 102 1\nA.3 104 1\nA.4 104 1\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "mine.txt").write_text(RUN)
    (tmp_path / "other.txt").write_text(RUN.replace(" 1\n", " 9\n"))
    return tmp_path


def invoke(name: str, files: Path, collection: Path, *arguments: str) -> Result:
    given = ["--qrels", str(files / "qrels.txt"), "--only-in", str(collection)]
    return CliRunner().invoke(porism, [name, *given, *arguments])


def test_topics_and_documents_that_are_left(files: Path, sample_collection: Path) -> None:
    measures = ("--measures", "nDCG',P@1,RR(rel=1)")
    done = invoke("evaluate", files, sample_collection, str(files / "mine.txt"), *measures)
    assert done.exit_code == 0, done.stderr
    # A.3 has no document of grade 0 left and A.4 no relevant one; A.1 has none of grade 2, so P@1
    # is over A.2. The unjudged document at the first rank of A.2 still counts.
    assert done.stdout == (
        "run                topics   nDCG'     P@1  RR(rel=1)\n"
        "mine                    2  0.8155  0.0000     0.6667\n"
        "highest reachable       2  1.0000  1.0000     1.0000\n"
    )
    assert done.stderr == (
        "Note: judgments restricted to the collection: 4 of 11, 2 of 4 topics\n"
        "Note: P@1: mean over 1 topics, those with a relevant document left\n"
    )


def test_python_gives_the_same_numbers(files: Path, sample_collection: Path) -> None:
    run, qrels = files / "mine.txt", files / "qrels.txt"
    done = invoke("evaluate", files, sample_collection, str(run), "--json")
    with open_collection(sample_collection) as collection:
        by_function = evaluate(run, qrels, only_in=collection.has_answer)
    by_set = evaluate(run, qrels, only_in={"102", "103", "104"})
    assert by_function == by_set
    record = json.loads(done.stdout)
    assert record["topics"] == list(by_set.topics) == ["A.1", "A.2"]
    assert record["notes"] == list(by_set.notes)
    assert record["runs"][0]["by_topic"] == by_set.runs[0].by_topic


def test_compare_uses_the_same_topics(files: Path, sample_collection: Path) -> None:
    runs = (str(files / "mine.txt"), str(files / "other.txt"))
    done = invoke("compare", files, sample_collection, *runs, "--measures", "nDCG',P@1", "--json")
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout)
    assert [each["topics"] for each in record["comparisons"]] == [2, 1]


def test_report_is_written_for_restricted_judgments(files: Path, sample_collection: Path) -> None:
    report = files / "report.html"
    runs = (str(files / "mine.txt"), str(files / "other.txt"))
    done = invoke("evaluate", files, sample_collection, *runs, "-o", str(report))
    assert done.exit_code == 0, done.stderr
    assert "A.2" in report.read_text(encoding="utf-8")


def test_sample_judgments_are_not_changed_by_the_whole_sample(sample_collection: Path) -> None:
    judged = {task: read_qrels(sample_qrels(task)) for task in (1, 2)}
    with open_collection(sample_collection) as collection:
        answers = restricted_qrels(judged[1], collection.has_answer)
        formulas = restricted_qrels(judged[2], judged_in_collection(judged[2], collection))
    for restricted, every in ((answers, judged[1]), (formulas, judged[2])):
        for topic, grades in restricted.grades.items():
            assert grades == every.grades[topic]


def test_collection_without_judged_documents_is_refused(
    files: Path, sample_collection: Path
) -> None:
    (files / "qrels.txt").write_text("A.1 0 7000001 3\nA.1 0 102 0\n")
    done = invoke("evaluate", files, sample_collection, str(files / "mine.txt"))
    assert done.exit_code == 1
    assert "1 of 2 judged documents are in the collection" in done.stderr


def test_only_in_is_refused_for_task_3(files: Path, sample_collection: Path) -> None:
    done = invoke("evaluate", files, sample_collection, str(files / "mine.txt"), "--task", "3")
    assert done.exit_code == 1
    assert "--only-in" in done.stderr


def test_folder_that_is_no_collection_is_refused(files: Path) -> None:
    done = invoke("evaluate", files, files, str(files / "mine.txt"))
    assert done.exit_code == 1
    assert str(files) in done.stderr


@pytest.mark.parametrize("task", [1, 2])
@pytest.mark.parametrize("year", [2020, 2021])
def test_restriction_equals_that_of_the_yardstick(
    shared: Path, mini_collection: Path, task: int, year: int
) -> None:
    spec = importlib.util.spec_from_file_location("mini_eval", shared / "tools/mini_eval.py")
    assert spec is not None
    assert spec.loader is not None
    yardstick = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(yardstick)
    name = {1: "qrel_task1_{}_official.tsv", 2: "qrel_task2_{}_visual_id_v3.tsv"}[task]
    path = shared / "data/qrels" / name.format(year)
    present = yardstick.answers() if task == 1 else set(yardstick.visual_ids().values())
    qrels = read_qrels(path)
    with open_collection(mini_collection) as mini:
        only_in = mini.has_answer if task == 1 else judged_in_collection(qrels, mini)
        assert restricted_qrels(qrels, only_in).grades == yardstick.qrels(path, present)


def test_readme_scores_of_l8_on_the_mini_collection(
    shared: Path, mini_collection: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index"
    with open_collection(mini_collection) as mini:
        build_index(mini, index, index_plan(["l8"]), IndexOptions(jobs=1), lambda progress: None)
    (topics,) = (shared / "data/topics/task1").glob("Topics_Task1_2021_*.xml")
    (latex,) = (shared / "data/topics/formulas").glob("Topics_2021_Formulas_latex_*.tsv.gz")
    qrels = shared / "data/qrels/qrel_task1_2021_official.tsv"
    run = tmp_path / "l8.tsv"
    search = f"run {index} --system l8 --task 1 --topics {topics} --topic-formulas {latex} -o {run}"
    assert CliRunner().invoke(porism, search.split()).exit_code == 0
    score = f"evaluate --qrels {qrels} --only-in {mini_collection} --measures nDCG',MAP --tsv {run}"
    scored = CliRunner().invoke(porism, score.split())
    assert scored.exit_code == 0, scored.stderr
    _, topics_scored, ndcg, average_precision = scored.stdout.splitlines()[1].split("\t")
    assert topics_scored == "66"
    assert [f"{float(value):.3f}" for value in (ndcg, average_precision)] == ["0.694", "0.512"]
