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


def candidate(name: str, *ranks: int, look: str = "") -> Candidate:
    given_by = tuple(PoolContribution(f"run {place}", rank) for place, rank in enumerate(ranks))
    return Candidate(TOPIC, DocId(name), visual_id=look, contributions=given_by)


def active(
    topic: str = "", settings: ActiveOrderSettings = NO_CONTROLS, names: str = "12345"
) -> ActiveTopicOrder:
    return ActiveTopicOrder(
        [candidate(name) for name in names],
        lambda each: TEXTS[each.doc_id].split(),
        topic.split(),
        settings,
    )


def shown(found: tuple[Candidate, ...]) -> str:
    return "".join(each.doc_id for each in found)


def judged(**choices: Choice) -> dict[DocId, Choice]:
    return {DocId(name.removeprefix("d")): choice for name, choice in choices.items()}


def test_before_any_judgment_what_is_like_the_topic_comes_first() -> None:
    assert shown(active("does the limit of a ratio exist").order({})) == "34125"


def test_what_is_like_relevant_ones_moves_up_and_like_others_down() -> None:
    topic = active("the limit")
    assert shown(topic.order(judged(d3=NO, d2=YES))) == "514"
    assert shown(topic.order(judged(d3=YES, d2=NO))) == "415"


def test_low_and_what_has_no_grade_is_judged_and_pulls_neither_way() -> None:
    topic = active()
    for choice in (LOW, Choice.SYSTEM_FAILURE, Choice.DO_NOT_KNOW):
        assert shown(topic.order(judged(d3=choice))) == "1245"


def test_low_counts_where_it_is_relevant() -> None:
    settings = ActiveOrderSettings(control_every=0, relevant_from=1)
    assert shown(active(settings=settings).order(judged(d3=LOW)))[0] == "4"


def test_ranks_of_runs_decide_where_no_text_does() -> None:
    topic = ActiveTopicOrder(
        [candidate("a"), candidate("b", 30), candidate("c", 9, 2), candidate("d", 1)],
        lambda each: (),
        (),
        NO_CONTROLS,
    )
    assert shown(topic.order({})) == "cdba"


def test_what_is_shown_together_stays_together_and_is_ended_first() -> None:
    looks = [candidate("1", look="x"), candidate("2", look="y"), candidate("5", look="x")]
    topic = ActiveTopicOrder(
        looks, lambda each: TEXTS[each.doc_id].split(), ["kernel"], NO_CONTROLS
    )
    assert shown(topic.order({})) == "215"
    assert shown(topic.order(judged(d5=NO))) == "12"


def test_every_nth_is_drawn_at_random() -> None:
    orders = [
        shown(active("the limit of a ratio", ActiveOrderSettings(seed, control_every=2)).order({}))
        for seed in range(80)
    ]
    assert {order[0] for order in orders} == {"3"}
    draws = Counter(order[1] for order in orders)
    assert set(draws) == {"1", "2", "4", "5"}
    assert max(draws.values()) < 40


def test_only_draws_that_were_shown_as_such_are_counted() -> None:
    topic = active("the limit", ActiveOrderSettings(seed=1, control_every=2))
    order = [each.doc_id for each in topic.order({})]
    assert topic.estimate({}) is None
    assert topic.estimate({order[0]: YES}) is None
    after = topic.estimate({order[0]: YES, order[1]: NO})
    assert after is not None
    assert (after.draws, after.known_relevant, after.unjudged) == (1, 1, 3)
    elsewhere = topic.estimate({order[0]: YES, order[4]: NO})
    assert elsewhere is None


def test_with_all_judged_nothing_is_left() -> None:
    topic = active("the limit", ActiveOrderSettings(control_every=2))
    everything = {each.doc_id: YES for each in topic.order({})}
    told = topic.estimate(everything)
    assert told is not None
    assert (told.low, told.high, told.known_relevant) == (0, 0, 5)
    assert topic.order(everything) == ()


def test_no_candidates_have_no_order() -> None:
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
    assert sorted(shown(order)) == sorted(set("12345") - set(names))
    assert topic.order(so_far) == order


@given(st.integers(0, 50), st.lists(st.booleans(), min_size=12, max_size=12))
def test_followed_step_by_step_all_draws_are_found_again(seed: int, facts: list[bool]) -> None:
    names = [chr(ord("a") + place) for place in range(12)]
    relevant = dict(zip(names, facts, strict=True))
    topic = ActiveTopicOrder(
        [candidate(name) for name in names],
        lambda each: ["yes" if relevant[each.doc_id] else "no", each.doc_id],
        ["yes"],
        ActiveOrderSettings(seed, control_every=3),
    )
    so_far: dict[DocId, Choice] = {}
    for number in range(1, 13):
        doc_id = topic.order(so_far)[0].doc_id
        so_far[doc_id] = YES if relevant[doc_id] else NO
        told = topic.estimate(so_far)
        assert (told.draws if told else 0) == number // 3


@given(
    st.integers(0, 50),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 11), st.booleans()), max_size=4).map(
        sorted
    ),
)
def test_what_is_taken_back_leaves_all_other_draws(
    seed: int, facts: list[bool], slips: list[tuple[int, int, bool]]
) -> None:
    """After so many judgments the one at a place is taken back, and given again at once or not."""
    names = [chr(ord("a") + place) for place in range(12)]
    relevant = dict(zip(names, facts, strict=True))
    topic = ActiveTopicOrder(
        [candidate(name) for name in names],
        lambda each: ["yes" if relevant[each.doc_id] else "no", each.doc_id],
        ["yes"],
        ActiveOrderSettings(seed, control_every=3),
    )
    so_far: dict[DocId, Choice | None] = {}
    drawn: list[DocId] = []  # what was shown as a draw
    while order := topic.order(so_far):
        doc_id = order[0].doc_id
        if doc_id not in so_far and len(so_far) % 3 == 2:
            drawn.append(doc_id)
        so_far[doc_id] = YES if relevant[doc_id] else NO
        while slips and slips[0][0] <= len(so_far):
            _, place, is_given_again = slips.pop(0)
            slipped = list(so_far)[place % len(so_far)]
            so_far[slipped] = (YES if relevant[slipped] else NO) if is_given_again else None
        told = topic.estimate(so_far)
        standing = [each for each in drawn if so_far[each] is not None]
        assert (told.draws if told else 0) == len(standing)
        if told:
            left = sum(choice is None for choice in so_far.values()) + 12 - len(so_far)
            assert told.unjudged == left
    assert len(drawn) == 4


def test_taking_an_early_judgment_back_keeps_the_draws_after_it() -> None:
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
    so_far[last] = None  # a draw itself
    assert topic.estimate(so_far) == replace(before, draws=1, found=1, unjudged=2, likely=0, high=2)


def act(number: int, name: str, choice: Choice | None, *, final: bool = False) -> Judgment:
    return Judgment(
        number, "b", "ann", TOPIC, DocId(name), choice, "2026-01-01", is_adjudication=final
    )


def test_the_last_word_counts_in_the_order_of_the_first() -> None:
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


def test_what_others_said_stands_when_one_takes_theirs_back() -> None:
    ann, low = act(1, "1", YES), act(2, "1", LOW, final=True)
    assert choices_in_order([ann, low], TOPIC) == {"1": LOW}
    assert choices_in_order([ann, low, act(3, "1", None, final=True)], TOPIC) == {"1": YES}
    bob = [
        replace(act(number, "1", said), assessor="bob") for number, said in ((2, LOW), (3, None))
    ]
    assert choices_in_order([ann, *bob], TOPIC) == {"1": YES}
    assert choices_in_order([ann, *bob, act(4, "1", None)], TOPIC) == {"1": None}


def test_a_pool_says_that_its_order_is_active() -> None:
    pool = Pool(1, (), (), settings={"depths": "50"})
    assert active_order_settings(pool) is None
    assert bias_note(pool, 5) == ""
    marked = with_active_order(pool, ActiveOrderSettings(7, 10, 1))
    assert marked.settings["depths"] == "50"
    assert active_order_settings(marked) == ActiveOrderSettings(7, 10, 1)
    assert "1,200 were not judged" in bias_note(marked, 1200)
    assert bias_note(marked, 0) == ""


def test_settings_that_make_no_sense_are_refused() -> None:
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
    found_early, asked = 0.0, 0
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
        found_early += len(relevant & set(so_far)) / len(relevant)
        asked += 1
    assert asked >= 8
    # In random order a fifth would be among the first fifth.
    assert found_early / asked > 0.75
