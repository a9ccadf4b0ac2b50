"""Quality on topics made of the links of the mini collection, which no system was tuned on.

The judgments are incomplete and none says that a document is not relevant, so only MAP and P@10 of
whole rankings count. The index is built without the links, by the commands that a user has.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from bench.mini_scores import chance
from porism.catalog import ranker
from porism.evaluation.records import ByTopic
from porism.evaluation.scoring import RunScorer
from porism.lab.pools.topic_posts import RankerWithoutPosts
from porism.lab.topic_sets import TopicSet, TopicSetFiles, read_topic_sets
from porism.model import Ranking, Run, Task, TopicId
from porism.rank.ranker import Ranker
from porism.rank.runs import run_topics
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.manifest import is_search_index

K = 1000
"""Results per topic in a run."""

JOBS = 2


@dataclass(frozen=True, slots=True)
class LinkScores:
    """The scores of a run by topic, over whole rankings."""

    average_precision: ByTopic
    precision: ByTopic

    def means(self) -> tuple[float, float]:
        """MAP and P@10."""
        return fmean(self.average_precision.values()), fmean(self.precision.values())


def link_topic_set(shared: Path) -> TopicSet:
    """The 341 topics, their judgments, and the posts to leave out."""
    folder = shared / "data/link-topics"
    files = TopicSetFiles(folder / "Topics_Links.xml.gz", folder / "qrels_links.tsv")
    (topics,) = read_topic_sets([files], Task.ANSWERS, [folder / "own_posts.tsv"])
    return topics


@contextmanager
def unlinked_index(collection: Path, folder: Path) -> Iterator[SearchIndex]:
    """The index of a collection without the links between its questions, made if not there yet."""
    topics, index = folder / "link-topics", folder / "unlinked"
    if not topics.exists():
        run_porism("topics", "links", collection, "-o", topics)
    if not is_search_index(index):
        links = topics / "links.tsv"
        run_porism("index", collection, "-o", index, "--without-links", links, "--jobs", JOBS)
    with open_index(index) as opened:
        yield opened


def run_porism(*arguments: object) -> None:
    """Run a command; one that fails ends this process with what it printed."""
    command = [sys.executable, "-m", "porism", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")


def link_scores(topics: TopicSet, rankings: Mapping[TopicId, Ranking]) -> LinkScores:
    """The scores of rankings from which the topics' own posts are left out."""
    by_measure = RunScorer(topics.qrels, ["MAP", "P@10"]).scores(Run("run", rankings)).by_topic
    return LinkScores(by_measure["MAP"], by_measure["P@10"])


def link_quality(topics: TopicSet, system: Ranker) -> LinkScores:
    """The scores of a system."""
    done = run_topics(RankerWithoutPosts(system, topics.leave_out), topics.topics, K)
    return link_scores(topics, done.rankings)


def link_table(
    topics: TopicSet, index: SearchIndex, names: Sequence[str], yardstick: str
) -> Iterator[str]:
    """The lines of a table of systems."""
    reference = link_quality(topics, ranker(yardstick, Task.ANSWERS, index))
    yield (
        f"Task 1, {len(topics.topics)} topics from links, without these links; p is for the "
        f"difference to {yardstick}"
    )
    yield ""
    yield "| system | MAP | P@10 | p of MAP |"
    yield "|---|---|---|---|"
    for name in names:
        scores = reference
        if name != yardstick:
            scores = link_quality(topics, ranker(name, Task.ANSWERS, index))
        precision, early = scores.means()
        p = chance(scores.average_precision, reference.average_precision)
        p_cell = " " if name == yardstick else f"{p:.3f}" if p >= 0.001 else "<0.001"
        yield f"| `{name}` | {precision:.3f} | {early:.3f} | {p_cell} |"
