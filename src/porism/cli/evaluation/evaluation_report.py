"""The HTML report of ``porism evaluate -o``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from porism.cli.evaluation.scored_runs import ScoredRuns
from porism.cli.output import open_output
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.evaluation.categories import Groups
    from porism.model import DocId, Run, TopicId


@dataclass(frozen=True, slots=True)
class ReportSources:
    """The files that a report shows: runs, topics, and the collection of the posts."""

    runs: Sequence[Path]
    topics: Path | None = None
    collection: Path | None = None


def write_report(
    path: Path, scored: ScoredRuns, groups: Mapping[str, Groups], sources: ReportSources
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

    evaluation = scored.evaluation
    topics = {topic.id: topic for topic in read_topics(sources.topics)} if sources.topics else {}
    with ExitStack() as stack:
        posts: ShowHit = no_text
        if scored.answers:
            posts = AnswerTexts(_texts(scored))
        elif sources.collection is not None:
            collection = stack.enter_context(open_collection(sources.collection))
            show = CollectionFormulas if evaluation.task == 2 else CollectionPosts
            posts = show(collection)
        page = evaluation_report_page(
            EvaluationReport(
                title=f"Evaluation of {' and '.join(run.run for run in evaluation.runs)}"
                if len(evaluation.runs) < 3
                else f"Evaluation of {len(evaluation.runs)} runs",
                evaluation=evaluation,
                runs={run.name: run for run in _rankings(scored, sources.runs)},
                qrels=scored.qrels,
                breakdowns=groups,
                topics=topics,
                posts=posts,
            )
        )
    with open_output(str(path)) as out:
        out.write(page.encode())


def _rankings(scored: ScoredRuns, paths: Sequence[Path]) -> list[Run]:
    """The runs as rankings; hits of Task 2 have the post of their formula."""
    from porism.evaluation.formulas import visual_run
    from porism.evaluation.inputs import as_run
    from porism.formats.runs import RunForm, read_run
    from porism.model import Hit, Run

    if scored.answers:
        return [
            Run(
                name, {topic: (Hit(_answer_id(scored, name, topic), 1.0),) for topic in run.answers}
            )
            for name, run in scored.answers.items()
        ]
    if scored.result_ids is None:
        return [as_run(run) for run in scored.runs]
    rankings = []
    for run, path, named_formulas in zip(
        scored.runs, paths, scored.result_ids.named_formulas, strict=True
    ):
        # Only the lab's columns have the post of a formula.
        if named_formulas and run.form is RunForm.TASK2:
            named = visual_run(read_run(path, run.form), scored.result_ids.visual_ids)
            rankings.append(Run(run.name, named.rankings))
        else:
            rankings.append(as_run(run))
    return rankings


def _answer_id(scored: ScoredRuns, run: str, topic: TopicId) -> DocId:
    """The id of an answer in the judgments; if it is not judged, one of its own."""
    from porism.model import DocId

    return scored.answer_ids.get((run, topic)) or DocId(f"{run} {topic}")


def _texts(scored: ScoredRuns) -> dict[DocId, str]:
    return {
        _answer_id(scored, name, topic): answer.text
        for name, run in scored.answers.items()
        for topic, answer in run.answers.items()
    }
