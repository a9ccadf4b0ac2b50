"""A collection opened for reading: posts, comments, links, formulas."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakValueDictionary

from porism.collection.post_text import text_content
from porism.collection.profile import (
    PROFILE,
    CollectionProfile,
    computed_profile,
    recorded_profile,
)
from porism.collection.schema import (
    DATABASE,
    EFFECTIVE_VISUAL_ID,
    SOURCE_PATH,
    UNFINISHED,
    InstancePlace,
    connect_to_read,
    instances_by_visual_id,
    is_number,
    storable,
)
from porism.errors import PorismError
from porism.formula.latex import layout_of
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.hashing import text_number
from porism.model import (
    Comment,
    Content,
    DocId,
    Formula,
    Link,
    LinkKind,
    Location,
    Post,
    PostKind,
)

DUPLICATE = 3
"""Stack Exchange's link type for a question that duplicates another."""

CollectionError = sqlite3.Error
"""Raised when a database is damaged or cannot be read."""


@dataclass(frozen=True, slots=True)
class PostMarkup:
    """Title and body of a post as HTML, in which formulas are spans with their ids."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class PostHeading:
    """Title and tags of a post, and for a question its accepted answer."""

    id: DocId
    title: Content
    tags: tuple[str, ...]
    accepted_id: DocId | None


@dataclass(frozen=True, slots=True)
class StoredFormula:
    """A distinct formula: LaTeX with macros, the number of its symbols, and our visual id.

    ``problem`` says what the parser recovered from, or why it refused the formula, which then has
    empty trees. Each call makes a tree anew.
    """

    number: int
    latex: str
    macros: str
    symbols: int
    visual_id: str
    problem: str | None

    def layout(self) -> Tree:
        """The layout tree."""
        return Tree("slt", ()) if self.is_refused else layout_of(self.latex, self.macros)

    def operators(self) -> Tree:
        """The operator tree."""
        return operator_tree(self.layout())

    @property
    def is_refused(self) -> bool:
        """Whether the parser refused it; others without trees are empty, such as definitions."""
        return is_refusal(self.problem)


def is_refusal(problem: str | None) -> bool:
    """Whether a problem is that the parser refused the formula."""
    return problem is not None and problem.startswith("refused:")


FormulaSource = tuple[int, str, str]
"""Number, LaTeX and macros of a distinct formula; a plain tuple, because there are millions."""


@dataclass(frozen=True, slots=True)
class StoredInstance:
    """An occurrence of a formula. The visual ids are the lab's, empty where it gave none."""

    id: str
    post_id: DocId
    comment_id: str | None
    place: InstancePlace
    formula: StoredFormula
    visual_id: str = ""
    old_visual_id: str = ""
    issue: str = ""

    @property
    def effective_visual_id(self) -> str:
        """The lab's visual id or, where it gave none, ours."""
        return self.visual_id or self.formula.visual_id


@dataclass(frozen=True, slots=True)
class KindFacts:
    """The number of posts of a kind, and when the first and the last of them were made."""

    posts: int
    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class RelatedQuestion:
    """A question linked with another; the title is empty if unknown."""

    id: DocId
    kind: LinkKind
    title: Content
    is_here: bool


@dataclass(frozen=True, slots=True)
class Thread:
    """A question with its answers, best first, their comments, and related questions.

    ``user_names`` are those of the authors of the posts, as far as known, by their ids.
    """

    question: Post
    answers: tuple[Post, ...]
    comments: dict[DocId, tuple[Comment, ...]]
    related: tuple[RelatedQuestion, ...]
    user_names: dict[str, str] = field(default_factory=dict)

    def author(self, post: Post) -> str | None:
        """The name of the author of one of these posts, if known."""
        return self.user_names.get(post.owner_id or "")


PARENTS_KEPT = 50_000
"""Posts whose questions are remembered, about 8 MB: a search needs those of a thousand."""

POSTS_KEPT = 2_000
"""Posts that are remembered as results, about 20 MB, and as many headings."""

_UNREAD = DocId("")


class _Remembered:
    """What was read of one database, which never changes, by all connections to it."""

    def __init__(self) -> None:
        self.parents: dict[DocId, DocId | None] = {}
        self.posts: dict[str, Post] = {}
        self.headings: dict[str, PostHeading] = {}


_REMEMBERED: WeakValueDictionary[tuple[int, ...], _Remembered] = WeakValueDictionary()
"""By the identity of the file; each is kept by the connections."""


def _identity(database: Path) -> tuple[int, ...]:
    status = database.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Collection:
    """A finished collection. Reading needs no lock and changes nothing."""

    def __init__(self, path: Path) -> None:
        database = path / DATABASE
        if not database.is_file():
            raise PorismError(_absent(path))
        self.path = path
        identity = _identity(database)
        self._connection = connect_to_read(database)
        # An ingest may have replaced the file in between: then nothing is shared.
        is_known = identity == _identity(database)
        new = _Remembered()
        self._remembered = _REMEMBERED.setdefault(identity, new) if is_known else new

    def __enter__(self) -> Collection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def posts(self, kind: PostKind | None = None) -> Iterator[Post]:
        """All posts, or those of one kind, by number."""
        where, values = ("", ()) if kind is None else ("WHERE kind = ?", (kind,))
        rows = self._connection.execute(f"SELECT {_POST} FROM posts {where} ORDER BY id", values)
        return (self._post(row) for row in rows)

    def post(self, post_id: str) -> Post:
        """The post with this id; the id of a document is its name."""
        known = self._remembered.posts
        post = known.get(post_id)
        if post is None:
            post = self._post(self._row(_POST, post_id))
            if len(known) >= POSTS_KEPT:
                known.clear()
            known[post_id] = post
        return post

    def _row(self, columns: str, post_id: str) -> tuple[Any, ...]:  # Any: what SQLite has
        """Columns of a post."""
        where = "id" if is_number(post_id) else "name"
        row: tuple[Any, ...] | None = self._connection.execute(
            f"SELECT {columns} FROM posts WHERE {where} = ?", (storable(post_id),)
        ).fetchone()
        if row is None:
            raise self._no_post(post_id)
        return row

    def _no_post(self, post_id: str) -> PorismError:
        return PorismError(f"{self.path}: there is no post {post_id}")

    def documents_of(self, path: str) -> tuple[Post, ...]:
        """The documents of one file, in reading order; none if the file is not known."""
        if not self._has_locations:
            return ()
        rows = self._connection.execute(
            f"SELECT {_POST} FROM posts WHERE id IN (SELECT post_id FROM locations WHERE path = ?) "
            "ORDER BY line, id",
            (storable(path),),
        )
        return tuple(self._post(row) for row in rows.fetchall())

    @cached_property
    def document_paths(self) -> tuple[str, ...]:
        """The paths of all files of documents."""
        if not self._has_locations:
            return ()
        rows = self._connection.execute("SELECT DISTINCT path FROM locations ORDER BY path")
        return tuple(path for (path,) in rows)

    def document_with(self, path: str, markup: str) -> DocId | None:
        """The first document of a file whose body has this markup."""
        if not self._has_locations:
            return None
        row = self._connection.execute(
            "SELECT name FROM locations JOIN posts ON posts.id = post_id "
            "WHERE path = ? AND instr(body, ?) ORDER BY line, posts.id LIMIT 1",
            (storable(path), markup),
        ).fetchone()
        return None if row is None else DocId(row[0])

    def source_file(self, location: Location) -> Path | None:
        """The file of a location, to be opened in an editor; None if it is not there."""
        folder, _, inside = location.path.partition("/")
        place = self.meta(f"{SOURCE_PATH}{folder}{'/' if inside else ''}")
        if place is None:
            return None
        file = Path(place, inside) if inside else Path(place)
        return file if file.is_file() else None

    def heading(self, post_id: str) -> PostHeading:
        """Title and tags of a post, without reading its body."""
        known = self._remembered.headings
        heading = known.get(post_id)
        if heading is None:
            heading = self._read_heading(post_id)
            if len(known) >= POSTS_KEPT:
                known.clear()
            known[post_id] = heading
        return heading

    def _read_heading(self, post_id: str) -> PostHeading:
        number, title, tags, name, accepted = self._row(
            "id, title, tags, name, accepted_id", post_id
        )
        content = text_content(title, f"post {name or number}") if title else ()
        has_formula = any(isinstance(piece, Formula) for piece in content)
        return PostHeading(
            id=DocId(str(name or number)),
            title=self._enriched(content, self._formulas_of(number)) if has_formula else content,
            tags=_tags(tags),
            accepted_id=None if accepted is None else DocId(str(accepted)),
        )

    def markup(self, post_id: str) -> PostMarkup:
        """Title and body of a post as HTML."""
        title, body = self._row("title, body", post_id)
        return PostMarkup(title or "", body)

    def answers(self, question_id: str) -> tuple[Post, ...]:
        """The answers to a question: the accepted one first, then by score and id."""
        rows = self._connection.execute(
            f"SELECT {_POST} FROM posts WHERE parent_id = ?1 ORDER BY id IS NOT "
            "(SELECT accepted_id FROM posts WHERE id = ?1), score DESC, id",
            (self.number(question_id),),
        )
        return tuple(self._post(row) for row in rows.fetchall())

    def parent(self, post_id: str) -> DocId | None:
        """The question of an answer; None for other posts and unknown ids."""
        row = self._connection.execute(
            "SELECT parent_id FROM posts WHERE id = ?", (self.find_number(post_id),)
        ).fetchone()
        return None if row is None or row[0] is None else DocId(str(row[0]))

    def bodies(self, post_ids: Iterable[str]) -> dict[DocId, str]:
        """The bodies as HTML of those of these posts that exist."""
        requested = list(post_ids)
        rows = self._connection.execute(
            "SELECT id, name, body FROM posts "
            "WHERE id IN (SELECT value FROM json_each(?)) AND name IS NULL "
            "UNION ALL SELECT id, name, body FROM posts "
            "WHERE name IN (SELECT value FROM json_each(?))",
            (
                json.dumps([int(each) for each in requested if is_number(each)]),
                json.dumps([storable(each) for each in requested if not is_number(each)]),
            ),
        )
        return {DocId(str(name or number)): body for number, name, body in rows}

    def parents(self, post_ids: Iterable[str]) -> dict[DocId, DocId]:
        """The questions of those of these posts that are answers."""
        known = self._remembered.parents
        found = {each: known.get(each, _UNREAD) for each in map(DocId, post_ids)}
        if unread := [each for each, parent in found.items() if parent is _UNREAD]:
            read: dict[DocId, DocId | None] = dict.fromkeys(unread)
            read |= self._read_parents(unread)
            found |= read
            if len(known) + len(read) > PARENTS_KEPT:
                known.clear()
            known |= read
        return {each: parent for each, parent in found.items() if parent is not None}

    def _read_parents(self, post_ids: Iterable[str]) -> dict[DocId, DocId]:
        numbers = json.dumps([int(each) for each in post_ids if is_number(each)])
        rows = self._connection.execute(
            "SELECT id, parent_id FROM posts WHERE id IN (SELECT value FROM json_each(?)) "
            "AND parent_id IS NOT NULL AND name IS NULL",
            (numbers,),
        )
        return {DocId(str(number)): DocId(str(parent)) for number, parent in rows}

    def comments(self, post_id: str) -> tuple[Comment, ...]:
        """The comments on a post, by id."""
        number = self.number(post_id)
        rows = self._connection.execute(
            "SELECT id, text, created, score, user_id FROM comments WHERE post_id = ? ORDER BY id",
            (number,),
        ).fetchall()
        known = self._formulas_of(number) if rows else {}
        return tuple(
            Comment(
                id=str(comment_id),
                post_id=DocId(post_id),
                text=self._enriched(text_content(text, f"comment {comment_id}"), known),
                created=created,
                score=score,
                user_id=_text(user_id),
            )
            for comment_id, text, created, score, user_id in rows
        )

    def comment_markup(self, comment_id: str) -> str:
        """The text of a comment as HTML."""
        row = self._connection.execute(
            "SELECT text FROM comments WHERE id = ?", (_as_number(comment_id),)
        ).fetchone()
        if row is None:
            raise PorismError(f"{self.path}: there is no comment {comment_id}")
        return str(row[0])

    def links(self, post_id: str) -> tuple[Link, ...]:
        """The links from a post, and those to it, reversed."""
        number = self.number(post_id)
        rows = self._connection.execute(
            "SELECT related_id AS other, kind FROM links WHERE post_id = ?1 "
            "UNION SELECT post_id, kind FROM links WHERE related_id = ?1 ORDER BY kind DESC, other",
            (number,),
        )
        return tuple(
            Link(
                DocId(post_id),
                DocId(str(other)),
                LinkKind.DUPLICATE if kind == DUPLICATE else LinkKind.RELATED,
            )
            for other, kind in rows.fetchall()
        )

    def thread(self, post_id: str) -> Thread:
        """The thread of a post; for a document, the document alone."""
        post = self.post(post_id)
        question = post if post.parent_id is None else self.post(post.parent_id)
        answers = self.answers(question.id)
        return Thread(
            question=question,
            answers=answers,
            comments={each.id: self.comments(each.id) for each in (question, *answers)},
            related=tuple(self._related(link) for link in self.links(question.id)),
            user_names=self._user_names(question, *answers),
        )

    def bare_thread(self, question_id: str) -> Thread:
        """The thread of a question, or a document, without reading its answers."""
        question = self.post(question_id)
        return Thread(
            question=question,
            answers=(),
            comments={question.id: self.comments(question.id)},
            related=tuple(self._related(link) for link in self.links(question.id)),
            user_names=self._user_names(question),
        )

    def _user_names(self, *posts: Post) -> dict[str, str]:
        owners = {post.owner_id for post in posts if post.owner_id is not None}
        names = ((owner, self.user_name(owner)) for owner in sorted(owners))
        return {owner: name for owner, name in names if name}

    def linked_title(self, post_id: str) -> Content:
        """The title of a question, which may only be linked from here; empty if unknown."""
        row = self._connection.execute(
            "SELECT title FROM posts WHERE id = ?1 "
            "UNION ALL SELECT title FROM linked_titles WHERE post_id = ?1",
            (_as_number(post_id),),
        ).fetchone()
        if row is None or row[0] is None:
            return ()
        # Its formulas need not be in the table, but have the number that they would have there.
        return tuple(
            replace(piece, number=text_number(piece.latex, ""))
            if isinstance(piece, Formula)
            else piece
            for piece in text_content(row[0], f"post {post_id}")
        )

    def titles(self) -> Iterator[Content]:
        """The titles of all posts, and of questions that are only linked from here."""
        rows = self._connection.execute(
            "SELECT id, title FROM posts WHERE title IS NOT NULL "
            "UNION SELECT post_id, title FROM linked_titles"
        )
        return (text_content(title, f"post {post_id}") for post_id, title in rows)

    def first_titles(self, number: int) -> Iterator[Content]:
        """The titles of the first so many posts that have one."""
        rows = self._connection.execute(
            "SELECT id, title FROM posts WHERE title IS NOT NULL ORDER BY id LIMIT ?", (number,)
        )
        return (text_content(title, f"post {post_id}") for post_id, title in rows)

    def tags(self) -> set[str]:
        """All tags of posts."""
        rows = self._connection.execute("SELECT DISTINCT tags FROM posts WHERE tags != ''")
        return {tag for (tags,) in rows for tag in tags.split("\n")}

    def kinds(self) -> dict[PostKind, KindFacts]:
        """How many posts of each kind there are, with the first and last dates; reads all posts."""
        rows = self._connection.execute(
            "SELECT kind, count(*), min(created), max(created) FROM posts GROUP BY kind"
        )
        return {
            PostKind(kind): KindFacts(number, first, last) for kind, number, first, last in rows
        }

    def count_posts(self) -> int:
        """The number of questions, answers and documents."""
        return int(self._connection.execute("SELECT count(*) FROM posts").fetchone()[0])

    def count_answers(self) -> int:
        """The number of answers and documents."""
        query = "SELECT count(*) FROM posts WHERE kind != ?"
        return int(self._connection.execute(query, (PostKind.QUESTION,)).fetchone()[0])

    def instance(self, formula_id: str) -> StoredInstance:
        """The instance with this id."""
        row = self._connection.execute(
            f"SELECT {_INSTANCE} WHERE instances.id = ?", (_as_number(formula_id),)
        ).fetchone()
        if row is None:
            raise PorismError(f"{self.path}: there is no formula {formula_id}")
        return _instance(row)

    def instances(self, visual_id: str | None = None) -> Iterator[StoredInstance]:
        """All instances, or those with one visual id, by id.

        A visual id is the lab's or, for formulas without one, ours.
        """
        if visual_id is None:
            rows = self._connection.execute(f"SELECT {_INSTANCE} ORDER BY instances.id")
        else:
            rows = self._connection.execute(
                f"SELECT {_INSTANCE} WHERE instances.id IN "
                f"(SELECT id FROM ({instances_by_visual_id()})) ORDER BY instances.id",
                (_as_number(visual_id),),
            )
        return map(_instance, rows)

    def instances_in(self, post_id: str) -> Iterator[StoredInstance]:
        """The instances in a post and the comments on it, by id."""
        rows = self._connection.execute(
            f"SELECT {_INSTANCE} WHERE post_id = ? ORDER BY instances.id", (self.number(post_id),)
        )
        return map(_instance, rows)

    def formulas(self) -> Iterator[StoredFormula]:
        """All distinct formulas, by number."""
        rows = self._connection.execute(f"SELECT {_FORMULA} FROM formulas ORDER BY number")
        return map(_formula, rows)

    def formula_sources(self, first: int, last: int) -> list[FormulaSource]:
        """The sources of distinct formulas whose numbers are in a range, both ends included."""
        return self._connection.execute(
            "SELECT number, latex, macros FROM formulas WHERE number BETWEEN ? AND ? "
            "ORDER BY number",
            (first, last),
        ).fetchall()

    def formula_ranges(self, size: int) -> Iterator[tuple[int, int]]:
        """The first and last numbers of ranges of ``size`` distinct formulas, ascending."""
        numbers = self._connection.execute("SELECT number FROM formulas ORDER BY number")
        while rows := numbers.fetchmany(size):
            yield rows[0][0], rows[-1][0]

    def formula(self, number: int) -> StoredFormula | None:
        """The distinct formula with this number, if there is one."""
        row = self._connection.execute(
            f"SELECT {_FORMULA} FROM formulas WHERE number = ?", (number,)
        ).fetchone()
        return None if row is None else _formula(row)

    def count_formulas(self) -> int:
        """The number of distinct formulas."""
        return int(self._connection.execute("SELECT count(*) FROM formulas").fetchone()[0])

    def count_instances(self) -> int:
        """The number of instances of formulas."""
        return int(self._connection.execute("SELECT count(*) FROM instances").fetchone()[0])

    def user_name(self, user_id: str) -> str | None:
        """The name of a user, if known."""
        row = self._connection.execute(
            "SELECT name FROM users WHERE id = ?", (_as_number(user_id),)
        ).fetchone()
        return None if row is None else row[0]

    def meta(self, key: str) -> str | None:
        """A value recorded by ingest: ``format``, ``until``, ``attributes`` or ``site``."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    @cached_property
    def profile(self) -> CollectionProfile:
        """What the posts have at all: votes, tags, dates, questions."""
        record = self.meta(PROFILE)
        # A collection made before ingest recorded profiles has none.
        return computed_profile(self._connection) if record is None else recorded_profile(record)

    @cached_property
    def _site(self) -> str:
        return self.meta("site") or ""

    def url(self, post: Post) -> str | None:
        """The address of a post on its site; None if the site is not known."""
        if not self._site or post.kind is PostKind.DOCUMENT:
            return None
        return f"https://{self._site}/{'a' if post.kind is PostKind.ANSWER else 'q'}/{post.id}"

    def number(self, post_id: str) -> int:
        """The number of a post in the tables; documents have names as ids."""
        number = self.find_number(post_id)
        if number is None:
            raise self._no_post(post_id)
        return number

    def find_number(self, post_id: str) -> int | None:
        """The number of a post in the tables, or None if there is no such post."""
        column = "id" if is_number(post_id) else "name"
        row = self._connection.execute(
            f"SELECT id FROM posts WHERE {column} = ?", (storable(post_id),)
        ).fetchone()
        return None if row is None else int(row[0])

    def digest(self, post_id: str) -> int | None:
        """A number that changes with the content of a post; None if there is no such post."""
        row = self._connection.execute(
            "SELECT digest FROM posts WHERE id = ?", (self.find_number(post_id),)
        ).fetchone()
        return None if row is None else int(row[0])

    def has_answer(self, post_id: str) -> bool:
        """Whether there is such a post, and it is an answer or a document."""
        row = self._connection.execute(
            "SELECT kind FROM posts WHERE id = ?", (self.find_number(post_id),)
        ).fetchone()
        return row is not None and row[0] != PostKind.QUESTION

    def has_formula(self, formula_id: str) -> bool:
        """Whether there is an instance with this id."""
        if not is_number(formula_id):
            return False
        query = "SELECT 1 FROM instances WHERE id = ?"
        return self._connection.execute(query, (storable(formula_id),)).fetchone() is not None

    def _post(self, row: tuple[object, ...]) -> Post:
        (
            number,
            kind,
            parent_id,
            title,
            body,
            tags,
            created,
            score,
            views,
            owner,
            accepted,
            name,
            line,
        ) = row
        known = self._formulas_of(number)
        post_id = DocId(str(name or number))
        return Post(
            id=post_id,
            kind=PostKind(str(kind)),
            title=self._enriched(text_content(str(title), f"post {post_id}"), known)
            if title
            else (),
            body=self._enriched(text_content(str(body), f"post {post_id}"), known),
            parent_id=None if parent_id is None else DocId(str(parent_id)),
            tags=_tags(tags),
            created=_text(created),
            score=_whole(score),
            views=_whole(views),
            owner_id=_text(owner),
            accepted_id=None if accepted is None else DocId(str(accepted)),
            location=None if kind != PostKind.DOCUMENT else self._location(number, line),
        )

    @cached_property
    def _has_locations(self) -> bool:
        """Whether ingest recorded locations; Porism once did not."""
        query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'locations')"
        return bool(self._connection.execute(query).fetchone()[0])

    def _location(self, number: object, line: object) -> Location | None:
        query = "SELECT path, headings, anchor, label FROM locations WHERE post_id = ?"
        row = self._connection.execute(query, (number,)).fetchone() if self._has_locations else None
        if row is None:
            return None
        path, headings, anchor, label = row
        return Location(
            path, tuple(headings.split("\n")) if headings else (), anchor, int(str(line)), label
        )

    def _formulas_of(self, number: object) -> dict[str, tuple[str, str, int]]:
        """Visual id, macros and number of the formulas in a post and its comments, by id."""
        return {
            str(formula_id): (str(visual_id), macros, formula)
            for formula_id, visual_id, macros, formula in self._connection.execute(
                f"SELECT instances.id, {EFFECTIVE_VISUAL_ID}, macros, number "
                "FROM instances JOIN formulas ON formulas.number = instances.formula "
                "WHERE post_id = ?",
                (number,),
            )
        }

    def _enriched(self, content: Content, known: dict[str, tuple[str, str, int]]) -> Content:
        """The content with the visual ids, macros and numbers of its formulas."""
        pieces: list[str | Formula] = []
        for piece in content:
            if isinstance(piece, Formula) and piece.id in known:
                details = known[piece.id]
                # The text has no LaTeX for a formula that came as MathML; the table has.
                latex = piece.latex or self._latex(details[-1])
                piece = Formula(piece.id, latex, *details)
            pieces.append(piece)
        return tuple(pieces)

    def _latex(self, number: int) -> str:
        query = "SELECT latex FROM formulas WHERE number = ?"
        return str(self._connection.execute(query, (number,)).fetchone()[0])

    def _related(self, link: Link) -> RelatedQuestion:
        is_here = self._connection.execute(
            "SELECT EXISTS (SELECT 1 FROM posts WHERE id = ?)", (_as_number(link.related_id),)
        ).fetchone()[0]
        return RelatedQuestion(
            link.related_id, link.kind, self.linked_title(link.related_id), bool(is_here)
        )


def is_collection(path: Path) -> bool:
    """Whether a folder contains a collection, finished or not."""
    return (path / DATABASE).exists() or (path / UNFINISHED).exists()


def open_collection(path: Path) -> Collection:
    """Open the collection in a folder for reading."""
    return Collection(path)


_POST = (
    "id, kind, parent_id, title, body, tags, created, score, views, owner_id, accepted_id, name, "
    "line"
)
_FORMULA = (
    "formulas.number, formulas.latex, formulas.macros, formulas.symbols, formulas.visual_id, "
    "formulas.problem"
)
_INSTANCE = (
    f"instances.id, post_id, posts.name, comment_id, place, instances.visual_id, old_visual_id, "
    f"issue, {_FORMULA} FROM instances JOIN posts ON posts.id = post_id "
    "JOIN formulas ON formulas.number = instances.formula"
)


def _formula(row: tuple[int, str, str, int, int, str | None]) -> StoredFormula:
    number, latex, macros, symbols, visual_id, problem = row
    return StoredFormula(number, latex, macros, symbols, str(visual_id), problem)


def _instance(row: tuple[object, ...]) -> StoredInstance:
    instance_id, post_id, name, comment_id, place, visual_id, old_visual_id, issue, *formula = row
    number, latex, macros, symbols, own_visual_id, problem = formula
    return StoredInstance(
        id=str(instance_id),
        post_id=DocId(str(name or post_id)),
        comment_id=_text(comment_id),
        place=InstancePlace(int(str(place))),
        formula=StoredFormula(
            int(str(number)),
            str(latex),
            str(macros),
            int(str(symbols)),
            str(own_visual_id),
            _text(problem),
        ),
        visual_id=_text(visual_id) or "",
        old_visual_id=_text(old_visual_id) or "",
        issue=_text(issue) or "",
    )


def _tags(value: object) -> tuple[str, ...]:
    return tuple(str(value).split("\n")) if value else ()


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _whole(value: object) -> int | None:
    return None if value is None else int(str(value))


def _as_number(name: str) -> int:
    """An id as a number, or -1, which no record has."""
    return int(name) if is_number(name) else -1


def _absent(path: Path) -> str:
    if (path / UNFINISHED).exists():
        return f"{path}: an unfinished collection; run the same porism ingest again to finish it"
    return f"{path}: no collection; make one with porism ingest SOURCE -o {path}"
