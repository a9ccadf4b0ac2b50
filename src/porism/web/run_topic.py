"""One topic in several runs: the hits that are asked for, and what sets the runs apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from porism.errors import PorismError
from porism.model import DocId
from porism.web.run_scoring import ExploredRun, FoundHit

MAX_SHOWN_RUNS = 3
K_CHOICES = (10, 20, 50, 100)
_UNJUDGED = ("1", "0", "only")

Found = Mapping[str, Sequence[FoundHit]]
"""The hits of runs, by the keys of these."""

Grades = Mapping[DocId, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a topic is to be shown; no grades are all of them.

    ``unjudged`` is 1 to show unjudged hits too, 0 to hide them, and ``only`` to show no others.
    """

    runs: tuple[str, ...] = ()
    grades: tuple[int, ...] = ()
    unjudged: str = _UNJUDGED[0]
    k: int = 20

    def wants(self, grade: int | None) -> bool:
        """Whether hits of that grade, or unjudged ones, are asked for."""
        if grade is None:
            return self.unjudged != "0"
        return self.unjudged != "only" and (not self.grades or grade in self.grades)

    def parameters(self, runs: Sequence[str]) -> list[tuple[str, str]]:
        """The same in an address, with these runs."""
        return [
            *(("run", run) for run in runs),
            *(("grade", str(grade)) for grade in self.grades),
            ("unjudged", self.unjudged),
            ("k", str(self.k)),
        ]


def asked_of(query: QueryParams) -> Asked:
    """What an address asks for; what it does not say is as ``Asked`` has it."""
    runs = tuple(dict.fromkeys(filter(None, query.getlist("run"))))
    grades = tuple(dict.fromkeys(_number("grade", each) for each in query.getlist("grade")))
    unjudged = query.get("unjudged", _UNJUDGED[0])
    if unjudged not in _UNJUDGED:
        raise PorismError(f"unjudged is {unjudged[:20]!r}: expected 1, 0 or only")
    k = _number("k", query["k"]) if query.get("k") else 20
    if not 1 <= k <= K_CHOICES[-1]:
        raise PorismError(f"k is {k}: expected 1 to {K_CHOICES[-1]}")
    return Asked(runs, grades, unjudged, k)


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise PorismError(f"{name} is {text[:20]!r}: expected a whole number")
    return int(text)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where another run has the same document; None if it has not."""

    run: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit, its grade, None if it is not judged, and where the other runs have it."""

    hit: FoundHit
    grade: int | None
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, slots=True)
class ShownRanking:
    """The hits of a run that are shown, of how many that were asked for, of how many at all."""

    run: ExploredRun
    hits: tuple[ShownHit, ...]
    matching: int
    total: int


def ranking_of(run: ExploredRun, found: Found, grades: Grades, asked: Asked) -> ShownRanking:
    """The first hits of a run that are asked for; ranks are those in the whole run."""
    others = {
        key: {hit.doc_id: hit.rank for hit in hits} for key, hits in found.items() if key != run.key
    }
    names = {key: number for number, key in enumerate(found, start=1)}
    hits = found[run.key]
    matching = [hit for hit in hits if asked.wants(grades.get(hit.doc_id))]
    shown = tuple(
        ShownHit(
            hit,
            grades.get(hit.doc_id),
            tuple(
                Elsewhere(_LETTERS[names[key] - 1], ranks.get(hit.doc_id))
                for key, ranks in others.items()
            ),
        )
        for hit in matching[: asked.k]
    )
    return ShownRanking(run, shown, len(matching), len(hits))


_LETTERS = "ABC"


@dataclass(frozen=True, slots=True)
class Apart:
    """A document that only one of two runs has among its first; ``other_rank`` is further down."""

    hit: FoundHit
    grade: int | None
    other_rank: int | None


@dataclass(frozen=True, slots=True)
class Differences:
    """What two runs have among their first hits: both, or one of them.

    ``missed`` are relevant documents that neither has at all, with their grades, the best first.
    """

    both: int
    only_first: tuple[Apart, ...]
    only_second: tuple[Apart, ...]
    missed: tuple[tuple[DocId, int], ...]


def compared(
    runs: Sequence[ExploredRun], found: Found, grades: Grades, k: int
) -> Differences | None:
    """How the first two runs differ in their first ``k`` hits; None if there is but one."""
    if len(runs) < 2:
        return None
    first, second = (found[run.key] for run in runs[:2])
    everywhere = {hit.doc_id for hits in (first, second) for hit in hits}
    missed = [(doc, grade) for doc, grade in grades.items() if grade and doc not in everywhere]
    only_first, only_second = _apart(first, second, grades, k), _apart(second, first, grades, k)
    return Differences(
        len(first[:k]) - len(only_first),
        only_first,
        only_second,
        tuple(sorted(missed, key=lambda each: (-each[1], each[0]))),
    )


def _apart(
    hits: Sequence[FoundHit], others: Sequence[FoundHit], grades: Grades, k: int
) -> tuple[Apart, ...]:
    ranks = {hit.doc_id: hit.rank for hit in others}
    return tuple(
        Apart(hit, grades.get(hit.doc_id), ranks.get(hit.doc_id))
        for hit in hits[:k]
        if ranks.get(hit.doc_id, k + 1) > k
    )
