"""Porism's collections through ``ir_datasets.load`` itself."""

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

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.ecosystem import irds
from porism.ecosystem.irds_records import (
    ArqMathTask1Query,
    ArqMathTask2Query,
    PorismDoc,
    PorismFormula,
)
from porism.errors import PorismError
from tests.ecosystem.small_collection import FOCUS, TOPICS, copy_collection, write


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
def test_an_unknown_document_is_a_key_error(small: Path, doc_id: str) -> None:
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


def test_handlers_have_the_methods_of_ir_datasets(small: Path) -> None:
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


def test_a_missing_collection_is_reported_when_it_is_loaded(data: Path) -> None:
    with pytest.raises(PorismError, match="nothing: no collection; make one with porism ingest"):
        ir_datasets.load("porism/nothing")


@pytest.mark.parametrize("name", ["porism", "porism/../x", "porism/a/b", "arqmath/2019/task1"])
def test_other_names_are_unknown_to_ir_datasets(data: Path, name: str) -> None:
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
    ingest(collection.parent / "dump", other, IngestOptions(jobs=1))
    irds.register("settled", collection)
    with pytest.raises(PorismError, match="already the collection"):
        irds.register("settled", other)
    ir_datasets.load("porism/small/questions")
    with pytest.raises(PorismError, match="already the collection"):
        irds.register("small", other)


def test_names_are_registered_once(data: Path, collection: Path) -> None:
    irds.register_names()
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


def test_ambiguous_topic_files_are_refused(data: Path, collection: Path) -> None:
    folder = copy_collection(collection, data / "two")
    for year in (2020, 2021):
        write(folder / "topics" / f"Topics_Task1_{year}_V1.xml", "<Topics/>")
    with pytest.raises(PorismError, match=r"Topics_Task1_2020_V1\.xml and Topics_Task1_2021"):
        ir_datasets.load("porism/two/task1")


def test_documents_have_their_names_as_ids(data: Path, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "limits.md", "# Limits\n\nLet $x \\to 0$.\n")
    ingest(tmp_path / "notes", data / "mine", IngestOptions(jobs=1))
    dataset = ir_datasets.load("porism/mine")
    (document,) = dataset.docs_iter()
    assert document.doc_id.endswith("limits.md")
    assert document.kind == "document"
    assert document.default_text() == "Limits\nLet $x \\to 0$."
    assert dataset.docs_store().get(document.doc_id) == document
    (formula,) = ir_datasets.load("porism/mine/formulas").docs_iter()
    assert formula.post_id == document.doc_id


def test_the_sample_comes_with_topics_and_judgments(data: Path) -> None:
    ingest(sample_source(), data / "sample", IngestOptions(jobs=1))
    for task in ("task1", "task2"):
        dataset = ir_datasets.load(f"porism/sample/{task}")
        queries = {query.query_id for query in dataset.queries_iter()}
        assert queries == set(dataset.qrels_dict())
        judged = {judgment.doc_id for judgment in dataset.qrels_iter()}
        assert set(dataset.docs_store().get_many(judged)) == judged
        assert {judgment.relevance for judgment in dataset.qrels_iter()} == set(
            dataset.qrels_defs()
        )


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
