"""What the catalog knows of a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from porism.answer.answerer import Answerer
from porism.model import Task
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.components.vector_index import VectorSpec
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
    """Where a system was described, and its runs, as (team, run) in ``lab/published.tsv``."""

    text: str
    runs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """A system: how its rankers are made, by task, and its answerer for Task 3."""

    description: str
    makers: Mapping[Task, Maker[Ranker]]
    answerer: Maker[Answerer] | None = None
    source: Source | None = None
    family: Family = Family.OWN

    def maker(self, task: Task) -> Maker[Ranker] | None:
        """How the ranker for a task is made; None if the system does not do it."""
        return self.makers.get(task)

    def vector_roles(self, task: Task) -> tuple[VectorRole, ...]:
        """The roles of the vectors without which the system does not do a task."""
        maker = self._any_maker(task)
        needs = () if maker is None else maker.needs
        return tuple(spec.role for spec in needs if isinstance(spec, VectorSpec))

    @property
    def is_on_request(self) -> bool:
        """Whether the system needs vectors that only few others use, so that it must be named."""
        roles = {role for task in self.tasks for role in self.vector_roles(task)}
        return not roles <= {VectorRole.TEXTS}

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


def systems_of(family: Family, systems: Mapping[str, System]) -> dict[str, System]:
    """Return the systems of a family by their names."""
    return {name: replace(each, family=family) for name, each in systems.items()}
