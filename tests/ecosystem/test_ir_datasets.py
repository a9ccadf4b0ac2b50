"""Porism's collections and the lab's tasks through ``ir_datasets.load`` itself."""

import importlib
import io
import json
import pickle
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import ir_datasets
import pytest

from porism.collection.ingest import Options, ingest
from porism.collection.sample import sample_source
from porism.collection.schema import DATABASE
from porism.ecosystem import irds
from porism.ecosystem.irds_records import (
    ArqMathTask1Query,
    ArqMathTask2Query,
    PorismDoc,
    PorismFormula,
)
from porism.errors import PorismError
from tests.collection.dumps import answer, question, write_table

TOPICS = """<?xml version="1.0" ?>
<Topics>
   <Topic number="{letter}.1">{formula}
      <Title>Is &lt;span class="math-container" id="q_1"&gt;$x^2$&lt;/span&gt; odd?</Title>
      <Question>
         &lt;p&gt;I think
         &lt;span class="math-container" id="q_2"&gt;$x^2 &amp;lt; 2$&lt;/span&gt;.&lt;/p&gt;
      </Question>
      <Tags>calculus,limits</Tags>
   </Topic>
</Topics>
"""
FOCUS = "<Formula_Id>q_1</Formula_Id><Latex>x^2</Latex>"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of two questions and three answers."""
    folder = tmp_path_factory.mktemp("made")
    rows = [
        question(1, "<p>Is $x^2 &lt; 2$?</p>", Tags="<calculus><limits>", Score=3),
        answer(2, 1, "<p>If <em>small</em>: $y = x^2$.</p>", CreationDate="2015-03-02T10:15:00"),
        answer(3, 1, "<p>No.</p>", Score=-1),
        question(4),
        answer(5, 4, "<p>As $z$ is.</p>"),
    ]
    write_table(folder / "dump", "Posts", rows)
    ingest(folder / "dump", folder / "small", Options(jobs=1))
    return folder / "small"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory, and a registry in which nothing has been loaded."""
    monkeypatch.setenv("PORISM_DATA", str(tmp_path))
    monkeypatch.setattr(ir_datasets, "registry", ir_datasets.util.Registry())
    irds.teach_names()
    return tmp_path


@pytest.fixture
def small(data: Path, collection: Path) -> Path:
    """The data directory with the collection in it, as ``small``."""
    copy_collection(collection, data / "small")
    return data


def copy_collection(collection: Path, folder: Path) -> Path:
    folder.mkdir()
    (folder / DATABASE).symlink_to(collection / DATABASE)
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_documents_are_answers_with_formulas_between_dollars(small: Path) -> None:
    documents = list(ir_datasets.load("porism/small").docs_iter())
    assert [document.doc_id for document in documents] == ["2", "3", "5"]
    assert documents[0] == PorismDoc(
        doc_id="2",
        kind="answer",
        parent_id="1",
        title="",
        text="If small: $y = x^2$.",
        html=documents[0].html,
        tags=(),
        score=None,
        created="2015-03-02T10:15:00",
    )
    assert "<em>small</em>" in documents[0].html
    assert documents[0].default_text() == "If small: $y = x^2$."
    assert documents[1].score == -1


def test_questions_are_a_dataset(small: Path) -> None:
    dataset = ir_datasets.load("porism/small/questions")
    first, second = dataset.docs_iter()
    assert (first.doc_id, first.tags, first.score) == ("1", ("calculus", "limits"), 3)
    assert first.default_text() == "Question 1\nIs $x^2 < 2$?"
    assert second.doc_id == "4"
    assert dataset.docs_count() == 2


def test_formulas_are_a_dataset(small: Path) -> None:
    dataset = ir_datasets.load("porism/small/formulas")
    formulas = list(dataset.docs_iter())
    assert [(each.latex, each.post_id) for each in formulas] == [
        ("x^2 < 2", "1"),
        ("y = x^2", "2"),
        ("z", "5"),
    ]
    assert dataset.docs_cls() is PorismFormula
    assert formulas[1].slt == "[V!y[=[V!x,a[N!2]]]]"
    assert formulas[1].opt
    assert formulas[1].visual_id
    assert formulas[1].default_text() == "y = x^2"
    assert dataset.docs_store().get(formulas[2].doc_id) == formulas[2]


def test_documents_are_found_by_id(small: Path) -> None:
    store = ir_datasets.load("porism/small").docs_store()
    assert store.get("5").text == "As $z$ is."
    assert store.get("5", "parent_id") == "4"
    assert list(store.get_many(["3", "2", "77"])) == ["3", "2"]
    assert store.get_many(["3"], "text") == {"3": "No."}
    assert [document.doc_id for document in store.get_many_iter(["5", "2"])] == ["5", "2"]
    assert [document.doc_id for document in store] == ["2", "3", "5"]
    assert store.built()
    assert store.count() == 3


@pytest.mark.parametrize("doc_id", ["77", "1", "05", "x", "", "9" * 30])
def test_what_is_no_document_is_a_key_error(small: Path, doc_id: str) -> None:
    with pytest.raises(KeyError):
        ir_datasets.load("porism/small").docs_store().get(doc_id)


@pytest.mark.parametrize(
    "key",
    [
        slice(0, 2),
        slice(1, None),
        slice(None, None, 2),
        slice(-2, None),
        slice(0, -1),
        slice(2, 1),
        slice(3, 9),
        slice(0, 99),
    ],
)
def test_slices_are_those_of_a_list(small: Path, key: slice) -> None:
    dataset = ir_datasets.load("porism/small")
    assert list(dataset.docs_iter()[key]) == list(dataset.docs_iter())[key]


def test_slices_may_be_fractions_and_be_sliced(small: Path) -> None:
    documents = ir_datasets.load("porism/small").docs_iter()
    assert [each.doc_id for each in documents[: 2 / 3]] == ["2", "3"]
    assert [each.doc_id for each in documents[1:][1:]] == ["5"]
    assert documents[1:][0].doc_id == "3"


def test_positions_are_those_of_a_list(small: Path) -> None:
    documents = ir_datasets.load("porism/small").docs_iter()
    assert [documents[place].doc_id for place in (0, 2, -1, -3)] == ["2", "5", "5", "2"]
    for place in (3, -4):
        with pytest.raises(IndexError):
            documents[place]
    with pytest.raises(IndexError):
        documents[1:][-3]
    with pytest.raises(TypeError, match="int or slice"):
        documents["2"]


def test_the_newer_interface_of_ir_datasets_works(small: Path) -> None:
    dataset = ir_datasets.load("porism/small")
    assert len(dataset.docs) == 3
    assert dataset.docs.type is PorismDoc
    assert dataset.docs[1].doc_id == "3"
    assert dataset.docs.lookup("3").text == "No."
    assert set(dataset.docs.lookup(["3", "5"])) == {"3", "5"}
    assert repr(dataset) == "Dataset(id='porism/small', provides=['docs'])"
    assert "small" in dataset.documentation()["desc"]


def test_handlers_can_be_sent_to_other_processes(small: Path) -> None:
    write(small / "small" / "topics" / "Topics_Task1_x.xml", TOPICS.format(letter="A", formula=""))
    write(small / "small" / "qrels" / "qrel_task1_x.tsv", "A.1\t0\t2\t3\n")
    dataset = ir_datasets.load("porism/small/task1")
    docs = pickle.loads(pickle.dumps(dataset.docs_handler()))
    queries = pickle.loads(pickle.dumps(dataset.queries_handler()))
    qrels = pickle.loads(pickle.dumps(dataset.qrels_handler()))
    assert docs.docs_store().get("3").text == "No."
    assert queries.queries_dict() == dataset.queries_dict()
    assert qrels.qrels_dict() == {"A.1": {"2": 3}}


def test_datasets_with_the_same_documents_share_a_parent(small: Path) -> None:
    write(small / "small" / "topics" / "Topics_Task1_x.xml", TOPICS.format(letter="A", formula=""))
    assert ir_datasets.docs_parent_id("porism/small/task1") == "porism/small"
    assert ir_datasets.docs_parent_id("porism/small/formulas") == "porism/small/formulas"


def test_what_every_handler_has_is_there(small: Path) -> None:
    dataset = ir_datasets.load("porism/small")
    assert len(dataset.docs_hash()) == 32
    assert dataset.docs_calc_metadata(verbose=False)["count"] == 3
    assert dataset.docs_namespace() == "porism/small"


def test_documents_are_exported(small: Path) -> None:
    with redirect_stdout(io.StringIO()) as out:
        ir_datasets.main(["export", "porism/small", "docs", "--format", "jsonl"])
    records = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(each["doc_id"], each["text"]) for each in records][1:] == [
        ("3", "No."),
        ("5", "As $z$ is."),
    ]


def test_a_collection_that_is_not_there_is_told_at_once(data: Path) -> None:
    with pytest.raises(PorismError, match="nothing: no collection; make one with porism ingest"):
        ir_datasets.load("porism/nothing")


@pytest.mark.parametrize("name", ["porism", "porism/../x", "porism/a/b", "arqmath/2019/task1"])
def test_names_that_mean_nothing_are_unknown_to_ir_datasets(data: Path, name: str) -> None:
    with pytest.raises(KeyError):
        ir_datasets.load(name)


def test_a_collection_anywhere_can_be_registered(data: Path, collection: Path) -> None:
    irds.register("elsewhere", collection)
    irds.register("elsewhere", collection)
    assert ir_datasets.load("porism/elsewhere").docs_count() == 3
    with pytest.raises(PorismError, match="no collection"):
        irds.register("bare", data)
    with pytest.raises(PorismError, match="found the name 'my/own'"):
        irds.register("my/own", collection)


def test_a_registered_name_stays_with_its_collection(
    small: Path, collection: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    ingest(collection.parent / "dump", other, Options(jobs=1))
    irds.register("settled", collection)
    with pytest.raises(PorismError, match="already the collection"):
        irds.register("settled", other)
    ir_datasets.load("porism/small/questions")
    with pytest.raises(PorismError, match="already the collection"):
        irds.register("small", other)


def test_names_are_taught_once(data: Path, collection: Path) -> None:
    irds.teach_names()
    importlib.import_module("porism.ecosystem.irds")
    irds.register("again", collection)
    assert ir_datasets.load("porism/again").docs_count() == 3


def test_tasks_of_a_collection_come_from_its_folder(data: Path, collection: Path) -> None:
    folder = copy_collection(collection, data / "tasks")
    with pytest.raises(PorismError, match=r"no Topics_Task1_tasks\.xml"):
        ir_datasets.load("porism/tasks/task1")
    write(folder / "topics" / "Topics_Task1_x.xml", TOPICS.format(letter="A", formula=""))
    write(folder / "topics" / "Topics_Task2_x.xml", TOPICS.format(letter="B", formula=FOCUS))
    write(folder / "qrels" / "qrel_task1_x.tsv", "A.1\t0\t2\t3\nA.1\t0\t3\t0\nA.1\t0\t5\t5\n")
    dataset = ir_datasets.load("porism/tasks/task1")
    assert list(dataset.queries_iter()) == [
        ArqMathTask1Query(
            query_id="A.1",
            title="Is $x^2$ odd?",
            question="I think $x^2 < 2$.",
            tags=("calculus", "limits"),
            text="Is $x^2$ odd?\nI think $x^2 < 2$.",
            formulas=("x^2", "x^2 < 2"),
        )
    ]
    assert dataset.docs_count() == 3
    assert dataset.qrels_dict() == {"A.1": {"2": 3, "3": 0}}
    assert dataset.qrels_count() == 2
    formulas = ir_datasets.load("porism/tasks/task2")
    (query,) = formulas.queries_iter()
    assert isinstance(query, ArqMathTask2Query)
    assert (query.formula_id, query.latex, query.default_text()) == ("q_1", "x^2", "x^2")
    assert query.text == "Is $x^2$ odd?\nI think $x^2 < 2$."
    assert formulas.docs_cls() is PorismFormula
    assert not formulas.has_qrels()


def test_topics_that_could_be_meant_are_not_guessed(data: Path, collection: Path) -> None:
    folder = copy_collection(collection, data / "two")
    for year in (2020, 2021):
        write(folder / "topics" / f"Topics_Task1_{year}_V1.xml", "<Topics/>")
    with pytest.raises(PorismError, match=r"Topics_Task1_2020_V1\.xml and Topics_Task1_2021"):
        ir_datasets.load("porism/two/task1")


def test_documents_have_their_names_as_ids(data: Path, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "limits.md", "# Limits\n\nLet $x \\to 0$.\n")
    ingest(tmp_path / "notes", data / "mine", Options(jobs=1))
    dataset = ir_datasets.load("porism/mine")
    (document,) = dataset.docs_iter()
    assert document.doc_id.endswith("limits.md")
    assert document.kind == "document"
    assert document.default_text() == "Limits\nLet $x \\to 0$."
    assert dataset.docs_store().get(document.doc_id) == document
    (formula,) = ir_datasets.load("porism/mine/formulas").docs_iter()
    assert formula.post_id == document.doc_id


def test_the_sample_comes_with_topics_and_judgments(data: Path) -> None:
    ingest(sample_source(), data / "sample", Options(jobs=1))
    for task in ("task1", "task2"):
        dataset = ir_datasets.load(f"porism/sample/{task}")
        queries = {query.query_id for query in dataset.queries_iter()}
        assert queries == set(dataset.qrels_dict())
        judged = {judgment.doc_id for judgment in dataset.qrels_iter()}
        assert set(dataset.docs_store().get_many(judged)) == judged
        assert {judgment.relevance for judgment in dataset.qrels_iter()} == set(
            dataset.qrels_defs()
        )


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


def test_a_lab_query_reads_as_its_author_wrote_it(data: Path, shared: Path) -> None:
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


def test_formulas_that_a_topic_file_has_cut_off_are_whole(data: Path, shared: Path) -> None:
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
    with pytest.raises(PorismError, match=f"no {topics} here") as caught:
        dataset.queries_iter()
    assert str(data) in str(caught.value)
    with pytest.raises(PorismError, match=f"no {judgments} here"):
        list(dataset.qrels_iter())


def test_visual_ids_of_the_first_numbering_are_never_taken(data: Path) -> None:
    write(data / "qrel_task2_2020_visual_id_v1.tsv", "B.1\t0\t1\t2\n")
    dataset = ir_datasets.load("arqmath/2020/task2")
    with pytest.raises(PorismError, match=r"visual_id_v3\.tsv"):
        dataset.qrels_count()
    write(data / "qrel_task2_2020_visual_id_v2.tsv", "B.1\t0\t7\t2\n")
    assert dataset.qrels_dict() == {"B.1": {"7": 2}}


def test_judgments_of_the_topics_that_the_lab_reports_are_preferred(data: Path) -> None:
    write(data / "qrel_task1_2021_all.tsv", "A.201\t0\t1\t0\n")
    dataset = ir_datasets.load("arqmath/2021/task1")
    with pytest.raises(PorismError, match=r"qrel_task1_2021_official\.tsv"):
        dataset.qrels_count()
    write(data / "qrel_task1_2021.tsv", "A.201\t0\t2\t0\n")
    assert dataset.qrels_dict() == {"A.201": {"2": 0}}
    write(data / "qrel_task1_2021_official.tsv", "A.201\t0\t3\t0\n")
    assert dataset.qrels_dict() == {"A.201": {"3": 0}}


def test_without_ir_datasets_the_import_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    monkeypatch.delitem(sys.modules, "porism.ecosystem.irds_import")
    with pytest.raises(ImportError, match=r"pip install 'porism\[ir-datasets\]'"):
        importlib.import_module("porism.ecosystem.irds_import")


def test_neither_importing_nor_loading_uses_the_network(data: Path) -> None:
    program = (
        "import socket\n"
        "def refuse(*arguments): raise SystemExit('the network was used')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "import ir_datasets, porism.ecosystem.irds\n"
        "print(ir_datasets.load('arqmath/2020/task1'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == (
        "Dataset(id='arqmath/2020/task1', provides=['docs', 'queries', 'qrels'])\n"
    )
