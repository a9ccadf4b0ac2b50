"""Pools: candidates, their order, and contributions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.pools.depths import pooling_preset
from porism.assess.pools.listed_runs import read_listed_runs
from porism.assess.pools.pooling import (
    DrawnPool,
    PooledInstance,
    draw_answers,
    draw_formulas,
    empty_topic_notes,
    relevant_posts,
    short_answer_id,
    with_short_answers,
)
from porism.assess.pools.reusability import pool_coverage
from porism.assess.pools.run_list import ListedRun
from porism.assess.records import Candidate, Pool, PoolContribution, PooledRun, RunKind
from porism.errors import PorismError
from porism.formats.qrels import read_qrels
from porism.model import AnswerRun, DocId, Hit, Qrels, Run, RunAnswer, Topic, TopicId, ranked


def pooled(name: str, depth: int, task: int = 1) -> PooledRun:
    return PooledRun(name, "team", RunKind.PRIMARY, False, task, depth)


def run(name: str, **pooled_ids: str) -> Run:
    """A run that returned these documents, a letter each, for A1 and so on."""
    return Run(
        name,
        {
            TopicId(topic): ranked(
                Hit(DocId(document), -place, DocId(f"p{document}"))
                for place, document in enumerate(documents)
            )
            for topic, documents in pooled_ids.items()
        },
    )


def pooled_ids(pool: Pool) -> dict[str, set[str]]:
    """The documents of each topic."""
    return {
        topic.id: {each.doc_id for each in pool.candidates if each.topic_id == topic.id}
        for topic in pool.topics
    }


def contributions(pool: Pool) -> dict[str, dict[str, int]]:
    return {each.doc_id: {c.run: c.rank for c in each.contributions} for each in pool.candidates}


ONE = (pooled("one", 2), run("one", A1="abc", A2="d"))
TWO = (pooled("two", 3), run("two", A1="cbxa"))


class TestAnswers:
    def test_top_hits_of_all_runs_are_merged(self) -> None:
        pool = draw_answers([ONE, TWO]).pool
        assert pooled_ids(pool) == {"A1": {"a", "b", "c", "x"}, "A2": {"d"}}
        assert len(pool.candidates) == 5

    def test_a_run_contributes_only_to_its_depth(self) -> None:
        assert contributions(draw_answers([ONE, TWO]).pool) == {
            "a": {"one": 1},
            "b": {"one": 2, "two": 2},
            "c": {"two": 1},
            "x": {"two": 3},
            "d": {"one": 1},
        }

    def test_ranks_are_by_score_and_ties_by_descending_id(self) -> None:
        tied = Run("tied", {TopicId("A1"): ranked(Hit(DocId(each), 1.0) for each in "abc")})
        assert contributions(draw_answers([(pooled("tied", 2), tied)]).pool) == {
            "c": {"tied": 1},
            "b": {"tied": 2},
        }

    def test_only_selected_topics_are_pooled(self) -> None:
        drawn = draw_answers([ONE, TWO], [Topic(TopicId("A1"), ("What?",))])
        assert pooled_ids(drawn.pool).keys() == {"A1"}
        assert drawn.pool.topics[0].title == ("What?",)
        assert drawn.notes == ()

    def test_topics_missing_from_a_run_are_noted(self) -> None:
        assert draw_answers([ONE, TWO]).notes == ("two has nothing for A2",)
        topics = [Topic(TopicId(f"A{number}")) for number in (1, 2, 3, 4, 5, 6)]
        drawn = draw_answers([ONE], topics)
        assert drawn.notes == ("one has nothing for A3, A4, A5 and 1 more",)
        assert [*empty_topic_notes(drawn.pool)] == ["no run contributed to A3, A4, A5 and 1 more"]
        assert [*empty_topic_notes(draw_answers([ONE]).pool)] == []

    def test_a_run_of_other_topics_is_refused(self) -> None:
        with pytest.raises(PorismError, match="one has none of the topics"):
            draw_answers([ONE], [Topic(TopicId("A9"))])

    def test_two_runs_with_the_same_name_are_refused(self) -> None:
        with pytest.raises(PorismError, match="two runs are called one"):
            draw_answers([ONE, ONE])

    def test_no_runs_are_refused(self) -> None:
        with pytest.raises(PorismError, match="no runs"):
            draw_answers([])

    def test_depth_0_takes_nothing(self) -> None:
        pool = draw_answers([(pooled("none", 0), ONE[1]), TWO]).pool
        assert pooled_ids(pool) == {"A1": {"b", "c", "x"}, "A2": set()}
        assert [each.name for each in pool.runs] == ["none", "two"]

    def test_topics_of_runs_are_ordered_by_number(self) -> None:
        every = run("all", A10="a", A9="b", A1="c")
        topics = draw_answers([(pooled("all", 1), every)]).pool.topics
        assert [each.id for each in topics] == ["A1", "A9", "A10"]

    def test_another_seed_changes_only_the_order(self) -> None:
        many = (pooled("many", 26), run("many", A1="abcdefghijklmnopqrstuvwxyz"))
        orders = [
            [each.doc_id for each in draw_answers([many], seed=seed).pool.candidates]
            for seed in range(4)
        ]
        assert len({tuple(order) for order in orders}) == 4
        assert len({frozenset(order) for order in orders}) == 1
        assert sorted(orders[0]) != orders[0]


# Documents by topic and run, few names so that runs agree often.
RANKINGS = st.dictionaries(
    st.sampled_from(["A1", "A2", "A10"]), st.text("abcdefgh", min_size=1).map(dict.fromkeys)
).filter(bool)
RUNS = st.dictionaries(st.sampled_from("rstu"), st.tuples(st.integers(0, 6), RANKINGS), min_size=1)


def entries(
    runs: Mapping[str, tuple[int, Mapping[str, Mapping[str, None]]]], order: Sequence[str]
) -> list[tuple[PooledRun, Run]]:
    return [
        (
            pooled(name, runs[name][0]),
            run(name, **{topic: "".join(documents) for topic, documents in runs[name][1].items()}),
        )
        for name in order
    ]


@given(RUNS, st.integers(0, 3))
def test_the_pool_is_the_union_of_top_hits_in_any_order_of_runs(
    runs: dict[str, tuple[int, dict[str, dict[str, None]]]], seed: int
) -> None:
    slow: dict[tuple[str, str], dict[str, int]] = {}
    for name, (depth, rankings) in runs.items():
        for topic, documents in rankings.items():
            for rank, document in enumerate(documents, start=1):
                if rank <= depth:
                    slow.setdefault((topic, document), {})[name] = rank
    pool = draw_answers(entries(runs, sorted(runs)), seed=seed).pool
    assert {
        (each.topic_id, each.doc_id): {c.run: c.rank for c in each.contributions}
        for each in pool.candidates
    } == slow
    assert len(pool.candidates) == len(slow)
    assert draw_answers(entries(runs, sorted(runs, reverse=True)), seed=seed).pool == pool


VISUAL_IDS = {"a": "1", "b": "1", "c": "2", "d": "2", "e": "3", "f": "3"}


def lookup(doc_id: DocId) -> PooledInstance | None:
    return PooledInstance(VISUAL_IDS[doc_id]) if doc_id in VISUAL_IDS else None


def formulas(depth: int, ranking: str, posts: Mapping[str, set[str]] | None = None) -> DrawnPool:
    relevant = {TopicId(topic): {DocId(post) for post in of} for topic, of in (posts or {}).items()}
    entry = (pooled("one", depth, 2), run("one", B1=ranking))
    return draw_formulas([entry], lookup, relevant_posts=relevant)


class TestFormulas:
    def test_depth_is_the_rank_of_the_first_instance_of_the_last_visual_id(self) -> None:
        # Visual ids 1, 1, 2, 2, 3: the second occurs first at rank 3, so d is not pooled.
        assert pooled_ids(formulas(2, "abcde").pool) == {"B1": {"a", "b", "c"}}

    def test_a_run_with_fewer_visual_ids_is_taken_whole(self) -> None:
        assert pooled_ids(formulas(4, "abcdef").pool) == {"B1": set("abcdef")}

    def test_depth_0_takes_nothing(self) -> None:
        assert pooled_ids(formulas(0, "abc", {"B1": {"pc"}}).pool) == {"B1": set()}

    def test_formulas_in_relevant_posts_are_taken_from_any_rank(self) -> None:
        drawn = formulas(1, "acebdf", {"B1": {"pd", "pa"}, "B2": {"pf"}})
        assert contributions(drawn.pool) == {"a": {"one": 1}, "d": {"one": 5}}

    def test_candidates_have_their_visual_id_and_post(self) -> None:
        assert formulas(1, "a").pool.candidates == (
            Candidate(
                TopicId("B1"), DocId("a"), DocId("pa"), "1", "", (PoolContribution("one", 1),)
            ),
        )

    def test_an_unknown_formula_counts_as_visually_distinct(self) -> None:
        drawn = formulas(3, "axyb")
        assert pooled_ids(drawn.pool) == {"B1": {"a", "x", "y"}}
        assert drawn.notes == (
            "2 of 3 formulas have no known visual id: each counts as visually distinct",
        )

    def test_the_post_of_a_run_is_used_without_visual_id(self) -> None:
        entry = (pooled("one", 2, 2), run("one", B1="ax"))
        posts = {"a": PooledInstance("1", DocId("7")), "x": PooledInstance("", DocId("8"))}
        drawn = draw_formulas([entry], lambda doc_id: posts[doc_id])
        assert {(each.doc_id, each.post_id, each.visual_id) for each in drawn.pool.candidates} == {
            ("a", "7", "1"),
            ("x", "8", ""),
        }
        assert drawn.notes[0].startswith("1 of 2 formulas have no known visual id")

    def test_a_formula_id_equal_to_a_visual_id_is_distinct(self) -> None:
        assert pooled_ids(formulas(2, "a1b").pool) == {"B1": {"a", "1"}}

    def test_visual_ids_of_another_collection_are_refused(self) -> None:
        with pytest.raises(PorismError, match="no formula of the runs has a known visual id"):
            formulas(3, "xyz")

    @pytest.mark.parametrize("seed", range(8))
    def test_instances_of_a_visual_id_are_adjacent(self, seed: int) -> None:
        entry = (pooled("one", 9, 2), run("one", B1="acebdf"))
        pool = draw_formulas([entry], lookup, seed=seed).pool
        visual_ids = [each.visual_id for each in pool.candidates]
        assert sorted(visual_ids[::2]) == ["1", "2", "3"]
        assert visual_ids[::2] == visual_ids[1::2]

    def test_the_post_is_looked_up_or_that_of_most_runs(self) -> None:
        topic, doc = TopicId("B1"), DocId("a")
        runs = [
            (pooled(name, 1, 2), Run(name, {topic: (Hit(doc, 1.0, DocId(post)),)}))
            for name, post in (("one", "9"), ("two", "8"), ("three", "8"))
        ]
        assert draw_formulas(runs, lookup).pool.candidates[0].post_id == "8"
        certain = draw_formulas(runs, lambda _: PooledInstance("1", DocId("7")))
        assert certain.pool.candidates[0].post_id == "7"


@given(st.text("abcdefxy").map(lambda text: "".join(dict.fromkeys(f"a{text}"))), st.integers(1, 6))
def test_formula_depth_equals_a_slow_count(ranking: str, depth: int) -> None:
    expected: list[str] = []
    for document in ranking:
        if len({VISUAL_IDS.get(each, f"own {each}") for each in expected}) < depth:
            expected.append(document)
    assert pooled_ids(formulas(depth, ranking).pool) == {"B1": set(expected)}


def test_relevant_posts_apply_to_the_formula_topic_of_the_same_number() -> None:
    qrels = Qrels({TopicId("A.12"): {DocId("1"): 3, DocId("2"): 2, DocId("3"): 1, DocId("4"): 5}})
    assert relevant_posts(qrels)[TopicId("B.12")] == {"1", "2"}
    assert relevant_posts(qrels, 1)[TopicId("B.12")] == {"1", "2", "3"}


def answers(name: str, **texts: str) -> tuple[PooledRun, AnswerRun]:
    given = {TopicId(topic): RunAnswer(text) for topic, text in texts.items()}
    return pooled(name, 1, 3), AnswerRun(name, given)


class TestShortAnswers:
    def test_short_answers_are_mixed_with_answers(self) -> None:
        pool = with_short_answers(draw_answers([ONE]).pool, [answers("gpt", A1="42")]).pool
        assert pool.task == 3
        assert pooled_ids(pool)["A1"] == {"a", "b", short_answer_id(TopicId("A1"), "42")}
        assert {each.text for each in pool.candidates} == {"", "42"}
        assert [(each.name, each.task) for each in pool.runs] == [("one", 1), ("gpt", 3)]

    def test_equal_answers_are_one_candidate(self) -> None:
        pool = with_short_answers(
            Pool(1, (), ()), [answers("x", A1="so it is 2"), answers("y", A1="so it  is 2\n")]
        ).pool
        (candidate,) = pool.candidates
        assert [each.run for each in candidate.contributions] == ["x", "y"]

    def test_empty_answers_are_left_out(self) -> None:
        given = [answers("x", A1=" ", A2="2"), answers("y", A1="", A2="2")]
        drawn = with_short_answers(Pool(1, (), ()), given)
        assert [(each.topic_id, each.text) for each in drawn.pool.candidates] == [("A2", "2")]
        assert drawn.notes[-1] == "empty answers, not pooled: x for A1, y for A1"

    def test_equal_answers_to_different_topics_are_distinct(self) -> None:
        pool = with_short_answers(Pool(1, (), ()), [answers("x", A1="2", A2="2")]).pool
        assert len({each.doc_id for each in pool.candidates}) == 2

    def test_named_answers_are_merged_with_posts(self) -> None:
        names = {("gpt", TopicId("A1")): DocId("a")}
        pool = with_short_answers(draw_answers([ONE]).pool, [answers("gpt", A1="42")], names).pool
        assert contributions(pool)["a"] == {"gpt": 1, "one": 1}

    def test_a_missing_answer_name_is_refused(self) -> None:
        with pytest.raises(PorismError, match="no id is given for the answer of gpt to A1"):
            with_short_answers(Pool(1, (), ()), [answers("gpt", A1="42")], {})

    def test_one_id_for_two_texts_is_refused(self) -> None:
        names = {(name, TopicId("A1")): DocId("d_1") for name in ("x", "y")}
        with pytest.raises(PorismError, match="both called d_1"):
            with_short_answers(
                Pool(1, (), ()), [answers("x", A1="yes"), answers("y", A1="no")], names
            )


NOT_IN_THE_QRELS = {
    ("A.7", "2646788"),
    ("A.8", "2215601"),
    ("A.28", "2525818"),
    ("A.49", "1923717"),
    ("A.52", "3023908"),
    ("A.74", "1812440"),
    ("A.88", "133855"),
    ("A.88", "249593"),
    ("A.88", "395740"),
    ("A.88", "831557"),
    ("A.88", "1727827"),
}


def test_real_runs_pooled_as_in_2020_are_in_the_qrels_of_2020(shared: Path) -> None:
    runs = shared / "data" / "runs" / "task1_2020"
    listed = [
        ListedRun("TF-IDF", runs / "tf_idf_task1_final.tsv.gz", "B", RunKind.BASELINE, False),
        ListedRun("PSU1", runs / "psu-task1-auto-both-A.tsv.gz", "PSU", RunKind.ALTERNATE, False),
    ]
    depths = pooling_preset("2020", 1).depths
    pool = draw_answers(read_listed_runs(listed, 1, depths)).pool
    part = pool_coverage(
        pool, read_qrels(shared / "data" / "qrels" / "qrel_task1_2020_official.tsv")
    )
    assert (part.topics, part.candidates) == (77, 5217)
    assert part.share >= 0.995
    assert {(each.topic_id, each.doc_id) for each in part.unjudged} == NOT_IN_THE_QRELS
