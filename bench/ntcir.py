"""NTCIR-12's formula browsing over the Wikipedia formulas that are available, by every system.

Each formula is a document of a small collection, which all systems index and rank. Of the judged
formulas of NTCIR-12 only a handful are among these formulas, so this shows how high each relevant
one ranks, and no difference of systems is tested. No topic has a relevant and a non-relevant judged
formula here: bpref is the share of the relevant formulas that a system finds at all. Systems rank
without vectors of texts: these formulas have no texts.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.mini_scores import Grades
from bench.quality import EMBEDDINGS, K, system_names
from bench.shared_data import shared_folder, table
from porism.catalog import index_plan, ranker, training_notes
from porism.collection.formulas.occurrences import occurrences_in
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.progress import StepProgress
from porism.collection.store import open_collection
from porism.evaluation.scoring import RunScorer
from porism.lab.training.word_embeddings import WordTraining, train_word_embedding
from porism.model import Formula, Task, Topic, TopicId
from porism.rank.ranker import Ranker
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.formula_vector_filling import store_formula_model
from porism.searchindex.index_folder import SearchIndex, open_index

PARTIAL, FULL = 1, 3
"""The least grades, of 0 to 4, of formulas that are partially and fully relevant."""

CONCRETE_TOPICS = 20
"""The first of them; the queries of the others have wildcards."""


UNABLE = frozenset({"doc-base"})
"""Systems that need the words of a question."""


class WikipediaFormulas(NamedTuple):
    """The LaTeX of formulas by id, the topics with a relevant one, and the judgments of these."""

    latex: Mapping[str, str]
    topics: tuple[Topic, ...]
    grades: Grades


def report() -> None:
    """Print the measures and the ranks of the relevant formulas by each system."""
    known = read_formulas(shared_folder())
    names = [name for name in system_names(Task.FORMULAS) if name not in UNABLE]
    with TemporaryDirectory() as folder, indexed(known, Path(folder), names) as search_index:
        grades = _by_visual_id(known, search_index)
        print(_heading(known, grades))
        print()
        print("| system | bpref | P@10 | bpref, full | P@10, full | MRR | ranks |")
        print("|---|---|---|---|---|---|---|")
        for name in names:
            if training_notes([name], search_index):
                print(f"| `{name}` | | | | | | not trained |", flush=True)
                continue
            system = ranker(name, Task.FORMULAS, search_index)
            cells = _cells(known, grades, system, search_index)
            print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


def read_formulas(shared: Path) -> WikipediaFormulas:
    """The formulas, and the topics that have a relevant one among them."""
    folder = shared / "data/ntcir12"
    rows = table(folder / "wikipedia_38_articles_formulas.tsv.gz")
    latex = {row["id"]: row["latex"] for row in rows if row["latex"].strip()}
    grades: Grades = defaultdict(dict)
    for line in (folder / "qrels.ntcir12-math-browsing.txt").read_text("utf-8").splitlines():
        topic, _, doc_id, grade = line.split()
        if doc_id in latex:
            grades[topic][doc_id] = int(float(grade))
    useful = {topic: each for topic, each in grades.items() if max(each.values()) >= PARTIAL}
    files = sorted(folder.glob("topics.ntcir12-math-browsing-*.txt"))
    lines = (line for file in files for line in file.read_text("utf-8").splitlines())
    queries = dict(line.split("\t", 1) for line in lines)
    topics = tuple(_topic(topic, queries[topic]) for topic in sorted(useful, key=_number))
    return WikipediaFormulas(latex, topics, useful)


def _number(topic: str) -> int:
    return int(topic.rpartition("-")[2])


def _topic(topic: str, latex: str) -> Topic:
    """A topic about a formula; NTCIR's ``\\qvar{*1*}`` is a wildcard."""
    letters = "abcdefghij"
    typed = re.sub(r"\\qvar\{\*(\d+)\*\}", lambda match: f"{{?{letters[int(match[1])]}}}", latex)
    return Topic(TopicId(topic), focus=Formula(f"q_{_number(topic)}", typed))


def indexed(known: WikipediaFormulas, folder: Path, names: list[str]) -> SearchIndex:
    """A collection with a document for each formula, indexed for systems without vectors of texts.

    Embeddings of formulas are trained on it.
    """
    source, collection = folder / "wikipedia.jsonl", folder / "wikipedia"
    lines = (
        json.dumps({"id": doc_id, "title": "", "html": escape(rf"\[{latex}\]")})
        for doc_id, latex in known.latex.items()
    )
    source.write_text("\n".join(lines) + "\n", "utf-8")
    ingest(source, collection, IngestOptions(jobs=1))
    specs = [spec for spec in index_plan(names) if not isinstance(spec, VectorSpec)]
    with open_collection(collection) as opened:
        build_index(opened, folder / "index", specs, IndexOptions(), _silent)
        for embedding in EMBEDDINGS:
            model = train_word_embedding(
                opened, folder / "index", embedding, WordTraining(), IndexOptions(), _silent
            )
            store_formula_model(opened, folder / "index", model, IndexOptions(), _silent)
    return open_index(folder / "index")


def _silent(progress: StepProgress) -> None:
    """Show no progress."""


def _by_visual_id(known: WikipediaFormulas, search_index: SearchIndex) -> Grades:
    """The judgments of visually distinct formulas: the highest of their documents."""
    grades: Grades = {topic: {} for topic in known.grades}
    for topic, judged in known.grades.items():
        for doc_id, grade in judged.items():
            (found, *_) = occurrences_in(search_index.collection, [f"wikipedia.jsonl#{doc_id}"])
            grades[topic][found.visual_id] = max(grade, grades[topic].get(found.visual_id, 0))
    return grades


def _heading(known: WikipediaFormulas, grades: Grades) -> str:
    values = [grade for judged in grades.values() for grade in judged.values()]
    concrete = sum(_number(topic) <= CONCRETE_TOPICS for topic in grades)
    full = [topic for topic, judged in grades.items() if max(judged.values()) >= FULL]
    return (
        f"NTCIR-12 over {len(known.latex):,} Wikipedia formulas, of all that were judged only "
        f"those: {len(grades)} topics with a relevant formula, {concrete} of them concrete and "
        f"the others with wildcards; {sum(value >= PARTIAL for value in values)} relevant "
        f"formulas, {sum(value >= FULL for value in values)} of them fully, for {len(full)} topics"
    )


def _cells(
    known: WikipediaFormulas, grades: Grades, system: Ranker, search_index: SearchIndex
) -> Iterator[str]:
    """Yield the measures and, by topic, the ranks of the relevant formulas."""
    instance = search_index.collection.instance
    run: dict[str, dict[str, float]] = {}
    ranks: list[list[str]] = []
    reciprocal: list[float] = []
    for topic in known.topics:
        visual_ids = dict.fromkeys(
            instance(hit.doc_id).effective_visual_id for hit in system.rank(topic, K)
        )
        order = list(visual_ids)
        run[topic.id] = {visual_id: -float(rank) for rank, visual_id in enumerate(order)}
        relevant = [each for each, grade in grades[topic.id].items() if grade >= PARTIAL]
        places = sorted(order.index(each) + 1 for each in relevant if each in visual_ids)
        reciprocal.append(1 / places[0] if places else 0.0)
        missing = ["-"] * (len(relevant) - len(places))
        ranks.append([*map(str, places), *missing])
    for level in (PARTIAL, FULL):
        useful = {topic: each for topic, each in grades.items() if max(each.values()) >= level}
        measures = [f"Bpref(rel={level})", f"P(rel={level})@10"]
        by_topic = RunScorer(useful, measures).scores(run).by_topic
        for measure in measures:
            yield f"{fmean(by_topic[measure].values()):.3f}"
    yield f"{fmean(reciprocal):.3f}"
    yield "; ".join(", ".join(each) for each in ranks)


if __name__ == "__main__":
    report()
