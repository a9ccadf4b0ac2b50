"""``porism topics draw``: draw questions of a collection as topics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument
from porism.cli.options.outputs import json_option, output_option
from porism.cli.options.sampling import number_option, seed_option
from porism.cli.plain_tables import columns
from porism.cli.progress import with_progress
from porism.cli.tables import OutputTable, text_lines

if TYPE_CHECKING:
    from porism.lab.topics.criteria import QuestionStatistic, TopicCriteria, ValueRange
    from porism.lab.topics.topic_draw import TopicDraw
    from porism.model import Topic

LINKS = ("any", "duplicates", "unneeded")
RESPECTS = ("tags", "formulas", "reading-ease", "words")
ALLOCATIONS = ("even", "proportional")
MAX_TITLE_LENGTH = 58
"""Characters of a title that are printed."""

MAX_YEARS = 200


def _ranges(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for the range of each statistic."""
    descriptions = {
        "score": "The question's score",
        "answers": "Number of answers",
        "views": "Number of views",
        "comments": "Number of comments",
        "reputation": "The asker's reputation",
        "words": "Words in title and body",
        "formulas": "Formulas in title and body",
        "reading-ease": "Flesch Reading Ease of title and body",
    }
    for name in reversed(descriptions):
        option = click.option(
            f"--{name}", metavar="LOW:HIGH", help=f"{descriptions[name]}; either end is optional."
        )
        command = option(command)
    return command


@click.command(
    cls=PorismCommand,
    epilog="""
    porism topics draw sample --number 10
    porism topics draw math --years 2021 --against math-until-2018 --links duplicates \\
        --exclude Topics_Task1_2020.xml --exclude Topics_Task1_2021.xml --score 1: --answers 1:10 \\
        --words 20:200 --strata tags,reading-ease --first 301 -o topics-2022
    """,
)
@number_option(default=100, most=100_000)
@click.option(
    "--first",
    metavar="N",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Number of the first topic, as in A.N and B.N.",
)
@click.option(
    "--years",
    metavar="YEARS",
    multiple=True,
    help="Years of the questions: 2021, or 2019-2021; repeat, or separate by commas.",
)
@click.option(
    "--links",
    type=click.Choice(LINKS),
    default=LINKS[0],
    show_default=True,
    help="The link that a topic needs: any (duplicate or related question), or a duplicate.",
)
@click.option(
    "--against",
    metavar="COLLECTION",
    type=click.Path(path_type=Path),
    help="The collection that will be searched, if it is another; links must lead there.",
)
@click.option(
    "--exclude",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Earlier topics; questions with nearly the same title are not drawn.",
)
@_ranges
@click.option(
    "--strata",
    metavar="NAMES",
    multiple=True,
    help=f"What the topics are balanced by: {', '.join(RESPECTS)}; tags if not given.",
)
@click.option(
    "--allocation",
    type=click.Choice(ALLOCATIONS),
    default=ALLOCATIONS[0],
    show_default=True,
    help="Give strata equal numbers of topics, or in proportion to their questions.",
)
@seed_option("Random seed.")
@output_option("FOLDER", "A new folder for the topics; without it they are only printed.")
@json_option
@collection_argument
def draw(  # one parameter for each option
    collection: Path,
    number: int,
    first: int,
    years: tuple[str, ...],
    links: str,
    against: Path | None,
    exclude: tuple[Path, ...],
    strata: tuple[str, ...],
    allocation: str,
    seed: int,
    output: Path | None,
    as_json: bool,
    **ranges: str | None,
) -> None:
    """Draw questions of COLLECTION as topics, by the criteria of the ARQMath labs.

    Each has text, a formula, and a known duplicate or related question; the sample is balanced over
    tags. A formula of each makes a topic for formula search.
    """
    # Loads the store, the parser and the formats, which --help does not need.
    from porism.collection.questions import question_stats
    from porism.collection.store import open_collection
    from porism.lab.topics.criteria import RequiredLinks, TopicCriteria
    from porism.lab.topics.strata import Allocation
    from porism.lab.topics.topic_draw import BalanceFactor, TopicSample, TopicSource, draw_topics
    from porism.lab.topics.topic_files import topic_draw_record, write_topic_draw

    respects = tuple(BalanceFactor(name) for name in _named(strata) or RESPECTS[:1])
    sample = TopicSample(number, respects, Allocation(allocation), seed, first)
    criteria = TopicCriteria(
        _years(years), RequiredLinks(links), _bounds(ranges), _earlier(exclude)
    )
    if output is not None and output.exists():
        raise click.UsageError(f"{output} exists already; choose a new folder")
    with ExitStack() as opened:
        source = opened.enter_context(open_collection(collection))
        searched = source if against is None else opened.enter_context(open_collection(against))
        questions = with_progress(question_stats(source), "questions")
        drawn = draw_topics(TopicSource(source, searched), questions, criteria, sample)
    settings = {
        "collection": str(collection),
        "against": None if against is None else str(against),
        "years": sorted(criteria.years),
        "links": links,
        "ranges": {name.value: str(bounds) for name, bounds in criteria.ranges.items()},
        "number": number,
        "strata": list(respects),
        "allocation": allocation,
        "seed": seed,
        "exclude": list(map(str, exclude)),
    }
    written = () if output is None else write_topic_draw(output, drawn, settings)
    if as_json:
        click.echo(json.dumps(topic_draw_record(drawn, settings), ensure_ascii=False))
    else:
        _print(drawn, criteria)
    for note in _notes(drawn, number, output, written):
        click.echo(note, err=True)


def _named(strata: tuple[str, ...]) -> list[str]:
    names = [name.strip() for value in strata for name in value.split(",") if name.strip()]
    for name in names:
        if name not in RESPECTS:
            raise click.UsageError(f"found --strata {name}: expected {', '.join(RESPECTS)}")
    return list(dict.fromkeys(names))


def _years(texts: tuple[str, ...]) -> frozenset[int]:
    """The years of ``2021`` and ``2019-2021``."""
    years: set[int] = set()
    for text in (part.strip() for value in texts for part in value.split(",")):
        first, dash, last = text.partition("-")
        ends = (first, last if dash else first)
        if not all(end.isascii() and end.isdigit() and len(end) == 4 for end in ends):
            raise click.UsageError(f"found --years {text}: expected years, as in 2021 or 2019-2021")
        low, high = map(int, ends)
        if not low <= high <= low + MAX_YEARS:
            raise click.UsageError(f"found --years {text}: expected the earlier year first")
        years.update(range(low, high + 1))
    return frozenset(years)


def _bounds(texts: dict[str, str | None]) -> dict[QuestionStatistic, ValueRange]:
    from porism.lab.topics.criteria import QuestionStatistic

    return {
        QuestionStatistic(name.replace("_", " ")): _range(name.replace("_", "-"), text)
        for name, text in texts.items()
        if text is not None
    }


def _range(name: str, text: str) -> ValueRange:
    """The range of ``LOW:HIGH``, where either may be empty; a single number is both."""
    from porism.formats.text_lines import finite_number
    from porism.lab.topics.criteria import ValueRange

    low, colon, high = (part.strip() for part in text.partition(":"))
    try:
        least, most = (finite_number(end) if end else None for end in (low, high if colon else low))
    except ValueError:
        least = most = None
    if (least is None and most is None) or (
        least is not None and most is not None and least > most
    ):
        raise click.UsageError(
            f"found --{name} {text}: expected LOW:HIGH, LOW: or :HIGH, as in --{name} 1:10"
        )
    return ValueRange(least, most)


def _earlier(paths: tuple[Path, ...]) -> tuple[Topic, ...]:
    from porism.formats.topics import read_topics

    return tuple(topic for path in paths for topic in read_topics(path))


def _print(drawn: TopicDraw, criteria: TopicCriteria) -> None:
    from porism.cli.terminal import harmless

    click.echo(harmless("\n".join(_summary_lines(drawn, criteria))))


def _summary_lines(drawn: TopicDraw, criteria: TopicCriteria) -> Iterator[str]:
    from porism.lab.topics.criteria import QuestionStatistic
    from porism.lab.topics.topic_files import one_line

    yield "Questions left"
    left = [(each.criterion, each.left) for each in drawn.removed]
    yield from columns([("all questions", drawn.questions), *left])
    for each in drawn.removed:
        if each.unknown:
            yield f"  {each.criterion}: {each.unknown:,} removed because it is unknown"
    yield ""
    ranged = [each for each in QuestionStatistic if each in criteria.ranges]
    statistics = list(
        dict.fromkeys([*ranged, QuestionStatistic.FORMULAS, QuestionStatistic.READING_EASE])
    )
    yield from text_lines(
        OutputTable(
            ("topic", "post", "tag", *statistics, "complexity", "title"),
            tuple(
                (
                    each.topic.id,
                    each.candidate.id,
                    each.candidate.tags[0] if each.candidate.tags else "",
                    *(_rounded(each.candidate.values.get(name)) for name in statistics),
                    "" if each.formula is None else each.formula.complexity.value,
                    _shortened(one_line(each.topic.title)),
                )
                for each in drawn.topics
            ),
            f"{len(drawn.topics):,} topics",
        )
    )


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TITLE_LENGTH else f"{text[: MAX_TITLE_LENGTH - 1]}…"


def _notes(
    drawn: TopicDraw, wanted: int, output: Path | None, written: tuple[str, ...]
) -> Iterator[str]:
    """Notes for users of these topics."""
    count = len(drawn.topics)
    if count < wanted:
        yield (
            f"only {count:,} of {wanted:,} topics: {drawn.candidates:,} questions satisfy the "
            f"criteria, {drawn.similar:,} of them are similar to a drawn one"
        )
    without = sum(each.formula is None for each in drawn.topics)
    if without:
        yield f"{without:,} topics have no suitable formula, and so no topic in Task 2"
    own = sum(bool(each.own_posts) for each in drawn.topics)
    if own:
        place = "own_posts.tsv lists them" if output is not None else "-o FOLDER lists them"
        yield (
            f"{own:,} topics are in the searched collection themselves, with their answers "
            f"({place}): leave these out of runs and pools, or search a collection of earlier "
            "years (porism ingest --until) and pass it with --against"
        )
    if written:
        yield f"{output}: {', '.join(written)}"
