"""MIaS (MIRMU 2020): formulas by all their subformulas, as written and unified, with words.

A document has a term for each subformula (``formula.features.subformulas``), which MIaS weights by
its depth and by what is unified in it. A query formula is not split: it matches where it is a whole
subformula. Depth and unification are parts of our tokens, so a query asks for its formula at every
depth, each with the weight of MIaS:

    0.55 to the power of the depth, times 0.8 if variables are unified, 0.7 if constants are,
    0.75 if operators are

What the papers leave open, and how it is here:

- Scores are TF-IDF as Terrier computes it, as in the lab's baselines. A subformula has one idf for
  all depths. MIaS divides weights by the size of the formula; here the length of the document does
  that.
- Where alpha-equivalence is broken, MIaS subtracts a little more; here such formulas do not match.
- MIaS also searches with parts of a topic, leaving out one term after another from the right, and
  interleaves the results. Our query is a disjunction, where what has more terms ranks higher, so
  one search is enough.
- Words are the keywords of a topic, in questions and answers, as in ``l8``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from porism.analysis import (
    ALL_PARTS,
    FieldSpec,
    FormulaTokens,
    Unit,
    keyword_query,
)
from porism.formula.features.subformulas import MAX_SUBFORMULA_DEPTH
from porism.inverted import TF_IDF, Clause, Index
from porism.model import Formula, Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import (
    IndexRanker,
    focus_formulas,
    formula_tokens,
    terms_without_idf,
    weighted_terms,
)
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems.porism_answers import WORDS
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

SUBFORMULAS = FieldSpec("subformulas", ALL_PARTS, formula_tokens=(FormulaTokens.SUBFORMULAS,))
"""The subformulas of questions with answers."""

SUBFORMULAS_OF_FORMULAS = FieldSpec(
    SUBFORMULAS.name, formula_tokens=SUBFORMULAS.formula_tokens, unit=Unit.FORMULAS
)

WHOLE = "~0"
"""How the tokens of a whole formula begin."""


@dataclass(frozen=True, slots=True)
class SubformulaWeights:
    """The weight of a term by its depth and by what is unified (``v``, ``c``, ``o``)."""

    level: float = 0.55
    variables: float = 0.8
    constants: float = 0.7
    operators: float = 0.75

    def weight(self, depth: int, unified: str) -> float:
        factors = {"v": self.variables, "c": self.constants, "o": self.operators}
        weight = self.level**depth
        for letter in unified:
            weight *= factors[letter]
        return weight


@dataclass(frozen=True, slots=True)
class WholeFormulas:
    """Query formulas as they may occur in an index: at each depth, as written and unified."""

    index: Index = field(repr=False)
    weights: SubformulaWeights = SubformulaWeights()

    def clause(self, formulas: Iterable[Formula]) -> Clause:
        """Return the terms of formulas; a formula that occurs twice counts twice."""
        return self.token_clause(formula_tokens(formulas, FormulaTokens.SUBFORMULAS))

    def token_clause(self, tokens: Iterable[str]) -> Clause:
        """Return the terms of formulas that have these tokens."""
        weights: dict[str, float] = defaultdict(float)
        for token in tokens:
            if token.startswith(WHOLE):
                unified, _, text = token[len(WHOLE) :].partition(":")
                self._add_depths(unified, text, weights)
        terms = terms_without_idf(self.index, SUBFORMULAS.name, weights, TF_IDF.idf)
        return Clause(SUBFORMULAS.name, terms, TF_IDF)

    def _add_depths(self, unified: str, text: str, weights: dict[str, float]) -> None:
        """Add the weight of a term at each depth, all with the idf of the term at any depth."""
        tokens = [f"~{depth}{unified}:{text}" for depth in range(MAX_SUBFORMULA_DEPTH + 1)]
        having = int(self.index.frequencies(SUBFORMULAS.name, tokens).sum())
        if having:
            idf = TF_IDF.idf(self.index.documents, min(having, self.index.documents))
            for depth, token in enumerate(tokens):
                weights[token] += idf * self.weights.weight(depth, unified)


@dataclass(frozen=True, slots=True)
class MiasAnswers:
    """The keywords and formulas of a topic."""

    keywords: frozenset[str] = field(repr=False)
    whole_formulas: WholeFormulas

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, self.keywords, PLAIN)
        words = Clause(WORDS.name, weighted_terms(query.words), TF_IDF)
        return (words, self.whole_formulas.clause(query.formulas))


@dataclass(frozen=True, slots=True)
class MiasFormulas:
    """The formula that a topic is about."""

    whole_formulas: WholeFormulas

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        return (self.whole_formulas.clause(focus_formulas(topic)),)


def mias(search_index: SearchIndex) -> Ranker:
    """MIaS: keywords, and the formulas of a topic among all subformulas of answers, by TF-IDF."""
    index = search_index.answers
    return IndexRanker(index, MiasAnswers(search_index.keywords, WholeFormulas(index)))


MIAS = Maker(mias, (WORDS, SUBFORMULAS))


def mias_formulas(search_index: SearchIndex) -> Ranker:
    """MIaS: formulas that have the topic's formula as a part, up to unification."""
    index = search_index.formulas
    return FirstOccurrences(search_index, IndexRanker(index, MiasFormulas(WholeFormulas(index))))


MIAS_FORMULAS = Maker(mias_formulas, (SUBFORMULAS_OF_FORMULAS,))
