"""What the catalog knows of a system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from porism.answer.answerer import AnswererFactory
from porism.model import Task
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole, VectorRole


class Family(StrEnum):
    """Where systems come from, by the heading of their list."""

    BASELINES = "baselines of the lab"
    MATHDOWSERS = "MathDowsers"
    APPROACH0 = "Approach0"
    DPRL = "DPRL"
    MIRMU = "MIRMU and MSM"
    OTHER_TEAMS = "other teams"
    OWN = "Porism"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a system was described, and its runs, as (team, run) in ``lab/published.tsv``.

    ``model`` is the neural model of these runs, if there was one, and ``note`` says what else they
    had that this system has not, such as queries made by hand.
    """

    text: str
    runs: tuple[tuple[str, str], ...] = ()
    model: str = ""
    note: str = ""


class RequirementKind(StrEnum):
    """What a system may need besides the fields of an index, by the letter that marks it."""

    VECTORS = "v"
    TRAINING = "t"
    MODEL = "m"
    GENERATOR = "g"
    QUERIES = "q"
    ORACLE = "o"


class Requirement(NamedTuple):
    """Something that a system needs, or uses if it is there."""

    kind: RequirementKind
    text: str
    is_optional: bool = False

    def __str__(self) -> str:
        return f"{self.text} (optional)" if self.is_optional else self.text

    @property
    def mark(self) -> str:
        """The letter, in brackets if it is optional."""
        return f"({self.kind})" if self.is_optional else str(self.kind)


@dataclass(frozen=True, slots=True)
class System:
    """A system: how its rankers are made, by task, and its answerer for Task 3.

    ``learned_on`` are the sets of topics whose judgments its shipped weights were learned from: a
    year of the lab, or ``links``. An oracle uses what no searcher knows. One that
    ``needs_generator`` writes its answers with a language model that the user names; one that
    ``needs_queries`` answers topics of a file by queries that a person wrote for them.
    """

    description: str
    makers: Mapping[Task, Maker[Ranker]]
    answerer: Maker[AnswererFactory] | None = None
    source: Source | None = None
    family: Family = Family.OWN
    learned_on: tuple[str, ...] = ()
    is_oracle: bool = False
    needs_generator: bool = False
    needs_queries: bool = False

    def maker(self, task: Task) -> Maker[Ranker] | None:
        """How the ranker for a task is made; None if the system does not do it."""
        return self.makers.get(task)

    def vector_roles(self, task: Task) -> tuple[VectorRole, ...]:
        """The roles of the vectors without which the system does not do a task."""
        maker = self._any_maker(task)
        needs = () if maker is None else maker.needs
        return tuple(spec.role for spec in needs if isinstance(spec, VectorSpec))

    @property
    def requested_roles(self) -> frozenset[str]:
        """The roles without whose models or vectors an index is not made for the system by default.

        Few other systems use these, or none, and the models are the user's.
        """
        vectors = {role for task in self.tasks for role in self.vector_roles(task)}
        models = filter(None, map(self.required_model, self.tasks))
        return frozenset((*(vectors - {VectorRole.TEXTS}), *models))

    def models(self, task: Task) -> tuple[ModelRole, ...]:
        """The roles of models that the system uses for a task, besides that of vectors."""
        maker = self._any_maker(task)
        return () if maker is None else maker.models

    def required_model(self, task: Task) -> ModelRole | None:
        """The role of the model without which the system does not do a task."""
        maker = self._any_maker(task)
        return maker.models[0] if maker is not None and maker.requires_model else None

    def gains_by_vectors(self, task: Task) -> bool:
        """Whether the system does a task without vectors, but better with them."""
        maker = self._any_maker(task)
        return maker is not None and maker.uses_vectors

    def notes(self, task: Task, search_index: SearchIndex) -> tuple[str, ...]:
        """What the system lacks on an index of the parts that it uses if they are there."""
        maker = self._any_maker(task)
        return () if maker is None else maker.notes(search_index)

    def _any_maker(self, task: Task) -> Maker[Ranker] | Maker[AnswererFactory] | None:
        return self.answerer if task is Task.SHORT_ANSWERS else self.makers.get(task)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that the system does."""
        return (*self.makers, *((Task.SHORT_ANSWERS,) if self.answerer else ()))

    @property
    def needs(self) -> tuple[ComponentSpec, ...]:
        """What the system needs of an index for all its tasks."""
        return joined_specs(maker.needs for maker in self._all_makers)

    @property
    def indexed_for(self) -> tuple[ComponentSpec, ...]:
        """What an index for the system has: what it needs, and what it uses if it is there."""
        return joined_specs((*maker.needs, *maker.optional) for maker in self._all_makers)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What the system needs besides fields, for any of its tasks, each once."""
        found = [each for maker in self._all_makers for each in _requirements(maker)]
        if self.needs_generator:
            found.append(Requirement(RequirementKind.GENERATOR, "a language model (--model)"))
        if self.needs_queries:
            found.append(Requirement(RequirementKind.QUERIES, "queries by hand (--queries)"))
        if self.is_oracle:
            found.append(Requirement(RequirementKind.ORACLE, "duplicates of the topics"))
        return tuple(dict.fromkeys(found))

    @property
    def _all_makers(self) -> tuple[Maker[Ranker] | Maker[AnswererFactory], ...]:
        return (*self.makers.values(), *((self.answerer,) if self.answerer else ()))


def _requirements(maker: Maker[Ranker] | Maker[AnswererFactory]) -> Iterator[Requirement]:
    for spec in maker.needs:
        if isinstance(spec, VectorSpec):
            is_usual = spec.role is VectorRole.TEXTS
            yield Requirement(
                RequirementKind.TRAINING
                if spec.role is VectorRole.FORMULA2VEC
                else RequirementKind.VECTORS,
                "vectors" if is_usual else f"{spec.role} vectors",
            )
        elif isinstance(spec, FormulaVectorSpec):
            yield Requirement(RequirementKind.TRAINING, f"trained embedding {spec.embedding}")
    if maker.uses_vectors:
        yield Requirement(RequirementKind.VECTORS, "vectors", is_optional=True)
    for place, role in enumerate(maker.models):
        kind = RequirementKind.TRAINING if role is ModelRole.FASTTEXT else RequirementKind.MODEL
        yield Requirement(kind, str(role), is_optional=place > 0 or not maker.requires_model)


def systems_of(family: Family, systems: Mapping[str, System]) -> dict[str, System]:
    """Return the systems of a family by their names."""
    return {name: replace(each, family=family) for name, each in systems.items()}
