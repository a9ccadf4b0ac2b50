"""Task 2 of 2020 over its whole judged pool: formula systems that need only trees.

Each system orders the judged formulas of each topic. This re-ranks a pool, so the numbers are not
comparable with runs over a collection. Trees are parsed from the lab's strings, not from LaTeX.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.mini_scores import Grades, Scores, chance, scores
from bench.quality import probability
from bench.shared_data import shared_folder, table
from porism.analysis import FormulaTokens, formula_tokens
from porism.errors import FormatError
from porism.formula.features import leaf_paths, symbol_pairs
from porism.formula.tree import Tree, parse_tree
from porism.inverted import (
    BM25,
    BM25_PLUS,
    Clause,
    Field,
    Idf,
    Index,
    IndexWriter,
    WeightingModel,
    open_inverted_index,
)
from porism.model import DocId, Hit, ranked
from porism.rank.query_builder import weighted_terms
from porism.rank.structure.mias import SUBFORMULAS_OF_FORMULAS, WholeFormulas
from porism.rank.structure.nits import BITS, PositionBits
from porism.rank.structure.tangent_s import combined_scores
from porism.rank.structure.tree_edit import LAYOUT, tree_similarities
from porism.rank.systems.l8 import L8_FORMULAS
from porism.rank.systems.porism_formulas import (
    ALIGNMENT,
    OPERATORS,
    PRESENCE,
    SHAPE,
    SYMBOLS,
    VIEWS,
    ShareScorer,
    aligned_share,
    weighted_layout,
)
from porism.rank.systems.tangent_l import BASIC_FORMULAS, FULL_FORMULAS, RawScore, weighted_math
from porism.structure.alignment_scores import alignment_scores
from porism.structure.packed_trees import PackedTrees, packed_tree, packed_trees
from porism.structure.position_masks import (
    XY5,
    XY7O4,
    PyramidVariant,
    mask_cosine,
    symbol_masks,
)
from porism.structure.tree_edit_distance import TreeKind

RANDOM_ORDERS = 50

PAIRS = Field("pairs")
"""Each symbol with its neighbours."""

LAB_PATHS = Field("lab-paths")
OUR_PATHS = Field("paths")
"""Paths of the lab's operator trees, and of those that we derive from layout trees."""

LARGER: float = signature(ShareScorer).parameters["larger"].default
"""The constant of ``porism`` that penalises larger formulas."""

LAYOUT_FIELDS = {
    Field(spec.name, spec.k1, spec.b): kind
    for spec, kind in (
        (BASIC_FORMULAS, FormulaTokens.TANGENT_L_2020),
        (FULL_FORMULAS, FormulaTokens.TANGENT_L),
        *VIEWS,
        (SYMBOLS, FormulaTokens.SYMBOLS),
        (SUBFORMULAS_OF_FORMULAS, FormulaTokens.SUBFORMULAS),
        (BITS, FormulaTokens.POSITIONS),
    )
} | {OUR_PATHS: FormulaTokens.PATHS}
"""The fields of the tree-only systems; that of ``l8`` lacks the words of LaTeX here."""

Tokens = Mapping[str, list[str]]
"""The tokens of a formula by field."""

TreeName = Literal["slt", "opt"]


class PoolFormula(NamedTuple):
    """The tokens of a formula by field, and its two trees."""

    tokens: Tokens
    layout: Tree
    operators: Tree


class PoolIndex(NamedTuple):
    """An index of formulas, and the formulas by document id."""

    inverted: Index
    formulas: Mapping[str, PoolFormula]


Score = Callable[[PoolIndex, PoolFormula, list[str]], NDArray[np.float64]]
"""The scores of documents for a query formula."""


@dataclass(frozen=True, slots=True)
class JudgedPool:
    """The judged formulas by visual id, the formula of each topic, and the judgments.

    ``unread`` counts the trees that could not be parsed, including those of topics, by kind.
    """

    formulas: Mapping[str, PoolFormula]
    topics: Mapping[str, PoolFormula]
    grades: Grades
    unread: Mapping[TreeName, int]


def report() -> None:
    """Print the scores of each system over the judged pool."""
    pool = read_pool(shared_folder())
    with TemporaryDirectory() as name:
        index = indexed(pool.formulas, Path(name) / "pool")
        judged = sum(map(len, pool.grades.values()))
        print(
            f"Task 2 of 2020 over the judged pool: {len(pool.grades)} topics, {judged:,} judgments "
            f"of {len(pool.formulas):,} formulas; {pool.unread['slt']} layout trees and "
            f"{pool.unread['opt']} operator trees cannot be parsed; p is for the difference to l8"
        )
        print("\n| system | nDCG' | MAP' | P'@10 | p of nDCG' | p of MAP' |")
        print("|---|---|---|---|---|---|")
        means = (fmean(column) for column in zip(*_at_random(pool), strict=True))
        print(f"| random order | {' | '.join(f'{mean:.3f}' for mean in means)} | | |")
        yardstick = _scored(pool, index, SYSTEMS[YARDSTICK])
        for system, score in SYSTEMS.items():
            system_scores = _scored(pool, index, score)
            cells = [f"{mean:.3f}" for mean in system_scores.means()]
            cells += ("", "") if system == YARDSTICK else _chances(system_scores, yardstick)
            print(f"| {system} | {' | '.join(cells)} |", flush=True)


def read_pool(shared: Path) -> JudgedPool:
    """The pool from the lab's files; a tree that cannot be parsed counts as empty."""
    folder = shared / "data/qrels"
    unread: Counter[TreeName] = Counter()

    def formula(row: dict[str, str]) -> PoolFormula:
        layout, operators = _read(row["slt"], "slt", unread), _read(row["opt"], "opt", unread)
        return pool_formula(layout, operators)

    grades: Grades = defaultdict(dict)
    for line in (folder / "qrel_task2_2020_visual_id_v2.tsv").read_text("utf-8").splitlines():
        topic, _, visual_id, grade = line.split()
        if int(grade) <= 3:
            grades[topic][visual_id] = int(grade)
    formulas = table(folder / "task2_2020_judged_formulas_slt_opt.tsv.gz")
    topics = table(folder / "task2_2020_query_formulas_slt_opt.tsv.gz")
    return JudgedPool(
        {row["visual_id"]: formula(row) for row in formulas},
        {row["topic_id"]: formula(row) for row in topics if row["topic_id"] in grades},
        dict(grades),
        unread,
    )


def pool_formula(layout: Tree, operators: Tree) -> PoolFormula:
    """A formula with the tokens of all fields."""
    by_field = {
        field.name: formula_tokens(kind, "", layout) for field, kind in LAYOUT_FIELDS.items()
    }
    other = {PAIRS.name: symbol_pairs(layout, 1), LAB_PATHS.name: leaf_paths(operators)}
    return PoolFormula(by_field | other, layout, operators)


def _read(text: str, kind: TreeName, unread: Counter[TreeName]) -> Tree:
    try:
        return parse_tree(text, kind)
    except FormatError:
        unread[kind] += 1
        return Tree(kind, ())


def indexed(formulas: Mapping[str, PoolFormula], folder: Path) -> PoolIndex:
    """An index of formulas with all fields."""
    with IndexWriter(folder, [*LAYOUT_FIELDS, PAIRS, LAB_PATHS]) as writer:
        for doc_id, formula in formulas.items():
            writer.add(doc_id, formula.tokens)
        writer.commit()
    return PoolIndex(open_inverted_index(folder), formulas)


def _plain(field: str) -> Score:
    """BM25 over one field."""
    return lambda pool, query, doc_ids: pool.inverted.scores(
        [Clause(field, weighted_terms(query.tokens[field]), BM25)], doc_ids
    )


def _tangent_l(field: str, gamma: float) -> Score:
    """Equation 2 of S4."""
    return lambda pool, query, doc_ids: pool.inverted.scores(
        [Clause(field, weighted_math(query.tokens[field], gamma), BM25_PLUS)], doc_ids
    )


def _three_views(model: WeightingModel) -> Score:
    """The query of ``ThreeViews``, for a tree instead of LaTeX."""

    def clause(index: Index, field: str, tokens: list[str]) -> Clause:
        frequencies = index.frequencies(field, tokens).tolist()
        total = sum(Idf.LUCENE(index.documents, each) for each in frequencies)
        weight = 1 / (len(VIEWS) * total) if total else 0.0
        return Clause(field, weighted_terms(tokens), model, weight)

    return lambda pool, query, doc_ids: pool.inverted.scores(
        [clause(pool.inverted, spec.name, query.tokens[spec.name]) for spec, _ in VIEWS], doc_ids
    )


def _share_and_size(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    """The score of ``ShareScorer`` for a formula without context."""
    return _three_views(PRESENCE)(pool, query, doc_ids) / _penalties(pool, query, doc_ids)


def _with_alignment(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    """The same with ``AlignmentScorer``, for all formulas."""
    shares = _three_views(PRESENCE)(pool, query, doc_ids)
    queries = [weighted_layout(pool.inverted, query.layout)]
    for place, doc_id in enumerate(doc_ids):
        aligned = aligned_share(queries, pool.formulas[doc_id].layout)
        if aligned is not None:
            shares[place] += ALIGNMENT * (aligned - shares[place])
    return shares / _penalties(pool, query, doc_ids)


def _penalties(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    sizes = pool.inverted.lengths(SHAPE.name, doc_ids) / max(1, len(query.tokens[SHAPE.name]))
    return 1 - LARGER + LARGER * sizes


def _packed(pool: PoolIndex, doc_ids: list[str]) -> PackedTrees:
    rows = [
        np.array(packed_trees(formula.layout, formula.operators), np.uint64)
        for formula in (pool.formulas[doc_id] for doc_id in doc_ids)
    ]
    return PackedTrees(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


def _edit_distance(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    """The second stage of ``tangent-cft-ted``, for every formula."""
    layout, operators = packed_tree(query.layout), packed_tree(query.operators)
    found = tree_similarities(layout, operators, _packed(pool, doc_ids))
    return LAYOUT * found.layout + (1 - LAYOUT) * found.operators


def _tangent_s(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    """The score of Tangent-S, with alignments of both trees for every formula."""
    trees = _packed(pool, doc_ids)
    layout = alignment_scores(packed_tree(query.layout), trees, TreeKind.LAYOUT)
    operators = alignment_scores(packed_tree(query.operators), trees, TreeKind.OPERATORS)
    return combined_scores(np.hstack((layout, operators)))


def _mias(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    tokens = query.tokens[SUBFORMULAS_OF_FORMULAS.name]
    return pool.inverted.scores([WholeFormulas(pool.inverted).token_clause(tokens)], doc_ids)


def _nits_bits(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
    tokens = query.tokens[BITS.name]
    return pool.inverted.scores([PositionBits(pool.inverted).token_clause(tokens)], doc_ids)


def _xy_phoc(variant: PyramidVariant) -> Score:
    """Cosines of the positions of symbols."""

    def score(pool: PoolIndex, query: PoolFormula, doc_ids: list[str]) -> NDArray[np.float64]:
        masks = symbol_masks(query.layout)
        layouts = (pool.formulas[doc_id].layout for doc_id in doc_ids)
        return np.array([mask_cosine(masks, symbol_masks(each), variant) for each in layouts])

    return score


YARDSTICK = "`l8`, tuples alone"

SYSTEMS: dict[str, Score] = {
    "symbol pairs, BM25": _plain(PAIRS.name),
    "paths, BM25, the lab's operator trees": _plain(LAB_PATHS.name),
    "paths, BM25, our operator trees": _plain(OUR_PATHS.name),
    "`tangent-l-2020`": _tangent_l(BASIC_FORMULAS.name, 0.0),
    "`tangent-l`, `formula-base`": _tangent_l(FULL_FORMULAS.name, RawScore().gamma),
    YARDSTICK: _plain(L8_FORMULAS.name),
    "`tangent-s`, the lab's trees": _tangent_s,
    "`tangent-cft-ted`, edit distance alone, the lab's trees": _edit_distance,
    "`mias`": _mias,
    "`nits-bits`": _nits_bits,
    "`xy-phoc`": _xy_phoc(XY7O4),
    "`xy-phoc-xy5`": _xy_phoc(XY5),
    "operators, BM25": _plain(OPERATORS.name),
    "shape, BM25": _plain(SHAPE.name),
    "`porism`, first search": _three_views(BM25),
    "`porism`, without context and alignment": _share_and_size,
    "`porism`, without context": _with_alignment,
}


def _scored(pool: JudgedPool, index: PoolIndex, score: Score) -> Scores:
    rankings = {}
    for topic, grades in pool.grades.items():
        doc_ids = list(grades)
        values = score(index, pool.topics[topic], doc_ids).tolist()
        rankings[topic] = ranked(map(Hit, map(DocId, doc_ids), values))
    return scores(pool.grades, rankings, {})


def _at_random(pool: JudgedPool) -> Iterable[tuple[float, float, float]]:
    draw = np.random.default_rng(0)
    for _ in range(RANDOM_ORDERS):
        rankings = {
            topic: ranked(Hit(DocId(doc_id), float(draw.random())) for doc_id in grades)
            for topic, grades in pool.grades.items()
        }
        yield scores(pool.grades, rankings, {}).means()


def _chances(ours: Scores, theirs: Scores) -> list[str]:
    return [
        probability(chance(ours.ndcg_primed, theirs.ndcg_primed)),
        probability(chance(ours.average_precision, theirs.average_precision)),
    ]


if __name__ == "__main__":
    report()
