"""Ensembles of whatever systems an index can serve.

An index need not have what every member needs: fields of other systems, vectors by a model that the
user trains. An ensemble takes the members that work, at least two, and notes name the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from porism.errors import PorismError
from porism.rank.ensembles.median_ranks import MedianRanks
from porism.rank.fusion import Fuse, ReciprocalRanks
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.components import joined_specs
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex


@dataclass(frozen=True, slots=True)
class EnsembleMember:
    """A system of an ensemble, and its name."""

    name: str
    maker: Maker[Ranker]


class ServedMembers(NamedTuple):
    """The members that an index can serve, by name, and why it cannot serve the others."""

    rankers: dict[str, Ranker]
    obstacles: dict[str, str]


def served_members(members: Sequence[EnsembleMember], search_index: SearchIndex) -> ServedMembers:
    """Return which members an index can serve."""
    served = ServedMembers({}, {})
    for each in members:
        if missing := search_index.missing(each.maker.needs):
            served.obstacles[each.name] = f"{search_index.folder} lacks {', '.join(missing)}"
            continue
        try:
            served.rankers[each.name] = each.maker.make(search_index)
        except PorismError as error:  # a model that is not there or not installed
            served.obstacles[each.name] = str(error)
    return served


_Combine = Callable[[tuple[str, ...], tuple[Ranker, ...]], Ranker]
"""Makes one system of several with their names."""


def median_rank_ensemble(name: str, members: Sequence[EnsembleMember]) -> Maker[Ranker]:
    """Return how a system is made that fuses its members by median ranks."""
    return _ensemble(name, members, lambda names, rankers: MedianRanks(rankers, names))


def reciprocal_rank_ensemble(
    name: str, members: Sequence[EnsembleMember], k: float = 60.0
) -> Maker[Ranker]:
    """Return how a system is made that fuses its members by reciprocal ranks."""
    return _ensemble(
        name, members, lambda names, rankers: Fuse(rankers, by=ReciprocalRanks(k), names=names)
    )


def _ensemble(name: str, members: Sequence[EnsembleMember], combine: _Combine) -> Maker[Ranker]:
    def make(search_index: SearchIndex) -> Ranker:
        served = served_members(members, search_index)
        if len(served.rankers) < 2:
            raise PorismError(_too_few(name, served))
        return combine(tuple(served.rankers), tuple(served.rankers.values()))

    def notes(search_index: SearchIndex) -> tuple[str, ...]:
        served = served_members(members, search_index)
        return tuple(f"{name} ranks without {each}" for each in _reasons(served))

    specs = joined_specs(each.maker.needs for each in members)
    return Maker(
        make,
        optional=tuple(spec for spec in specs if not isinstance(spec, VectorSpec)),
        uses_vectors=any(
            each.maker.uses_vectors
            or any(isinstance(spec, VectorSpec) for spec in each.maker.needs)
            for each in members
        ),
        notes=notes,
    )


def _reasons(served: ServedMembers) -> list[str]:
    return [f"{name}: {why}" for name, why in served.obstacles.items()]


def _too_few(name: str, served: ServedMembers) -> str:
    able = f"only {', '.join(served.rankers)}" if served.rankers else "none"
    return (
        f"{name} fuses at least two systems, and the index can serve {able} of them; "
        + "; ".join(_reasons(served))
    )
