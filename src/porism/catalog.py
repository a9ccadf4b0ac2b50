"""The names of all systems, and what each needs of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from porism.errors import PorismError, UnknownName
from porism.model import ANSWERS_TASK as ANSWERS_TASK  # callers have the tasks from here
from porism.model import FORMULAS_TASK as FORMULAS_TASK
from porism.rank.ranker import Ranker
from porism.rank.systems import (
    baselines,
    holistic,
    l8,
    linked_answers,
    mathdowsers_formulas,
    porism_answers,
    porism_formulas,
    proximity_rerank,
    tangent_l,
)
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.index_folder import SearchIndex


@dataclass(frozen=True, slots=True)
class SystemMaker:
    """How a system is made for one task, and what it needs of an index."""

    make: Callable[[SearchIndex], Ranker]
    needs: tuple[ComponentSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """A retrieval system, for one task or both."""

    what: str
    answers: SystemMaker | None = None
    formulas: SystemMaker | None = None

    def maker(self, task: int) -> SystemMaker | None:
        """How it does a task: 1 answers, 2 formulas."""
        return self.answers if task == ANSWERS_TASK else self.formulas

    @property
    def needs(self) -> tuple[ComponentSpec, ...]:
        """What it needs for all that it can do."""
        return joined_specs(
            each.needs for each in (self.answers, self.formulas) if each is not None
        )


SYSTEMS: dict[str, System] = {
    "tfidf": System(
        "Terrier's TF-IDF over answers with raw LaTeX, the lab's first baseline",
        SystemMaker(baselines.tfidf, (baselines.RAW,)),
        SystemMaker(baselines.tfidf_formulas, (baselines.RAW_FORMULAS,)),
    ),
    "tfidf-words": System(
        "the same with each sign of the LaTeX as a word, ARQMath-3's PyTerrier baseline",
        SystemMaker(baselines.tfidf_words, (baselines.SPELLED,)),
        SystemMaker(baselines.tfidf_words_formulas, (baselines.SPELLED_FORMULAS,)),
    ),
    "bm25": System(
        "BM25 over questions with answers, text and LaTeX strings",
        SystemMaker(baselines.bm25, (baselines.STRINGS,)),
        SystemMaker(baselines.bm25_formulas, (baselines.STRINGS_FORMULAS,)),
    ),
    "linked": System(
        "answers of duplicates of the question by votes: an oracle, needs --duplicates",
        SystemMaker(linked_answers.linked_answers),
    ),
    "tangent-l-2020": System(
        "MathDowsers 2020: basic tokens of layout trees, BM25+, alpha 0.5, no re-ranking",
        SystemMaker(tangent_l.tangent_l_2020, (tangent_l.BASIC,)),
        SystemMaker(tangent_l.tangent_l_2020_formulas, (tangent_l.BASIC_FORMULAS,)),
    ),
    "tangent-l": System(
        "MathDowsers 2021 (duplicateTerms): repetition tokens, commutativity, BM25+",
        SystemMaker(tangent_l.tangent_l, (tangent_l.FULL,)),
        SystemMaker(tangent_l.tangent_l_formulas, (tangent_l.FULL_FORMULAS,)),
    ),
    "tangent-l-primary": System(
        "MathDowsers 2021 (primary): the same, each term of a topic counted once",
        SystemMaker(tangent_l.tangent_l_primary, (tangent_l.FULL,)),
    ),
    "tangent-l-proximity": System(
        "MathDowsers 2021 (proximityReRank): primary, re-ranked by normalised span",
        SystemMaker(proximity_rerank.tangent_l_proximity, (tangent_l.FULL,)),
    ),
    "tangent-l-holistic": System(
        "MathDowsers 2021 (holisticSearch): each formula one token, by 300 like it",
        SystemMaker(
            holistic.tangent_l_holistic,
            (holistic.HOLISTIC, tangent_l.FULL_FORMULAS),
        ),
    ),
    "l8": System(
        "MathDowsers 2022: L8 tuples and words by BM25, alpha 0.18; formulas 0.40",
        SystemMaker(l8.l8, (l8.L8,)),
        SystemMaker(l8.l8_formulas, (l8.L8_FORMULAS,)),
    ),
    "formula-base": System(
        "MathDowsers 2021 (formulaBase): like formulas, in the best posts of Task 1",
        formulas=SystemMaker(
            mathdowsers_formulas.formula_base,
            (tangent_l.FULL, tangent_l.FULL_FORMULAS),
        ),
    ),
    "doc-base": System(
        "MathDowsers 2021 (docBase): like formulas of the best answers of Task 1",
        formulas=SystemMaker(
            mathdowsers_formulas.doc_base, (tangent_l.FULL, tangent_l.FULL_FORMULAS)
        ),
    ),
    "porism": System(
        "words and tuples in fields of their own, formulas matched as a whole: the default",
        SystemMaker(porism_answers.porism, porism_answers.NEEDS),
        SystemMaker(porism_formulas.porism_formulas, porism_formulas.NEEDS),
    ),
}
"""Every system by its name, baselines first."""

DEFAULT = "porism"

PREFERRED = (DEFAULT, "l8", "tangent-l", "tangent-l-2020", "bm25", "tfidf", "tfidf-words")
"""Systems for a person who searches, best first."""


def system(name: str) -> System:
    """The system of that name; an unknown one is refused with names that are near."""
    if name not in SYSTEMS:
        near_names = get_close_matches(name, SYSTEMS, n=3, cutoff=0.5)
        told = f"did you mean {' or '.join(near_names)}?" if near_names else "see porism systems"
        raise UnknownName(f"there is no system {name!r}; {told}")
    return SYSTEMS[name]


def default_system_name(task: int, library: SearchIndex) -> str:
    """The system that ranks where none is asked for: the best that the index has fields for."""
    for name in PREFERRED:
        searcher = SYSTEMS[name].maker(task)
        if searcher is not None and not library.missing(searcher.needs):
            return name
    return DEFAULT


def index_plan(names: Iterable[str]) -> tuple[ComponentSpec, ...]:
    """What an index needs for systems."""
    return joined_specs(system(name).needs for name in names)


def ranker(name: str, task: int, library: SearchIndex) -> Ranker:
    """A system over an index, for Task 1 (answers) or 2 (formulas).

    A task that the system does not do, and fields that the index does not have, are refused.
    """
    chosen = system(name)
    searcher = chosen.maker(task)
    if searcher is None:
        able = [each for each, other in SYSTEMS.items() if other.maker(task) is not None]
        raise PorismError(f"{name} does not do Task {task}; these do: {', '.join(able)}")
    missing = library.missing(searcher.needs)
    if missing:
        raise PorismError(
            f"{library.folder} lacks what {name} needs ({', '.join(missing)}); make it again with "
            f"porism index {library.collection_path} -o {library.folder} --systems {name}"
        )
    return searcher.make(library)
