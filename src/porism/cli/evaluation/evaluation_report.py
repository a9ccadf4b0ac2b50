"""The report that ``porism evaluate -o`` writes: what it shows, and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from porism.cli.evaluation.scored_runs import ScoredRuns
from porism.cli.extras import needs_extra
from porism.cli.output import open_output

if TYPE_CHECKING:
    from porism.evaluate.categories import Groups
    from porism.model import DocId, Run, TopicId


@dataclass(frozen=True, slots=True)
class ReportSources:
    """Files whose content a report shows: the runs, the texts of topics, those of posts."""

    runs: Sequence[Path]
    topics: Path | None = None
    collection: Path | None = None


def write_report(
    path: Path, found: ScoredRuns, groups: Mapping[str, Groups], shown: ReportSources
) -> None:
    """Write the report as one HTML file."""
    with needs_extra("lab"):
        from porism.pages.reports.evaluation_report import (
            EvaluationReport,
            evaluation_report_page,
        )
    from porism.collection.store import open_collection
    from porism.formats.topics import read_topics
    from porism.pages.topic_hits import (
        AnswerTexts,
        CollectionFormulas,
        CollectionPosts,
        ShowHit,
        no_text,
    )

    evaluation = found.evaluation
    topics = {topic.id: topic for topic in read_topics(shown.topics)} if shown.topics else {}
    with ExitStack() as stack:
        posts: ShowHit = no_text
        if found.answers:
            posts = AnswerTexts(_texts(found))
        elif shown.collection is not None:
            collection = stack.enter_context(open_collection(shown.collection))
            show = CollectionFormulas if evaluation.task == 2 else CollectionPosts
            posts = show(collection)
        page = evaluation_report_page(
            EvaluationReport(
                title=f"Evaluation of {' and '.join(run.run for run in evaluation.runs)}"
                if len(evaluation.runs) < 3
                else f"Evaluation of {len(evaluation.runs)} runs",
                evaluation=evaluation,
                runs={run.name: run for run in _rankings(found, shown.runs)},
                qrels=found.qrels,
                breakdowns=groups,
                topics=topics,
                posts=posts,
            )
        )
    with open_output(str(path)) as out:
        out.write(page.encode())


def _rankings(found: ScoredRuns, paths: Sequence[Path]) -> list[Run]:
    """The runs as rankings; those of Task 2 say in which post a formula was found."""
    from porism.evaluate.formulas import visual_run
    from porism.evaluate.inputs import as_run
    from porism.formats.runs import RunForm, read_run
    from porism.model import Hit, Run

    if found.answers:
        return [
            Run(name, {topic: (Hit(_answer_id(found, name, topic), 1.0),) for topic in run.answers})
            for name, run in found.answers.items()
        ]
    if found.shown_ids is None:
        return [as_run(run) for run in found.runs]
    rankings = []
    for run, path, named_formulas in zip(
        found.runs, paths, found.shown_ids.named_formulas, strict=True
    ):
        # Only the lab's columns say in which post a formula stands.
        if named_formulas and run.form is RunForm.TASK2:
            named = visual_run(read_run(path, run.form), found.shown_ids.visual_ids)
            rankings.append(Run(run.name, named.rankings))
        else:
            rankings.append(as_run(run))
    return rankings


def _answer_id(found: ScoredRuns, run: str, topic: TopicId) -> DocId:
    """The id that an answer has in the judgments, or, if nobody judged it, one of its own."""
    from porism.model import DocId

    return found.answer_ids.get((run, topic)) or DocId(f"{run} {topic}")


def _texts(found: ScoredRuns) -> dict[DocId, str]:
    return {
        _answer_id(found, name, topic): answer.text
        for name, run in found.answers.items()
        for topic, answer in run.answers.items()
    }
