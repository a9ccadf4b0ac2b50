"""However an index was made, it equals one made of the same documents at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.errors import PorismError
from porism.inverted import (
    BM25,
    BM25_PLUS,
    Clause,
    DocumentBatch,
    Field,
    FieldTokens,
    Filter,
    Index,
    IndexWriter,
    Term,
    batch,
    key,
    keys,
    open_inverted_index,
)
from tests.inverted import reference
from tests.inverted.small_indexes import (
    FIELDS,
    SMALL,
    VOCABULARY,
    Documents,
    random_documents,
    write,
)

QUERY = [
    Clause("words", tuple(Term(token) for token in VOCABULARY), BM25_PLUS),
    Clause("math", (Term("a"), Term("c"), Term("rare1")), BM25, 0.4),
    Clause("title", (Term("b"), Term("rare3")), BM25),
]


def assert_holds(index: Index, documents: Documents) -> None:
    """Statistics, rankings, counts and strings are those of exactly these documents."""
    assert index.documents == len(documents)
    assert sorted(index.doc_ids()) == sorted(documents)
    for k in (5, 1000):
        assert index.search(QUERY, k) == reference.search(documents, FIELDS, QUERY, k)
    within = Filter((("year:1", "year:2"),))
    expected = reference.search(documents, FIELDS, QUERY, 9, within)
    assert index.search(QUERY, 9, within) == expected
    for each in (None, within, Filter(documents=frozenset(list(documents)[:3]))):
        passing = [name for name in documents if reference.passes(name, documents[name], each)]
        assert sorted(index.doc_ids(each)) == sorted(passing)
        names = ["absent", *documents]
        assert index.allowed(names, each).tolist() == [name in passing for name in names]
    for doc_id in list(documents)[::37]:
        for part in index.explain(QUERY, doc_id):
            assert part.count == documents[doc_id][part.field].count(part.token)
    for field in ("words", "title"):
        counted: dict[str, int] = {}
        for document in documents.values():
            for token in set(document.get(field, ())):
                counted[token] = counted.get(token, 0) + 1
        assert dict(index.tokens(field)) == counted


def test_a_merged_index_equals_the_whole_index(tmp_path: Path) -> None:
    documents = random_documents(7, 300)
    apart = write(tmp_path / "apart", documents, parts=4)
    assert_holds(apart, documents)
    with IndexWriter(tmp_path / "apart", FIELDS, layout=SMALL) as writer:
        writer.merge()
    merged = open_inverted_index(tmp_path / "apart")
    in_order = {doc_id: documents[doc_id] for doc_id in merged.doc_ids()}
    whole = write(tmp_path / "whole", in_order)
    assert_holds(merged, documents)
    assert merged.fields == whole.fields
    assert merged.fingerprint == whole.fingerprint
    one, other = (sorted((tmp_path / name).glob("segment-*")) for name in ("apart", "whole"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 200), st.integers(1, 60)),
        st.tuples(st.just("delete"), st.integers(0, 200), st.integers(1, 40)),
        st.tuples(st.sampled_from(["commit", "merge", "reopen"]), st.just(0), st.just(0)),
    ),
    max_size=8,
)


@given(steps=steps)
@settings(max_examples=25, deadline=None)
def test_any_changes_leave_the_right_documents(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    path = tmp_path_factory.mktemp("changes") / "index"
    held: dict[str, dict[str, list[str]]] = {}
    writer = IndexWriter(path, FIELDS, layout=SMALL)
    for number, (step, first, count) in enumerate(steps):
        if step == "add":
            fresh = list(random_documents(number, count).values())
            for at, document in enumerate(fresh):
                writer.add(f"d{first + at}", document)
                held[f"d{first + at}"] = document
        elif step == "delete":
            ids = [f"d{first + at}" for at in range(count)]
            writer.delete(ids)
            for doc_id in ids:
                held.pop(doc_id, None)
        elif step == "commit":
            writer.commit()
        elif step == "merge":
            writer.merge()
        else:
            writer.commit()
            writer.close()
            writer = IndexWriter(path, FIELDS, layout=SMALL)
    writer.commit()
    writer.close()
    assert_holds(open_inverted_index(path), held)


def test_little_memory_makes_the_same_index(tmp_path: Path) -> None:
    documents = random_documents(3, 200)
    written = []
    for name, memory in (("much", 1 << 30), ("little", 1)):
        with IndexWriter(tmp_path / name, FIELDS, memory=memory, layout=SMALL) as writer:
            for doc_id, document in documents.items():
                writer.add_batch(batch([(doc_id, document)]))
            writer.commit()
        written.append(sorted((tmp_path / name).glob("segment-*"))[0])
    assert written[0].read_bytes() == written[1].read_bytes()


def test_a_batch_may_have_keys_without_strings(tmp_path: Path) -> None:
    stream = FieldTokens(keys(["x", "y", "x", "z"]), np.array([0, 3, 3, 4]))
    with IndexWriter(tmp_path / "index", [Field("words")]) as writer:
        writer.add_batch(DocumentBatch(["one", "two", "three"], {"words": stream}, {key("x"): "x"}))
        writer.commit()
    index = open_inverted_index(tmp_path / "index")
    assert dict(index.tokens("words")) == {"x": 1, f"#{key('y'):016x}": 1, f"#{key('z'):016x}": 1}
    assert index.explain([Clause("words", (Term("x"),))], "one")[0].count == 2
    assert index.fields["words"].tokens == 4


def test_counts_beyond_a_byte_are_recovered(tmp_path: Path) -> None:
    documents = {
        str(count): {"words": ["w"] * count + ["v"]} for count in (1, 254, 255, 256, 300, 70_000)
    }
    index = write(tmp_path / "index", documents)
    for count in documents:
        parts = index.explain([Clause("words", (Term("w"), Term("v")))], count)
        assert [part.count for part in parts] == [int(count), 1]


def test_ids_of_any_length_and_script(tmp_path: Path) -> None:
    ids = ["é" * 90, "\U0001d7d9", "a", "ab", "Z", "９"]
    index = write(tmp_path / "index", {doc_id: {"words": ["w"]} for doc_id in ids})
    assert sorted(index.doc_ids()) == sorted(ids)
    order = [hit.doc_id for hit in index.search([Clause("words", (Term("w"),))], 10)]
    assert order == sorted(ids, reverse=True)


def test_documents_are_looked_up_by_id(tmp_path: Path) -> None:
    ids = ["é" * 90, "\U0001d7d9", "a", "ab", "abc", "Z", "９", "\udc80"]
    index = write(tmp_path / "index", {doc_id: {"words": ["w"] * len(doc_id)} for doc_id in ids})
    with IndexWriter(tmp_path / "index", FIELDS, layout=SMALL) as writer:
        for count in (5, 6, 7):
            writer.add("a", {"words": ["w"] * count})
        writer.delete(["ab", "none"])
        writer.add("late", {"words": ["w"]})
        writer.delete(["late"])
        writer.commit()
    names = ["b", "a", "", "ab", *ids, "late", "aa", "abc", "\U0010ffff"]
    lengths = {doc_id: len(doc_id) for doc_id in ids}
    assert index.lengths("words", names).tolist() == [lengths.get(each, 0) for each in names]
    changed = open_inverted_index(tmp_path / "index")
    lengths = {**lengths, "a": 7, "ab": 0}
    assert changed.lengths("words", names).tolist() == [lengths.get(each, 0) for each in names]
    clauses = [Clause("words", (Term("w"),))]
    alone = {str(hit.doc_id): hit.score for hit in changed.search(clauses, 100)}
    scores = changed.scores(clauses, names)
    assert scores == pytest.approx([alone.get(each, 0) for each in names])
    within = Filter(documents=frozenset(["a", "ab", "abc", "none"]))
    assert [hit.doc_id for hit in changed.search(clauses, 9, within)] == ["a", "abc"]
    assert [each for each in names if changed.contains(each)] == [
        each for each in names if lengths.get(each)
    ]


def test_leaving_without_commit_changes_nothing(tmp_path: Path) -> None:
    documents = random_documents(1, 20)
    write(tmp_path / "index", documents)
    with IndexWriter(tmp_path / "index", FIELDS) as writer:
        writer.add("new", {"words": ["w"]})
        writer.delete(list(documents))
    assert_holds(open_inverted_index(tmp_path / "index"), documents)
    assert not list((tmp_path / "index").glob("unfinished*"))


def test_the_description_of_an_index_is_stored(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "index", FIELDS, about={"collection": "notes", "n": 3}) as writer:
        writer.commit()
    with IndexWriter(tmp_path / "index", FIELDS) as writer:
        writer.add("one", {})
        writer.commit()
    assert open_inverted_index(tmp_path / "index").about == {"collection": "notes", "n": 3}


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (
            DocumentBatch(["a"], {"wrong": FieldTokens(keys([]), np.array([0, 0]))}),
            "no field 'wrong'",
        ),
        (
            DocumentBatch(["a"], {"words": FieldTokens(keys(["x"]), np.array([0, 0]))}),
            "ascending starts",
        ),
        (DocumentBatch(["a", ""], {}), "cannot be the id"),
        (DocumentBatch(["a\0b"], {}), "cannot be the id"),
    ],
)
def test_a_batch_that_does_not_fit_is_refused(
    tmp_path: Path, documents: DocumentBatch, message: str
) -> None:
    with (
        IndexWriter(tmp_path / "index", FIELDS) as writer,
        pytest.raises(PorismError, match=message),
    ):
        writer.add_batch(documents)


def test_two_tokens_with_one_key_are_detected(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "index", FIELDS) as writer:
        writer.add_batch(DocumentBatch(["a"], {}, {1: "one"}))
        with pytest.raises(PorismError, match="'one' and 'two' have the same key"):
            writer.add_batch(DocumentBatch(["b"], {}, {1: "two"}))


def test_other_fields_need_another_folder(tmp_path: Path) -> None:
    write(tmp_path / "index", {})
    with pytest.raises(PorismError, match="has other fields"):
        IndexWriter(tmp_path / "index", [Field("words")])
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "note.tex").write_text("x")
    with pytest.raises(PorismError, match=r"not empty \(note.tex is there\)"):
        IndexWriter(tmp_path / "notes", FIELDS)
    with pytest.raises(PorismError, match="each its own name"):
        IndexWriter(tmp_path / "new", [Field("a"), Field("a")])
    with pytest.raises(PorismError, match="k1 must be"):
        Field("a", k1=-1)


def test_strings_may_come_before_the_documents_that_have_them(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "index", [Field("words")]) as writer:
        writer.add_batch(DocumentBatch([], {}, {key("x"): "x"}))
        tokens = FieldTokens(np.array([key("x")], np.uint64), np.array([0, 1], np.int64))
        writer.add_batch(DocumentBatch(["1"], {"words": tokens}))
        writer.commit()
    assert dict(open_inverted_index(tmp_path / "index").tokens("words")) == {"x": 1}
