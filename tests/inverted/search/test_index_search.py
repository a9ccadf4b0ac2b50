"""The ranking of the index is that of the reference, for all documents and queries."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import PorismError
from porism.inverted import (
    BM25,
    BM25_PLUS,
    SMART_DTB,
    TF_IDF,
    Clause,
    Filter,
    Idf,
    Index,
    Term,
    WeightingModel,
    key,
)
from tests.inverted import reference
from tests.inverted.small_indexes import FIELDS, VOCABULARY, Documents, random_documents, write

MODELS = (
    BM25,
    BM25_PLUS,
    TF_IDF,
    SMART_DTB,
    WeightingModel(Idf.ROBERTSON),
    WeightingModel(Idf.LUCENE, delta=0.3),
)

weights = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.5])
terms = st.builds(
    Term, st.sampled_from((*VOCABULARY, "absent")), weights, st.sampled_from([0.2, 1.0])
)
clauses = st.builds(
    Clause,
    st.sampled_from(["words", "math", "title"]),
    st.lists(terms, max_size=12).map(tuple),
    st.sampled_from(MODELS),
    weights,
)
filters = st.one_of(
    st.none(),
    st.builds(
        Filter,
        st.lists(
            st.lists(
                st.sampled_from(["year:0", "year:1", "year:2", "kind:1", "none"]), max_size=3
            ).map(tuple),
            max_size=2,
        ).map(tuple),
        st.one_of(
            st.none(), st.frozensets(st.integers(0, 600).map(lambda n: f"d{n}"), max_size=40)
        ),
    ),
)
quick = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Indexes(list[tuple[Documents, Index]]):
    """Documents with their index; shown shortly, as Hypothesis shows what a failure had."""

    def __repr__(self) -> str:
        return "indexes"


@pytest.fixture(scope="module")
def indexes() -> Indexes:
    """Indexes of several sizes, with one segment or several."""
    folder = Path(tempfile.mkdtemp())
    made = Indexes()
    for number, (size, parts) in enumerate([(1, 1), (40, 2), (200, 1), (500, 3)]):
        documents = random_documents(number, size)
        made.append((documents, write(folder / str(number), documents, parts)))
    return made


@given(
    number=st.integers(0, 3),
    query=st.lists(clauses, max_size=4),
    k=st.sampled_from([0, 1, 3, 10, 50, 1000]),
    within=filters,
    cores=st.sampled_from([1, 2]),
)
@settings(max_examples=250, deadline=None)
def test_ranking_is_that_of_the_reference(
    indexes: Indexes,
    number: int,
    query: list[Clause],
    k: int,
    within: Filter | None,
    cores: int,
) -> None:
    documents, index = indexes[number]
    expected = reference.search(documents, FIELDS, query, k, within)
    assert index.search(query, k, within, cores) == expected


@given(number=st.integers(0, 3), query=st.lists(clauses, max_size=3), negative=terms)
@quick
def test_negative_weights_are_exact_too(
    indexes: Indexes, number: int, query: list[Clause], negative: Term
) -> None:
    documents, index = indexes[number]
    against = negative._replace(weight=-negative.weight)
    query = [*query, Clause("words", (against,), BM25_PLUS)]
    expected = reference.search(documents, FIELDS, query, 20)
    assert index.search(query, 20) == expected


@given(number=st.integers(0, 3), query=st.lists(clauses, max_size=4))
@quick
def test_scores_are_those_of_the_reference_bit_for_bit(
    indexes: Indexes, number: int, query: list[Clause]
) -> None:
    documents, index = indexes[number]
    expected = reference.scores(documents, FIELDS, query)
    ids = [*documents, "not here"]
    assert index.scores(query, ids).tolist() == [expected.get(doc_id, 0.0) for doc_id in ids]


@given(number=st.integers(0, 3), query=st.lists(clauses, min_size=1, max_size=4))
@quick
def test_explained_parts_add_up_to_the_score(
    indexes: Indexes, number: int, query: list[Clause]
) -> None:
    documents, index = indexes[number]
    doc_id = max(documents, key=lambda of: sum(map(len, documents[of].values())))
    parts = index.explain(query, doc_id)
    assert sum(part.score for part in parts) == pytest.approx(index.scores(query, [doc_id])[0])
    for part in parts:
        assert part.count == documents[doc_id][part.field].count(part.token)
        assert part.documents == index.frequency(part.field, part.token)


def test_frequencies_of_many_tokens_are_those_of_each(indexes: Indexes) -> None:
    tokens = (*VOCABULARY, "absent", VOCABULARY[0])
    for documents, index in indexes:
        for field in ("words", "math", "title"):
            expected = [
                sum(token in parts.get(field, ()) for parts in documents.values())
                for token in tokens
            ]
            assert index.frequencies(field, tokens).tolist() == expected
            assert [index.frequency(field, token) for token in tokens] == expected
        assert index.frequencies("words", ()).tolist() == []


def test_frequencies_and_statistics_are_counted(indexes: Indexes) -> None:
    for documents, index in indexes:
        assert index.documents == len(documents)
        assert sorted(index.doc_ids()) == sorted(documents)
        for field in FIELDS:
            streams = [list(document[field.name]) for document in documents.values()]
            counted: dict[str, int] = {}
            for stream in streams:
                for token in set(stream):
                    counted[token] = counted.get(token, 0) + 1
            assert dict(index.tokens(field.name)) == counted
            statistics = index.fields[field.name]
            assert statistics.documents == sum(map(bool, streams))
            assert statistics.tokens == sum(map(len, streams))
            assert statistics.terms == len(counted)


@pytest.mark.parametrize("k", [1, 30, 100, 300, 639, 640, 641])
@pytest.mark.parametrize("best_first", [True, False])
def test_the_worst_orders_of_documents_are_ranked_exactly(
    tmp_path: Path, k: int, best_first: bool
) -> None:
    """Thresholds are guessed from the first blocks, and here these are unlike all others."""
    numbers = range(640) if best_first else range(639, -1, -1)
    documents = {
        f"d{number}": {"words": ["w"] * (1 + (640 - number) // 7) + ["v"] * (number % 3)}
        for number in numbers
    }
    index = write(tmp_path / "index", documents)
    query = [Clause("words", (Term("w"), Term("v", 0.1)), BM25_PLUS)]
    expected = reference.search(documents, FIELDS, query, k)
    assert index.search(query, k) == expected
    assert index.search(query, k, cores=3) == expected


def test_of_equal_scores_the_greater_id_is_kept(tmp_path: Path) -> None:
    documents = {str(number): {"words": ["same"]} for number in range(300)}
    index = write(tmp_path / "index", documents, parts=2)
    expected = sorted(documents, reverse=True)[:7]
    ranking = index.search([Clause("words", (Term("same"),))], 7)
    assert [hit.doc_id for hit in ranking] == expected


def test_absent_terms_and_documents_are_not_found(tmp_path: Path) -> None:
    index = write(tmp_path / "index", {"one": {"words": ["a"]}, "empty": {}})
    query = [Clause("words", (Term("a"),))]
    assert index.search([], 10) == ()
    assert index.search([Clause("words", ())], 10) == ()
    assert index.search([Clause("words", (Term("absent"),))], 10) == ()
    assert [hit.doc_id for hit in index.search(query, 10)] == ["one"]
    assert index.search(query, 0) == ()
    assert index.contains("empty")
    assert not index.contains("two")
    assert index.explain(query, "two") == ()
    assert index.explain(query, "empty") == ()


def test_an_empty_index_has_no_results(tmp_path: Path) -> None:
    index = write(tmp_path / "index", {})
    assert index.documents == 0
    assert index.search([Clause("words", (Term("a"),))], 10) == ()
    assert list(index.tokens("words")) == []
    assert index.scores([Clause("words", (Term("a"),))], ["x"]).tolist() == [0.0]


def test_unknown_fields_and_weights_are_refused(tmp_path: Path) -> None:
    index = write(tmp_path / "index", {"one": {"words": ["a"]}})
    with pytest.raises(PorismError, match=r"no field 'word'; its fields are words, math"):
        index.search([Clause("word", (Term("a"),))], 10)
    with pytest.raises(PorismError, match="finite"):
        index.search([Clause("words", (Term("a", float("nan")),))], 10)


def test_postings_have_every_count_of_live_documents(tmp_path: Path) -> None:
    documents = random_documents(4, 150)
    index = write(tmp_path, documents, 2)
    counts: dict[str, dict[int, int]] = {doc_id: {} for doc_id in documents}
    for part in index.postings("words"):
        ends = np.cumsum(part.sizes)
        for term, end in zip(part.keys.tolist(), ends.tolist(), strict=True):
            first = end - int(part.sizes[np.flatnonzero(ends == end)[0]])
            for place, count in zip(
                part.documents[first:end].tolist(), part.counts[first:end].tolist(), strict=True
            ):
                counts[part.doc_ids[place]][term] = count
    assert counts == {
        doc_id: {key(token): number for token, number in Counter(fields["words"]).items()}
        for doc_id, fields in documents.items()
    }


def test_logarithmic_weights_need_a_length(tmp_path: Path) -> None:
    index = write(tmp_path, random_documents(1, 5))
    with pytest.raises(PorismError, match="k1 = 0"):
        index.search([Clause("labels", (Term("year:1"),), SMART_DTB)], 3)
