"""``porism`` for formulas with a share of another system, on the mini collection.

Whatever improves every year would become part of ``porism``. Both scores are divided by the highest
of their topic before they are added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.mini_scores import YEARS
from bench.quality import (
    K,
    SystemQuality,
    chances,
    heading,
    judged_topics,
    means,
    mini_index,
    scored,
    system_names,
)
from bench.shared_data import shared_folder
from porism.catalog import DEFAULT, ranker, searchable_systems
from porism.model import Hit, Ranking, Task, TopicId, ranked
from porism.rank.runs import run_topics
from porism.searchindex.index_folder import SearchIndex

WEIGHTS = (0.1, 0.2, 0.4)
"""The shares of the other system that are tried."""

LEFT_OUT = frozenset({DEFAULT, "doc-base", "formula-base"})
"""Systems that are not added: ``porism`` itself, and those that only choose other posts."""

Rankings = Mapping[TopicId, Ranking]


def report() -> None:
    """Print the scores of ``porism`` with each other system."""
    shared = shared_folder()
    with mini_index(shared) as library:
        for line in fusion_table(shared, library):
            print(line, flush=True)


def fusion_table(shared: Path, library: SearchIndex) -> Iterator[str]:
    """The lines of the table."""
    ours = _runs(shared, library, DEFAULT)
    alone = _quality(shared, ours)
    yield heading(Task.FORMULAS, alone)
    yield ""
    yield "| | nDCG' | MAP | P@10 | p of nDCG' | p of MAP |"
    yield "|---|---|---|---|---|---|"
    yield f"| `{DEFAULT}` alone | {' | '.join(means(alone.years))} | | |"
    names = [name for name in system_names(Task.FORMULAS) if name not in LEFT_OUT]
    for name in searchable_systems(names, library):
        theirs = _runs(shared, library, name)
        for weight in WEIGHTS:
            fused = {year: fused(ours[year], theirs[year], weight) for year in YEARS}
            quality = _quality(shared, fused)
            cells = [*means(quality.years), *chances(quality, alone)]
            yield f"| {weight:g} · `{name}` | {' | '.join(cells)} |"


def _runs(shared: Path, library: SearchIndex, name: str) -> dict[int, Rankings]:
    system = ranker(name, Task.FORMULAS, library)
    return {
        year: run_topics(system, judged_topics(shared, Task.FORMULAS, year), K).rankings
        for year in YEARS
    }


def _quality(shared: Path, runs: Mapping[int, Rankings]) -> SystemQuality:
    years = tuple(scored(shared, Task.FORMULAS, year, runs[year]) for year in YEARS)
    return SystemQuality(years, 0.0)


def fused(ours: Rankings, theirs: Rankings, weight: float) -> Rankings:
    """The rankings by the sum of both scores, each divided by the highest of the topic."""
    fused: dict[TopicId, Ranking] = {}
    for topic, ranking in ours.items():
        hits: dict[str, Hit] = {}
        sums: dict[str, float] = {}
        for share, part in ((1.0, ranking), (weight, theirs.get(topic, ()))):
            best = max((hit.score for hit in part), default=0.0)
            for hit in part:
                hits.setdefault(hit.doc_id, hit)
                value = hit.score / best if best > 0 else 0.0
                sums[hit.doc_id] = sums.get(hit.doc_id, 0.0) + share * value
        fused[topic] = ranked(
            Hit(hit.doc_id, sums[hit.doc_id], hit.post_id) for hit in hits.values()
        )
    return fused


if __name__ == "__main__":
    report()
