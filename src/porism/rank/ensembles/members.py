"""Ensembles of whatever systems an index can serve.

An index need not have what every member needs: fields of other systems, vectors by a model that the
user trains. An ensemble takes the members that work, at least two, and notes name the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    """A system of an ensemble, its name, and what takes its place if an index cannot serve it."""

    name: str
    maker: Maker[Ranker]
    substitute: EnsembleMember | None = None


class ServedMembers(NamedTuple):
    """The members that an index can serve, by name, and what is said of the others."""

    rankers: dict[str, Ranker]
    remarks: list[str]


def served_members(members: Sequence[EnsembleMember], search_index: SearchIndex) -> ServedMembers:
    """Return which members an index can serve."""
    served = ServedMembers({}, [])
    for each in members:
        chosen: EnsembleMember | None = each
        why = ""
        while chosen is not None:
            ranker = _served(chosen.maker, search_index)
            if not isinstance(ranker, str):
                served.rankers[chosen.name] = ranker
                break
            why = why or ranker
            chosen = chosen.substitute
        if chosen is not each:
            place = "" if chosen is None else f", with {chosen.name} in its place"
            served.remarks.append(f"without {each.name}{place}: {why}")
    return served


def _served(maker: Maker[Ranker], search_index: SearchIndex) -> Ranker | str:
    """Return the system over an index, or what the index lacks for it."""
    if missing := search_index.missing(maker.needs):
        return f"{search_index.folder} lacks {', '.join(missing)}"
    if maker.requires_model and search_index.model(maker.models[0]) is None:
        return f"{search_index.folder} has no model of the role {maker.models[0]}"
    try:
        return maker.make(search_index)
    except PorismError as error:  # a model that is not there or not installed
        return str(error)


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
        return tuple(
            f"{name} ranks {each}" for each in served_members(members, search_index).remarks
        )

    makers = [each.maker for each in _with_substitutes(members)]
    # What only works with a model of the user's is built when that is given, and not for this.
    specs = joined_specs(maker.needs for maker in makers if not maker.requires_model)
    return Maker(
        make,
        optional=tuple(spec for spec in specs if not isinstance(spec, VectorSpec)),
        uses_vectors=any(maker.uses_vectors or VectorSpec() in maker.needs for maker in makers),
        notes=notes,
    )


def _with_substitutes(members: Sequence[EnsembleMember]) -> Iterator[EnsembleMember]:
    for each in members:
        yield each
        if each.substitute is not None:
            yield from _with_substitutes([each.substitute])


def _too_few(name: str, served: ServedMembers) -> str:
    able = f"only {', '.join(served.rankers)}" if served.rankers else "none"
    return (
        f"{name} fuses at least two systems, and the index can serve {able} of them: it would rank "
        + "; ".join(served.remarks)
    )
