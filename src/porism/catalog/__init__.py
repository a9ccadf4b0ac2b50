"""The retrieval systems by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TypeVar

from porism.answer.answerer import Answerer, AnswerTools
from porism.catalog.default import DEFAULT as DEFAULT
from porism.catalog.default import PORISM
from porism.catalog.system import Family as Family
from porism.catalog.system import RequirementKind as RequirementKind
from porism.catalog.system import Source as Source
from porism.catalog.system import System as System
from porism.embed import ModelIdentity
from porism.errors import PorismError, UnknownName
from porism.model import Task
from porism.rank.ranker import Maker, Ranker
from porism.rank.structure.formula_vectors import formula_vector_obstacle
from porism.rank.typed.typed_search import TypedSearch
from porism.rank.vector_ranking import usable_vectors, vector_obstacle
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole, VectorRole

Made = TypeVar("Made")


class _Systems(Mapping[str, System]):
    """All systems by name; those besides the default are imported when one is looked up."""

    def __getitem__(self, name: str) -> System:
        return PORISM if name == DEFAULT else self._every()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every())

    def __len__(self) -> int:
        return len(self._every())

    def _every(self) -> Mapping[str, System]:
        from porism.catalog.families import EVERY_SYSTEM

        return EVERY_SYSTEM


SYSTEMS = _Systems()
"""Every system by its name, family by family, baselines first."""

DEFAULT_ANSWERER = "extract"

NO_TOOLS = AnswerTools()

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


def typed_search(
    task: Task, search_index: SearchIndex, name: str | None = None
) -> tuple[str, Ranker]:
    """Return the ranker for what people type, with the name of its system.

    A named system ranks as it does in a run. If none is named and the best one is ``porism``,
    typed queries have a ranker of their own, which begins with that.
    """
    chosen = name or default_system_name(task, search_index)
    if name is None and chosen == DEFAULT and task is Task.ANSWERS:
        return chosen, TypedSearch(search_index)
    return chosen, ranker(chosen, task, search_index)


def default_systems(answers: int, roles: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the systems that a collection of so many answers and notes is indexed for.

    ``roles`` are those that the index has models or further vectors for.
    """
    if answers > LARGE_COLLECTION:
        return LARGE_SYSTEMS
    given = frozenset(roles)
    return tuple(name for name, each in SYSTEMS.items() if each.requested_roles <= given)


def index_plan(names: Iterable[str]) -> tuple[ComponentSpec, ...]:
    """Return what an index needs for systems."""
    return joined_specs(system(name).indexed_for for name in names)


def searchable_systems(names: Iterable[str], search_index: SearchIndex) -> tuple[str, ...]:
    """Return those of these systems for which an index has everything."""
    return tuple(name for name in names if _is_searchable(system(name), search_index))


def _is_searchable(chosen: System, search_index: SearchIndex) -> bool:
    required = filter(None, map(chosen.required_model, chosen.tasks))
    return not search_index.missing(chosen.needs) and all(map(search_index.model, required))


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
    return any(_vector_roles(name, task) for name in names for task in system(name).tasks)


def _vector_roles(name: str, task: Task) -> tuple[VectorRole, ...]:
    """Return the roles of the vectors that a system uses for a task."""
    chosen = system(name)
    if chosen.gains_by_vectors(task):
        return (VectorRole.TEXTS,)
    return chosen.vector_roles(task)


def vector_model(name: str, task: Task, search_index: SearchIndex) -> ModelIdentity | None:
    """Return the model by whose vectors a system ranks on an index; None if it uses none."""
    for role in _vector_roles(name, task):
        vectors = usable_vectors(search_index, role)
        if vectors is not None:
            return vectors.identity
    return None


def models_used(name: str, task: Task, search_index: SearchIndex) -> dict[str, str]:
    """Return the models besides that of vectors by which a system ranks on an index, by role."""
    roles = system(name).models(task)
    return {role: model for role in roles if (model := search_index.model(role)) is not None}


def ranker(name: str, task: Task, search_index: SearchIndex) -> Ranker:
    """Return a system over an index, for one task.

    A task that the system does not do, and an index that lacks what it needs, are refused.
    """
    return _made(name, task, system(name).maker(task), search_index)


def ranking_notes(name: str, task: Task, search_index: SearchIndex) -> tuple[str, ...]:
    """Return what a system lacks on an index to rank as well as it can."""
    notes = [
        f"{name} ranks without a model of the role {role}: {_how_to_get(role, search_index)}"
        for role in system(name).models(task)
        if search_index.model(role) is None
    ]
    notes += system(name).notes(task, search_index)
    obstacle = vector_obstacle(search_index) if system(name).gains_by_vectors(task) else None
    if obstacle is not None:
        notes.append(f"{name} ranks without vectors: {obstacle}")
    return tuple(notes)


def _how_to_get(role: ModelRole | VectorRole, search_index: SearchIndex) -> str:
    """Return the commands by which an index gets a model."""
    collection, folder = search_index.collection_path, search_index.folder
    kind = _TRAINED.get(role)
    train = "" if kind is None else f"porism train {kind} {collection} -o MODEL, then "
    return f"{train}porism index {collection} -o {folder} --model {role}=MODEL"


_TRAINED: dict[ModelRole | VectorRole, str] = {
    ModelRole.CROSS_ENCODER: "cross-encoder",
    ModelRole.FASTTEXT: "fasttext",
    VectorRole.FORMULA2VEC: "doc2vec",
}
"""The commands that train models, by their roles; others come from elsewhere."""


def answerer(name: str, search_index: SearchIndex, tools: AnswerTools = NO_TOOLS) -> Answerer:
    """Return a system over an index for Task 3, or refuse it as ``ranker`` does.

    One that needs a language model, or queries, is refused without them.
    """
    factory = _made(name, Task.SHORT_ANSWERS, system(name).answerer, search_index)
    return factory(tools)


def _made(name: str, task: Task, maker: Maker[Made] | None, search_index: SearchIndex) -> Made:
    if maker is None:
        able = ", ".join(each for each, other in SYSTEMS.items() if task in other.tasks)
        raise PorismError(f"{name} does not do Task {task}; these do: {able}")
    missing = search_index.missing(maker.needs)
    if missing:
        _refuse_untrained(name, task, search_index)
        vectors = " --vectors" if system(name).vector_roles(task) else ""
        raise PorismError(
            f"{search_index.folder} lacks what {name} needs ({', '.join(missing)}); make it again "
            f"with porism index {search_index.collection_path} -o {search_index.folder} "
            f"--systems {name}{vectors}"
        )
    role = system(name).required_model(task)
    if role is not None and search_index.model(role) is None:
        raise PorismError(
            f"{name} needs a model of the role {role}, and {search_index.folder} has none: "
            f"{_how_to_get(role, search_index)}"
        )
    return maker.make(search_index)


def _refuse_untrained(name: str, task: Task, search_index: SearchIndex) -> None:
    """Raise if an index lacks nothing but models, which are trained and not built."""
    maker = system(name).maker(task)
    needs = () if maker is None else maker.needs
    trained = [spec for spec in needs if isinstance(spec, FormulaVectorSpec)]
    by_model = [
        spec
        for spec in needs
        if isinstance(spec, VectorSpec) and spec.role is VectorRole.FORMULA2VEC
    ]
    if search_index.missing([spec for spec in needs if spec not in (*trained, *by_model)]):
        return
    obstacles = [formula_vector_obstacle(search_index, spec.embedding) for spec in trained]
    obstacles += [
        f"{name} needs {spec.role} vectors, and {search_index.folder} has none: "
        f"{_how_to_get(spec.role, search_index)}"
        for spec in by_model
        if search_index.missing([spec])
    ]
    raise PorismError("; ".join(filter(None, obstacles)))
