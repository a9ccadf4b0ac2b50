"""Pools enriched with answers of the topics' own threads and duplicates."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from porism.assess.records import Pool
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.lab.pools.known_answers import enriched_pool, with_questions
from porism.lab.pools.topic_posts import ExcludedPosts
from porism.model import DocId
from tests.lab.linked_site import A1, A2, answers, site


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with open_collection(site(tmp_path_factory.mktemp("enriching"))) as opened:
        yield opened


def contributions(pool: Pool) -> dict[tuple[str, str], dict[str, int]]:
    return {
        (each.topic_id, each.doc_id): {c.run: c.rank for c in each.contributions}
        for each in pool.candidates
    }


class TestEnriching:
    def test_own_thread_and_linked_duplicates(self, collection: Collection) -> None:
        enriched = enriched_pool(answers("3", "8"), collection, {A1: (DocId("1"),)}, {})
        assert contributions(enriched.pool) == {
            ("A.1", "2"): {"thread": 2},
            ("A.1", "3"): {"run": 1, "thread": 1},
            ("A.1", "5"): {"duplicates": 2},
            ("A.1", "6"): {"duplicates": 1},
            ("A.1", "8"): {"run": 2},
        }
        assert enriched.added == {"thread": 1, "duplicates": 2}
        assert enriched.absent == ()
        assert enriched.pool.settings == {"enriched": "thread,duplicates"}

    def test_given_duplicates(self, collection: Collection) -> None:
        enriched = enriched_pool(answers("3"), collection, {}, {A2: (DocId("7"),)})
        assert contributions(enriched.pool)["A.2", "8"] == {"duplicates": 1}
        assert enriched.pool.settings == {"enriched": "duplicates"}

    def test_absent_questions_are_listed(self, collection: Collection) -> None:
        enriched = enriched_pool(
            answers("3"), collection, {A1: (DocId("99"),)}, {A1: (DocId("98"),)}
        )
        assert enriched.absent == ("99", "98")
        assert contributions(enriched.pool) == {("A.1", "3"): {"run": 1}}

    def test_the_pool_has_the_topics_own_questions(self, collection: Collection) -> None:
        own = {A1: (DocId("99"), DocId("2"), DocId("1"), DocId("4")), A2: (DocId("5"),)}
        enriched = enriched_pool(answers("3"), collection, own, {A2: (DocId("7"),)})
        assert enriched.pool.questions == {A1: "1"}  # 2 and 5 are answers, and 99 is not there

    def test_a_pool_of_formulas_gets_only_questions(self, collection: Collection) -> None:
        formulas = replace(answers("52"), task=2)
        enriched = with_questions(formulas, collection, {A1: (DocId("2"), DocId("1"))})
        assert enriched == replace(formulas, questions={A1: DocId("1")})

    def test_excluded_answers_are_not_added_and_not_counted(self, collection: Collection) -> None:
        excluded = ExcludedPosts({A1: (DocId("2"), DocId("5"))})
        enriched = enriched_pool(answers("3"), collection, {A1: (DocId("1"),)}, {}, excluded)
        assert contributions(enriched.pool).keys() == {("A.1", "3"), ("A.1", "6")}
        assert enriched.added == {"thread": 0, "duplicates": 1}
        assert contributions(enriched.pool)["A.1", "6"] == {"duplicates": 1}

    def test_existing_candidates_keep_their_order(self, collection: Collection) -> None:
        first = enriched_pool(answers("2", "3", "6", "8"), collection, {}, {}).pool
        more = enriched_pool(first, collection, {}, {A1: (DocId("4"),)}).pool
        others = [each.doc_id for each in more.candidates if each.doc_id != "5"]
        assert others == [each.doc_id for each in first.candidates]

    def test_a_pool_of_formulas_is_refused(self, collection: Collection) -> None:
        with pytest.raises(PorismError, match="cannot be enriched"):
            enriched_pool(replace(answers("3"), task=2), collection, {}, {})
