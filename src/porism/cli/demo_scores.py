"""How well systems do on the sample's topics: two measures of the lab, for a first look.

Both count judged documents only, as the primed measures of ARQMath do: those that nobody judged
are taken out of a ranking first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import log2
from statistics import fmean

from porism import catalog
from porism.collection.sample import sample_duplicates, sample_qrels, sample_topics
from porism.formats.qrels import read_qrels
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.indexing.library import Library, open_library
from porism.model import DocId

DEPTH = 1000
RELEVANT = 2
"""Grades from here on count as relevant where only yes and no are told apart."""

Grades = Mapping[DocId, int]


def ndcg(found: Iterable[DocId], grades: Grades) -> float:
    """The nDCG' of a ranking: gains are grades, discounted by the logarithm of the rank.

    >>> round(ndcg(["b", "unjudged", "a"], {"a": 3, "b": 1}), 3)
    0.797
    """
    gains = [grades[doc_id] for doc_id in found if doc_id in grades]
    best = _discounted(sorted(grades.values(), reverse=True))
    return _discounted(gains) / best if best else 0.0


def _discounted(gains: Iterable[int]) -> float:
    return sum(max(0, gain) / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def precision(found: Iterable[DocId], grades: Grades, cutoff: int = 10) -> float:
    """The share of the first ten judged documents that are relevant.

    >>> precision(["a", "b", "unjudged"], {"a": 3, "b": 1})
    0.1
    """
    judged = [grades[doc_id] for doc_id in found if doc_id in grades][:cutoff]
    return sum(grade >= RELEVANT for grade in judged) / cutoff


def sample_scores(
    library: Library, systems: Iterable[str]
) -> Iterator[tuple[int, str, float, float]]:
    """Task, system, nDCG' and P'@10 for each system and each task that it does."""
    links = read_topic_links(sample_duplicates())
    looks = {
        DocId(each.id): DocId(each.visual_id or each.formula.visual_id)
        for each in library.collection.instances()
    }
    with open_library(library.folder, duplicates=links) as informed:
        for task in (catalog.ANSWERS_TASK, catalog.FORMULAS_TASK):
            topics = list(read_topics(sample_topics(task)))
            # Answers are judged by their ids, formulas by what they look like.
            names = looks if task == catalog.FORMULAS_TASK else {}
            judged = read_qrels(sample_qrels(task)).grades
            grades = {topic_id: _by_name(of, names) for topic_id, of in judged.items()}
            for name in systems:
                if catalog.system(name).searcher(task) is None:
                    continue
                ranker = catalog.ranker(name, task, informed)
                rankings = {topic.id: ranker.rank(topic, DEPTH) for topic in topics}
                found = {
                    topic_id: list(dict.fromkeys(names.get(hit.doc_id, hit.doc_id) for hit in hits))
                    for topic_id, hits in rankings.items()
                }
                yield (
                    task,
                    name,
                    fmean(ndcg(found.get(topic, ()), of) for topic, of in grades.items()),
                    fmean(precision(found.get(topic, ()), of) for topic, of in grades.items()),
                )


def _by_name(grades: Grades, names: Mapping[DocId, DocId]) -> Grades:
    """The grades by other names; of documents that share one, the best."""
    named: dict[DocId, int] = {}
    for doc_id, grade in grades.items():
        name = names.get(doc_id, doc_id)
        named[name] = max(grade, named.get(name, grade))
    return named
