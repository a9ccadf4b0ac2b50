"""NTCIR-12's concrete formula queries over Wikipedia formulas: a few known items.

Of the judged formulas of these queries only a handful are among the Wikipedia formulas that are
available, so this shows how high each relevant one ranks, and no difference of systems is tested.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.judged_pool import SYSTEMS, PoolFormula, PoolIndex, Score, indexed, pool_formula
from bench.mini_scores import Grades
from bench.shared_data import shared_folder, table
from porism.analysis import NO_TREE, query_layout
from porism.errors import LatexError
from porism.evaluation.scoring import RunScorer
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.model import DocId, Hit, ranked

RELEVANT = 1
"""The least grade, of 0 to 4, of a formula that is partially relevant."""


class KnownItems(NamedTuple):
    """Wikipedia formulas by id, the formula of each topic, and the judgments of these formulas."""

    formulas: Mapping[str, PoolFormula]
    topics: Mapping[str, PoolFormula]
    grades: Grades


def report() -> None:
    """Print the ranks of the relevant formulas by each system."""
    known = read_known_items(shared_folder())
    relevant = sum(grade >= RELEVANT for each in known.grades.values() for grade in each.values())
    print(
        f"NTCIR-12, concrete queries over {len(known.formulas):,} Wikipedia formulas: "
        f"{sum(map(len, known.grades.values()))} judged formulas, {relevant} of them relevant, "
        f"for {len(known.topics)} topics with a relevant formula"
    )
    print("\n| system | nDCG | MRR | ranks of relevant formulas |")
    print("|---|---|---|---|")
    with TemporaryDirectory() as name:
        pool = indexed(known.formulas, Path(name) / "wikipedia")
        for system, score in SYSTEMS.items():
            print(f"| {system} | {' | '.join(_cells(known, pool, score))} |", flush=True)


def read_known_items(shared: Path) -> KnownItems:
    """The formulas from LaTeX, and the topics that have a relevant one among them."""
    folder = shared / "data/ntcir12"
    formulas = {
        row["id"]: _formula(_layout(row["latex"]))
        for row in table(folder / "wikipedia_38_articles_formulas.tsv.gz")
    }
    grades: Grades = defaultdict(dict)
    qrels = (folder / "qrels.ntcir12-math-browsing-concrete.txt").read_text("utf-8")
    for line in qrels.splitlines():
        topic, _, doc_id, grade = line.split()
        if doc_id in formulas:
            grades[topic][doc_id] = int(float(grade))
    useful = {topic: each for topic, each in grades.items() if max(each.values()) >= RELEVANT}
    topics = (folder / "topics.ntcir12-math-browsing-concrete.txt").read_text("utf-8")
    latex = dict(line.split("\t", 1) for line in topics.splitlines())
    return KnownItems(
        formulas, {topic: _formula(query_layout(latex[topic]).tree) for topic in useful}, useful
    )


def _layout(latex: str) -> Tree:
    try:
        return parse_latex(latex).tree
    except LatexError:
        return NO_TREE


def _formula(layout: Tree) -> PoolFormula:
    return pool_formula(layout, operator_tree(layout))


def _cells(known: KnownItems, pool: PoolIndex, score: Score) -> list[str]:
    """nDCG and MRR of all formulas, the unjudged counting as not relevant, and the ranks."""
    run: dict[str, dict[str, float]] = {}
    ranks: list[list[int]] = []
    doc_ids = list(known.formulas)
    for topic, grades in known.grades.items():
        values = score(pool, known.topics[topic], doc_ids).tolist()
        hits = ranked(map(Hit, map(DocId, doc_ids), values))
        run[topic] = {hit.doc_id: hit.score for hit in hits}
        ranks.append(
            [rank for rank, hit in enumerate(hits, 1) if grades.get(hit.doc_id, 0) >= RELEVANT]
        )
    ndcg = RunScorer(known.grades, ["nDCG"]).scores(run).by_topic["nDCG"]
    reciprocal = fmean(1 / each[0] for each in ranks)
    listed = "; ".join(", ".join(map(str, each)) for each in ranks)
    return [f"{fmean(ndcg.values()):.3f}", f"{reciprocal:.3f}", listed]


if __name__ == "__main__":
    report()
