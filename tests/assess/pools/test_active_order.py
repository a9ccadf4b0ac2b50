"""Likely relevant candidates first."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.pools.active_order import (
    ActiveOrderSettings,
    ActiveTopicOrder,
    active_order_settings,
    bias_note,
    choices_in_order,
    with_active_order,
)
from porism.assess.records import Candidate, Choice, Judgment, Pool, PoolContribution
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formats.qrels import read_qrels
from porism.formats.topics import read_topics
from porism.model import Content, DocId, Formula, PostKind, TopicId
from porism.text import tokens

TOPIC = TopicId("A.1")
NO, LOW, YES = Choice.NOT_RELEVANT, Choice.LOW, Choice.HIGH
NO_CONTROLS = ActiveOrderSettings(control_every=0)
TEXTS = {
    "1": "ring ideal quotient",
    "2": "group kernel image",
    "3": "series limit ratio",
    "4": "series limit root",
    "5": "group image order",
}


def candidate(name: str, *ranks: int, visual_id: str = "") -> Candidate:
    contributions = tuple(
        PoolContribution(f"run {place}", rank) for place, rank in enumerate(ranks)
    )
    return Candidate(TOPIC, DocId(name), visual_id=visual_id, contributions=contributions)


def active(
    topic: str = "", settings: ActiveOrderSettings = NO_CONTROLS, names: str = "12345"
) -> ActiveTopicOrder:
    return ActiveTopicOrder(
        [candidate(name) for name in names],
        lambda each: TEXTS[each.doc_id].split(),
        topic.split(),
        settings,
    )


def ids(candidates: tuple[Candidate, ...]) -> str:
    return "".join(each.doc_id for each in candidates)


def judged(**choices: Choice) -> dict[DocId, Choice]:
    return {DocId(name.removeprefix("d")): choice for name, choice in choices.items()}


def test_without_judgments_texts_similar_to_the_topic_come_first() -> None:
    assert ids(active("does the limit of a ratio exist").order({})) == "34125"


def test_texts_similar_to_relevant_ones_move_up_and_others_down() -> None:
    topic = active("the limit")
    assert ids(topic.order(judged(d3=NO, d2=YES))) == "514"
    assert ids(topic.order(judged(d3=YES, d2=NO))) == "415"


def test_low_and_ungraded_choices_do_not_change_the_order() -> None:
    topic = active()
    for choice in (LOW, Choice.SYSTEM_FAILURE, Choice.DO_NOT_KNOW):
        assert ids(topic.order(judged(d3=choice))) == "1245"


def test_low_counts_if_relevant_from_is_1() -> None:
    settings = ActiveOrderSettings(control_every=0, relevant_from=1)
    assert ids(active(settings=settings).order(judged(d3=LOW)))[0] == "4"


def test_ranks_of_runs_decide_if_texts_do_not() -> None:
    topic = ActiveTopicOrder(
        [candidate("a"), candidate("b", 30), candidate("c", 9, 2), candidate("d", 1)],
        lambda each: (),
        (),
        NO_CONTROLS,
    )
    assert ids(topic.order({})) == "cdba"


def test_groups_stay_together_and_started_ones_come_first() -> None:
    candidates = [
        candidate("1", visual_id="x"),
        candidate("2", visual_id="y"),
        candidate("5", visual_id="x"),
    ]
    topic = ActiveTopicOrder(
        candidates, lambda each: TEXTS[each.doc_id].split(), ["kernel"], NO_CONTROLS
    )
    assert ids(topic.order({})) == "215"
    assert ids(topic.order(judged(d5=NO))) == "12"


def test_every_nth_is_drawn_at_random() -> None:
    orders = [
        ids(active("the limit of a ratio", ActiveOrderSettings(seed, control_every=2)).order({}))
        for seed in range(80)
    ]
    assert {order[0] for order in orders} == {"3"}
    draws = Counter(order[1] for order in orders)
    assert set(draws) == {"1", "2", "4", "5"}
    assert max(draws.values()) < 40


def test_only_control_draws_are_counted() -> None:
    topic = active("the limit", ActiveOrderSettings(seed=1, control_every=2))
    order = [each.doc_id for each in topic.order({})]
    assert topic.estimate({}) is None
    assert topic.estimate({order[0]: YES}) is None
    after = topic.estimate({order[0]: YES, order[1]: NO})
    assert after is not None
    assert (after.draws, after.known_relevant, after.unjudged) == (1, 1, 3)
    other_order = topic.estimate({order[0]: YES, order[4]: NO})
    assert other_order is None


def test_nothing_is_left_if_all_are_judged() -> None:
    topic = active("the limit", ActiveOrderSettings(control_every=2))
    everything = {each.doc_id: YES for each in topic.order({})}
    estimate = topic.estimate(everything)
    assert estimate is not None
    assert (estimate.low, estimate.high, estimate.known_relevant) == (0, 0, 5)
    assert topic.order(everything) == ()


def test_no_candidates_have_an_empty_order() -> None:
    topic = active("x", ActiveOrderSettings(), names="")
    assert topic.order({}) == ()
    assert topic.estimate({}) is None


@given(
    st.lists(st.sampled_from("12345"), unique=True),
    st.lists(st.sampled_from(list(Choice)), min_size=5, max_size=5),
    st.integers(0, 4),
    st.integers(0, 9),
)
def test_every_unjudged_candidate_comes_once(
    names: list[str], choices: list[Choice], control_every: int, seed: int
) -> None:
    topic = active("limit group", ActiveOrderSettings(seed, control_every))
    so_far = dict(zip(map(DocId, names), choices, strict=False))
    order = topic.order(so_far)
    assert sorted(ids(order)) == sorted(set("12345") - set(names))
    assert topic.order(so_far) == order


def topic_of_facts(facts: list[bool], seed: int) -> tuple[ActiveTopicOrder, dict[str, bool]]:
    """A topic whose texts say whether candidates are relevant, with every third a draw."""
    names = [chr(ord("a") + place) for place in range(12)]
    relevant = dict(zip(names, facts, strict=True))
    topic = ActiveTopicOrder(
        [candidate(name) for name in names],
        lambda each: ["yes" if relevant[each.doc_id] else "no", each.doc_id],
        ["yes"],
        ActiveOrderSettings(seed, control_every=3),
    )
    return topic, relevant


@given(st.integers(0, 50), st.lists(st.booleans(), min_size=12, max_size=12))
def test_all_draws_are_recognised_if_the_order_is_followed(seed: int, facts: list[bool]) -> None:
    topic, relevant = topic_of_facts(facts, seed)
    so_far: dict[DocId, Choice] = {}
    for number in range(1, 13):
        doc_id = topic.order(so_far)[0].doc_id
        so_far[doc_id] = YES if relevant[doc_id] else NO
        estimate = topic.estimate(so_far)
        assert (estimate.draws if estimate else 0) == number // 3


@given(
    st.integers(0, 50),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 11), st.booleans()), max_size=4).map(
        sorted
    ),
)
def test_a_withdrawn_judgment_leaves_all_other_draws(
    seed: int, facts: list[bool], slips: list[tuple[int, int, bool]]
) -> None:
    """Slips withdraw the judgment at a place, and make it again at once or not."""
    topic, relevant = topic_of_facts(facts, seed)
    so_far: dict[DocId, Choice | None] = {}
    drawn: list[DocId] = []  # shown as draws
    while order := topic.order(so_far):
        doc_id = order[0].doc_id
        if doc_id not in so_far and len(so_far) % 3 == 2:
            drawn.append(doc_id)
        so_far[doc_id] = YES if relevant[doc_id] else NO
        while slips and slips[0][0] <= len(so_far):
            _, place, is_made_again = slips.pop(0)
            slipped = list(so_far)[place % len(so_far)]
            so_far[slipped] = (YES if relevant[slipped] else NO) if is_made_again else None
        estimate = topic.estimate(so_far)
        current = [each for each in drawn if so_far[each] is not None]
        assert (estimate.draws if estimate else 0) == len(current)
        if estimate:
            left = sum(choice is None for choice in so_far.values()) + 12 - len(so_far)
            assert estimate.unjudged == left
    assert len(drawn) == 4


def test_withdrawing_an_early_judgment_keeps_later_draws() -> None:
    topic = active("the limit", ActiveOrderSettings(seed=1, control_every=2))
    so_far: dict[DocId, Choice | None] = {}
    for choice in (YES, NO, NO, YES):
        so_far[topic.order(so_far)[0].doc_id] = choice
    first, *_, last = so_far
    before = topic.estimate(so_far)
    assert before is not None
    assert (before.draws, before.known_relevant, before.unjudged) == (2, 2, 1)
    so_far[first] = None
    after = topic.estimate(so_far)
    assert after is not None
    assert (after.draws, after.known_relevant, after.unjudged) == (2, 1, 2)
    assert first in {each.doc_id for each in topic.order(so_far)}
    so_far[first] = YES
    assert topic.estimate(so_far) == before
    so_far[last] = None  # itself a draw
    assert topic.estimate(so_far) == replace(
        before, draws=1, known_relevant=1, unjudged=2, likely=0, high=2
    )


def act(number: int, name: str, choice: Choice | None, *, final: bool = False) -> Judgment:
    return Judgment(
        number, "b", "ann", TOPIC, DocId(name), choice, "2026-01-01", is_adjudication=final
    )


def test_latest_choices_are_in_the_order_of_first_judgments() -> None:
    acts = [
        act(4, "1", NO),
        act(1, "1", YES),
        act(2, "2", YES),
        act(3, "3", YES),
        act(5, "3", None),
        act(6, "2", NO, final=True),
        act(7, "2", YES),
    ]
    assert list(choices_in_order(acts, TOPIC).items()) == [("1", NO), ("2", NO), ("3", None)]
    assert choices_in_order(acts, TopicId("A.2")) == {}


def test_judgments_of_others_count_if_one_is_withdrawn() -> None:
    ann, low = act(1, "1", YES), act(2, "1", LOW, final=True)
    assert choices_in_order([ann, low], TOPIC) == {"1": LOW}
    assert choices_in_order([ann, low, act(3, "1", None, final=True)], TOPIC) == {"1": YES}
    bob = [
        replace(act(number, "1", said), assessor="bob") for number, said in ((2, LOW), (3, None))
    ]
    assert choices_in_order([ann, *bob], TOPIC) == {"1": YES}
    assert choices_in_order([ann, *bob, act(4, "1", None)], TOPIC) == {"1": None}


def test_a_pool_records_its_active_order() -> None:
    pool = Pool(1, (), (), settings={"depths": "50"})
    assert active_order_settings(pool) is None
    assert bias_note(pool, 5) == ""
    marked = with_active_order(pool, ActiveOrderSettings(7, 10, 1))
    assert marked.settings["depths"] == "50"
    assert active_order_settings(marked) == ActiveOrderSettings(7, 10, 1)
    assert "1,200 were not judged" in bias_note(marked, 1200)
    assert bias_note(marked, 0) == ""


def test_invalid_settings_are_refused() -> None:
    for settings in ({"order": "active"}, {"order": "active", "active_seed": "x"}):
        with pytest.raises(PorismError, match="draw the pool again"):
            active_order_settings(Pool(1, (), (), settings=settings))
    with pytest.raises(PorismError, match="control_every"):
        ActiveOrderSettings(control_every=-1)
    with pytest.raises(PorismError, match="relevant_from"):
        ActiveOrderSettings(relevant_from=0)


def words(content: Content) -> list[str]:
    return [
        word
        for part in content
        for word in (part.latex.split() if isinstance(part, Formula) else tokens(part))
    ]


def test_relevant_answers_come_early_in_real_texts(shared: Path, mini_collection: Path) -> None:
    """Pools of 300: the judged answers of a topic among others of the mini collection."""
    data = shared / "data"
    with open_collection(mini_collection) as mini:
        texts = {answer.id: words(answer.body) for answer in mini.posts(PostKind.ANSWER)}
    topics = {
        topic.id: topic for topic in read_topics(data / "topics/task1/Topics_Task1_2020_V2.0.xml")
    }
    qrels = read_qrels(data / "qrels" / "qrel_task1_2020_official.tsv")
    relevant_early, count = 0.0, 0
    for topic_id, grades in qrels.grades.items():
        here = {doc_id: grade for doc_id, grade in grades.items() if doc_id in texts and grade < 5}
        relevant = {doc_id for doc_id, grade in here.items() if grade >= 2}
        if len(relevant) < 4:
            continue
        random = Random(topic_id)
        others = [doc_id for doc_id in random.sample(sorted(texts), 300) if doc_id not in grades]
        pool = [Candidate(topic_id, doc_id) for doc_id in [*here, *others][:300]]
        random.shuffle(pool)
        topic = topics[topic_id]
        learner = ActiveTopicOrder(
            pool,
            lambda each: texts[each.doc_id],
            words((*topic.title, *topic.body)),
            ActiveOrderSettings(),
        )
        so_far: dict[DocId, Choice] = {}
        while len(so_far) < 60:
            for each in learner.order(so_far)[:5]:
                grade = here.get(each.doc_id, 0)
                so_far[each.doc_id] = YES if grade >= 2 else LOW if grade else NO
        relevant_early += len(relevant & set(so_far)) / len(relevant)
        count += 1
    assert count >= 8
    # In random order a fifth would be among the first fifth.
    assert relevant_early / count > 0.75
