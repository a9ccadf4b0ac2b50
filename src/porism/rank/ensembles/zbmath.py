"""zbMATH 2020: words and formulas of a topic, with the concepts that its formulas express (S1).

The team linked the formulas of topics to concepts of Wikidata, by hand with their annotation tool,
and searched for these together with words; they answered 32 topics (nDCG' 0.042). Here a table of
the user's own links formulas and names to concepts (``formula_concepts``), so the run is automatic.
Without a table the system is refused: ``porism index --model concepts=TABLE`` names one.

What the paper leaves open: the query is that of ``l8``, whose field has words and tuples together.
A linked concept adds the words of its names and the tuples of its formulas, as far as the topic
lacks them, with half the weight of the topic's own terms, as is usual where a query is expanded; so
a topic without concepts is ranked as ``l8`` ranks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from porism.analysis import FormulaTokens
from porism.errors import PorismError
from porism.inverted import BM25, Clause, Filter, Index, Term, TermScore
from porism.model import DocId, Formula, Ranking, Topic
from porism.rank.ensembles.formula_concepts import ConceptTable, LinkedConcept, read_concepts
from porism.rank.explanations import Explanation, summed
from porism.rank.query_builder import explained_terms, formula_tokens
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems.l8 import L8, L8Answers
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole
from porism.text import PLAIN


@dataclass(frozen=True, slots=True)
class ConceptRanker:
    """The query of ``l8``, and the names and formulas of the concepts that a topic is about.

    ``weight`` is that of an added term, where a word of the topic has 1 - alpha, a tuple alpha.
    """

    index: Index = field(repr=False)
    query_builder: L8Answers
    table: ConceptTable
    weight: float = 0.5

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return self.index.search(self._clauses(topic), k, within)

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        clauses = self._clauses(topic)
        added = self._added(topic)
        return [self._explained(self.index.explain(clauses, doc_id), added) for doc_id in doc_ids]

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        clauses = self._clauses(topic)
        return tuple(dict.fromkeys(term.token for clause in clauses for term in clause.terms))

    def _clauses(self, topic: Topic) -> tuple[Clause, ...]:
        added = tuple(term for _, terms in self._added(topic) for term in terms)
        own = self.query_builder(topic)
        return (*own, Clause(L8.name, added, BM25)) if added else own

    def _added(self, topic: Topic) -> list[tuple[LinkedConcept, tuple[Term, ...]]]:
        """Return the terms that each concept adds, none of them twice."""
        known = {term.token for clause in self.query_builder(topic) for term in clause.terms}
        alpha = self.query_builder.alpha
        added: list[tuple[LinkedConcept, tuple[Term, ...]]] = []
        for link in self.table.linked(topic):
            formulas = [Formula("", latex) for latex in link.concept.formulas]
            weights = {
                **dict.fromkeys(
                    (word for name in link.concept.names for word in PLAIN(name)), 1 - alpha
                ),
                **dict.fromkeys(formula_tokens(formulas, FormulaTokens.L8_FOLDED), alpha),
            }
            terms = tuple(
                Term(token, self.weight * weight)
                for token, weight in weights.items()
                if token not in known
            )
            known.update(weights)
            added.append((link, terms))
        return added

    @staticmethod
    def _explained(
        parts: Sequence[TermScore], added: Sequence[tuple[LinkedConcept, tuple[Term, ...]]]
    ) -> Explanation:
        """Return the score by the terms of the topic and those of each concept."""
        concept_of = {term.token: place for place, (_, terms) in enumerate(added) for term in terms}
        own = [part for part in parts if part.token not in concept_of]
        details = [explained_terms(own)] if own else []
        for place, (link, _) in enumerate(added):
            if of_concept := [part for part in parts if concept_of.get(part.token) == place]:
                label = f"concept {link.concept.name}, by {link.evidence}"
                details.append(summed(label, explained_terms(of_concept).details))
        return details[0] if len(details) == 1 else summed("words, formulas and concepts", details)


def zbmath(search_index: SearchIndex) -> Ranker:
    """zbMATH 2020: words and formulas by ``l8``, expanded by concepts of the user's table."""
    path = search_index.model(ModelRole.CONCEPTS)
    if path is None:
        raise PorismError(
            "zbmath needs a table of formula concepts: porism index COLLECTION -o "
            f"{search_index.folder} --model {ModelRole.CONCEPTS}=TABLE names one"
        )
    query_builder = L8Answers(search_index.keywords)
    return ConceptRanker(search_index.answers, query_builder, read_concepts(Path(path)))


ZBMATH = Maker(zbmath, (L8,), models=(ModelRole.CONCEPTS,), requires_model=True)
