"""The names of all systems, and what each needs of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from porism.analysis import Recipe
from porism.errors import PorismError, UnknownName
from porism.indexing.building import Plan
from porism.indexing.library import Library
from porism.rank import baselines, formula_systems, holistic, l8, linked, near, tangent_l
from porism.rank.ranker import Ranker

Make = Callable[[Library], Ranker]


@dataclass(frozen=True, slots=True)
class Searcher:
    """How a system is made for one task, and the fields of an index that it asks."""

    make: Make
    fields: tuple[Recipe, ...] = ()
    other_fields: tuple[Recipe, ...] = ()
    """Fields of the index of the other task: a system may look at formulas to rank answers."""


@dataclass(frozen=True, slots=True)
class System:
    """A retrieval system, for one task or both."""

    what: str
    answers: Searcher | None = None
    formulas: Searcher | None = None

    def searcher(self, task: int) -> Searcher | None:
        """How it does a task: 1 answers, 2 formulas."""
        return self.answers if task == 1 else self.formulas

    @property
    def plan(self) -> Plan:
        """The fields that it needs for all it can do."""
        answers: list[Recipe] = []
        formulas: list[Recipe] = []
        if self.answers is not None:
            answers += self.answers.fields
            formulas += self.answers.other_fields
        if self.formulas is not None:
            formulas += self.formulas.fields
            answers += self.formulas.other_fields
        return Plan(tuple(dict.fromkeys(answers)), tuple(dict.fromkeys(formulas)))


SYSTEMS: dict[str, System] = {
    "tfidf": System(
        "Terrier's TF-IDF over answers with raw LaTeX, the lab's first baseline",
        Searcher(baselines.tfidf, (baselines.RAW,)),
        Searcher(baselines.tfidf_formulas, (baselines.RAW_FORMULAS,)),
    ),
    "tfidf-words": System(
        "the same with each sign of the LaTeX as a word, ARQMath-3's PyTerrier baseline",
        Searcher(baselines.tfidf_words, (baselines.SPELLED,)),
        Searcher(baselines.tfidf_words_formulas, (baselines.SPELLED_FORMULAS,)),
    ),
    "bm25": System(
        "BM25 over questions with answers, text and LaTeX strings",
        Searcher(baselines.bm25, (baselines.STRINGS,)),
        Searcher(baselines.bm25_formulas, (baselines.STRINGS_FORMULAS,)),
    ),
    "linked": System(
        "answers of duplicates of the question by votes: an oracle, needs --duplicates",
        Searcher(linked.linked),
    ),
    "tangent-l-2020": System(
        "MathDowsers 2020: basic tokens of layout trees, BM25+, alpha 0.5, no re-ranking",
        Searcher(tangent_l.tangent_l_2020, (tangent_l.BASIC,)),
        Searcher(tangent_l.tangent_l_2020_formulas, (tangent_l.BASIC_FORMULAS,)),
    ),
    "tangent-l": System(
        "MathDowsers 2021 (duplicateTerms): repetition tokens, commutativity, BM25+",
        Searcher(tangent_l.tangent_l, (tangent_l.FULL,)),
        Searcher(tangent_l.tangent_l_formulas, (tangent_l.FULL_FORMULAS,)),
    ),
    "tangent-l-primary": System(
        "MathDowsers 2021 (primary): the same, each term of a topic counted once",
        Searcher(tangent_l.tangent_l_primary, (tangent_l.FULL,)),
    ),
    "tangent-l-proximity": System(
        "MathDowsers 2021 (proximityReRank): primary, re-ranked by normalised span",
        Searcher(near.tangent_l_proximity, (tangent_l.FULL,)),
    ),
    "tangent-l-holistic": System(
        "MathDowsers 2021 (holisticSearch): each formula one token, by 300 like it",
        Searcher(holistic.tangent_l_holistic, (holistic.HOLISTIC,), (tangent_l.FULL_FORMULAS,)),
    ),
    "l8": System(
        "MathDowsers 2022: L8 tuples and words by BM25, alpha 0.18; formulas 0.40",
        Searcher(l8.l8, (l8.L8,)),
        Searcher(l8.l8_formulas, (l8.L8_FORMULAS,)),
    ),
    "formula-base": System(
        "MathDowsers 2021 (formulaBase): like formulas, in the best posts of Task 1",
        formulas=Searcher(
            formula_systems.formula_base, (tangent_l.FULL_FORMULAS,), (tangent_l.FULL,)
        ),
    ),
    "doc-base": System(
        "MathDowsers 2021 (docBase): like formulas of the best answers of Task 1",
        formulas=Searcher(formula_systems.doc_base, (tangent_l.FULL_FORMULAS,), (tangent_l.FULL,)),
    ),
}
"""Every system by its name, baselines first."""

DEFAULT = "l8"

ANSWERS_TASK, FORMULAS_TASK = 1, 2


def system(name: str) -> System:
    """The system of that name; an unknown one is refused with names that are near."""
    if name not in SYSTEMS:
        near_names = get_close_matches(name, SYSTEMS, n=3, cutoff=0.5)
        told = f"did you mean {' or '.join(near_names)}?" if near_names else "see porism systems"
        raise UnknownName(f"there is no system {name!r}; {told}")
    return SYSTEMS[name]


def plan(names: Iterable[str]) -> Plan:
    """The fields that an index needs for systems."""
    plans = [system(name).plan for name in names]
    return Plan(
        tuple(dict.fromkeys(recipe for each in plans for recipe in each.answers)),
        tuple(dict.fromkeys(recipe for each in plans for recipe in each.formulas)),
    )


def ranker(name: str, task: int, library: Library) -> Ranker:
    """A system over an index, for Task 1 (answers) or 2 (formulas).

    A task that the system does not do, and fields that the index does not have, are refused.
    """
    chosen = system(name)
    searcher = chosen.searcher(task)
    if searcher is None:
        able = [each for each, other in SYSTEMS.items() if other.searcher(task) is not None]
        raise PorismError(f"{name} does not do Task {task}; these do: {', '.join(able)}")
    own, other = searcher.fields, searcher.other_fields
    missing = library.missing(own, other) if task == 1 else library.missing(other, own)
    if missing:
        raise PorismError(
            f"{library.folder} lacks what {name} needs ({', '.join(missing)}); make it again with "
            f"porism index {library.collection_path} -o {library.folder} --systems {name}"
        )
    return searcher.make(library)
