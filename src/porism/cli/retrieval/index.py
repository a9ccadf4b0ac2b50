"""``porism index``: index a collection."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import PATH, collection_argument, without_links_option
from porism.cli.options.jobs import jobs_option, useful_jobs
from porism.cli.options.outputs import FOLDER, json_option, output_option
from porism.cli.options.sizes import memory_size, size_text
from porism.cli.options.systems import systems_option
from porism.cli.plain_tables import columns
from porism.cli.progress import duration, progress_reporter
from porism.cli.retrieval.write_errors import index_write_errors

if TYPE_CHECKING:
    from porism.collection.store import Collection
    from porism.searchindex.builder import IndexOptions, IndexReport
    from porism.searchindex.collection_state.excluded_links import ExcludedLinks
    from porism.searchindex.index_folder import SearchIndex
    from porism.searchindex.indexing import IndexingReport
    from porism.searchindex.vector_filling import VectorReport

INDEX = "index"
"""Default folder of the index, inside that of the collection."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism index sample
    porism index math -o math-index --jobs 4 --memory 4G
    porism index notes --systems l8,tangent-l --systems bm25
    porism index math --without-links link-topics/links.tsv -o math-unlinked
    porism index math -o math-index --vectors
    porism index math -o math-index --weights weights.json
    porism index math -o math-index --model cross-encoder=my-model
    """,
)
@output_option("INDEX", f"The index; COLLECTION/{INDEX} if not given.", FOLDER)
@systems_option(
    "The systems to index for; repeat, or separate by commas. If not given, all for up to 50,000 "
    "answers and notes, and porism and l8 for more."
)
@click.option(
    "--vectors/--no-vectors",
    default=None,
    help="Whether questions and answers get vectors. An index that has everything else is kept and "
    "gets those that it lacks. If not given: for up to 200,000 posts, if the model is installed.",
)
@click.option(
    "--model",
    "models",
    metavar="[ROLE=]MODEL",
    multiple=True,
    help="The model that makes the vectors, a name or a folder; minilm if not given. With a role "
    "such as cross-encoder, the model that systems use for that; repeatable. An index that has "
    "everything else is kept.",
)
@jobs_option()
@click.option(
    "--memory",
    metavar="SIZE",
    callback=memory_size,
    default="2G",
    show_default=True,
    help="Memory for postings and for known tokens, of all processes together, as in 500M or 4G.",
)
@without_links_option(
    "Links that documents must not show (TSV: question, linked), such as links.tsv of porism "
    "topics links."
)
@click.option(
    "--weights",
    metavar="FILE",
    type=PATH,
    multiple=True,
    help="Weights for porism, as porism tune --learn writes them, for ltr, as porism train ltr "
    "does, or for a ranker, as porism train ranker does; repeatable. An index that has everything "
    "else is kept.",
)
@json_option
@collection_argument
def index(
    collection: Path,
    output: Path | None,
    systems: tuple[str, ...],
    vectors: bool | None,
    models: tuple[str, ...],
    jobs: int,
    memory: int,
    without_links: Path | None,
    weights: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Index COLLECTION: its answers and notes, and its visually distinct formulas.

    An existing index stays in use until the new one is complete, and is unchanged if indexing
    fails. Vectors are added to an index that can be searched already; if that is interrupted, the
    same command with --vectors continues.
    """
    # Loads the engine and the systems, which --help does not need.
    from porism import catalog
    from porism.catalog.first_search import search_compiled_meanwhile
    from porism.collection.store import open_collection
    from porism.formula.jsonl import json_line
    from porism.parallel import reduce_garbage_collection
    from porism.searchindex.builder import IndexOptions
    from porism.searchindex.index_folder import open_index
    from porism.searchindex.indexing import VectorChoice, index_collection
    from porism.searchindex.manifest import readable_manifest
    from porism.searchindex.model_roles import parsed_models

    reduce_garbage_collection()
    folder = output or collection / INDEX
    with open_collection(collection) as opened, progress_reporter() as report_progress:
        documents = opened.count_answers()
        given = parsed_models(models)
        before = readable_manifest(folder)
        known = frozenset() if before is None else before.roles
        roles = {role for role in (*known, *given.vectors, *given.rankers) if given.has(role)}
        names = systems or _default_systems(documents, roles)
        plan = catalog.index_plan(names)
        links = _excluded_links(without_links, opened)
        options = IndexOptions(useful_jobs(jobs, documents), memory, links, models=given.rankers)
        for path in weights:
            options = _with_weights(options, path)
        is_used = catalog.uses_vectors(names)
        choice = VectorChoice(vectors, given.usual, is_used, given.vectors)
        with index_write_errors(folder), search_compiled_meanwhile() as compiled:
            report = index_collection(opened, folder, plan, choice, options, report_progress)
            compiled()
    with open_index(folder) as search_index:
        notes = catalog.training_notes(names, search_index)
        names = catalog.searchable_systems(names, search_index)
        if as_json:
            record = {**_record(report, search_index, names), "without_links": len(links)}
            click.echo(json_line(record))
        else:
            click.echo("\n".join(_summary_lines(report, search_index, names)))
            if links:
                click.echo(f"without the links between {len(links):,} pairs of questions")
            for note in notes:
                click.echo(note, err=True)


def _with_weights(options: IndexOptions, path: Path) -> IndexOptions:
    """The options with the weights in a file, of whatever ranker."""
    from porism.formats.json_values import read_json
    from porism.rank.question_matching import ranker_weights
    from porism.rank.structure import ltr
    from porism.rank.systems.answer_weights import parsed_weights

    record = read_json(path, "porism tune --learn and porism train write weights")
    match record.get("format") if isinstance(record, dict) else None:
        case ltr.FORMAT:
            checked = ltr.parsed_formula_weights(record, str(path)).record()
            return dataclasses.replace(options, formula_weights=checked)
        case ranker_weights.FORMAT:
            weights = ranker_weights.parsed_ranker_weights(record, str(path))
            by_system = {**options.ranker_weights, weights.system: weights.record()}
            return dataclasses.replace(options, ranker_weights=by_system)
    return dataclasses.replace(options, weights=parsed_weights(record, str(path)).record())


def _excluded_links(path: Path | None, collection: Collection) -> ExcludedLinks:
    """The links in a file; it is an error if the collection has none of them."""
    from porism.errors import PorismError
    from porism.formats.link_pairs import read_link_pairs
    from porism.searchindex.collection_state.excluded_links import NO_LINKS, excluded_links

    if path is None:
        return NO_LINKS
    links = excluded_links(read_link_pairs(path))
    if not links.occur_in(collection):
        raise PorismError(
            f"{path}: none of its {len(links):,} links is in {collection.path}: expected the links "
            "of this collection, as porism topics links writes them"
        )
    return links


def _default_systems(documents: int, roles: Iterable[str]) -> tuple[str, ...]:
    """The systems for a collection of this size; prints a note if these are not all."""
    from porism.catalog import LARGE_COLLECTION, default_systems

    names = default_systems(documents, roles)
    if documents > LARGE_COLLECTION:
        click.echo(
            f"{documents:,} answers and notes: indexed for {' and '.join(names)} only; "
            "--systems selects others",
            err=True,
        )
    return names


def _summary_lines(
    report: IndexingReport, search_index: SearchIndex, names: tuple[str, ...]
) -> Iterator[str]:
    yield f"{search_index.folder} has"
    yield from columns(
        [
            ("answers and notes", report.index.answers),
            ("questions", report.index.questions),
            ("visually distinct formulas", report.index.formulas),
            # Without the field of labels, which does not take part in scoring.
            ("fields of answers", len(search_index.answers.fields) - 1),
            ("fields of formulas", len(search_index.formulas.fields) - 1),
        ]
    )
    yield f"for {', '.join(names) or 'no system yet'}"
    yield from skipped_note(report.index)
    for each in (*filter(None, (report.vectors,)), *report.more_vectors):
        yield from vector_lines(each)
    yield from formula_vector_lines(report)
    yield f"{size_text(_size(search_index.folder))}, built in {duration(_seconds(report))}"


def vector_lines(report: VectorReport) -> Iterator[str]:
    """Lines about the vectors that an index has."""
    by = "" if report.model is None else f" by {report.model.name}"
    what = "vectors" if report.role == "vectors" else f"{report.role} vectors"
    yield (
        f"{report.vectors:,} {what}{by}, {report.encoded:,} texts encoded in "
        f"{duration(report.seconds)}"
    )
    if report.without_vector:
        yield (
            f"{report.without_vector:,} texts have no vectors, because the collection has changed; "
            "run porism update"
        )


def formula_vector_lines(report: IndexingReport) -> Iterator[str]:
    """Lines about formulas that were encoded."""
    for each in report.formula_vectors:
        if each.encoded or each.without_vector:
            yield (
                f"{each.vectors:,} {each.embedding} vectors of formulas, {each.encoded:,} encoded "
                f"in {duration(each.seconds)}"
            )


def formula_vector_counts(report: IndexingReport) -> dict[str, int]:
    """How many formulas were encoded, by embedding."""
    return {each.embedding: each.encoded for each in report.formula_vectors}


def vector_record(report: VectorReport | None) -> dict[str, object]:
    """What a report in JSON says of vectors."""
    if report is None:
        return {"vectors": 0, "encoded": 0, "model": None}
    return {
        "vectors": report.vectors,
        "encoded": report.encoded,
        "model": None if report.model is None else dataclasses.asdict(report.model),
    }


def _seconds(report: IndexingReport) -> float:
    return report.index.seconds + (0.0 if report.vectors is None else report.vectors.seconds)


def skipped_note(report: IndexReport) -> Iterator[str]:
    """A line about documents that were skipped because of errors, if any."""
    if report.skipped:
        yield (
            f"{report.skipped:,} answers, notes or formulas skipped because of the errors above, "
            "which are bugs in Porism; please report them"
        )


def _record(
    report: IndexingReport, search_index: SearchIndex, names: tuple[str, ...]
) -> dict[str, object]:
    return {
        "index": str(search_index.folder),
        "systems": list(names),
        "answers": report.index.answers,
        "questions": report.index.questions,
        "formulas": report.index.formulas,
        "skipped": report.index.skipped,
        **vector_record(report.vectors),
        "more_vectors": {each.role: vector_record(each) for each in report.more_vectors},
        "models": search_index.models,
        "formula_vectors": formula_vector_counts(report),
        "fields": {
            kind: {name: dataclasses.asdict(each) for name, each in opened.fields.items()}
            for kind, opened in (
                ("answers", search_index.answers),
                ("formulas", search_index.formulas),
            )
        },
        "bytes": _size(search_index.folder),
        "seconds": round(_seconds(report), 3),
        "fingerprint": search_index.fingerprint,
    }


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
