"""How well systems do on the sample's topics: two measures of the lab, for a first look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from porism import catalog
from porism.collection.sample import sample_duplicates, sample_qrels, sample_topics
from porism.evaluate.inputs import RunLike
from porism.evaluate.scoring import Scorer
from porism.formats.qrels import read_qrels
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.indexing.library import Library, open_library
from porism.lab.visual_ids import VisualIds
from porism.model import Run

DEPTH = 1000
MEASURES = ("nDCG'", "P'@10")


def sample_scores(
    library: Library, systems: Iterable[str]
) -> Iterator[tuple[int, str, float, float]]:
    """Task, system, nDCG' and P'@10 for each system and each task that it does."""
    links = read_topic_links(sample_duplicates())
    with open_library(library.folder, duplicates=links) as informed:
        for task in (catalog.ANSWERS_TASK, catalog.FORMULAS_TASK):
            topics = list(read_topics(sample_topics(task)))
            qrels = read_qrels(sample_qrels(task))
            # Answers are judged by their ids, formulas by what they look like.
            looks = VisualIds(library.collection, qrels) if task == catalog.FORMULAS_TASK else None
            scorer = Scorer(looks.qrels if looks else qrels, MEASURES)
            for name in systems:
                if catalog.system(name).searcher(task) is None:
                    continue
                ranker = catalog.ranker(name, task, informed)
                run = Run(name, {topic.id: ranker.rank(topic, DEPTH) for topic in topics})
                judged: RunLike = looks.run(run) if looks else run
                scores = scorer.scores(judged)
                yield task, name, scores.mean(MEASURES[0]), scores.mean(MEASURES[1])
