"""``porism pool``: what people shall judge, drawn from runs by the rules of the lab."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.examples import Command
from porism.cli.progress import counted
from porism.cli.score_tables import text_lines
from porism.cli.terminal import harmless
from porism.cli.topic_files import topics_of_task
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.assess.pool_depths import Depths, Preset
    from porism.assess.pooling import AnswerNames, Drawn, LookOf, RelevantPosts
    from porism.assess.run_list import ListedRun
    from porism.collection.store import Collection
    from porism.model import DocId, Topic

PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a pool shall be drawn; what was not said is None."""

    task: str
    runs: Path
    preset: str | None
    depths: str | None
    topics: Path | None
    collection: Path | None
    visual_ids: Path | None
    task1_qrels: Path | None
    relevant: int
    instances: int | None
    policy: str | None
    answers: Path | None
    threads: Path | None
    duplicates: Path | None
    leave_out: Path | None
    is_active: bool
    seed: int

    def check(self) -> None:
        """Refuse options of another task, and those that lack what they need."""
        of_formulas = ("visual_ids", "task1_qrels", "instances", "policy")
        others = {
            "1": (*of_formulas, "answers"),
            "2": ("answers", "threads", "duplicates"),
            "3": of_formulas,
        }[self.task]
        if given := [name for name in others if getattr(self, name) is not None]:
            told = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise click.UsageError(f"{told}: --task {self.task} cannot use this")
        if self.task == "2" and self.visual_ids is None and self.collection is None:
            raise click.UsageError(
                "--task 2 needs the looks of formulas: --visual-ids or --collection"
            )
        if self.policy == "threads" and self.collection is None:
            raise click.UsageError("--policy threads needs a --collection, which knows the threads")
        if (self.threads or self.duplicates) and self.collection is None:
            raise click.UsageError("--threads and --duplicates need a --collection to take from")


@click.command(
    cls=Command,
    epilog="""
    porism pool --task 1 --runs runs.tsv --preset 2020 --topics Topics_Task1_2020.xml -o pool
    porism pool --task 1 --runs runs.tsv --depths primary=50,alternate=20,baseline=50 -o pool
    porism pool --task 2 --runs runs.tsv --preset 2022 --collection arqmath -o formula-pool
    porism pool --task 3 --runs runs.tsv --preset 2022 --answers answer_ids.tsv -o mixed-pool
    """,
)
@click.option(
    "--task",
    type=click.Choice(["1", "2", "3"]),
    required=True,
    help="1 answers, 2 formulas, 3 short answers, mixed in with the runs of Task 1 in the list.",
)
@click.option(
    "--runs",
    metavar="FILE",
    type=PATH,
    required=True,
    help="The runs (TSV): file, team, kind, mode, and if wanted name, task, depth.",
)
@click.option(
    "--preset",
    type=click.Choice(["2020", "2021", "2022"]),
    help="The depths of that year's lab and, in Task 2, its choice of instances.",
)
@click.option(
    "--depths",
    metavar="KIND=N,...",
    help="Depths of primary, alternate, manual and baseline; above the preset's.",
)
@click.option("--topics", metavar="FILE", type=PATH, help="The topics; those of the runs if none.")
@click.option(
    "--collection",
    metavar="DIR",
    type=PATH,
    help="The collection that the runs are of, to check the pool against and to look things up.",
)
@click.option(
    "--visual-ids",
    metavar="PATH",
    type=PATH,
    help="Visual ids (Task 2): formula files, or two columns; the collection's if none.",
)
@click.option(
    "--task1-qrels",
    metavar="FILE",
    type=PATH,
    help="Judgments of Task 1: formulas in relevant posts are pooled from any rank (Task 2).",
)
@click.option(
    "--relevant",
    metavar="GRADE",
    type=click.IntRange(1, 3),
    default=2,
    show_default=True,
    help="The lowest grade that is relevant for that.",
)
@click.option(
    "--instances",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="How many instances of a formula are judged at most (Task 2).",
)
@click.option(
    "--policy",
    type=click.Choice(["threads", "runs", "reciprocal-ranks"]),
    help="Which instances: of many threads, of many runs, or of high ranks; the preset's, or runs.",
)
@click.option(
    "--answers",
    metavar="FILE",
    type=PATH,
    help="Ids of the short answers (Task 3): run, topic, answer id; made up if none.",
)
@click.option(
    "--threads",
    metavar="FILE",
    type=PATH,
    help="The topics' own questions (TSV: topic, question), whose answers are added.",
)
@click.option(
    "--duplicates",
    metavar="FILE",
    type=PATH,
    help="Which questions the topics repeat (TSV: topic, question), whose answers are added.",
)
@click.option(
    "--leave-out",
    metavar="FILE",
    type=PATH,
    help="Posts that are not judged (TSV: topic, post), as own_posts.tsv of porism topics draw.",
)
@click.option(
    "--active",
    "is_active",
    is_flag=True,
    help="Show likely relevant candidates first, learning from judgments; biases the pool.",
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Which order, and which of equal instances, chance gives.",
)
@click.option(
    "-o",
    "--output",
    metavar="POOL",
    type=PATH,
    required=True,
    help="Folder to make: pool.json, candidates.jsonl, topics.xml.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def pool(output: Path, as_json: bool, **given: object) -> None:
    """Draw a pool from runs: what each returned first, merged, in an order of chance."""
    told = {each.name: given[each.name] for each in fields(Asked)}
    asked = Asked(**told)  # type: ignore[arg-type]  # click has no types
    asked.check()
    # Loads the formats and the store, which --help can do without.
    from porism.assess.pool_files import write_pool
    from porism.assess.reusability import shares
    from porism.cli.pool_text import pool_record, shares_table, size_line

    drawn = _drawn(asked)
    if not drawn.pool.candidates:
        raise PorismError(f"the runs of {asked.runs} contribute nothing: are all depths 0?")
    write_pool(output, drawn.pool)
    for note in drawn.notes:
        click.echo(harmless(f"Note: {note}"), err=True)
    found = shares(drawn.pool)
    if as_json:
        record = {"pool": str(output), **pool_record(drawn.pool, found), "notes": drawn.notes}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    lines = [f"{output}: {size_line(drawn.pool)}", ""]
    lines += text_lines(shares_table(drawn.pool, found))
    click.echo(harmless("\n".join(lines)))


def _drawn(asked: Asked) -> Drawn:
    """The pool with all that was asked to be done to it."""
    from porism.assess.active_order import ActiveSettings, actively_ordered
    from porism.assess.pool_depths import Depths, parse_depths, preset
    from porism.assess.run_list import read_run_list

    chosen = None if asked.preset is None else preset(asked.preset, int(asked.task))
    depths = parse_depths(asked.depths) if asked.depths else Depths()
    if chosen is not None:
        depths = depths.over(chosen.depths)
    listed = read_run_list(asked.runs)
    topics = None
    if asked.topics is not None:
        topics = topics_of_task(asked.topics, 2 if asked.task == "2" else 1)
    with _collection(asked.collection) as collection:
        if asked.task == "2":
            drawn = _formulas(asked, listed, depths, topics, collection)
            drawn = _limited(drawn, asked, chosen, collection)
        else:
            drawn = _answers(asked, listed, depths, topics)
            drawn = _enriched(drawn, asked, collection)
        drawn = _left_out(drawn, asked.leave_out)
        drawn = _checked(drawn, collection)
    settings = {"depths": str(depths), **drawn.pool.settings}
    for name in ("preset", "topics", "visual_ids", "task1_qrels", "answers", "leave_out"):
        value = getattr(asked, name)
        if value is not None:
            settings[name] = value.name if isinstance(value, Path) else str(value)
    pool = replace(drawn.pool, settings=dict(sorted(settings.items())))
    if asked.is_active:
        pool = actively_ordered(pool, ActiveSettings(asked.seed))
    return replace(drawn, pool=pool)


def _left_out(drawn: Drawn, path: Path | None) -> Drawn:
    """The pool without posts that are no answers to find, such as those of a topic itself."""
    from porism.formats.topic_links import read_topic_links

    if path is None:
        return drawn
    gone = read_topic_links(path)
    kept = tuple(
        each
        for each in drawn.pool.candidates
        if (each.post_id or each.doc_id) not in gone.get(each.topic_id, ())
    )
    number = len(drawn.pool.candidates) - len(kept)
    note = f"{number:,} candidates were left out, as {path} says"
    return replace(drawn, pool=replace(drawn.pool, candidates=kept), notes=(*drawn.notes, note))


@contextmanager
def _collection(path: Path | None) -> Iterator[Collection | None]:
    from porism.collection.store import open_collection

    with ExitStack() as stack:
        yield None if path is None else stack.enter_context(open_collection(path))


def _answers(
    asked: Asked, listed: Sequence[ListedRun], depths: Depths, topics: Sequence[Topic] | None
) -> Drawn:
    from porism.assess.pooled_files import read_listed_answers, read_listed_runs, runs_of
    from porism.assess.pooling import Drawn, draw_answers, with_short_answers
    from porism.assess.records import Pool

    rankings = runs_of(listed, 1, int(asked.task))
    short = runs_of(listed, 3, int(asked.task)) if asked.task == "3" else ()
    if not rankings and not short:
        raise PorismError(f"{asked.runs} has no run of Task {asked.task}")
    drawn = Drawn(Pool(1, tuple(topics or ()), (), seed=asked.seed))
    if rankings:
        read = counted(read_listed_runs(rankings, 1, depths), "runs")
        drawn = draw_answers(read, topics, asked.seed)
    if short:
        names = _answer_names(asked.answers)
        mixed = with_short_answers(drawn.pool, read_listed_answers(short, depths), names)
        drawn = Drawn(mixed.pool, (*drawn.notes, *mixed.notes))
    return drawn


def _answer_names(path: Path | None) -> AnswerNames | None:
    from porism.formats.qrels import read_answer_ids

    if path is None:
        return None
    return {(each.run, each.topic_id): each.answer_id for each in read_answer_ids(path)}


def _formulas(
    asked: Asked,
    listed: Sequence[ListedRun],
    depths: Depths,
    topics: Sequence[Topic] | None,
    collection: Collection | None,
) -> Drawn:
    from porism.assess.pooled_files import read_listed_runs, runs_of
    from porism.assess.pooling import draw_formulas

    runs = runs_of(listed, 2, 2)
    if not runs:
        raise PorismError(f"{asked.runs} has no run of Task 2")
    look_of = _look_of(asked, runs, collection)
    posts = _relevant_posts(asked)
    read = counted(read_listed_runs(runs, 2, depths), "runs")
    drawn = draw_formulas(read, look_of, topics, asked.seed, posts)
    if posts is not None:
        if not any(topic.id in posts for topic in drawn.pool.topics):
            raise PorismError(
                f"{asked.task1_qrels} has no relevant post for any topic: expected judgments of "
                "the same year, whose topics are numbered alike (A.1 for B.1)"
            )
        settings = {**drawn.pool.settings, "relevant": str(asked.relevant)}
        drawn = replace(drawn, pool=replace(drawn.pool, settings=settings))
    return drawn


def _look_of(asked: Asked, runs: Sequence[ListedRun], collection: Collection | None) -> LookOf:
    from porism.assess.pooled_files import read_looks
    from porism.assess.pooling import Look
    from porism.lab.pool_enriching import looks_in

    if asked.visual_ids is None:
        assert collection is not None  # which the options were checked for
        return looks_in(collection)
    told = read_looks(asked.visual_ids, runs)
    if collection is None:
        return told
    known = looks_in(collection)

    def both(doc_id: DocId) -> Look | None:
        """The look that the file tells, in the post that the collection does."""
        look, place = told(doc_id), known(doc_id)
        return look if look is None or place is None else replace(look, post_id=place.post_id)

    return both


def _relevant_posts(asked: Asked) -> RelevantPosts | None:
    from porism.assess.pooling import relevant_posts
    from porism.formats.qrels import read_qrels

    if asked.task1_qrels is None:
        return None
    return relevant_posts(read_qrels(asked.task1_qrels), asked.relevant)


def _limited(
    drawn: Drawn, asked: Asked, chosen: Preset | None, collection: Collection | None
) -> Drawn:
    from porism.assess.instances import Policy, at_most
    from porism.lab.pool_enriching import threads_in

    limit = asked.instances or (chosen.instances if chosen else None)
    if limit is None:
        if asked.policy is not None:
            raise click.UsageError("--policy needs --instances, or a --preset that has them")
        return drawn
    policy = Policy(asked.policy) if asked.policy else chosen.policy if chosen else Policy.RUNS
    thread_of = None if collection is None else threads_in(collection)
    return replace(drawn, pool=at_most(drawn.pool, limit, policy, thread_of))


def _enriched(drawn: Drawn, asked: Asked, collection: Collection | None) -> Drawn:
    from porism.assess.pooling import Drawn
    from porism.formats.topic_links import read_topic_links
    from porism.lab.pool_enriching import enriched

    if collection is None or not (asked.threads or asked.duplicates):
        return drawn
    threads, duplicates = (
        read_topic_links(path) if path else {} for path in (asked.threads, asked.duplicates)
    )
    found = enriched(drawn.pool, collection, threads, duplicates)
    notes = [
        f"{number:,} answers that no run had contributed were added from {source}"
        for source, number in found.added.items()
    ]
    if found.absent:
        few = ", ".join(found.absent[:3])
        notes.append(f"{len(found.absent):,} questions are not in the collection: {few}, ...")
    return Drawn(found.pool, (*drawn.notes, *notes))


def _checked(drawn: Drawn, collection: Collection | None) -> Drawn:
    """The pool with the fingerprint of what it is of; what the collection lacks is a note."""
    from porism.assess.pooling import Drawn
    from porism.lab.pool_enriching import absent_candidates, fingerprint

    if collection is None:
        return drawn
    absent = absent_candidates(drawn.pool, collection)
    notes = drawn.notes
    if absent:
        few = ", ".join(f"{each.doc_id} ({each.topic_id})" for each in absent[:3])
        told = f"{len(absent):,} candidates are not in the collection, such as {few}"
        notes = (*notes, f"{told}; porism analyse pool lists them")
    return Drawn(replace(drawn.pool, collection=fingerprint(drawn.pool, collection)), notes)
