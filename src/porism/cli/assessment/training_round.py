"""``porism assess round``: a small pool that all assessors judge for training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from porism.cli.assessment.stores import (
    db_option,
    judging_assessors,
    open_or_create_store,
    pool_argument,
)
from porism.cli.command import PorismCommand
from porism.cli.options.inputs import PATH, collection_option, topics_option
from porism.cli.options.outputs import json_option
from porism.cli.options.sampling import number_option, seed_option
from porism.errors import PorismError
from porism.pages.plurals import count_of

if TYPE_CHECKING:
    from porism.assess.judgments.store import JudgmentStore
    from porism.assess.records import Candidate, Pool
    from porism.assess.training import AvailableJudgments, CandidateMaker
    from porism.collection.store import Collection
    from porism.model import DocId, Qrels, Topic, TopicId


@dataclass(frozen=True, slots=True)
class EarlierJudgments:
    """The options of a round drawn from the judgments of an earlier year."""

    qrels: Path
    topics: Path
    collection: Path | None
    number: int
    candidates: int
    lacking: int
    seed: int


@click.command(
    "round",
    cls=PorismCommand,
    epilog="""
    porism assess round small-pool --db judgments.db --name "round 1"
    porism assess round --db judgments.db --name "round 2" --from-qrels qrel_task1_2021.tsv \\
        --topics Topics_Task1_2021.xml --number 4 --candidates 6
    """,
)
@db_option
@click.option("--name", metavar="NAME", required=True, help="Name of the round.")
@click.option(
    "--from-qrels",
    metavar="FILE",
    type=PATH,
    help="Draw candidates of each grade from these judgments; needs --topics.",
)
@topics_option("The topics of these judgments.")
@collection_option("Draw only candidates that are in this collection; required for formula topics.")
@number_option(default=4, most=1000)
@click.option(
    "--candidates",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=6,
    show_default=True,
    help="Candidates per topic.",
)
@click.option(
    "--lacking",
    metavar="N",
    type=click.IntRange(0, 3),
    default=0,
    show_default=True,
    help="Number of the four grades that a topic may lack.",
)
@seed_option("Random seed.")
@json_option
@pool_argument
def training(
    pool: Path | None,
    db: Path,
    name: str,
    from_qrels: Path | None,
    topics: Path | None,
    as_json: bool,
    **drawing: int | Path | None,
) -> None:
    """Make a training round for all assessors from POOL, or from earlier judgments.

    Run the same command again to assign the round to assessors who were added later. Topics of
    earlier rounds in FILE are not drawn again.
    """
    if (pool is None) == (from_qrels is None):
        raise click.UsageError("pass a POOL, or draw the round with --from-qrels")
    if (from_qrels is None) != (topics is None):
        raise click.UsageError("--from-qrels and --topics go together")
    if pool is not None:
        _refuse_options(*drawing)
    # Loads the formats, which --help does not need.
    from porism.assess.pools.pool_folder import read_pool
    from porism.assess.records import BatchKind
    from porism.formats.qrels import read_qrels

    grades = None
    if from_qrels is not None and topics is not None:
        earlier = EarlierJudgments(from_qrels, topics, **drawing)  # type: ignore[arg-type]  # click has none
        grades = read_qrels(earlier.qrels)
        drawn = _drawn(earlier, grades, db, name)
    else:
        assert pool is not None  # checked above
        drawn = read_pool(pool)
    store = open_or_create_store(db)
    store.add_batch(name, BatchKind.TRAINING, drawn, grades)
    names = [each.name for each in judging_assessors(store)]
    topic_ids = dict.fromkeys(each.topic_id for each in drawn.candidates)
    store.assign_all(
        name, [(topic_id, each) for topic_id in topic_ids for each in names], is_second=True
    )
    _print_round(name, drawn, names, as_json)


def _refuse_options(*names: str) -> None:
    """Refuse options that would be ignored."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} needs --from-qrels and cannot be used with a POOL")


def _drawn(earlier: EarlierJudgments, qrels: Qrels, db: Path, name: str) -> Pool:
    from porism.assess.training import (
        RoundSettings,
        answer_candidate,
        available_judgments,
        training_round,
    )
    from porism.formats.topics import read_topics

    settings = RoundSettings(earlier.number, earlier.candidates, earlier.seed, earlier.lacking)
    topics = list(read_topics(earlier.topics))
    is_formulas = any(topic.focus is not None for topic in topics)
    used = _used(open_or_create_store(db), name) if db.is_file() else set()
    with _collection(earlier.collection) as collection:
        if is_formulas and collection is None:
            raise click.UsageError("a round of formulas needs the --collection that contains them")
        if collection is None:
            return training_round(topics, qrels, settings, used)
        has = collection.has_formula if is_formulas else collection.has_answer
        available = available_judgments(topics, qrels, has)
        if is_formulas:
            judged = {doc_id for topic in topics for doc_id in qrels.grades.get(topic.id, {})}
            _check_formulas(available, judged, collection)
        _note_absent(available)
        make_candidate = _formula_maker(collection) if is_formulas else answer_candidate
        return training_round(topics, available.qrels, settings, used, make_candidate)


def _check_formulas(
    available: AvailableJudgments, judged: set[DocId], collection: Collection
) -> None:
    """Refuse judgments by visual id, some of whose numbers happen to be formula ids."""
    from porism.collection.formulas.occurrences import count_visual_ids

    formulas = available.judged - available.absent
    visual_ids = count_visual_ids(collection, judged)
    if visual_ids > formulas:
        raise PorismError(
            f"{visual_ids:,} of the judged documents are visual ids of the collection and "
            f"{formulas:,} are formula ids: expected judgments by formula id"
        )


def _note_absent(available: AvailableJudgments) -> None:
    if available.absent:
        absent = f"{available.absent:,} of {count_of(available.judged, 'judged document')}"
        click.echo(f"Note: {absent} are not in the collection and not drawn", err=True)


def _used(store: JudgmentStore, name: str) -> set[TopicId]:
    """The topics of the rounds made before this one."""
    from porism.assess.records import BatchKind

    before = takewhile(lambda batch: batch.name != name, store.batches())
    return {
        topic.id
        for batch in before
        if batch.kind is BatchKind.TRAINING
        for topic in store.pool(batch.name).topics
    }


def _formula_maker(collection: Collection) -> CandidateMaker:
    from porism.assess.records import Candidate

    def formula_candidate(topic_id: TopicId, doc_id: DocId) -> Candidate:
        instance = collection.instance(doc_id)
        return Candidate(topic_id, doc_id, instance.post_id, instance.effective_visual_id)

    return formula_candidate


@contextmanager
def _collection(path: Path | None) -> Iterator[Collection | None]:
    from porism.collection.store import open_collection

    with ExitStack() as stack:
        yield None if path is None else stack.enter_context(open_collection(path))


def _print_round(name: str, pool: Pool, names: Sequence[str], as_json: bool) -> None:
    topics: Sequence[Topic] = pool.topics
    candidates: Sequence[Candidate] = pool.candidates
    if as_json:
        record = {
            "round": name,
            "topics": [topic.id for topic in topics],
            "candidates": len(candidates),
            "assessors": list(names),
        }
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    size = f"{count_of(len(topics), 'topic')} with {count_of(len(candidates), 'candidate')}"
    click.echo(f"{name}: {size} for {count_of(len(names), 'assessor')}")
    if not names:
        click.echo("Note: add assessors, and run the same command again", err=True)
