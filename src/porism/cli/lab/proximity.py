"""``porism analyse proximity``: how near terms stand to each other in answers of each grade."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.collection import collection_option
from porism.cli.progress import with_progress
from porism.cli.tables import Cell, OutputTable, text_lines
from porism.cli.topic_files import judged_topics, topics_of_task

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
@click.option(
    "--topics",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="The lab's topics of Task 1, plain or gzip.",
)
@click.option(
    "--qrels",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="The judgments of answers to these topics.",
)
@click.option(
    "--topic-formulas",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The lab's LaTeX of the topics' formulas (TSV), which is used instead of the topics' own.",
)
@click.option(
    "--average",
    type=click.Choice(AVERAGES),
    default=AVERAGES[0],
    show_default=True,
    help="The mean of a grade: over all its documents, or over the means of the topics.",
)
@collection_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.argument("index", type=click.Path(path_type=Path))
def proximity(
    index: Path,
    topics: Path,
    qrels: Path,
    topic_formulas: Path | None,
    average: str,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Compare how near the terms of topics stand in answers of each grade, beside S4's Table 4."""
    # Loads the engine, the parser and the formats, which --help can do without.
    from porism.formats.qrels import read_qrels
    from porism.index.keys import Keys
    from porism.lab.proximity_by_grade import AverageOver, proximity_by_grade
    from porism.model import Task
    from porism.rank.systems.proximity_rerank import TokenStreams
    from porism.rank.systems.tangent_l import FULL, TangentL
    from porism.searchindex.index_folder import open_index

    asked = topics_of_task(topics, Task.ANSWERS, topic_formulas)
    judged = judged_topics(asked, read_qrels(qrels), topics)
    with open_index(index, collection) as library:
        texts = TokenStreams(library, FULL)

        def text(doc_id: str) -> Keys | None:
            if not library.answers.contains(doc_id):
                return None
            tokens = texts.keys(doc_id)
            return tokens if len(tokens) else None

        found = proximity_by_grade(
            with_progress(judged.topics, "topics"),
            judged.qrels,
            TangentL(library.keywords, FULL, alpha=0.25, gamma=0.1),
            text,
            AverageOver(average),
        )
    if as_json:
        click.echo(json.dumps(_as_json(found, judged.unjudged, average)))
        return
    for table in (_means(found), _differences(found)):
        click.echo("\n".join(text_lines(table, digits=4)) + "\n")
    read = sum(found.documents.values())
    click.echo(f"{read:,} judged documents of {found.topics:,} topics", nl=False)
    click.echo(f", mean over {average}")
    for count, what in _left_out(found, judged.unjudged):
        if count:
            click.echo(f"left out: {count:,} {what}", err=True)


def _means(found: ProximityByGrade) -> OutputTable:
    from porism.lab.proximity_by_grade import GRADES

    return OutputTable(
        ("measure", *GRADES.values(), "left out"),
        tuple(
            (_name(each.kind), *map(each.means.get, GRADES), sum(each.infinite.values()))
            for each in found.measures
        ),
        "Mean proximity by grade; left out are documents in which too few terms match",
    )


def _differences(found: ProximityByGrade) -> OutputTable:
    from porism.lab.proximity_by_grade import GRADES, PAIRS

    return OutputTable(
        ("measure", *(f"{GRADES[first]},{GRADES[second]}".rjust(11) for first, second in PAIRS)),
        tuple((_name(each.kind), *_beside_the_paper(each)) for each in found.measures),
        "Differences in percent, and in parentheses those of S4, Table 4; negative is nearer",
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


def _left_out(found: ProximityByGrade, unjudged: int) -> list[tuple[int, str]]:
    return [
        (unjudged, "topics without judgments"),
        (found.absent, "judged documents that the index does not have"),
        (found.ungraded, "documents whose grade is none of 0 to 3"),
    ]


def _as_json(found: ProximityByGrade, unjudged: int, average: str) -> dict[str, object]:
    from porism.lab.proximity_by_grade import GRADES, PAIRS, PAPER

    def by_grade(values: Mapping[int, float]) -> dict[str, float]:
        return {name: values[grade] for grade, name in GRADES.items() if grade in values}

    def by_pair(values: Iterable[float | None]) -> dict[str, float | None]:
        names = (f"{GRADES[first]},{GRADES[second]}" for first, second in PAIRS)
        return dict(zip(names, values, strict=True))

    return {
        "average": average,
        "topics": found.topics,
        "unjudged_topics": unjudged,
        "documents": by_grade(found.documents),
        "absent": found.absent,
        "ungraded": found.ungraded,
        "measures": [
            {
                "measure": str(each.kind[0]),
                "by_length": each.kind[1],
                "means": by_grade(each.means),
                "infinite": by_grade(each.infinite),
                "differences": by_pair(each.difference(*pair) for pair in PAIRS),
                "paper": by_pair(percent / 100 for percent in PAPER[each.kind]),
            }
            for each in found.measures
        ],
    }
