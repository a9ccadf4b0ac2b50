"""Systems scored on sets of topics; one that fails does not stop the others."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from porism.collection.progress import StepProgress
from porism.collection.sample import sample_qrels, sample_topics
from porism.errors import PorismError
from porism.evaluation.scoring import evaluate
from porism.lab.system_reproduction import (
    CandidateSystem,
    SystemFailure,
    scored_systems,
    set_label,
)
from porism.lab.system_scores import SystemScore
from porism.lab.topic_sets import TopicSet, TopicSetFiles, read_topic_set
from porism.model import Qrels, Run, Task, Topic, TopicId
from porism.rank.ranker import Ranker
from porism.rank.runs import run_topics
from porism.rank.systems.baselines import BM25_STRINGS, TFIDF
from porism.rank.systems.l8 import L8_ANSWERS, L8_FORMULA_SEARCH
from porism.searchindex.index_folder import SearchIndex, open_index


def topic_set(task: int) -> TopicSet:
    return read_topic_set(TopicSetFiles(sample_topics(task), sample_qrels(task)), task)


def described() -> tuple[str, str, str]:
    return "a model", "trained", "a note"


def refused() -> Ranker:
    raise PorismError("no model; porism train makes one")


def broken() -> Ranker:
    raise ZeroDivisionError("division by zero")


def scored(
    search_index: SearchIndex, candidates: list[CandidateSystem], topics: TopicSet, task: Task
) -> list[SystemScore | SystemFailure]:
    return list(scored_systems(candidates, topics, task, search_index, "l8", lambda progress: None))


def test_scores_are_those_of_evaluation_and_the_baseline_comes_first(sample_index: Path) -> None:
    topics = topic_set(1)
    steps: list[StepProgress] = []
    with open_index(sample_index) as search_index:
        makers = {"tfidf": TFIDF, "l8": L8_ANSWERS}
        candidates = [
            CandidateSystem(name, partial(maker.make, search_index), described)
            for name, maker in makers.items()
        ]
        l8, tfidf = list(
            scored_systems(
                candidates, topics, Task.ANSWERS, search_index, "l8", steps.append, k=100
            )
        )
        done = run_topics(makers["tfidf"].make(search_index), topics.topics, 100)
        expected = evaluate(
            [Run("tfidf", done.rankings)],
            topics.qrels,
            ["nDCG'", "MAP'", "P'@10", "MAP", "P@10"],
            only_in=search_index.collection.has_answer,
        )
        assert isinstance(l8, SystemScore)
        assert isinstance(tfidf, SystemScore)
        assert (l8.system, tfidf.system) == ("l8", "tfidf")
        assert tfidf.documents == search_index.answers.documents
    assert tfidf.measures == pytest.approx(
        {measure: expected.runs[0].mean(measure) for measure in expected.measures}
    )
    assert l8.p == {}
    assert all(0 < p <= 1 for p in tfidf.p.values())
    assert (tfidf.model, tfidf.trained, tfidf.notes) == ("a model", "trained", "a note")
    assert steps[-1] == StepProgress(f"tfidf, {set_label(topics)}", 12, 12, 12)


def test_formulas_are_scored_by_visual_id(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        candidate = CandidateSystem("l8", lambda: L8_FORMULA_SEARCH.make(search_index), described)
        (score,) = scored(search_index, [candidate], topic_set(2), Task.FORMULAS)
    assert isinstance(score, SystemScore)
    assert 0.8 < score.measures["nDCG'"] <= 1


def test_a_system_that_fails_is_reported_and_the_others_go_on(
    sample_index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_index(sample_index) as search_index:
        candidates = [
            CandidateSystem("refused", refused, described),
            CandidateSystem("broken", broken, described),
            CandidateSystem("bm25", lambda: BM25_STRINGS.make(search_index), described),
        ]
        first, second, third = scored(search_index, candidates, topic_set(1), Task.ANSWERS)
    assert first == SystemFailure("refused", 1, "no model; porism train makes one")
    assert second == SystemFailure("broken", 1, "failed (ZeroDivisionError: division by zero)")
    assert isinstance(third, SystemScore)
    assert third.p == {}  # there is no baseline to compare with
    assert "broken failed on" in caplog.text


def test_judgments_of_relevant_documents_alone_have_unprimed_measures(sample_index: Path) -> None:
    topics = topic_set(1)
    relevant = {
        topic: {doc_id: grade for doc_id, grade in of.items() if grade > 1}
        for topic, of in topics.qrels.grades.items()
    }
    with open_index(sample_index) as search_index:
        candidate = CandidateSystem("l8", lambda: L8_ANSWERS.make(search_index), described)
        links = replace(topics, qrels=Qrels(relevant))
        (score,) = scored(search_index, [candidate], links, Task.ANSWERS)
    assert isinstance(score, SystemScore)
    assert set(score.measures) == {"MAP", "P@10"}


@pytest.mark.parametrize(
    ("topics", "label"),
    [
        (["A.1", "A.98"], "2020"),
        (["B.201", "B.300"], "2021"),
        (["A.301", "A.400"], "2022"),
        (["L.154", "L.2"], "links"),
        (["A.1", "A.201"], "mine.xml"),
        (["A.x"], "mine.xml"),
        (["Q.1"], "mine.xml"),
        (["A.150"], "mine.xml"),
    ],
)
def test_sets_of_the_lab_are_known_by_their_topics(topics: list[str], label: str) -> None:
    listed = tuple(Topic(TopicId(topic_id)) for topic_id in topics)
    assert set_label(TopicSet("mine.xml", listed, Qrels({}))) == label
