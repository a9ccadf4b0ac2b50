"""Learning rankers of answers: least squares, held-out folds, and topics made of links."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from porism.collection.sample import sample_qrels, sample_topics
from porism.errors import PorismError
from porism.lab.ranker_learning import (
    LINKS,
    MIN_TOPICS,
    RANKERS,
    CandidateTopic,
    candidate_topics,
    fitted_regression,
    fitted_svm,
    learn_ranker,
    link_topic_set,
)
from porism.lab.topic_sets import TopicSetFiles, read_topic_set
from porism.lab.tuning import random_folds
from porism.model import DocId, Task, TopicId
from porism.rank.question_matching.ranker_weights import FEATURES, REGRESSION, SVM
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def made_topics(count: int, documents: int = 12, seed: int = 1) -> list[CandidateTopic]:
    generator = np.random.default_rng(seed)
    topics = []
    for number in range(count):
        table = generator.normal(size=(documents, 3))
        table[:, 2] = 0.0  # a fact that no answer has
        first = np.sort(generator.random(documents))[::-1]
        worth = 2 * first + table[:, 0]
        grades = np.where(worth > np.quantile(worth, 0.8), 3, 0)
        ids = tuple(DocId(str(place)) for place in range(documents))
        topic_id = TopicId(f"A.{number}")
        topics.append(CandidateTopic("set", topic_id, ids, first, table, grades))
    return topics


def test_regression_equals_that_of_scikit_learn() -> None:
    topics = made_topics(5)
    rows = np.concatenate([np.column_stack((t.first_scores, t.table)) for t in topics])
    model = LinearRegression().fit(rows, np.concatenate([t.grades for t in topics]))
    score, *others = model.coef_.tolist()
    assert fitted_regression(topics).tolist() == pytest.approx([each / score for each in others])


def test_a_first_score_that_says_nothing_still_counts_a_little() -> None:
    topics = [
        CandidateTopic(
            each.set_name,
            each.topic_id,
            each.doc_ids,
            np.full(len(each.doc_ids), 0.5),
            each.table,
            each.grades,
        )
        for each in made_topics(4)
    ]
    assert np.abs(fitted_regression(topics)).max() <= 100.001


def test_facts_that_no_answer_has_get_no_weight() -> None:
    topics = made_topics(4)
    assert fitted_svm(topics)[2] == 0
    assert fitted_regression(topics)[2] == pytest.approx(0)


@pytest.mark.parametrize("system", RANKERS)
def test_topics_are_ranked_by_weights_learned_without_them(
    system: str, search_index: SearchIndex
) -> None:
    files = TopicSetFiles(sample_topics(1), sample_qrels(1))
    topic_set = read_topic_set(files, Task.ANSWERS)
    ranker = RANKERS[system]
    topics = candidate_topics([topic_set], search_index, ranker, lambda progress: None)
    assert len(topics) == len(topic_set.topics)
    names = FEATURES[system]
    folds = random_folds(topic_set.topic_ids, count=3)
    learned = learn_ranker(topics, ranker, names, folds)
    assert tuple(learned.weights) == names
    assert set(learned.held_out) == set(topic_set.topic_ids) == set(learned.first)
    assert learned.other_sets == {}
    assert learn_ranker(topics, ranker, names, folds) == learned
    # The learned weights order the candidates as the ranker itself would.
    fold = set(folds["1"])
    others = [topic for topic in topics if topic.topic_id not in fold]
    without = learn_ranker(
        others, ranker, names, random_folds([topic.topic_id for topic in others], count=2)
    ).weights
    assert without != learned.weights


def test_topics_of_links_leave_their_own_answers_out(search_index: SearchIndex) -> None:
    made = link_topic_set(search_index)
    assert made.name == LINKS
    topics = candidate_topics([made], search_index, RANKERS[REGRESSION], lambda progress: None)
    assert len(topics) == len(made.topics)
    for topic in topics:
        own = made.leave_out.posts.get(topic.topic_id, ())
        assert not set(own) & set(topic.doc_ids)
        assert set(topic.grades.tolist()) <= {0, 2, 3}
    learned = learn_ranker(
        topics, RANKERS[REGRESSION], FEATURES[REGRESSION], random_folds(made.topic_ids)
    )
    assert learned.weights["shared tags"] > 0


def test_too_few_topics_are_refused(search_index: SearchIndex) -> None:
    files = TopicSetFiles(sample_topics(1), sample_qrels(1))
    whole = read_topic_set(files, Task.ANSWERS)
    few = type(whole)("few", whole.topics[: MIN_TOPICS - 1], whole.qrels)
    with pytest.raises(PorismError, match=f"too little to learn from: {MIN_TOPICS - 1} of"):
        candidate_topics([few], search_index, RANKERS[SVM], lambda progress: None)
