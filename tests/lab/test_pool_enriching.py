"""Pools and their collection: looks, threads, answers that are added, candidates that are gone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from porism.assess.records import Candidate, Contribution, Pool
from porism.collection.ingest import Options, ingest
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.lab.pool_enriching import (
    enriched,
    fingerprint,
    looks_in,
    post_of,
    threads_in,
    with_questions,
)
from porism.lab.topic_posts import Excluded
from porism.model import DocId, Topic, TopicId
from tests.collection.dumps import answer, question, write_table

A1, A2 = TopicId("A.1"), TopicId("A.2")


def formula(formula_id: int, latex: str) -> str:
    return f'<p><span class="math-container" id="{formula_id}">{latex}</span></p>'


def site(folder: Path, changed: str = "<p>So.</p>") -> Path:
    """Question 1 repeats 4 and is related to 7; its accepted answer has fewer votes."""
    posts = [
        question(1, AcceptedAnswerId=3),
        answer(2, 1, formula(52, "x+1"), Score=9),
        answer(3, 1, formula(53, "x+1"), Score=1),
        question(4),
        answer(5, 4, changed, Score=2),
        answer(6, 4, Score=7),
        question(7, formula(57, "y")),
        answer(8, 7),
    ]
    links = [
        {"Id": 1, "PostId": 1, "RelatedPostId": 4, "LinkTypeId": 3},
        {"Id": 2, "PostId": 1, "RelatedPostId": 7, "LinkTypeId": 1},
    ]
    write_table(folder / "dump", "Posts", posts)
    write_table(folder / "dump", "PostLinks", links)
    ingest(folder / "dump", folder / "site", Options(jobs=1))
    return folder / "site"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with open_collection(site(tmp_path_factory.mktemp("enriching"))) as opened:
        yield opened


def answers(*ids: str) -> Pool:
    candidates = [
        Candidate(A1, DocId(each), contributions=(Contribution("run", rank),))
        for rank, each in enumerate(ids, start=1)
    ]
    return Pool(1, (Topic(A1), Topic(A2)), tuple(candidates))


def contributions(pool: Pool) -> dict[tuple[str, str], dict[str, int]]:
    return {
        (each.topic_id, each.doc_id): {c.run: c.rank for c in each.contributions}
        for each in pool.candidates
    }


class TestEnriching:
    def test_own_thread_and_what_moderators_marked_as_its_duplicates(
        self, collection: Collection
    ) -> None:
        found = enriched(answers("3", "8"), collection, {A1: (DocId("1"),)}, {})
        assert contributions(found.pool) == {
            ("A.1", "2"): {"thread": 2},
            ("A.1", "3"): {"run": 1, "thread": 1},
            ("A.1", "5"): {"duplicates": 2},
            ("A.1", "6"): {"duplicates": 1},
            ("A.1", "8"): {"run": 2},
        }
        assert found.added == {"thread": 1, "duplicates": 2}
        assert found.absent == ()
        assert found.pool.settings == {"enriched": "thread,duplicates"}

    def test_duplicates_that_are_given(self, collection: Collection) -> None:
        found = enriched(answers("3"), collection, {}, {A2: (DocId("7"),)})
        assert contributions(found.pool)["A.2", "8"] == {"duplicates": 1}
        assert found.pool.settings == {"enriched": "duplicates"}

    def test_questions_that_are_not_there_are_listed(self, collection: Collection) -> None:
        found = enriched(answers("3"), collection, {A1: (DocId("99"),)}, {A1: (DocId("98"),)})
        assert found.absent == ("99", "98")
        assert contributions(found.pool) == {("A.1", "3"): {"run": 1}}

    def test_the_pool_knows_the_topics_own_questions(self, collection: Collection) -> None:
        own = {A1: (DocId("99"), DocId("2"), DocId("1"), DocId("4")), A2: (DocId("5"),)}
        found = enriched(answers("3"), collection, own, {A2: (DocId("7"),)})
        assert found.pool.questions == {A1: "1"}  # 2 and 5 are answers, and 99 is not there

    def test_so_does_a_pool_of_formulas_to_which_nothing_is_added(
        self, collection: Collection
    ) -> None:
        formulas = replace(answers("52"), task=2)
        found = with_questions(formulas, collection, {A1: (DocId("2"), DocId("1"))})
        assert found == replace(formulas, questions={A1: DocId("1")})

    def test_excluded_answers_are_not_added_and_not_counted(self, collection: Collection) -> None:
        excluded = Excluded({A1: (DocId("2"), DocId("5"))})
        found = enriched(answers("3"), collection, {A1: (DocId("1"),)}, {}, excluded)
        assert contributions(found.pool).keys() == {("A.1", "3"), ("A.1", "6")}
        assert found.added == {"thread": 0, "duplicates": 1}
        assert contributions(found.pool)["A.1", "6"] == {"duplicates": 1}

    def test_what_was_there_keeps_its_order(self, collection: Collection) -> None:
        first = enriched(answers("2", "3", "6", "8"), collection, {}, {}).pool
        more = enriched(first, collection, {}, {A1: (DocId("4"),)}).pool
        kept = [each.doc_id for each in more.candidates if each.doc_id != "5"]
        assert kept == [each.doc_id for each in first.candidates]

    def test_a_pool_of_formulas_is_refused(self, collection: Collection) -> None:
        with pytest.raises(PorismError, match="cannot be enriched"):
            enriched(replace(answers("3"), task=2), collection, {}, {})


class TestFormulas:
    def test_looks_and_posts(self, collection: Collection) -> None:
        look_of = looks_in(collection)
        first, second, other = (look_of(DocId(each)) for each in ("52", "53", "57"))
        assert first is not None
        assert second is not None
        assert other is not None
        assert (first.post_id, second.post_id, other.post_id) == ("2", "3", "7")
        assert first.visual_id == second.visual_id != other.visual_id
        assert look_of(DocId("99")) is look_of(DocId("x")) is None

    def test_threads(self, collection: Collection) -> None:
        thread_of = threads_in(collection)
        stand_in = [Candidate(A1, DocId("f"), DocId(post)) for post in ("2", "3", "6", "7", "99")]
        assert [thread_of(each) for each in stand_in] == ["1", "1", "4", "7", "99"]
        assert thread_of(Candidate(A1, DocId("f"))) == "formula f"


class TestChecking:
    def test_which_post_is_read(self) -> None:
        known, unknown = Candidate(A1, DocId("5"), DocId("2")), Candidate(A1, DocId("5"))
        assert (post_of(known, 2), post_of(unknown, 2)) == ("2", None)
        assert (post_of(unknown, 1), post_of(unknown, 3)) == ("5", "5")
        assert post_of(Candidate(A1, DocId("d_1"), text="42"), 3) is None

    def test_the_id_of_a_formula_is_not_taken_for_a_post(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        with open_collection(site(tmp_path, changed="<p>No.</p>")) as other:
            formula_5 = replace(answers("5"), task=2)  # and post 5 is another one there
            assert fingerprint(formula_5, collection) == fingerprint(formula_5, other)

    def test_a_fingerprint_changes_with_what_is_judged_alone(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        with open_collection(site(tmp_path, changed="<p>No.</p>")) as other:
            without, with_changed = answers("2", "6"), answers("2", "5")
            assert fingerprint(without, collection) == fingerprint(without, other)
            assert fingerprint(with_changed, collection) != fingerprint(with_changed, other)
            assert fingerprint(answers("2"), other) != fingerprint(answers("2", "99"), other)
