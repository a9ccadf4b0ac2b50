"""Ensembles of what an index can serve."""

from pathlib import Path

import pytest

from porism.catalog import index_plan
from porism.catalog import ranker as named_ranker
from porism.collection.sample import sample_topics
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.model import Task, Topic
from porism.rank.ensembles.median_ranks import MedianRanks
from porism.rank.ensembles.members import (
    EnsembleMember,
    median_rank_ensemble,
    reciprocal_rank_ensemble,
)
from porism.rank.fusion import Fuse
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems.baselines import BM25_STRINGS, STRINGS, TFIDF
from porism.rank.systems.l8 import L8, L8_ANSWERS
from porism.rank.systems.vector_systems import MINILM
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.model_roles import ModelRole


def _untrained(search_index: SearchIndex) -> Ranker:
    raise PorismError("no model; porism train makes one")


MEMBERS = (
    EnsembleMember("bm25", BM25_STRINGS),
    EnsembleMember("l8", L8_ANSWERS),
    EnsembleMember("tfidf", TFIDF),
    EnsembleMember("minilm", MINILM),
    EnsembleMember("trained", Maker(_untrained)),
)


@pytest.fixture(scope="module")
def small_index(sample_collection: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with the fields of two members, without vectors."""
    folder = tmp_path_factory.mktemp("members")
    with open_collection(sample_collection) as collection:
        plan = index_plan(["l8", "bm25"])
        build_index(collection, folder, plan, IndexOptions(), lambda progress: None)
    return folder


@pytest.fixture(scope="module")
def topic() -> Topic:
    return next(iter(read_topics(sample_topics(1))))


def test_an_ensemble_takes_the_members_that_the_index_can_serve(
    small_index: Path, topic: Topic
) -> None:
    with open_index(small_index) as search_index:
        fused = median_rank_ensemble("all", MEMBERS).make(search_index)
        assert isinstance(fused, MedianRanks)
        assert fused.names == ("bm25", "l8")
        by_ranks = reciprocal_rank_ensemble("all", MEMBERS).make(search_index)
        assert isinstance(by_ranks, Fuse)
        (explained,) = by_ranks.explain(topic, [by_ranks.rank(topic, 1)[0].doc_id])
        assert [each.label.partition(":")[0] for each in explained.details] == ["bm25", "l8"]


def test_notes_name_the_members_that_are_left_out_and_why(small_index: Path) -> None:
    with open_index(small_index) as search_index:
        tfidf, minilm, trained = median_rank_ensemble("all", MEMBERS).notes(search_index)
        assert tfidf.startswith("all ranks without tfidf: ")
        assert "lacks" in tfidf
        assert "vectors" in minilm
        assert trained == "all ranks without trained: no model; porism train makes one"


def test_a_substitute_takes_the_place_of_a_member_that_cannot_be_served(small_index: Path) -> None:
    substituted = EnsembleMember("trained", Maker(_untrained), MEMBERS[1])
    role = Maker(_untrained, models=(ModelRole.SPARSE,), requires_model=True)
    maker = median_rank_ensemble("pair", (MEMBERS[0], substituted, EnsembleMember("sparse", role)))
    with open_index(small_index) as search_index:
        fused = maker.make(search_index)
        assert isinstance(fused, MedianRanks)
        assert fused.names == ("bm25", "l8")
        in_place, absent = maker.notes(search_index)
    assert "pair ranks without trained, with l8 in its place: no model" in in_place
    assert absent.endswith("has no model of the role sparse")
    assert L8 in maker.optional


def test_fewer_than_two_members_are_refused_with_the_reasons(small_index: Path) -> None:
    one = median_rank_ensemble("pair", (MEMBERS[0], MEMBERS[2]))
    none = reciprocal_rank_ensemble("pair", MEMBERS[2:])
    with open_index(small_index) as search_index:
        with pytest.raises(
            PorismError, match=r"pair fuses .* serve only bm25 of them: .* without tfidf: "
        ):
            one.make(search_index)
        with pytest.raises(PorismError, match=r"serve none of them: .*; without trained: no model"):
            none.make(search_index)


def test_an_index_for_an_ensemble_has_the_fields_of_its_members() -> None:
    maker = median_rank_ensemble("all", MEMBERS)
    assert maker.needs == ()
    assert {L8, STRINGS} <= set(maker.optional)
    assert not any(isinstance(spec, VectorSpec) for spec in maker.optional)
    assert maker.uses_vectors
    assert not median_rank_ensemble("two", MEMBERS[:2]).uses_vectors


@pytest.mark.usefixtures("hash_encoder")
@pytest.mark.parametrize("name", ["psu", "mirmu-ensemble", "msm-ensemble"])
def test_ensembles_of_the_catalog_rank_filter_and_explain(
    name: str, hash_index: Path, topic: Topic
) -> None:
    with open_index(hash_index) as search_index:
        system = named_ranker(name, Task.ANSWERS, search_index)
        found = system.rank(topic, 20)
        assert len(found) == 20
        explained = system.explain(topic, [hit.doc_id for hit in found])
        assert [each.value for each in explained] == pytest.approx(
            [hit.score for hit in found], rel=1e-5
        )
        assert system.rank(topic, 5) == found[:5]
        assert system.tokens(topic)
