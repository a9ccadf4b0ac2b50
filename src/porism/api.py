"""The public Python API, which ``import porism`` offers under short names.

Everything here is a thin layer over the packages below: paths may be strings, defaults are those of
the commands, and results are records of plain text that a notebook displays as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import overload

from porism import catalog
from porism.answer.answerer import AnswerTools
from porism.answer.short_answer import ShortAnswer
from porism.collection.ingest.pipeline import IngestOptions
from porism.collection.ingest.pipeline import ingest as ingest_source
from porism.collection.ingest.report import IngestReport
from porism.collection.ingest.sources import SourceFormat
from porism.collection.progress import StepProgress
from porism.collection.sample import named_source
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.filters import FilterValue
from porism.formats.runs import RunForm, write_run
from porism.formats.topics import read_topics
from porism.generation.models import open_generator
from porism.generation.settings import GeneratorSettings
from porism.model import DocId, Formula, PostKind, Run, Task, Topic, plain_text
from porism.pages.formula_html import FormulaRenderer
from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
from porism.rank.explanations import Explanation
from porism.rank.filters import PostFilter
from porism.rank.results import SearchResult, SearchResults, explained, search_results
from porism.rank.runs import run_topics
from porism.searchindex.builder import IndexOptions
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.indexing import (
    VectorChoice,
    index_collection,
    update_collection_index,
)
from porism.searchindex.manifest import INDEX
from porism.searchindex.model_roles import parsed_models

AnyPath = str | PathLike[str]
ProgressCallback = Callable[[StepProgress], None]
FilterInput = FilterValue | str | Sequence[str] | None
"""What a filter takes: a number, True, a text, or several texts."""


def ignore_progress(progress: StepProgress) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Result:
    """A post, or a formula in a post, that a search returned.

    ``title`` and ``passage`` are plain text with formulas between dollars; an answer has the title
    and tags of its question. ``formula`` is set by ``OpenIndex.formulas``, ``explanation`` where it
    was asked for. ``source`` is the record with formulas and highlights.
    """

    rank: int
    score: float
    post_id: DocId
    kind: PostKind
    title: str
    passage: str
    tags: tuple[str, ...]
    votes: int | None
    url: str | None
    formula: Formula | None
    explanation: Explanation | None
    source: SearchResult = field(repr=False)


@dataclass(frozen=True, slots=True)
class Results(Sequence[Result]):
    """Results, best first; a notebook shows them as a table with mathematics.

    ``problems`` are messages about what was not understood, or why nothing can be found.
    """

    results: tuple[Result, ...]
    system: str
    words: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, at: int) -> Result: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Result]: ...
    def __getitem__(self, at: int | slice) -> Result | Sequence[Result]:
        return self.results[at]

    def _repr_html_(self) -> str:
        heading = "".join(f"<th>{name}</th>" for name in ("", "score", "result", "votes", "tags"))
        rows = "".join(map(_row, self.results))
        notes = "".join(f"<p>{escape(each)}</p>" for each in self.problems)
        return f"<table><thead><tr>{heading}</tr></thead><tbody>{rows}</tbody></table>{notes}"


_RENDERER = FormulaRenderer({})


def _row(result: Result) -> str:
    title = _RENDERER.content_html(result.source.title)
    if result.url is not None:
        title = f'<a href="{escape(result.url)}">{title}</a>'
    passage = "".join(
        f"<mark>{html}</mark>" if piece.is_matched else html
        for piece in result.source.snippet
        for html in (_RENDERER.content_html((piece.content,)),)
    )
    cells = (
        str(result.rank),
        f"{result.score:.4g}",
        f"<b>{title}</b><br>{passage}",
        "" if result.votes is None else str(result.votes),
        escape(", ".join(result.tags)),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


class OpenIndex:
    """An index opened for searching; close it, or use it as a context manager."""

    def __init__(self, search_index: SearchIndex) -> None:
        self.search_index = search_index

    def __repr__(self) -> str:
        answers, formulas = self.search_index.answers, self.search_index.formulas
        return (
            f"<OpenIndex {str(self.search_index.folder)!r}: {answers.documents:,} answers and "
            f"notes, {formulas.documents:,} visually distinct formulas>"
        )

    def search(
        self,
        text: str,
        k: int = 10,
        *,
        system: str | None = None,
        explain: bool = False,
        **filters: FilterInput,
    ) -> Results:
        """The best ``k`` answers and notes for words, with formulas between dollars.

        ``system`` is a name of ``porism systems``, by default the best that the index was built
        for. ``filters`` are those of ``porism search``: ``tag``, ``since``, ``until``, ``votes``
        and ``accepted``.
        """
        return self._search(Task.ANSWERS, text, k, system, explain, filters)

    def formulas(
        self,
        latex: str,
        k: int = 10,
        *,
        system: str | None = None,
        explain: bool = False,
        **filters: FilterInput,
    ) -> Results:
        """The best ``k`` formulas for a formula in LaTeX, each in one of its posts."""
        return self._search(Task.FORMULAS, latex, k, system, explain, filters)

    def ask(
        self,
        question: str,
        *,
        system: str | None = None,
        model: str | None = None,
        endpoint: str | None = None,
        **filters: FilterInput,
    ) -> ShortAnswer:
        """One short answer to a question in words, with formulas between dollars.

        It is the best passage of the best answer or, with a language model, a text from such
        passages: ``model`` is a GGUF file, ``smollm2`` or the name of a model at ``endpoint``. If
        there is none, its ``text`` is empty and ``reason`` says why.
        """
        settings = GeneratorSettings(model, endpoint)
        name = system or ("generate" if settings.is_named else catalog.DEFAULT_ANSWERER)
        topic = typed_answer_topic(question).topic
        post_filter = PostFilter(**{each: _filter_value(filters[each]) for each in filters})
        with ExitStack() as opened:
            generator = None
            if settings.is_named and catalog.system(name).needs_generator:
                generator = open_generator(settings)
                opened.callback(generator.close)
            answerer = catalog.answerer(name, self.search_index, AnswerTools(generator))
            return answerer.answer(topic, post_filter.index_filter())

    def _search(
        self,
        task: Task,
        text: str,
        k: int,
        system: str | None,
        explain: bool,
        filters: dict[str, FilterInput],
    ) -> Results:
        typed = typed_formula_topic(text) if task is Task.FORMULAS else typed_answer_topic(text)
        name, ranker = catalog.typed_search(task, self.search_index, system)
        post_filter = PostFilter(**{each: _filter_value(filters[each]) for each in filters})
        answer = search_results(self.search_index, ranker, typed, k, post_filter)
        listed = answer.results
        if explain:
            listed = explained(answer.search, listed)
        return _results(answer, listed, name)

    def close(self) -> None:
        """Close the collection; the files of the index are mapped until nothing uses them."""
        self.search_index.close()

    def __enter__(self) -> OpenIndex:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _filter_value(value: FilterInput) -> FilterValue | None:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, Sequence) else value


def _results(answer: SearchResults, listed: Sequence[SearchResult], system: str) -> Results:
    return Results(
        tuple(map(_result, listed)),
        system,
        answer.search.words,
        tuple(problem.message for problem in answer.problems),
        answer.search.seconds + answer.read_seconds,
    )


def _result(result: SearchResult) -> Result:
    return Result(
        rank=result.rank,
        score=result.score,
        post_id=result.post_id,
        kind=result.kind,
        title=plain_text(result.title),
        passage="".join(piece.text for piece in result.snippet),
        tags=result.tags,
        votes=result.votes,
        url=result.url,
        formula=result.formula,
        explanation=result.explanation,
        source=result,
    )


def open(path: AnyPath, collection: AnyPath | None = None) -> OpenIndex:
    """Open an index, or the index of a collection that has one.

    ``collection`` is where the index's collection is now, if it has moved.
    """
    return OpenIndex(open_index(Path(path), None if collection is None else Path(collection)))


def ingest(
    source: AnyPath,
    collection: AnyPath,
    *,
    format: str | None = None,
    until: int | None = None,
    jobs: int = 1,
    skip_bad: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> IngestReport:
    """Ingest a dump, the ARQMath files or documents into a collection, as ``porism ingest`` does.

    ``source`` may be ``"sample"``, the small collection that ships with Porism. The same call again
    ingests what has changed.
    """
    form = None if format is None else SourceFormat(format)
    options = IngestOptions(form, until, jobs, skip_bad)
    return ingest_source(named_source(str(source)), Path(collection), options, progress)


def index(
    collection: AnyPath,
    folder: AnyPath | None = None,
    *,
    systems: Iterable[str] = (),
    vectors: bool | None = None,
    model: str | None = None,
    models: Mapping[str, str] | None = None,
    jobs: int = 1,
    progress: ProgressCallback = ignore_progress,
) -> OpenIndex:
    """Index a collection, by default in its folder ``index``, and open the index.

    ``systems`` names the systems that should work; by default all of them, or for a large
    collection the best two. ``vectors`` says whether questions and answers get vectors by
    ``model``; by default as ``porism index`` decides. ``models`` are others by their roles, such as
    ``cross-encoder``.
    """
    output = Path(collection) / INDEX if folder is None else Path(folder)
    chosen = tuple(systems)
    with open_collection(Path(collection)) as opened:
        given = parsed_models(f"{role}={place}" for role, place in (models or {}).items())
        roles = (*given.vectors, *given.rankers)
        names = chosen or catalog.default_systems(opened.count_answers(), roles)
        plan = catalog.index_plan(names)
        is_used = catalog.uses_vectors(names)
        choice = VectorChoice(vectors, model or given.usual, is_used, given.vectors)
        options = IndexOptions(jobs, models=given.rankers)
        index_collection(opened, output, plan, choice, options, progress)
    return open(output)


def update(
    index: AnyPath, *, jobs: int = 1, progress: ProgressCallback = ignore_progress
) -> OpenIndex:
    """Bring an index up to date with its collection, and open it.

    New texts get vectors if the index has any and their model is installed.
    """
    with open_index(Path(index)) as before:
        folder = before.folder
        update_collection_index(before.collection, folder, IndexOptions(jobs), progress)
    return open(folder)


def run(
    index: OpenIndex | AnyPath,
    system: str,
    topics: AnyPath | Iterable[Topic],
    *,
    k: int = 1000,
    topic_formulas: AnyPath | None = None,
    output: AnyPath | None = None,
) -> Run:
    """Rank every topic with a system; topics with a query formula are Task 2, others Task 1.

    ``topics`` is a file of the lab or records. ``output`` is a file to write the run to, in the
    lab's columns.
    """
    if not isinstance(index, OpenIndex):
        with open(index) as opened:
            return run(opened, system, topics, k=k, topic_formulas=topic_formulas, output=output)
    if isinstance(topics, str | PathLike):
        latex = None if topic_formulas is None else Path(topic_formulas)
        listed = list(read_topics(Path(topics), latex))
    else:
        listed = list(topics)
    tasks = {Task.ANSWERS if topic.focus is None else Task.FORMULAS for topic in listed}
    if len(tasks) != 1:
        found = "no topics" if not tasks else "topics of Task 1 and of Task 2"
        raise PorismError(f"found {found}; a run needs topics of one task")
    (task,) = tasks
    ranker = catalog.ranker(system, task, index.search_index)
    made = Run(system, run_topics(ranker, listed, k).rankings)
    if output is not None:
        write_run(Path(output), made, RunForm(f"task{task}"))
    return made
