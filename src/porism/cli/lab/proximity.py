"""``porism analyse proximity``: proximity of query terms in answers, by grade."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import (
    index_argument,
    index_collection_option,
    qrels_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import json_option
from porism.cli.progress import with_progress
from porism.cli.tables import Cell, OutputTable, text_lines

if TYPE_CHECKING:
    from porism.lab.proximity_by_grade import GradeMeans, ProximityByGrade, ProximityVariant

AVERAGES = ("documents", "topics")


@click.command(
    cls=PorismCommand,
    epilog="""
    porism analyse proximity arqmath/index --topics Topics_Task1_2020.xml --qrels qrel_2020.tsv
    porism analyse proximity sample/index --topics topics.xml --qrels qrels.tsv --average topics
    """,
)
@topics_option("The lab's topics of Task 1, plain or gzip.", required=True)
@qrels_option("The judgments of answers to these topics.", required=True)
@topic_formulas_option()
@click.option(
    "--average",
    type=click.Choice(AVERAGES),
    default=AVERAGES[0],
    show_default=True,
    help="Take the mean of a grade over all documents, or over the means of topics.",
)
@index_collection_option
@json_option
@index_argument
def proximity(
    index: Path,
    topics: Path,
    qrels: Path,
    topic_formulas: Path | None,
    average: str,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Compare the proximity of topic terms in answers by grade, beside S4's Table 4."""
    # Loads the engine, the parser and the formats, which --help does not need.
    from porism.inverted.keys import Keys
    from porism.lab.proximity_by_grade import AverageOver, proximity_by_grade
    from porism.lab.topic_sets import TopicSetFiles, read_topic_set
    from porism.model import Task
    from porism.rank.systems.proximity_rerank import TokenStreams
    from porism.rank.systems.tangent_l import FULL, TangentL
    from porism.searchindex.index_folder import open_index

    judged = read_topic_set(TopicSetFiles(topics, qrels, topic_formulas), Task.ANSWERS)
    with open_index(index, collection) as search_index:
        texts = TokenStreams(search_index, FULL)

        def text(doc_id: str) -> Keys | None:
            if not search_index.answers.contains(doc_id):
                return None
            tokens = texts.keys(doc_id)
            return tokens if len(tokens) else None

        result = proximity_by_grade(
            with_progress(judged.topics, "topics"),
            judged.qrels,
            TangentL(search_index.keywords, FULL, alpha=0.25, gamma=0.1),
            text,
            AverageOver(average),
        )
    if as_json:
        click.echo(json.dumps(_as_json(result, judged.unjudged, average)))
        return
    for table in (_means(result), _differences(result)):
        click.echo("\n".join(text_lines(table, digits=4)) + "\n")
    read = sum(result.documents.values())
    click.echo(f"{read:,} judged documents of {result.topics:,} topics", nl=False)
    click.echo(f", mean over {average}")
    for count, what in _left_out(result, judged.unjudged):
        if count:
            click.echo(f"left out: {count:,} {what}", err=True)


def _means(result: ProximityByGrade) -> OutputTable:
    from porism.lab.proximity_by_grade import GRADES

    return OutputTable(
        ("measure", *GRADES.values(), "left out"),
        tuple(
            (_name(each.kind), *map(each.means.get, GRADES), sum(each.infinite.values()))
            for each in result.measures
        ),
        "Mean proximity by grade; documents with too few matching terms are left out",
    )


def _differences(result: ProximityByGrade) -> OutputTable:
    from porism.lab.proximity_by_grade import GRADES, PAIRS

    return OutputTable(
        ("measure", *(f"{GRADES[first]},{GRADES[second]}".rjust(11) for first, second in PAIRS)),
        tuple((_name(each.kind), *_beside_the_paper(each)) for each in result.measures),
        "Differences in percent (S4, Table 4 in parentheses); negative is closer",
    )


def _beside_the_paper(means: GradeMeans) -> list[Cell]:
    from porism.lab.proximity_by_grade import PAIRS, PAPER

    ours = (means.difference(*pair) for pair in PAIRS)
    return [
        f"{'-' if value is None else round(100 * value):>4} ({theirs:>4})"
        for value, theirs in zip(ours, PAPER[means.kind], strict=True)
    ]


def _name(kind: ProximityVariant) -> str:
    measure, by_length = kind
    return f"{measure} / length" if by_length else str(measure)


def _left_out(result: ProximityByGrade, unjudged: int) -> list[tuple[int, str]]:
    return [
        (unjudged, "topics without judgments"),
        (result.absent, "judged documents that the index does not have"),
        (result.ungraded, "documents with a grade other than 0 to 3"),
    ]


def _as_json(result: ProximityByGrade, unjudged: int, average: str) -> dict[str, object]:
    from porism.lab.proximity_by_grade import GRADES, PAIRS, PAPER

    def by_grade(values: Mapping[int, float]) -> dict[str, float]:
        return {name: values[grade] for grade, name in GRADES.items() if grade in values}

    def by_pair(values: Iterable[float | None]) -> dict[str, float | None]:
        names = (f"{GRADES[first]},{GRADES[second]}" for first, second in PAIRS)
        return dict(zip(names, values, strict=True))

    return {
        "average": average,
        "topics": result.topics,
        "unjudged_topics": unjudged,
        "documents": by_grade(result.documents),
        "absent": result.absent,
        "ungraded": result.ungraded,
        "measures": [
            {
                "measure": str(each.kind[0]),
                "by_length": each.kind[1],
                "means": by_grade(each.means),
                "infinite": by_grade(each.infinite),
                "differences": by_pair(each.difference(*pair) for pair in PAIRS),
                "paper": by_pair(percent / 100 for percent in PAPER[each.kind]),
            }
            for each in result.measures
        ],
    }
