"""One topic in several runs: the selected hits, and differences between the runs."""

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
"""The hits of runs by key."""

Grades = Mapping[DocId, int]


@dataclass(frozen=True, slots=True)
class TopicViewOptions:
    """Which hits of a topic to show; an empty ``grades`` means all of them.

    ``unjudged`` is 1 to show unjudged hits too, 0 to hide them, and ``only`` to show no others.
    """

    runs: tuple[str, ...] = ()
    grades: tuple[int, ...] = ()
    unjudged: str = _UNJUDGED[0]
    k: int = 20

    def selects(self, grade: int | None) -> bool:
        """Whether hits of that grade are shown; None is unjudged."""
        if grade is None:
            return self.unjudged != "0"
        return self.unjudged != "only" and (not self.grades or grade in self.grades)

    def parameters(self, runs: Sequence[str]) -> list[tuple[str, str]]:
        """The parameters of an address with these options and runs."""
        return [
            *(("run", run) for run in runs),
            *(("grade", str(grade)) for grade in self.grades),
            ("unjudged", self.unjudged),
            ("k", str(self.k)),
        ]


def topic_view_options(query: QueryParams) -> TopicViewOptions:
    """The options of an address, with the defaults of ``TopicViewOptions``."""
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
    """The rank of the same document in another run; None if it is not there."""

    run: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit, its grade (None if unjudged), and its ranks in the other runs."""

    hit: RankedHit
    grade: int | None
    other_ranks: tuple[OtherRank, ...]


@dataclass(frozen=True, slots=True)
class RankingView:
    """The hits of a run that are shown, of ``matching`` selected ones, of ``total`` hits."""

    run: ExplorerRun
    hits: tuple[HitView, ...]
    matching: int
    total: int


def ranking_view(
    run: ExplorerRun, hits_by_run: HitsByRun, grades: Grades, options: TopicViewOptions
) -> RankingView:
    """The first selected hits of a run, with their ranks in the whole run."""
    others = {
        key: {hit.doc_id: hit.rank for hit in hits}
        for key, hits in hits_by_run.items()
        if key != run.key
    }
    names = {key: number for number, key in enumerate(hits_by_run, start=1)}
    hits = hits_by_run[run.key]
    matching = [hit for hit in hits if options.selects(grades.get(hit.doc_id))]
    views = tuple(
        HitView(
            hit,
            grades.get(hit.doc_id),
            tuple(
                OtherRank(_LETTERS[names[key] - 1], ranks.get(hit.doc_id))
                for key, ranks in others.items()
            ),
        )
        for hit in matching[: options.k]
    )
    return RankingView(run, views, len(matching), len(hits))


_LETTERS = "ABC"


@dataclass(frozen=True, slots=True)
class UniqueHit:
    """A document among the first hits of only one of two runs; ``other_rank`` is lower or None."""

    hit: RankedHit
    grade: int | None
    other_rank: int | None


@dataclass(frozen=True, slots=True)
class RankingDifferences:
    """The first hits of two runs: how many are in both, and those in one only.

    ``missed`` are relevant documents that neither run has, with their grades, best first.
    """

    both: int
    only_first: tuple[UniqueHit, ...]
    only_second: tuple[UniqueHit, ...]
    missed: tuple[tuple[DocId, int], ...]


def ranking_differences(
    runs: Sequence[ExplorerRun], hits_by_run: HitsByRun, grades: Grades, k: int
) -> RankingDifferences | None:
    """The differences of the first two runs in their first ``k`` hits; None if there is one run."""
    if len(runs) < 2:
        return None
    first, second = (hits_by_run[run.key] for run in runs[:2])
    retrieved = {hit.doc_id for hits in (first, second) for hit in hits}
    missed = [(doc, grade) for doc, grade in grades.items() if grade and doc not in retrieved]
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
