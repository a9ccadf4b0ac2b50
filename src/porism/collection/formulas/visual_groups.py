"""All formulas of a collection grouped by visual id, with facts of the posts they occur in.

A large collection has tens of millions of instances, so groups are made of columns of numbers, not
of rows; texts such as tags and names are numbered once. Columns are sorted in ranges of visual ids
that fit into memory, which are written to a temporary file before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.collection.store import Collection

Numbers = NDArray[np.int64]


class VisualFormula(NamedTuple):
    """All formulas with one visual id, the lab's or, for formulas without one, ours.

    ``formula`` is the number of the formula that represents them: the first in a post, or the
    first in a comment if they occur in comments only. ``tags`` and ``years`` are those of the
    posts. ``votes`` is the highest score of a post and ``is_accepted`` says whether one of the
    posts is an accepted answer; both ignore posts with the formula in a comment only, as do
    ``users``, the ids and names of the authors.
    """

    visual_id: str
    formula: int
    is_in_post: bool
    tags: tuple[str, ...]
    years: tuple[str, ...]
    votes: int | None
    is_accepted: bool
    users: tuple[str, ...]


MOST_INSTANCES = 4_000_000
"""Instances that are grouped at once, in about 300 MB."""

CHUNK = 100_000
"""Instances that are read at once."""

NO_VOTES = np.iinfo(np.int64).min


def visual_formulas(collection: Collection, most: int = MOST_INSTANCES) -> Iterator[VisualFormula]:
    """All visually distinct formulas, by visual id; at most about ``most`` instances at a time."""
    posts = _PostColumns.read(collection)
    with tempfile.TemporaryFile() as file:
        ranges = _Ranges.written(collection, file, most)
        for columns in ranges.read(file):
            yield from _grouped(columns, posts)


class _Columns(NamedTuple):
    """Instances in the order of their ids."""

    visual_ids: Numbers
    formulas: Numbers
    posts: Numbers
    in_comment: Numbers

    def those(self, chosen: NDArray[np.bool_] | Numbers) -> _Columns:
        return _Columns(*(column[chosen] for column in self))


def _instances(collection: Collection) -> Iterator[_Columns]:
    """The instances of a collection in chunks, in the order of their ids.

    The visual id is the lab's or, where it gave none, ours.
    """
    connection = collection._connection
    numbers, visual_ids = _matrix(
        connection.execute("SELECT number, visual_id FROM formulas ORDER BY number").fetchall(), 2
    )
    rows = connection.execute(
        "SELECT coalesce(visual_id, -1), formula, post_id, comment_id IS NOT NULL "
        "FROM instances ORDER BY id"
    )
    while chunk := rows.fetchmany(CHUNK):
        columns = _Columns(*_matrix(chunk, 4))
        ours = visual_ids[np.searchsorted(numbers, columns.formulas)]
        yield columns._replace(
            visual_ids=np.where(columns.visual_ids < 0, ours, columns.visual_ids)
        )


def _matrix(rows: Sequence[tuple[int, ...]], columns: int) -> Numbers:
    """The columns of rows of numbers."""
    return np.array(rows, np.int64).reshape(-1, columns).T


@dataclass(frozen=True, slots=True)
class _Ranges:
    """Ranges of visual ids, and where their instances are in a file, chunk by chunk."""

    bounds: Numbers
    pieces: list[list[int]]
    """For each range the numbers of instances in its pieces, which were written in turns."""

    @staticmethod
    def written(collection: Collection, file: IO[bytes], most: int) -> _Ranges:
        """Write all instances to a file, those of each chunk by their range."""
        bounds = np.empty(0, np.int64)
        pieces: list[list[int]] = []
        for columns in _instances(collection):
            if not pieces:
                ranges = -(-collection.count_instances() // most)
                # The ids of some instances say how those of all are distributed.
                shares = np.arange(1, ranges) / ranges
                bounds = np.unique(np.quantile(columns.visual_ids, shares, method="nearest"))
                pieces = [[] for _ in range(len(bounds) + 1)]
            place = np.searchsorted(bounds, columns.visual_ids, side="right")
            for number, sizes in enumerate(pieces):
                piece = columns.those(place == number)
                sizes.append(len(piece.posts))
                file.write(np.stack(piece).tobytes())
        return _Ranges(bounds, pieces)

    def read(self, file: IO[bytes]) -> Iterator[_Columns]:
        """The instances of one range after another."""
        for number, sizes in enumerate(self.pieces):
            parts = []
            at = 0
            for turn, size in enumerate(sizes):
                before = sum(each[turn] for each in self.pieces[:number])
                file.seek((at + before) * 32)
                parts.append(np.frombuffer(file.read(size * 32), np.int64).reshape(4, size))
                at += sum(each[turn] for each in self.pieces)
            yield _Columns(*np.concatenate(parts, axis=1))


@dataclass(frozen=True, slots=True)
class _PostColumns:
    """Facts of posts, in the order of their ids, with texts by their numbers."""

    ids: Numbers
    tags: Numbers
    years: Numbers
    votes: Numbers
    accepted: Numbers
    users: Numbers
    names: Numbers
    texts: list[str]

    @staticmethod
    def read(collection: Collection) -> _PostColumns:
        """Read the facts of all posts."""
        numbers: dict[str, int] = {"": 0}

        def numbered(text: str | None) -> int:
            return numbers.setdefault(text or "", len(numbers))

        rows = [
            (own, numbered(tags), numbered(year), votes, accepted, numbered(owner), numbered(name))
            for own, tags, year, votes, accepted, owner, name in collection._connection.execute(
                "SELECT posts.id, coalesce(questions.tags, posts.tags), "
                "substr(posts.created, 1, 4), coalesce(posts.score, ?), "
                "questions.accepted_id IS posts.id, CAST(posts.owner_id AS TEXT), users.name "
                "FROM posts LEFT JOIN posts AS questions ON questions.id = posts.parent_id "
                "LEFT JOIN users ON users.id = posts.owner_id ORDER BY posts.id",
                (int(NO_VOTES),),
            )
        ]
        ids, tags, years, votes, accepted, users, names = _matrix(rows, 7)
        return _PostColumns(ids, tags, years, votes, accepted, users, names, list(numbers))


def _grouped(columns: _Columns, posts: _PostColumns) -> Iterator[VisualFormula]:
    """The visually distinct formulas of some instances, by visual id."""
    if not len(columns.posts):
        return
    # Stable, so that the first of each group is the first in a post, or else in a comment.
    columns = columns.those(np.lexsort((columns.in_comment, columns.visual_ids)))
    is_first = np.ones(len(columns.posts), bool)
    is_first[1:] = columns.visual_ids[1:] != columns.visual_ids[:-1]
    starts = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    place = np.searchsorted(posts.ids, columns.posts)
    in_post = columns.in_comment == 0
    count = len(starts)
    votes = np.maximum.reduceat(np.where(in_post, posts.votes[place], NO_VOTES), starts)
    accepted = np.maximum.reduceat(np.where(in_post, posts.accepted[place], 0), starts)
    tags = _texts_of(group, posts.tags[place], count)
    years = _texts_of(group, posts.years[place], count)
    written, at = group[in_post], place[in_post]
    users = _texts_of(
        np.concatenate([written, written]),
        np.concatenate([posts.users[at], posts.names[at]]),
        count,
    )
    texts = posts.texts
    for number, (visual_id, formula, is_in_post, best, is_accepted) in enumerate(
        zip(
            columns.visual_ids[starts].tolist(),
            columns.formulas[starts].tolist(),
            in_post[starts].tolist(),
            votes.tolist(),
            accepted.tolist(),
            strict=True,
        )
    ):
        lists = [texts[each] for each in tags[number]]
        yield VisualFormula(
            visual_id=str(visual_id),
            formula=formula,
            is_in_post=is_in_post,
            tags=tuple(sorted({tag for tag in "\n".join(lists).split("\n") if tag})),
            years=tuple(sorted(texts[each] for each in years[number])),
            votes=None if best == NO_VOTES else best,
            is_accepted=bool(is_accepted),
            users=tuple(sorted(texts[each] for each in users[number])),
        )


def _texts_of(group: Numbers, texts: Numbers, count: int) -> list[list[int]]:
    """The distinct texts of each group, without the empty one, whose number is 0."""
    most = int(texts.max(initial=0)) + 1
    pairs = np.unique((group * most + texts)[texts > 0])
    numbers = (pairs % most).tolist()
    ends = np.searchsorted(pairs, np.arange(1, count + 1) * most).tolist()
    return [numbers[first:last] for first, last in pairwise([0, *ends])]
