"""Scores of systems on the sample's topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from porism import catalog
from porism.collection.sample import sample_duplicates, sample_qrels, sample_topics
from porism.evaluation.records import Evaluation
from porism.evaluation.scoring import evaluate
from porism.formats.qrels import read_qrels
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.lab.visual_ids import CollectionVisualIds
from porism.model import Qrels, Run, Task, Topic
from porism.rank.runs import run_topics
from porism.searchindex.index_folder import SearchIndex, open_index

DEPTH = 1000
MEASURES = ("nDCG'", "P'@10")


@dataclass(frozen=True, slots=True)
class SampleEvaluation:
    """The runs of all systems of a task, and their scores."""

    topics: tuple[Topic, ...]
    qrels: Qrels
    runs: tuple[Run, ...]
    evaluation: Evaluation


def sample_evaluations(
    search_index: SearchIndex, systems: Iterable[str]
) -> Iterator[SampleEvaluation]:
    """Systems on the topics of the sample, for Task 1, then for Task 2."""
    names = list(systems)
    links = read_topic_links(sample_duplicates())
    with open_index(search_index.folder, duplicates=links) as informed:
        for task in (Task.ANSWERS, Task.FORMULAS):
            topics = tuple(read_topics(sample_topics(task)))
            able = [name for name in names if catalog.system(name).maker(task) is not None]
            runs = tuple(_run(name, task, informed, topics) for name in able)
            qrels = read_qrels(sample_qrels(task))
            if task == Task.ANSWERS:
                evaluation = evaluate(runs, qrels, MEASURES, task)
            else:  # formulas are judged by visual id
                visual_ids = CollectionVisualIds(informed.collection, qrels)
                qrels = visual_ids.qrels
                evaluation = evaluate(map(visual_ids.run, runs), qrels, MEASURES, task)
            yield SampleEvaluation(topics, qrels, runs, evaluation)


def _run(name: str, task: Task, search_index: SearchIndex, topics: Sequence[Topic]) -> Run:
    ranker = catalog.ranker(name, task, search_index)
    return Run(name, run_topics(ranker, topics, DEPTH, warm_up=False).rankings)
