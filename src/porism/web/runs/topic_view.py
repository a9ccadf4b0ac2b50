"""One topic in several runs: the hits that are asked for, and what sets the runs apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from porism.errors import PorismError
from porism.model import DocId
from porism.web.runs.scores import ExplorerRun, RankedHit

MAX_SHOWN_RUNS = 3
K_CHOICES = (10, 20, 50, 100)
_UNJUDGED = ("1", "0", "only")

HitsByRun = Mapping[str, Sequence[RankedHit]]
"""The hits of runs, by the keys of these."""

Grades = Mapping[DocId, int]


@dataclass(frozen=True, slots=True)
class TopicViewOptions:
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


def topic_view_options(query: QueryParams) -> TopicViewOptions:
    """What an address asks for; what it does not say is as ``TopicViewOptions`` has it."""
    runs = tuple(dict.fromkeys(filter(None, query.getlist("run"))))
    grades = tuple(dict.fromkeys(_number("grade", each) for each in query.getlist("grade")))
    unjudged = query.get("unjudged", _UNJUDGED[0])
    if unjudged not in _UNJUDGED:
        raise PorismError(f"unjudged is {unjudged[:20]!r}: expected 1, 0 or only")
    k = _number("k", query["k"]) if query.get("k") else 20
    if not 1 <= k <= K_CHOICES[-1]:
        raise PorismError(f"k is {k}: expected 1 to {K_CHOICES[-1]}")
    return TopicViewOptions(runs, grades, unjudged, k)


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise PorismError(f"{name} is {text[:20]!r}: expected a whole number")
    return int(text)


@dataclass(frozen=True, slots=True)
class OtherRank:
    """Where another run has the same document; None if it has not."""

    run: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit, its grade, None if it is not judged, and where the other runs have it."""

    hit: RankedHit
    grade: int | None
    elsewhere: tuple[OtherRank, ...]


@dataclass(frozen=True, slots=True)
class RankingView:
    """The hits of a run that are shown, of how many that were asked for, of how many at all."""

    run: ExplorerRun
    hits: tuple[HitView, ...]
    matching: int
    total: int


def ranking_view(
    run: ExplorerRun, found: HitsByRun, grades: Grades, asked: TopicViewOptions
) -> RankingView:
    """The first hits of a run that are asked for; ranks are those in the whole run."""
    others = {
        key: {hit.doc_id: hit.rank for hit in hits} for key, hits in found.items() if key != run.key
    }
    names = {key: number for number, key in enumerate(found, start=1)}
    hits = found[run.key]
    matching = [hit for hit in hits if asked.wants(grades.get(hit.doc_id))]
    shown = tuple(
        HitView(
            hit,
            grades.get(hit.doc_id),
            tuple(
                OtherRank(_LETTERS[names[key] - 1], ranks.get(hit.doc_id))
                for key, ranks in others.items()
            ),
        )
        for hit in matching[: asked.k]
    )
    return RankingView(run, shown, len(matching), len(hits))


_LETTERS = "ABC"


@dataclass(frozen=True, slots=True)
class UniqueHit:
    """A document that only one of two runs has among its first; ``other_rank`` is further down."""

    hit: RankedHit
    grade: int | None
    other_rank: int | None


@dataclass(frozen=True, slots=True)
class RankingDifferences:
    """What two runs have among their first hits: both, or one of them.

    ``missed`` are relevant documents that neither has at all, with their grades, the best first.
    """

    both: int
    only_first: tuple[UniqueHit, ...]
    only_second: tuple[UniqueHit, ...]
    missed: tuple[tuple[DocId, int], ...]


def ranking_differences(
    runs: Sequence[ExplorerRun], found: HitsByRun, grades: Grades, k: int
) -> RankingDifferences | None:
    """How the first two runs differ in their first ``k`` hits; None if there is but one."""
    if len(runs) < 2:
        return None
    first, second = (found[run.key] for run in runs[:2])
    everywhere = {hit.doc_id for hits in (first, second) for hit in hits}
    missed = [(doc, grade) for doc, grade in grades.items() if grade and doc not in everywhere]
    only_first, only_second = (
        _unique_hits(first, second, grades, k),
        _unique_hits(second, first, grades, k),
    )
    return RankingDifferences(
        len(first[:k]) - len(only_first),
        only_first,
        only_second,
        tuple(sorted(missed, key=lambda each: (-each[1], each[0]))),
    )


def _unique_hits(
    hits: Sequence[RankedHit], others: Sequence[RankedHit], grades: Grades, k: int
) -> tuple[UniqueHit, ...]:
    ranks = {hit.doc_id: hit.rank for hit in others}
    return tuple(
        UniqueHit(hit, grades.get(hit.doc_id), ranks.get(hit.doc_id))
        for hit in hits[:k]
        if ranks.get(hit.doc_id, k + 1) > k
    )
