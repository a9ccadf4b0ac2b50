"""The tasks of the lab through ``ir_datasets.load`` itself."""

from pathlib import Path

import ir_datasets
import pytest

from porism.errors import PorismError
from tests.ecosystem.small_collection import write


def link_lab_files(shared: Path, data: Path) -> None:
    (data / "from-the-lab").symlink_to(shared / "data" / "topics")
    (data / "arqmath").mkdir()
    (data / "arqmath" / "qrels").symlink_to(shared / "data" / "qrels")


@pytest.mark.parametrize(
    ("name", "queries", "first", "judged"),
    [
        ("arqmath/2020/task1", 98, "A.1", (77, 39124)),
        ("arqmath/2021/task1", 100, "A.201", (71, 31788)),
        ("arqmath/2022/task1", 100, "A.301", None),
        ("arqmath/2020/task2", 85, "B.1", (45, 6074)),
        ("arqmath/2021/task2", 100, "B.201", (58, 8115)),
        ("arqmath/2022/task2", 100, "B.301", None),
        ("arqmath/2020/task2/formula-id", 85, "B.1", (45, 12115)),
        ("arqmath/2021/task2/formula-id", 100, "B.201", (70, 12508)),
        ("arqmath/2022/task3", 100, "A.301", None),
    ],
)
def test_the_lab_tasks_have_their_topics_and_judgments(
    data: Path, shared: Path, name: str, queries: int, first: str, judged: tuple[int, int] | None
) -> None:
    link_lab_files(shared, data)
    dataset = ir_datasets.load(name)
    assert dataset.queries_count() == len(list(dataset.queries_iter())) == queries
    assert next(dataset.queries_iter()).query_id == first
    assert dataset.has_docs()
    assert dataset.has_qrels() == (judged is not None)
    if judged is not None:
        judgments = list(dataset.qrels_iter())
        assert (len({each.query_id for each in judgments}), len(judgments)) == judged
        assert {each.relevance for each in judgments} == {0, 1, 2, 3}
        assert {each.query_id for each in judgments} <= set(dataset.queries_dict())


def test_a_lab_query_has_the_text_of_its_topic(data: Path, shared: Path) -> None:
    link_lab_files(shared, data)
    question_1 = ir_datasets.load("arqmath/2020/task1").queries.lookup("A.1")
    assert question_1.title == (
        r"Finding value of $c$ such that the range of the rational function "
        r"$f(x) = \frac{x^2 + x + c}{x^2 + 2x + c}$ does not contain $[-1, -\frac{1}{3}]$"
    )
    assert question_1.tags == ("functions",)
    assert question_1.formulas[0] == "c"
    formula_1 = ir_datasets.load("arqmath/2020/task2").queries.lookup("B.1")
    assert (formula_1.formula_id, formula_1.latex) == (
        "q_4",
        r"f(x)= \frac{x^2 + x + c}{x^2 + 2x + c}",
    )


def test_formulas_cut_off_in_a_topic_file_are_complete(data: Path, shared: Path) -> None:
    topics = shared / "data" / "topics"
    (data / "task1").symlink_to(topics / "task1")
    cut = ir_datasets.load("arqmath/2022/task1").queries_dict()
    (data / "formulas").symlink_to(topics / "formulas")
    whole = ir_datasets.load("arqmath/2022/task1").queries_dict()
    latex = r"1<a<m \Rightarrow d<ad<md = n"
    (query_id,) = [key for key, query in whole.items() if latex in query.formulas]
    assert latex not in cut[query_id].formulas


def test_lab_documents_come_from_the_collection_arqmath(data: Path, collection: Path) -> None:
    dataset = ir_datasets.load("arqmath/2021/task1")
    with pytest.raises(PorismError, match="arqmath: no collection; make one with porism ingest"):
        dataset.docs_count()
    (data / "arqmath").symlink_to(collection)
    assert dataset.docs_count() == 3
    assert ir_datasets.docs_parent_id("arqmath/2021/task1") == "arqmath"
    assert ir_datasets.load("arqmath/2021/task2").docs_count() == 3


@pytest.mark.parametrize(
    ("name", "topics", "judgments"),
    [
        ("arqmath/2020/task1", "Topics_Task1_2020_V2.0.xml", "qrel_task1_2020_official.tsv"),
        ("arqmath/2020/task2", "Topics_Task2_2020_V1.1.xml", "qrel_task2_2020_visual_id_v3.tsv"),
        (
            "arqmath/2021/task2/formula-id",
            "Topics_Task2_2021_V1.1.xml",
            "qrel_task2_2021_formula_id_official.tsv",
        ),
    ],
)
def test_a_missing_file_is_named(data: Path, name: str, topics: str, judgments: str) -> None:
    dataset = ir_datasets.load(name)
    with pytest.raises(PorismError, match=f"no {topics} in this folder") as caught:
        dataset.queries_iter()
    assert str(data) in str(caught.value)
    with pytest.raises(PorismError, match=f"no {judgments} in this folder"):
        list(dataset.qrels_iter())


def test_judgments_by_visual_ids_of_version_1_are_ignored(data: Path) -> None:
    write(data / "qrel_task2_2020_visual_id_v1.tsv", "B.1\t0\t1\t2\n")
    dataset = ir_datasets.load("arqmath/2020/task2")
    with pytest.raises(PorismError, match=r"visual_id_v3\.tsv"):
        dataset.qrels_count()
    write(data / "qrel_task2_2020_visual_id_v2.tsv", "B.1\t0\t7\t2\n")
    assert dataset.qrels_dict() == {"B.1": {"7": 2}}


def test_official_judgments_are_preferred(data: Path) -> None:
    write(data / "qrel_task1_2021_all.tsv", "A.201\t0\t1\t0\n")
    dataset = ir_datasets.load("arqmath/2021/task1")
    with pytest.raises(PorismError, match=r"qrel_task1_2021_official\.tsv"):
        dataset.qrels_count()
    write(data / "qrel_task1_2021.tsv", "A.201\t0\t2\t0\n")
    assert dataset.qrels_dict() == {"A.201": {"2": 0}}
    write(data / "qrel_task1_2021_official.tsv", "A.201\t0\t3\t0\n")
    assert dataset.qrels_dict() == {"A.201": {"3": 0}}
