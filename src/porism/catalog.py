"""The retrieval systems by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from porism.answer import passage
from porism.answer.answerer import Answerer
from porism.embed import ModelIdentity
from porism.errors import PorismError, UnknownName
from porism.model import Task
from porism.rank.ranker import Maker, Ranker
from porism.rank.structure import (
    approach0,
    formula_graph,
    ltr,
    mias,
    nits,
    phoc,
    tangent_cft,
    tangent_s,
)
from porism.rank.structure.formula_vectors import formula_vector_obstacle
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
    vector_systems,
)
from porism.rank.vector_ranking import usable_vectors, vector_obstacle
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class System:
    """A system: how its rankers are made, by task, and its answerer for Task 3."""

    description: str
    makers: Mapping[Task, Maker[Ranker]]
    answerer: Maker[Answerer] | None = None

    def maker(self, task: Task) -> Maker[Ranker] | None:
        """How the ranker for a task is made; None if the system does not do it."""
        return self.makers.get(task)

    def needs_vectors(self, task: Task) -> bool:
        """Whether the system does a task with vectors only."""
        maker = self._any_maker(task)
        return maker is not None and any(isinstance(spec, VectorSpec) for spec in maker.needs)

    def gains_by_vectors(self, task: Task) -> bool:
        """Whether the system does a task without vectors, but better with them."""
        maker = self._any_maker(task)
        return maker is not None and maker.uses_vectors

    def _any_maker(self, task: Task) -> Maker[Ranker] | Maker[Answerer] | None:
        return self.answerer if task is Task.SHORT_ANSWERS else self.makers.get(task)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that the system does."""
        return (*self.makers, *((Task.SHORT_ANSWERS,) if self.answerer else ()))

    @property
    def needs(self) -> tuple[ComponentSpec, ...]:
        """What the system needs of an index for all its tasks."""
        answerer = () if self.answerer is None else self.answerer.needs
        return joined_specs([*(maker.needs for maker in self.makers.values()), answerer])


SYSTEMS: dict[str, System] = {
    "tfidf": System(
        "Terrier's TF-IDF over answers with raw LaTeX, the lab's first baseline",
        {Task.ANSWERS: baselines.TFIDF, Task.FORMULAS: baselines.TFIDF_FORMULAS},
    ),
    "tfidf-words": System(
        "the same with each sign of the LaTeX as a word, ARQMath-3's PyTerrier baseline",
        {Task.ANSWERS: baselines.TFIDF_WORDS, Task.FORMULAS: baselines.TFIDF_WORDS_FORMULAS},
    ),
    "bm25": System(
        "BM25 over questions with answers, text and LaTeX strings",
        {Task.ANSWERS: baselines.BM25_STRINGS, Task.FORMULAS: baselines.BM25_FORMULAS},
    ),
    "linked": System(
        "answers of duplicates of the question by votes: an oracle, needs --duplicates",
        {Task.ANSWERS: linked_answers.LINKED_ANSWERS},
    ),
    "tangent-l-2020": System(
        "MathDowsers 2020: basic tokens of layout trees, BM25+, alpha 0.5, no re-ranking",
        {
            Task.ANSWERS: tangent_l.TANGENT_L_2020,
            Task.FORMULAS: tangent_l.TANGENT_L_2020_FORMULAS,
        },
    ),
    "tangent-l": System(
        "MathDowsers 2021 (duplicateTerms): repetition tokens, commutativity, BM25+",
        {Task.ANSWERS: tangent_l.TANGENT_L, Task.FORMULAS: tangent_l.TANGENT_L_FORMULAS},
    ),
    "tangent-l-primary": System(
        "MathDowsers 2021 (primary): the same, each term of a topic counted once",
        {Task.ANSWERS: tangent_l.TANGENT_L_PRIMARY},
    ),
    "tangent-l-proximity": System(
        "MathDowsers 2021 (proximityReRank): primary, re-ranked by normalised span",
        {Task.ANSWERS: proximity_rerank.TANGENT_L_PROXIMITY},
    ),
    "tangent-l-holistic": System(
        "MathDowsers 2021 (holisticSearch): each formula one token, by 300 similar ones",
        {Task.ANSWERS: holistic.TANGENT_L_HOLISTIC},
    ),
    "l8": System(
        "MathDowsers 2022: L8 tuples and words by BM25, alpha 0.18; formulas 0.40",
        {Task.ANSWERS: l8.L8_ANSWERS, Task.FORMULAS: l8.L8_FORMULA_SEARCH},
    ),
    "formula-base": System(
        "MathDowsers 2021 (formulaBase): similar formulas, in the best posts of Task 1",
        {Task.FORMULAS: mathdowsers_formulas.FORMULA_BASE},
    ),
    "doc-base": System(
        "MathDowsers 2021 (docBase): similar formulas of the best answers of Task 1",
        {Task.FORMULAS: mathdowsers_formulas.DOC_BASE},
    ),
    "approach0": System(
        "Approach0: the best common subtree of operator trees, with wildcards",
        {Task.ANSWERS: approach0.APPROACH0, Task.FORMULAS: approach0.APPROACH0_FORMULAS},
    ),
    "tangent-s": System(
        "Tangent-S, the lab's baseline: symbol pairs of both trees, then their alignment",
        {Task.ANSWERS: tangent_s.TANGENT_S, Task.FORMULAS: tangent_s.TANGENT_S_FORMULAS},
    ),
    "tfidf-tangent-s": System(
        "tfidf and tangent-s, scaled from 0 to 1 and averaged, the lab's third baseline",
        {Task.ANSWERS: tangent_s.TFIDF_TANGENT_S},
    ),
    "ltr": System(
        "DPRL's learning to rank: tangent-s, re-ranked by weighted structural features",
        {Task.FORMULAS: ltr.LTR},
    ),
    "tangent-cft": System(
        "DPRL 2020 (TangentCFT): embedded tuples of both trees; needs porism train cft",
        {Task.FORMULAS: tangent_cft.TANGENT_CFT},
    ),
    "tangent-cft-ted": System(
        "DPRL 2020 (TangentCFTED): its first 1,000 by weighted tree edit distance",
        {Task.FORMULAS: tangent_cft.TANGENT_CFT_TED},
    ),
    "formula-graph": System(
        "graph vectors and symbols, fused, the first 300 by structure (recipe of 2026)",
        {Task.FORMULAS: formula_graph.FORMULA_GRAPH},
    ),
    "xy-phoc": System(
        "XY-PHOC 2022 (xy7o4): where symbols are printed, strips and ovals of a pyramid, by cosine",
        {Task.FORMULAS: phoc.XY_PHOC},
    ),
    "xy-phoc-xy5": System(
        "XY-PHOC 2022 (xy5): the same with strips of five levels",
        {Task.FORMULAS: phoc.XY_PHOC_XY5},
    ),
    "mias": System(
        "MIaS 2020: formulas among all subformulas, as written and unified, and words, by TF-IDF",
        {Task.ANSWERS: mias.MIAS, Task.FORMULAS: mias.MIAS_FORMULAS},
    ),
    "nits-bits": System(
        "NLP_NITS 2020: the share of symbols at the same positions",
        {Task.FORMULAS: nits.NITS_BITS},
    ),
    "nits-embedding": System(
        "JU_NITS 2022: embedded sequences of LaTeX and tree strings; needs porism train nits",
        {Task.FORMULAS: tangent_cft.NITS_EMBEDDING},
    ),
    "minilm": System(
        "MiniLM sentence vectors: cosines with questions and with answers, in equal parts",
        {Task.ANSWERS: vector_systems.MINILM},
    ),
    "minilm-questions": System(
        "the same with questions alone", {Task.ANSWERS: vector_systems.MINILM_QUESTIONS}
    ),
    "minilm-answers": System(
        "the same with answers alone", {Task.ANSWERS: vector_systems.MINILM_ANSWERS}
    ),
    "minilm-maxsim": System(
        "minilm, the first 1,000 re-ranked token by token (late interaction); slow",
        {Task.ANSWERS: vector_systems.MINILM_MAXSIM},
    ),
    "hybrid": System(
        "l8 and minilm, scaled from 0 to 1 and mixed 0.3 : 0.7",
        {Task.ANSWERS: vector_systems.HYBRID},
    ),
    "porism": System(
        "words, formulas and sentence vectors with learned weights: the default",
        {Task.ANSWERS: porism_answers.ANSWERS, Task.FORMULAS: porism_formulas.FORMULAS},
    ),
    "passage": System(
        "short answers: the passage of the best answer that matches the question best",
        {},
        passage.BEST_PASSAGE,
    ),
}
"""Every system by its name, baselines first."""

DEFAULT = "porism"

LARGE_COLLECTION = 50_000
"""Answers and notes of a collection that is indexed for ``LARGE_SYSTEMS`` only by default."""

LARGE_SYSTEMS = (DEFAULT, "l8")

PREFERRED = (DEFAULT, "l8", "tangent-l", "tangent-l-2020", "bm25", "tfidf", "tfidf-words")
"""Systems to search with if none is named, best first."""


def system(name: str) -> System:
    """Return the system of that name; an unknown one is refused with names that are close."""
    if name not in SYSTEMS:
        close = get_close_matches(name, SYSTEMS, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "see porism systems"
        raise UnknownName(f"there is no system {name!r}; {hint}")
    return SYSTEMS[name]


def default_system_name(task: Task, search_index: SearchIndex) -> str:
    """Return the best system that the index has everything for."""
    for name in PREFERRED:
        maker = SYSTEMS[name].maker(task)
        if maker is not None and not search_index.missing(maker.needs):
            return name
    return DEFAULT


def default_ranker(
    task: Task, search_index: SearchIndex, name: str | None = None
) -> tuple[str, Ranker]:
    """Return the named system, or the best one for this index, with its name."""
    chosen = name or default_system_name(task, search_index)
    return chosen, ranker(chosen, task, search_index)


def default_systems(answers: int) -> tuple[str, ...]:
    """Return the systems that a collection of so many answers and notes is indexed for."""
    return tuple(SYSTEMS) if answers <= LARGE_COLLECTION else LARGE_SYSTEMS


def index_plan(names: Iterable[str]) -> tuple[ComponentSpec, ...]:
    """Return what an index needs for systems."""
    return joined_specs(system(name).needs for name in names)


def searchable_systems(names: Iterable[str], search_index: SearchIndex) -> tuple[str, ...]:
    """Return those of these systems for which an index has everything."""
    return tuple(name for name in names if not search_index.missing(system(name).needs))


def training_notes(names: Iterable[str], search_index: SearchIndex) -> tuple[str, ...]:
    """Return which of these systems need a model that the index lacks, and how it gets one."""
    waiting: dict[str, list[str]] = {}
    for name in names:
        for spec in system(name).needs:
            if isinstance(spec, FormulaVectorSpec) and search_index.missing([spec]):
                waiting.setdefault(spec.embedding, []).append(name)
    return tuple(
        f"for {' and '.join(systems)}, run porism train {embedding} {search_index.folder}"
        for embedding, systems in waiting.items()
    )


def uses_vectors(names: Iterable[str]) -> bool:
    """Whether any of these systems needs vectors, or ranks better with them."""
    return any(_uses_vectors(name, task) for name in names for task in system(name).tasks)


def _uses_vectors(name: str, task: Task) -> bool:
    return system(name).needs_vectors(task) or system(name).gains_by_vectors(task)


def vector_model(name: str, task: Task, search_index: SearchIndex) -> ModelIdentity | None:
    """Return the model by whose vectors a system ranks on an index; None if it uses none."""
    vectors = usable_vectors(search_index) if _uses_vectors(name, task) else None
    return None if vectors is None else vectors.identity


def ranker(name: str, task: Task, search_index: SearchIndex) -> Ranker:
    """Return a system over an index, for one task.

    A task that the system does not do, and an index that lacks what it needs, are refused.
    """
    return _made(name, task, system(name).maker(task), search_index)


def ranking_notes(name: str, task: Task, search_index: SearchIndex) -> tuple[str, ...]:
    """Return what a system lacks on an index to rank as well as it can."""
    if not system(name).gains_by_vectors(task):
        return ()
    obstacle = vector_obstacle(search_index)
    return () if obstacle is None else (f"{name} ranks without vectors: {obstacle}",)


def answerer(name: str, search_index: SearchIndex) -> Answerer:
    """Return a system over an index for Task 3, or refuse it as ``ranker`` does."""
    return _made(name, Task.SHORT_ANSWERS, system(name).answerer, search_index)


def _made(name: str, task: Task, maker: Maker[Made] | None, search_index: SearchIndex) -> Made:
    if maker is None:
        able = ", ".join(each for each, other in SYSTEMS.items() if task in other.tasks)
        raise PorismError(f"{name} does not do Task {task}; these do: {able}")
    missing = search_index.missing(maker.needs)
    if missing:
        _refuse_untrained(maker.needs, search_index)
        vectors = " --vectors" if system(name).needs_vectors(task) else ""
        raise PorismError(
            f"{search_index.folder} lacks what {name} needs ({', '.join(missing)}); make it again "
            f"with porism index {search_index.collection_path} -o {search_index.folder} "
            f"--systems {name}{vectors}"
        )
    return maker.make(search_index)


def _refuse_untrained(needs: Iterable[ComponentSpec], search_index: SearchIndex) -> None:
    """Raise if an index lacks nothing but models, which are trained and not built."""
    trained = [spec for spec in needs if isinstance(spec, FormulaVectorSpec)]
    if not search_index.missing([spec for spec in needs if spec not in trained]):
        obstacles = (formula_vector_obstacle(search_index, spec.embedding) for spec in trained)
        raise PorismError("; ".join(filter(None, obstacles)))
