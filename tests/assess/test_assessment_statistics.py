"""The statistics of an assessment."""

from dataclasses import replace
from pathlib import Path

from porism.assess.assessment_statistics import (
    AnnotationCounts,
    JudgingTimes,
    StatisticsSettings,
    TopicSpread,
    assessment_statistics,
    judging_times,
)
from porism.assess.records import (
    CHOICE_BY_CODE,
    Candidate,
    Choice,
    Judgment,
    Pool,
    PoolContribution,
    PooledRun,
    RunKind,
)
from porism.assess.statistics_tables import (
    agreement_table,
    annotations_table,
    choices_table,
    counts_table,
    statistics_tables,
    times_table,
    topics_table,
)
from porism.formats.qrels import read_qrels
from porism.model import DocId, Topic, TopicId
from tests.assess.judgment_samples import AT, by_two, judged, pool_of

FIRST, SECOND, THIRD, FOURTH = (TopicId(f"A.{number}") for number in range(1, 5))


def pool_of_topics(**documents: int) -> Pool:
    """Numbers of candidates by topic; ``A1`` is topic A.1, its candidates 1, 2, ..."""
    ids = {TopicId(f"{name[0]}.{name[1:]}"): count for name, count in documents.items()}
    return Pool(
        1,
        tuple(map(Topic, ids)),
        tuple(Candidate(each, DocId(str(doc))) for each in ids for doc in range(1, ids[each] + 1)),
    )


def acts_on(
    topic_id: TopicId, letters: str, first_number: int = 1, who: str = "ann"
) -> list[Judgment]:
    return [
        judged(first_number + place, who, str(place + 1), letter, topic_id=topic_id)
        for place, letter in enumerate(letters)
    ]


NO_DROPS = StatisticsSettings(fewest_relevant=0)
POOL = pool_of_topics(A1=6, A2=4, A3=3, A4=2)
ACTS = [
    *acts_on(FIRST, "HHML?"),  # 4 judged, 3 relevant, 4 at all
    *acts_on(SECOND, "HMNN", 10),  # 4 judged, 2 relevant, 2 at all
    *acts_on(THIRD, "HLN", 20),  # only one is relevant: dropped
]


def test_judged_and_relevant_per_topic() -> None:
    statistics = assessment_statistics(ACTS, POOL)
    assert statistics.judged == TopicSpread(4.0, 4, (FIRST, SECOND), 4, (FIRST, SECOND))
    assert statistics.relevant == TopicSpread(2.5, 2, (SECOND,), 3, (FIRST,))
    assert statistics.relevant_at_all == TopicSpread(3.0, 2, (SECOND,), 4, (FIRST,))
    assert statistics.dropped == (THIRD,)
    assert [(each.topic_id, each.pooled) for each in statistics.topics] == [
        (FIRST, 6),
        (SECOND, 4),
        (THIRD, 3),
    ]  # the fourth has no judgments


def test_choices_do_not_count_dropped_topics() -> None:
    statistics = assessment_statistics(ACTS, POOL).choices
    assert statistics == {
        Choice.HIGH: 3,
        Choice.MEDIUM: 2,
        Choice.LOW: 1,
        Choice.NOT_RELEVANT: 2,
        Choice.SYSTEM_FAILURE: 0,
        Choice.DO_NOT_KNOW: 1,
    }


def test_dropped_topics_are_not_counted() -> None:
    counted = by_two("HHN", "HNN", seconds=10.0)
    apart = [
        replace(each, number=each.number + 10, topic_id=SECOND, seconds=50.0, is_machine_made=True)
        for each in by_two("HNL", "NHL")
    ]
    decided = judged(30, "eve", "1", "N", topic_id=SECOND, is_adjudication=True)
    alone = assessment_statistics(counted, POOL)
    statistics = assessment_statistics([*counted, *apart, decided], POOL)
    assert statistics.dropped == (SECOND,)
    assert statistics.counted == (FIRST,)
    # Except in the table of topics, it is as if it were not judged.
    assert replace(statistics, topics=alone.topics, times_by_topic=alone.times_by_topic) == alone
    assert statistics.times_by_topic[SECOND].mean == 50.0
    assert [each.topic_id for each in statistics.topics] == [FIRST, SECOND]


def test_short_answers_of_dropped_topics_are_counted() -> None:
    answer = Candidate(THIRD, DocId("short"), text="yes")
    pool = replace(POOL, task=3, candidates=(*POOL.candidates, answer))
    given = judged(30, "ann", "short", "H", topic_id=THIRD, seconds=7.0, is_machine_made=True)
    statistics = assessment_statistics([*ACTS, given], pool)
    assert statistics.dropped == (THIRD,)
    assert [(each.topic_id, each.relevant) for each in statistics.short_answers] == [(THIRD, 1)]
    assert statistics.annotations == AnnotationCounts(1, 1)
    assert statistics.assessors == {"ann": (3, 10)}
    assert times_table(statistics).rows[-1] == ("all", "3", "10", "7.0", "7.0", "0", "9")


def test_fewest_relevant_is_a_setting() -> None:
    assert assessment_statistics(ACTS, POOL, StatisticsSettings(fewest_relevant=1)).dropped == ()
    assert assessment_statistics(ACTS, POOL, StatisticsSettings(fewest_relevant=3)).dropped == (
        SECOND,
        THIRD,
    )


def test_formulas_count_by_visual_id() -> None:
    pool = pool_of("1=x", "2=x", "3=y", "4=z", task=2)
    statistics = assessment_statistics(by_two("LHMH", ""), pool)
    (topic,) = statistics.topics
    assert (topic.pooled, topic.judged, topic.relevant) == (3, 3, 3)
    assert statistics.times.untimed == 4  # times count by instance


def test_judgments_outside_the_pool_are_left_out() -> None:
    statistics = assessment_statistics([*ACTS, judged(99, "bob", "77", "H")], POOL)
    assert statistics.assessors == {"ann": (2, 9)}


def test_withdrawn_judgments_are_not_counted() -> None:
    withdrawn = [
        judged(98, "ann", "1", "-"),
        *(judged(n, "bob", "2", c) for n, c in ((99, "H"), (100, "-"))),
    ]
    statistics = assessment_statistics([*ACTS, *withdrawn], POOL)
    assert statistics.assessors == {"ann": (2, 8)}
    # An assessor whose judgments are all withdrawn has judged nothing, but spent time.
    assert [row[:3] for row in times_table(statistics).rows] == [
        ("ann", "2", "8"),
        ("bob", "0", "0"),
        ("all", "2", "8"),
    ]


def test_an_assessment_without_judgments() -> None:
    statistics = assessment_statistics([], POOL)
    assert (statistics.judged, statistics.topics, statistics.times.mean) == (None, (), None)
    assert statistics_tables(statistics) == ()


def test_seconds_of_a_judgment() -> None:
    acts = [
        judged(1, "ann", "1", "H", seconds=10.0),
        judged(2, "ann", "1", "M", seconds=30.0),  # judged again: both times
        judged(3, "ann", "2", "H", seconds=20.0),
        judged(4, "ann", "3", "H", seconds=90.0),
        judged(5, "ann", "4", "H", seconds=4000.0),
        judged(6, "ann", "5", "H"),
    ]
    assert judging_times(acts) == JudgingTimes(
        3, 50.0, 40.0, breaks=1, break_seconds=4000.0, untimed=2
    )
    assert judging_times(acts, break_seconds=50.0).timed == 2


def test_times_by_assessor_and_topic_without_adjudications() -> None:
    acts = [
        judged(1, "ann", "1", "H", seconds=10.0),
        judged(2, "bob", "1", "L", seconds=20.0, topic_id=SECOND),
        judged(3, "bob", "1", "H", seconds=500.0, is_adjudication=True),
    ]
    statistics = assessment_statistics(acts, POOL, NO_DROPS)
    assert {name: each.mean for name, each in statistics.times_by_assessor.items()} == {
        "ann": 10.0,
        "bob": 20.0,
    }
    assert {name: each.mean for name, each in statistics.times_by_topic.items()} == {
        FIRST: 10.0,
        SECOND: 20.0,
    }


def test_disputes_and_adjudications_are_counted() -> None:
    decided = judged(9, "eve", "2", "L", is_adjudication=True)
    statistics = assessment_statistics([*by_two("HHN", "MNN"), decided], POOL, NO_DROPS)
    assert (statistics.disputed, statistics.adjudicated) == (1, 1)
    assert statistics.agreement.pairs[0].shared == 3


def annotated_pool() -> tuple[Pool, list[Judgment]]:
    """Two answers of run a, one of them also of run b."""
    both = (PoolContribution("a", 1), PoolContribution("b", 1))
    pool = Pool(
        3,
        (Topic(FIRST),),
        (
            Candidate(FIRST, DocId("1"), text="yes", contributions=both),
            Candidate(FIRST, DocId("2"), text="no", contributions=both[:1]),
        ),
        tuple(PooledRun(name, name, RunKind.PRIMARY, False, 3, 1) for name in "ab"),
    )
    acts = [
        judged(1, "ann", "1", "H", is_machine_made=True, is_unrelated=False),
        judged(2, "ann", "2", "N", is_machine_made=False, is_unrelated=True),
    ]
    return pool, acts


def test_annotations_of_answers_and_of_runs() -> None:
    pool, acts = annotated_pool()
    statistics = assessment_statistics(acts, pool)
    assert statistics.annotations == AnnotationCounts(2, 1, 2, 1)
    assert (statistics.annotations.machine_made_share, statistics.annotations.unrelated_share) == (
        0.5,
        0.5,
    )
    assert statistics.annotations_by_run == {
        "a": AnnotationCounts(2, 1, 2, 1),
        "b": AnnotationCounts(1, 1, 1, 0),
    }
    assert annotations_table(statistics).rows[1] == ("b", "1", "1", "100.0 %", "0", "0.0 %")


def test_without_annotations_there_is_no_table() -> None:
    statistics = assessment_statistics(ACTS, POOL)
    assert statistics.annotations.machine_made_share is None
    assert annotations_table(statistics).rows == ()


def test_tables_of_counts_and_choices() -> None:
    statistics = assessment_statistics(ACTS, POOL)
    assert counts_table(statistics).rows == (
        ("answers judged", "4.0", "4 (A.1, A.2)", "4 (A.1, A.2)"),
        ("relevant (H+M)", "2.5", "2 (A.2)", "3 (A.1)"),
        ("relevant (H+M+L)", "3.0", "2 (A.2)", "4 (A.1)"),
    )
    assert choices_table(statistics).rows[0] == ("High", "3", "33.3 %")
    assert [row[0] for row in topics_table(statistics).rows] == ["A.1", "A.2", "A.3 (dropped)"]


def test_topics_that_share_an_extreme_are_abbreviated() -> None:
    names = {f"A{number}": 2 for number in range(1, 6)}
    acts = [act for at in range(1, 6) for act in acts_on(TopicId(f"A.{at}"), "HH", 10 * at)]
    statistics = assessment_statistics(acts, pool_of_topics(**names))
    assert counts_table(statistics).rows[0][2] == "2 (A.1, A.2, A.3 and 2 more)"


def test_table_of_agreement() -> None:
    third = [
        replace(each, number=each.number + 50, assessor="cid") for each in acts_on(FIRST, "HHNN")
    ]
    statistics = assessment_statistics([*by_two("HHNN", "HNNN"), *third], POOL).agreement
    assert agreement_table(statistics).rows == (
        ("ann", "2", "0.75", "0.75"),
        ("bob", "2", "0.50", "0.50"),
        ("cid", "2", "0.75", "0.75"),
        ("Total", "3", "0.67", "0.67"),
        ("Fleiss, 4 judged by all", "–", "0.66", "0.66"),
    )


def test_table_of_times() -> None:
    acts = [judged(1, "ann", "1", "H", seconds=12.34), judged(2, "bob", "1", "H")]
    assert times_table(assessment_statistics(acts, POOL, NO_DROPS)).rows == (
        ("ann", "1", "1", "12.3", "12.3", "0", "0"),
        ("bob", "1", "1", "–", "–", "0", "1"),
        ("all", "1", "2", "12.3", "12.3", "0", "1"),
    )


def test_statistics_of_2020_are_reproduced(shared: Path) -> None:
    # S1 section 4.4: 77 topics, 52.9 relevant at all, at most 188 (A.38), at least 2 (A.96).
    official = read_qrels(shared / "data" / "qrels" / "qrel_task1_2020_official.tsv")
    keys = [(topic, doc) for topic, grades in official.grades.items() for doc in grades]
    pool = Pool(1, tuple(map(Topic, official.grades)), tuple(Candidate(*key) for key in keys))
    acts = [
        Judgment(at, "official", "lab", *key, CHOICE_BY_CODE[official.grades[key[0]][key[1]]], AT)
        for at, key in enumerate(keys, 1)
    ]
    statistics = assessment_statistics(acts, pool)
    assert (len(statistics.topics), statistics.dropped) == (77, ())
    assert statistics.relevant_at_all is not None
    assert round(statistics.relevant_at_all.mean, 1) == 52.9
    assert (statistics.relevant_at_all.highest, statistics.relevant_at_all.highest_topics) == (
        188,
        ("A.38",),
    )
    assert (statistics.relevant_at_all.lowest, statistics.relevant_at_all.lowest_topics) == (
        2,
        ("A.96",),
    )
