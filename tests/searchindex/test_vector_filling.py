"""Vectors of an index: encoding, interruption, updates, rebuilds, and what is refused."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from porism.analysis import Document, DocumentPart
from porism.catalog import index_plan, ranker
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.embed import ModelIdentity, WindowSpec
from porism.errors import PorismError
from porism.inverted import Filter
from porism.locking import ProcessLock
from porism.model import DocId, Task, Topic, TopicId
from porism.searchindex import text_encoders, vector_filling
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import (
    VectorSpec,
    document_texts,
    vector_spec,
)
from porism.searchindex.files import check_index
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import read_manifest
from porism.searchindex.model_roles import VectorRole
from porism.searchindex.vector_filling import VectorReport, add_vectors, fill_vectors
from tests.killing import End, forked, interrupt, kill
from tests.searchindex.hash_encoder import IDENTITY, MODEL, HashEncoder, installed
from tests.searchindex.test_atomic_update import copied, leftovers

QUERY = "How large is the sum of squares?"


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashEncoder]:
    """The installed model; small parts, so that there are several."""
    monkeypatch.setattr(vector_filling, "TEXTS_PER_PART", 3)
    monkeypatch.setattr(vector_filling, "CHUNK_THREADS", 2)
    yield installed(monkeypatch, HashEncoder())
    text_encoders._opened.cache_clear()


NOTES = {str(number): f"The sum $\\sum_n n^{number}$ of powers." for number in range(6)}


def write_notes(folder: Path, notes: dict[str, str]) -> Path:
    """The collection of notes."""
    source = folder / "notes"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for name, text in notes.items():
        (source / f"{name}.md").write_text(f"# Note {name}\n\n{text}\n")
    ingest(source, folder / "collection", IngestOptions(jobs=1))
    return folder / "collection"


HASHED = VectorSpec(MODEL)


def build(collection: Path, index: Path, spec: VectorSpec | None = HASHED) -> None:
    specs = (*index_plan(["l8"]), *(() if spec is None else (spec,)))
    with open_collection(collection) as opened:
        build_index(opened, index, specs, IndexOptions(), lambda progress: None)


def update(collection: Path, index: Path) -> None:
    with open_collection(collection) as opened:
        update_index(opened, index, IndexOptions(), lambda progress: None)


def fill(collection: Path, index: Path) -> VectorReport:
    with open_collection(collection) as opened:
        return fill_vectors(opened, index, IndexOptions(), lambda progress: None)


def finish(collection: Path, index: Path) -> None:
    fill(collection, index)


def add(collection: Path, index: Path, model: str = MODEL) -> VectorReport:
    with open_collection(collection) as opened:
        return add_vectors(opened, index, vector_spec(model), IndexOptions(), lambda progress: None)


def query(text: str = QUERY) -> NDArray[np.float32]:
    (vector,) = HashEncoder().encode([text])
    return np.asarray(vector, np.float32)


def scores(index: Path) -> dict[str, tuple[float, float]]:
    """The cosines of the question and of the answer of each document that has both."""
    with open_index(index) as opened:
        vectors = opened.vectors
        assert vectors is not None
        doc_ids = sorted(opened.answers.doc_ids())
        of_questions, of_answers = (
            vectors.scores(kind, query(), doc_ids).tolist()
            for kind in (TextKind.QUESTION, TextKind.ANSWER)
        )
    pairs = zip(of_questions, of_answers, strict=True)
    return {
        doc_id: pair
        for doc_id, pair in zip(doc_ids, pairs, strict=True)
        if not np.isnan(pair).any()
    }


@pytest.fixture
def filled(tmp_path: Path, encoder: HashEncoder) -> Path:
    """The folder of a collection of six notes with an index that has vectors."""
    build(write_notes(tmp_path, NOTES), tmp_path / "index")
    fill(tmp_path / "collection", tmp_path / "index")
    encoder.encoded.clear()
    return tmp_path


def is_complete(index: Path) -> bool:
    with open_index(index) as opened:
        assert opened.vectors is not None
        return opened.vectors.is_complete


def test_an_index_is_searched_before_it_has_vectors(tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(write_notes(tmp_path, NOTES), index)
    assert scores(index) == {}
    assert not is_complete(index)
    with open_index(index) as opened:
        assert opened.vectors is not None
        assert opened.vectors.nearest(TextKind.ANSWER, query(), 3, opened.answers) == []
        topic = Topic(TopicId("1"), ("a note on powers",))
        assert len(ranker("l8", Task.ANSWERS, opened).rank(topic, 10)) == 6


def test_every_text_is_encoded_once(tmp_path: Path, encoder: HashEncoder) -> None:
    index = tmp_path / "index"
    build(write_notes(tmp_path, {**NOTES, "again": NOTES["0"]}), index)
    report = fill(tmp_path / "collection", index)
    assert len(encoder.encoded) == 13  # seven titles, and six texts, of which two notes share one
    assert (report.encoded, report.vectors, report.without_vector) == (13, 13, 0)
    assert is_complete(index)
    assert set(scores(index)) == {f"notes/{name}.md" for name in (*NOTES, "again")}
    assert fill(tmp_path / "collection", index).encoded == 0


def test_scores_are_cosines(filled: Path) -> None:
    found = scores(filled / "index")
    for name, text in NOTES.items():
        # The name of the file is part of the title, as the headings above a section are.
        title, body = HashEncoder().encode([f"Note {name}\n{name}", text])
        assert found[f"notes/{name}.md"] == pytest.approx(
            (title @ query(), body @ query()), abs=0.01
        )


def test_answers_of_a_thread_share_the_vector_of_their_question(
    tmp_path: Path, sample_index: Path, encoder: HashEncoder
) -> None:
    index = tmp_path / "index"
    with open_collection(sample_index.parent) as collection:
        questions = {
            collection.thread(doc_id).question.id
            for doc_id in open_index(sample_index).answers.doc_ids()
        }
    build(sample_index.parent, index)
    fill(sample_index.parent, index)
    with open_index(index) as opened:
        assert opened.vectors is not None
        assert len(opened.vectors.table.all_texts(TextKind.QUESTION)) == len(questions)
        nearest = opened.vectors.nearest(TextKind.QUESTION, query(), 40, opened.answers)
        threads = [opened.collection.thread(doc_id).question.id for _, doc_id in nearest]
        assert len(nearest) == 40 > len(set(threads))
        found = [score for score, _ in nearest]
        assert found == sorted(found, reverse=True)
        everything = opened.vectors.scores(
            TextKind.QUESTION, query(), list(opened.answers.doc_ids())
        )
        assert found == sorted(everything.tolist(), reverse=True)[:40]


def test_the_nearest_are_those_that_pass_a_filter(filled: Path) -> None:
    with open_index(filled / "index") as opened:
        assert opened.vectors is not None
        all_of_them = opened.vectors.nearest(TextKind.ANSWER, query(), 10, opened.answers)
        assert len(all_of_them) == 6
        for names in ({"notes/1.md"}, {"notes/1.md", "notes/2.md", "notes/4.md", "notes/5.md"}):
            within = Filter(documents=frozenset(names))
            for k in (1, 3, 10):
                passing = [pair for pair in all_of_them if pair[1] in names][:k]
                found = opened.vectors.nearest(TextKind.ANSWER, query(), k, opened.answers, within)
                assert found == passing


def test_an_update_encodes_only_new_texts(filled: Path, encoder: HashEncoder) -> None:
    index = filled / "index"
    before = scores(index)
    notes = {**NOTES, "2": "The sum of two squares.", "new": "A limit."}
    del notes["1"]
    collection = write_notes(filled, notes)
    update(collection, index)
    assert not is_complete(index)
    report = fill(collection, index)
    assert sorted(encoder.encoded) == ["A limit.", "Note new\nnew", "The sum of two squares."]
    assert is_complete(index)
    assert report.without_vector == 0
    after = scores(index)
    assert set(after) == {f"notes/{name}.md" for name in notes}
    unchanged = [f"notes/{name}.md" for name in ("0", "3", "4", "5")]
    assert [after[name] for name in unchanged] == [before[name] for name in unchanged]
    assert after["notes/2.md"] != before["notes/2.md"]
    with open_index(index) as opened:
        assert opened.vectors is not None
        nearest = opened.vectors.nearest(TextKind.ANSWER, query(), 10, opened.answers)
        assert {doc_id for _, doc_id in nearest} == set(after)


def test_a_rebuild_takes_over_the_vectors(filled: Path, encoder: HashEncoder) -> None:
    index = filled / "index"
    before = scores(index)
    build(filled / "collection", index)
    assert read_manifest(index).generation == 2
    assert scores(index) == before
    assert fill(filled / "collection", index).encoded == 0
    assert encoder.encoded == []
    assert is_complete(index)
    assert leftovers(index) == {vector_filling.LOCK}


def test_a_rebuild_takes_over_no_damaged_vectors(filled: Path, encoder: HashEncoder) -> None:
    index = filled / "index"
    before = scores(index)
    damage(next(iter(sorted(index.glob("generation-1/vectors/questions-*")))))
    build(filled / "collection", index)
    assert scores(index) == {}
    assert fill(filled / "collection", index).encoded == 12
    assert scores(index) == before


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"\x55")


def test_vectors_are_added_to_an_index_without_them(tmp_path: Path) -> None:
    index = tmp_path / "index"
    collection = write_notes(tmp_path, {"0": "Another text."})
    build(collection, index, spec=None)
    with open_index(index) as opened:
        assert opened.vectors is None
    with pytest.raises(PorismError, match="an index without vectors; add them with porism index"):
        fill(collection, index)
    write_notes(tmp_path, NOTES)
    update(collection, index)
    report = add(collection, index)
    assert (report.vectors, report.model) == (12, IDENTITY)
    assert read_manifest(index).generation == 1
    assert set(scores(index)) == {f"notes/{name}.md" for name in NOTES}
    assert add(collection, index).encoded == 0


def other_model(digest: str = "ffff", dimension: int = 8) -> HashEncoder:
    return HashEncoder(ModelIdentity(MODEL, digest, dimension, "mean", "float32"))


def test_another_model_is_refused_until_the_vectors_are_made_again(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled / "index"
    other = installed(monkeypatch, other_model())
    with open_index(index) as opened:
        assert opened.vectors is not None
        with pytest.raises(
            PorismError, match=r"made with hash \(0123abcd, 24 .* again with porism"
        ):
            opened.vectors.encoder()
        with pytest.raises(PorismError, match=r"a query vector of 8 numbers, and the stored .* 24"):
            opened.vectors.scores(TextKind.QUESTION, other.encode(["a"])[0], ["notes/1.md"])
    write_notes(filled, {**NOTES, "new": "A limit."})
    update(filled / "collection", index)
    with pytest.raises(PorismError, match="the vectors were made with hash"):
        fill(filled / "collection", index)
    report = add(filled / "collection", index)
    assert (report.encoded, report.model) == (14, other.identity)
    with open_index(index) as opened:
        assert opened.vectors is not None
        assert opened.vectors.encoder() is other
        assert (
            opened.vectors.scores(TextKind.QUESTION, other.encode(["a"])[0], ["notes/1.md"])[0] != 0
        )


def test_an_index_opens_without_its_model(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(model: str) -> HashEncoder:
        raise PorismError(f"the model {model} is not installed")

    monkeypatch.setattr(text_encoders, "open_encoder", missing)
    text_encoders._opened.cache_clear()
    with open_index(filled / "index") as opened:
        assert opened.vectors is not None
        with pytest.raises(PorismError, match="is not installed"):
            opened.vectors.encoder()
        topic = Topic(TopicId("1"), ("a note on powers",))
        assert len(ranker("l8", Task.ANSWERS, opened).rank(topic, 10)) == 6


def test_the_files_are_checked(filled: Path) -> None:
    index = filled / "index"
    assert check_index(index, lambda progress: None).damages == ()
    for path in sorted(index.glob("generation-1/vectors/*.part")):
        content = path.read_bytes()
        damage(path)
        (found,) = check_index(index, lambda progress: None).damages
        assert path.name in found
        path.write_bytes(content[:-8])
        with pytest.raises(PorismError, match=rf"{path.name} is damaged"):
            open_index(index)
        path.write_bytes(content)


def test_a_full_disk_keeps_the_vectors_in_force(tmp_path: Path, encoder: HashEncoder) -> None:
    index = tmp_path / "index"
    build(write_notes(tmp_path, NOTES), index)
    written = vector_filling._add

    def on_a_full_disk(*arguments: object) -> None:
        if len(encoder.encoded) > 6:
            largest = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, largest[1]))
            try:
                written(*arguments)  # type: ignore[arg-type]
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, largest)
        else:
            written(*arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vector_filling, "_add", on_a_full_disk)
        with pytest.raises(OSError, match="File too large"):
            fill(tmp_path / "collection", index)
    assert 0 < len(scores(index)) < 6
    before = len(encoder.encoded)
    fill(tmp_path / "collection", index)
    assert len(scores(index)) == 6
    assert len(encoder.encoded) < before + 12
    assert check_index(index, lambda progress: None).damages == ()


@pytest.mark.parametrize(("end", "every"), [(kill, 1), (interrupt, 3)], ids=["kill", "interrupt"])
def test_interrupted_encoding_continues(
    tmp_path: Path, encoder: HashEncoder, end: End, every: int
) -> None:
    collection = write_notes(tmp_path, NOTES)
    build(collection, tmp_path / "empty")
    complete = copied(tmp_path / "empty", tmp_path / "complete")
    fill(collection, complete)
    expected = scores(complete)
    counted = copied(tmp_path / "empty", tmp_path / "counted")
    moments = forked(partial(finish, collection, counted), 0, kill)
    assert moments > 20
    encoder.encoded.clear()
    outcomes = set()
    for at in range(1, moments + 1, every):
        index = copied(tmp_path / "empty", tmp_path / "index")
        forked(partial(finish, collection, index), at, end)
        left = scores(index)
        assert left.items() <= expected.items(), at
        outcomes.add(len(left))
        encoder.encoded.clear()
        fill(collection, index)
        assert len(encoder.encoded) <= 12 - 2 * len(left)
        assert scores(index) == expected, at
        assert leftovers(index) == {vector_filling.LOCK}, at
    assert len(outcomes) > 2


def test_only_one_process_encodes(filled: Path) -> None:
    index = filled / "index"
    busy = pytest.raises(PorismError, match="another process is adding vectors to this index")
    with ProcessLock(index / vector_filling.LOCK, ""), busy:
        fill(filled / "collection", index)


def test_documents_added_while_encoding_get_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    collection = write_notes(tmp_path, NOTES)
    build(collection, index)
    monkeypatch.setattr(
        vector_filling, "_finished", updated_once(tmp_path, vector_filling._finished)
    )
    report = fill(collection, index)
    assert set(scores(index)) == {f"notes/{name}.md" for name in (*NOTES, "new")}
    assert (report.encoded, report.without_vector) == (14, 0)


Finished = Callable[[Path, VectorRole], object]


def updated_once(folder: Path, finished: Finished) -> Finished:
    """Have an update and a rebuild come before the end of a first pass."""
    passes = iter([True])

    def after_an_update(index: Path, role: VectorRole) -> object:
        if next(passes, False):
            write_notes(folder, {**NOTES, "new": "A limit."})
            update(folder / "collection", index)
            build(folder / "collection", index)
        return finished(index, role)

    return after_an_update


def test_a_long_answer_is_scored_by_its_best_window(tmp_path: Path, encoder: HashEncoder) -> None:
    index = tmp_path / "index"
    words = [f"w{number}" for number in range(130)]
    collection = write_notes(tmp_path, {"long": " ".join(words), "short": " ".join(words[:9])})
    build(collection, index, VectorSpec(MODEL, WindowSpec()))
    assert fill(collection, index).encoded == 4
    assert {" ".join(words[:97]), " ".join(words[33:])} < set(encoder.encoded)
    with open_index(index) as opened:
        assert opened.vectors is not None
        assert len(opened.vectors) == 5
        for window in (words[:97], words[33:]):
            vector = query(" ".join(window))
            best = opened.vectors.scores(
                TextKind.ANSWER, vector, ["notes/long.md", "notes/short.md"]
            )
            assert best[0] == pytest.approx(1, abs=0.01)
            assert best[1] < 0.95
            nearest = opened.vectors.nearest(TextKind.ANSWER, vector, 5, opened.answers)
            assert nearest == [(best[0], "notes/long.md"), (best[1], "notes/short.md")]


def test_empty_texts_have_no_vectors(filled: Path) -> None:
    title, body = DocumentPart.TITLE, DocumentPart.ANSWER
    for parts in ({}, {title: (" ",), body: ("\n",)}):
        assert document_texts(Document(DocId("1"), parts)) == dict.fromkeys(TextKind, "")
    with open_index(filled / "index") as opened:
        assert opened.vectors is not None
        assert np.isnan(opened.vectors.scores(TextKind.QUESTION, query(), ["other"])).all()
        assert len(opened.vectors.scores(TextKind.ANSWER, query(), [])) == 0
