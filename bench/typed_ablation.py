"""What each part of the ranking of typed queries gives, and what lab topics make of it.

The queries are those of ``bench.typed_queries``: each part is left out in turn, and the share of
queries whose right thread is first is printed, with the best result of a thread counting.

    python -m bench.typed_ablation          the parts
    python -m bench.typed_ablation --lab    topics of 2020 and 2021 and of links, beside porism
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch

from bench.link_topics import link_quality, link_topic_set, run_porism
from bench.mini_scores import YEARS, judged, read_year, scores
from bench.shared_data import shared_folder
from bench.typed_queries import SETS, TypedQuery, indexed, title_queries, written_queries
from porism.catalog import ranker
from porism.inverted import Filter
from porism.model import DocId, Ranking, Task, Topic
from porism.query.interpretation import FormulaSyntax
from porism.query.typed_topics import TypedTopic, typed_answer_topic
from porism.rank.explanations import Explanation
from porism.rank.ranker import Ranker
from porism.rank.results import search
from porism.rank.runs import run_topics
from porism.rank.systems.porism_answers import one_reading
from porism.rank.typed.typed_search import WEIGHTS, ScorePart, TypedSearch
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.manifest import is_search_index

PER_KIND = 20
"""Queries of each kind for the mini collection."""

RESULTS = 50
K = 1_000


class Variation(NamedTuple):
    """A way to rank typed queries."""

    name: str
    change: Callable[[], AbstractContextManager[object]] = nullcontext
    reads: Callable[[str], TypedTopic] = typed_answer_topic
    has_questions: bool = True
    is_typed_search: bool = True


def _only_delimited(text: str) -> TypedTopic:
    """Read a query as one without formulas but those between dollars."""
    formulas = typed_answer_topic(text).interpretation.formulas
    bare = {part.source for part in formulas if part.syntax is not FormulaSyntax.DELIMITED}
    return typed_answer_topic(text, bare)


@contextmanager
def _replaced(values: Mapping[str, object]) -> Iterator[None]:
    """Replace names that the reading of queries uses."""
    with ExitStack() as stack:
        for name, value in values.items():
            stack.enter_context(patch(f"porism.rank.typed.query.{name}", value))
        yield


def _without(part: ScorePart) -> Variation:
    return Variation(f"without {part.name.lower()}", lambda: patch.dict(WEIGHTS, {part: 0.0}))


@contextmanager
def _one_notation() -> Iterator[None]:
    with (
        patch("porism.rank.typed.stages.near_formulas", one_reading),
        patch("porism.rank.typed.readings.near_formulas", one_reading),
    ):
        yield


def _nothing(*_: object) -> tuple[()]:
    return ()


def _no_word(*_: object) -> None:
    return None


_CORRECTING = ("best_correction", "more_frequent")
_SPELLING = ("accent_variants", "folded_forms", "spelling_variants")

VARIATIONS = (
    Variation("typed ranking"),
    *map(_without, ScorePart),
    Variation("without corrections", lambda: _replaced(dict.fromkeys(_CORRECTING, _no_word))),
    Variation("without other spellings", lambda: _replaced(dict.fromkeys(_SPELLING, _nothing))),
    Variation("without other notations", _one_notation),
    Variation("without questions", has_questions=False),
    Variation("without bare formulas", reads=_only_delimited),
    Variation("`porism`", is_typed_search=False),
    Variation("`porism`, without bare formulas", reads=_only_delimited, is_typed_search=False),
)


def report() -> None:
    """Print the share of queries whose right thread is first, by set and variation."""
    with _bench_folder() as folder:
        rows: dict[str, list[float]] = {variation.name: [] for variation in VARIATIONS}
        for name in SETS:
            with open_index(indexed(name, folder)) as index:
                queries = (
                    title_queries(index.collection, PER_KIND)
                    if name == "mini"
                    else written_queries(name)
                )
                for variation in VARIATIONS:
                    with variation.change():
                        first = [_is_first(index, variation, query) for query in queries]
                    rows[variation.name].append(sum(first) / len(first))
        print("| ranking | " + " | ".join(SETS) + " |\n|---|" + "---|" * len(SETS))
        for title, shares in rows.items():
            print(f"| {title} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")


def _is_first(index: SearchIndex, variation: Variation, query: TypedQuery) -> bool:
    typed = variation.reads(query.text)
    system = (
        TypedSearch(index) if variation.is_typed_search else ranker("porism", Task.ANSWERS, index)
    )
    ranking = search(index, system, typed, RESULTS).ranking
    threads = _threads(index, ranking, variation.has_questions)
    return next((each in query.expected for each in threads), False)


def _threads(index: SearchIndex, ranking: Ranking, has_questions: bool) -> Iterator[str]:
    """Yield the threads of results, as ``typed_queries.tsv`` names them."""
    parents = index.collection.parents([hit.doc_id for hit in ranking])
    for hit in ranking:
        if has_questions or index.answers.contains(hit.doc_id):
            yield parents.get(hit.doc_id, hit.doc_id).rpartition("#")[2]


def lab_report() -> None:
    """Print the scores of lab topics and link topics, as if somebody had typed them.

    Only answers are compared, because questions have no judgments.
    """
    shared = shared_folder()
    systems: dict[str, Callable[[SearchIndex], Ranker]] = {
        "`porism`": lambda index: ranker("porism", Task.ANSWERS, index),
        "typed ranking": lambda index: _AnswersOf(TypedSearch(index)),
    }
    with _bench_folder() as folder:
        linked = indexed("mini", folder)
        unlinked = _unlinked(linked.parent, folder / "unlinked-mini")
        print("| ranking | nDCG' 2020 / 2021 | MAP 2020 / 2021 / links |\n|---|---|---|")
        for name, system in systems.items():
            with open_index(linked) as index:
                years = [_year_scores(shared, system(index), year) for year in YEARS]
            with open_index(unlinked) as index:
                links, _ = link_quality(link_topic_set(shared), system(index)).means()
            ndcg = " / ".join(f"{each[0]:.3f}" for each in years)
            average = " / ".join(f"{each:.3f}" for each in (*(each[1] for each in years), links))
            print(f"| {name} | {ndcg} | {average} |", flush=True)


@dataclass(frozen=True, slots=True)
class _AnswersOf:
    """Typed search without the questions among its results."""

    search: TypedSearch

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        index = self.search.search_index.answers
        ranking = self.search.rank(topic, k + RESULTS, within)
        return tuple(hit for hit in ranking if index.contains(hit.doc_id))[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return self.search.explain(topic, doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return self.search.tokens(topic)


def _year_scores(shared: Path, system: Ranker, year: int) -> tuple[float, float, float]:
    done = run_topics(system, read_year(shared, 1, year), K, warm_up=False)
    rankings = {str(topic): ranking for topic, ranking in done.rankings.items()}
    return scores(judged(shared, 1, year), rankings, {}).means()


def _unlinked(collection: Path, folder: Path) -> Path:
    """The index without links between questions, made on first use."""
    topics, index = folder / "link-topics", folder / "index"
    if not topics.exists():
        run_porism("topics", "links", collection, "-o", topics)
    if not is_search_index(index):
        links = topics / "links.tsv"
        run_porism(
            "index", collection, "-o", index, "--systems", "porism", "--without-links", links
        )
    return index


@contextmanager
def _bench_folder() -> Iterator[Path]:
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        yield Path(permanent or temporary)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lab", action="store_true", help="lab topics and link topics instead")
    (lab_report if parser.parse_args().lab else report)()


if __name__ == "__main__":
    main()
