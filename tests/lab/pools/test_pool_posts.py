"""Pools and their collection: visual ids, threads and changed posts."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from porism.assess.records import Candidate
from porism.collection.store import Collection, open_collection
from porism.lab.pools.pool_posts import (
    has_changed_posts,
    judged_post,
    pool_fingerprint,
    threads_in,
    visual_ids_in,
)
from porism.model import DocId
from tests.lab.linked_site import A1, answers, site


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with open_collection(site(tmp_path_factory.mktemp("linked"))) as opened:
        yield opened


class TestFormulas:
    def test_visual_ids_and_posts(self, collection: Collection) -> None:
        look_of = visual_ids_in(collection)
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
    def test_the_judged_post_of_a_candidate(self) -> None:
        known, unknown = Candidate(A1, DocId("5"), DocId("2")), Candidate(A1, DocId("5"))
        assert (judged_post(known, 2), judged_post(unknown, 2)) == ("2", None)
        assert (judged_post(unknown, 1), judged_post(unknown, 3)) == ("5", "5")
        assert judged_post(Candidate(A1, DocId("d_1"), text="42"), 3) is None

    def test_a_formula_id_is_not_mistaken_for_a_post_id(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        with open_collection(site(tmp_path, changed="<p>No.</p>")) as other:
            formula_5 = replace(answers("5"), task=2)  # and post 5 is another one there
            assert pool_fingerprint(formula_5, collection) == pool_fingerprint(formula_5, other)

    def test_a_fingerprint_changes_only_with_judged_posts(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        with open_collection(site(tmp_path, changed="<p>No.</p>")) as other:
            without, with_changed = answers("2", "6"), answers("2", "5")
            assert pool_fingerprint(without, collection) == pool_fingerprint(without, other)
            assert pool_fingerprint(with_changed, collection) != pool_fingerprint(
                with_changed, other
            )
            assert pool_fingerprint(answers("2"), other) != pool_fingerprint(
                answers("2", "99"), other
            )

    def test_changed_posts_are_known_if_the_pool_was_drawn_with_a_collection(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        pool = answers("2", "5")
        marked = replace(pool, collection=pool_fingerprint(pool, collection))
        with open_collection(site(tmp_path, changed="<p>No.</p>")) as other:
            assert (has_changed_posts(marked, collection), has_changed_posts(marked, other)) == (
                False,
                True,
            )
            assert not has_changed_posts(pool, other)
