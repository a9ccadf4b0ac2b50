"""Approach0's structure search: formulas by the best common subtree of their operator trees.

``structure.sector_match`` says how a subtree of the query and one of a formula are compared, and
``structure.sector_search`` how the best formulas are found. Where the papers leave something open:

- The score of a formula is the best product of structure and symbols of any two subtrees. Approach0
  takes the symbols of the two with the best structure, which says nothing about equal ones.
- Leaves count 1, 0.3 with other operators above them, and 0.2 of either with another symbol. The
  published constants (1, 0.94, and 0.90 with another symbol) lose 0.02 to 0.04 of nDCG' and MAP on
  the topics of 2020 and 2021. ``docs/structure.md`` has all that were tried.
- ``?x`` matches any operand. A formula has to share a leaf that is not a wildcard, so a query of
  wildcards alone finds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np

from porism import deadlines
from porism.analysis import FieldSpec, FormulaTokens, keyword_query, query_layout
from porism.formula.features.tangent_layout import WILDCARD
from porism.formula.operators import operator_tree
from porism.inverted import Clause, Filter, Index
from porism.model import DocId, Formula, Hit, Ranking, Topic, plain_text, ranked
from porism.rank.explanations import NOT_FOUND, Explanation, scaled, summed
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import explained_terms, focus_formulas
from porism.rank.ranker import Maker, Ranker
from porism.rank.structure.tangent_s import best_formulas
from porism.rank.systems.porism_answers import WORDS, WordsAndTuples
from porism.searchindex.components.feature_index import (
    FeatureIndex,
    FeaturePart,
    FeatureSpec,
    Mask,
    ScoredRows,
    best_rows,
    posting_spans,
)
from porism.searchindex.index_folder import SearchIndex
from porism.structure.operator_rows import OperatorRow, operator_row, path_names
from porism.structure.packed_features import PackedFeatures
from porism.structure.sector_match import BestMatch, MatchScale, best_match, match_scale
from porism.structure.sector_query import (
    BOUND,
    FIRST_PATH,
    WEIGHT,
    WEIGHT_SCALE,
    SectorQuery,
    sector_query,
)
from porism.structure.sector_search import SectorPart, SectorSearch
from porism.text import PLAIN

SECTORS = FeatureSpec(PackedFeatures.SECTORS)

DEPTH = 1_000
"""Formulas that count for each formula of a topic that has several."""


@dataclass(frozen=True, slots=True)
class StructureScore:
    """The constants of the score of a formula, see ``structure.sector_match``."""

    other_symbol: float = 0.2
    other_operators: float = 0.3
    eta: float = 0.3

    def scale(self) -> MatchScale:
        """Return the constants for compiled loops."""
        return match_scale(self.other_symbol, self.other_operators, self.eta)


def query_row(formula: Formula) -> OperatorRow:
    """Return the operators and leaves of a query formula; none if the parser refused it."""
    return operator_row(operator_tree(query_layout(formula.latex, formula.macros).tree))


def feature_query(features: FeatureIndex, row: OperatorRow) -> SectorQuery:
    """Return a query formula with the weights that its paths have in an index."""
    total = sum(len(part.rows) for part in features.parts)
    return sector_query(row, features.frequencies, total)


def sector_part(part: FeaturePart) -> SectorPart:
    """Return the arrays of a part that are searched."""
    return SectorPart(part.rows, part.payloads, part.values, part.words, part.word_starts)


class SectorRanking:
    """Searches the parts of a feature index one after another, for any number of formulas.

    With ``total``, the number of formulas, the score to reach is guessed; ``guess`` is the highest.
    """

    def __init__(self, query: SectorQuery, scale: MatchScale, total: int = 0) -> None:
        self._query, self._scale, self._total = query, scale, total
        self._searches: dict[int, SectorSearch] = {}

    @property
    def guess(self) -> float:
        """The score that all formulas found have to reach for the search to be complete."""
        return max((search.guess for search in self._searches.values()), default=0.0)

    def __call__(self, part: FeaturePart, allowed: Mask, k: int) -> ScoredRows:
        """Return the best rows of a part."""
        if k not in self._searches:
            self._searches[k] = SectorSearch(self._query, self._scale, k, self._total)
        search = self._searches[k]
        spans = posting_spans(part, self._query.keys)
        rows, scores = search.best(sector_part(part), *spans, allowed)
        return best_rows(scores, rows, k)


def best_structures(
    features: FeatureIndex,
    query: SectorQuery,
    scale: MatchScale,
    k: int,
    index: Index,
    within: Filter | None,
) -> list[tuple[float, DocId]]:
    """Return exactly the best ``k`` formulas for a query, first by a guess of the least score."""
    ranking = SectorRanking(query, scale, features.documents)
    found = features.best(k, index, within, ranking)
    if ranking.guess and (len(found) < k or found[k - 1][0] < ranking.guess):
        return features.best(k, index, within, SectorRanking(query, scale))
    return found


@dataclass(frozen=True, slots=True)
class FormulaStructures:
    """Visually distinct formulas by the best common subtree with a formula of a topic.

    Of a topic with several formulas, such as a typed one, the scores for each are added.
    """

    search_index: SearchIndex = field(repr=False)
    score: StructureScore = StructureScore()

    @property
    def features(self) -> FeatureIndex:
        """The sectors of all formulas."""
        return self.search_index.features(PackedFeatures.SECTORS)

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        formulas = focus_formulas(topic)
        depth = k if len(formulas) == 1 else max(k, DEPTH)
        scores: dict[DocId, float] = {}
        for formula in formulas:
            for score, visual_id in self.best(formula, depth, within):
                scores[visual_id] = scores.get(visual_id, 0.0) + score
        return ranked(map(Hit, scores, scores.values()))[:k]

    def best(
        self, formula: Formula, k: int, within: Filter | None = None
    ) -> list[tuple[float, DocId]]:
        """Return the best ``k`` formulas for a formula, with their scores."""
        deadlines.check()
        query = feature_query(self.features, query_row(formula))
        return best_structures(
            self.features, query, self.score.scale(), k, self.search_index.formulas, within
        )

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        is_allowed = self.search_index.formulas.allowed(doc_ids, within).tolist()
        by_formula = [self.explain_formula(formula, doc_ids) for formula in focus_formulas(topic)]
        explanations: list[Explanation] = []
        for *parts, passes in zip(*by_formula, is_allowed, strict=True):
            found = [part for part in parts if part is not None] if passes else []
            if len(found) == 1 and len(parts) == 1:
                explanations.append(found[0])
            else:
                explanations.append(summed("formulas of the topic", found) if found else NOT_FOUND)
        return explanations

    def explain_formula(
        self, formula: Formula, visual_ids: Sequence[DocId]
    ) -> list[Explanation | None]:
        """Explain the score of each formula for one formula; None if it has none."""
        operators = operator_tree(query_layout(formula.latex, formula.macros).tree)
        row, names = operator_row(operators), path_names(operators)
        query = feature_query(self.features, row)
        explanations: list[Explanation | None] = []
        for other in self._rows(visual_ids):
            deadlines.check()
            match = best_match(row, query, other, self.score.scale()) if other else None
            explanations.append(match and _explained(query, match, names))
        return explanations

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for formula in focus_formulas(topic):
            layout = query_layout(formula.latex, formula.macros).tree
            names.update(dict.fromkeys(path_names(operator_tree(layout)).values()))
        # Wildcards have no postings, so a query of them alone has no terms, which is reported.
        return tuple(name for name in names if not name.startswith(f"/{WILDCARD}"))

    def _rows(self, visual_ids: Sequence[str]) -> list[OperatorRow | None]:
        """Return the stored rows of formulas; None for one that the index does not have."""
        features = self.features
        rows: list[OperatorRow | None] = []
        for number, row in zip(*map(np.ndarray.tolist, features.rows_of(visual_ids)), strict=True):
            if number < 0:
                rows.append(None)
                continue
            part = features.parts[number]
            words = part.words[part.word_starts[row] : part.word_starts[row + 1]].tolist()
            operators = int(part.values[row, 1])
            rows.append(OperatorRow(words[:operators], words[operators:]))
        return rows


def _explained(query: SectorQuery, match: BestMatch, names: Mapping[int, str]) -> Explanation:
    """Explain a score: the weights of shared paths, times the factors for symbols and size."""
    first = int(query.nodes[match.node, FIRST_PATH])
    paths = [
        Explanation(
            f"{names[int(query.keys[first + number])]} (×{width})",
            width * int(query.paths[first + number, WEIGHT]) / WEIGHT_SCALE,
        )
        for number, width in enumerate(match.widths)
        if width
    ]
    structure = summed("structure", paths)
    symbols = match.score / structure.value / match.size_factor
    label = (
        f"common subtree, structure {structure.value:.4f} × symbols {symbols:.4f} × size "
        f"{match.size_factor:.4f}"
    )
    return scaled(structure, match.score / structure.value, label)


THREAD_FORMULAS = FieldSpec("thread-formulas", formula_tokens=(FormulaTokens.VISUAL,))
"""The formulas of questions with answers, by visual id."""


class SharedFormula(NamedTuple):
    """A formula of a topic, the most that a formula can score for it, and its share."""

    formula: Formula
    bound: float
    share: float


class _BestFormulas(NamedTuple):
    """The best formulas for a formula of a topic, and their scores."""

    query: SharedFormula
    visual_ids: list[DocId]
    scores: list[float]


@dataclass(frozen=True, slots=True)
class StructureAnswers:
    """Answers by their words, and by their best formula for each of the topic's formulas.

    The score is that of the words, divided by the highest of the topic, plus ``formulas`` times the
    sum over the topic's formulas of their share times the score of the document's best formula,
    divided by the most that one could have. Only the best ``depth`` formulas count.

    The lab's queries were made by hand, of a few keywords and at most two formulas. Here all words
    count, and of the formulas the ``count`` with the most to find, those of the title ``title``
    times; a formula's share grows as the square root of what there is to find. Approach0 gives
    nearly all weight to the largest formula and lets the others break ties; with queries that were
    not made by hand this loses a tenth of MAP.
    """

    search_index: SearchIndex = field(repr=False)
    structures: FormulaStructures
    formulas: float = 2.0
    count: int = 5
    title: float = 2.0
    depth: int = DEPTH

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        answers, clauses = self.search_index.answers, self._words(topic)
        by_words = answers.search(clauses, max(k, self.depth), within)
        found = self._found(topic)
        candidates = dict.fromkeys(hit.doc_id for hit in by_words)
        for each in found:
            candidates |= dict.fromkeys(self._documents(each, self.depth, within))
        ids = list(candidates)
        scores = answers.scores(clauses, ids) / _best_score(by_words)
        for each in found:
            scores += np.array(self._values(each, ids))
        return ranked(map(Hit, ids, scores.tolist()))[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        answers, clauses = self.search_index.answers, self._words(topic)
        best = _best_score(answers.search(clauses, 1, within))
        found = self._found(topic)
        values = [self._values(each, doc_ids) for each in found]
        is_allowed = answers.allowed(doc_ids, within).tolist()
        explanations: list[Explanation] = []
        for place, doc_id in enumerate(doc_ids):
            words = explained_terms(answers.explain(clauses, doc_id))
            label = f"words, {words.value:.4f} divided by the best, {best:.4f}"
            formulas = [
                Explanation(
                    f"best formula for {plain_text((each.query.formula,))}, "
                    f"share {each.query.share:.4f} × {self.formulas:g}",
                    own[place],
                )
                for each, own in zip(found, values, strict=True)
                if own[place]
            ]
            parts = (scaled(words, 1 / best, label), *formulas)
            total = summed("words and formulas", parts)
            explanations.append(total if total.value and is_allowed[place] else NOT_FOUND)
        return explanations

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        words = [term.token for clause in self._words(topic) for term in clause.terms]
        queries = (Topic(topic.id, focus=each.formula) for each in self.query(topic))
        paths = (name for query in queries for name in self.structures.tokens(query))
        return tuple(dict.fromkeys((*words, *paths)))

    def query(self, topic: Topic) -> list[SharedFormula]:
        """Return the formulas of a topic that are searched for, those with most to find first."""
        query = keyword_query(topic, None, PLAIN)
        distinct = {each.latex: each for each in (*query.title.formulas, *query.body.formulas)}
        titles = {formula.latex for formula in query.title.formulas}
        bounds: dict[str, float] = {}
        for latex, formula in distinct.items():
            deadlines.check()
            bounds[latex] = most_possible(
                feature_query(self.structures.features, query_row(formula))
            )
        weights = {latex: self.title if latex in titles else 1.0 for latex in distinct}
        chosen = [latex for latex in distinct if bounds[latex]]
        chosen.sort(key=lambda latex: -weights[latex] * bounds[latex])
        worths = {latex: weights[latex] * sqrt(bounds[latex]) for latex in chosen[: self.count]}
        return [
            SharedFormula(distinct[latex], bounds[latex], worth / sum(worths.values()))
            for latex, worth in worths.items()
        ]

    def _words(self, topic: Topic) -> tuple[Clause, ...]:
        return WordsAndTuples(0.0, self.title)(topic)[:1]

    def _found(self, topic: Topic) -> list[_BestFormulas]:
        found: list[_BestFormulas] = []
        for each in self.query(topic):
            best = self.structures.best(each.formula, self.depth)
            found.append(
                _BestFormulas(each, [name for _, name in best], [score for score, _ in best])
            )
        return found

    def _documents(self, found: _BestFormulas, k: int, within: Filter | None) -> dict[DocId, int]:
        """Return ``k`` documents with the best of the formulas, by its place among them."""
        answers = self.search_index.answers
        return best_formulas(answers, THREAD_FORMULAS.name, found.visual_ids, k, within)

    def _values(self, found: _BestFormulas, doc_ids: Sequence[DocId]) -> list[float]:
        """Return what the best formula of each document adds to its score."""
        best = self._documents(found, len(doc_ids), Filter(documents=frozenset(doc_ids)))
        weight = self.formulas * found.query.share / found.query.bound
        return [weight * found.scores[best[each]] if each in best else 0.0 for each in doc_ids]


def _best_score(ranking: Ranking) -> float:
    return ranking[0].score if ranking else 1.0


def most_possible(query: SectorQuery) -> float:
    """Return the structure score of a formula that has all of a query; 0 of an empty one."""
    return float(query.nodes[0, BOUND]) / WEIGHT_SCALE


def approach0_formulas(search_index: SearchIndex) -> Ranker:
    """Approach0 over visually distinct formulas, each at its first occurrence."""
    return FirstOccurrences(search_index, FormulaStructures(search_index))


APPROACH0_FORMULAS = Maker(approach0_formulas, (SECTORS,))


def approach0_answers(search_index: SearchIndex) -> Ranker:
    """Words of the topic, and structure search for its formulas."""
    return StructureAnswers(search_index, FormulaStructures(search_index))


APPROACH0 = Maker(approach0_answers, (SECTORS, WORDS, THREAD_FORMULAS))
