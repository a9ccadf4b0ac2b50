"""The published files of an assessment: qrels, all judgments, statistics, and tasks for Turkle.

All files are computed from the judgments on export. ``export.json`` records the pool, the settings
and the rules behind the numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

from porism.assess.choice_definitions import VISUAL_MATCH_RULES, instruction_notes
from porism.assess.judgments.final_grades import (
    CandidateKey,
    FinalChoice,
    document_qrels,
    visual_qrels,
    without_topics,
)
from porism.assess.judgments.judgment_file import write_acts
from porism.assess.latex_tables import latex_document
from porism.assess.pools.active_order import bias_note
from porism.assess.pools.pool_folder import pool_digest
from porism.assess.records import (
    Candidate,
    Pool,
)
from porism.assess.statistics_tables import statistics_tables
from porism.assess.training import round_results
from porism.assess.turkle.tasks import TurkleRenderer, needed_slots, write_tasks
from porism.assess.turkle.template import MAX_SLOTS, TurkleTaskSettings, write_template
from porism.errors import PorismError
from porism.formats.byte_streams import write_new_folder
from porism.formats.qrels import write_qrels
from porism.formats.text_lines import check_ids, open_atomic
from porism.model import DocId, Qrels, Task, Topic, TopicId
from porism.pages.assessed_batch import AssessedBatch
from porism.pages.candidates import candidate_view, topic_view
from porism.pages.reports.assessment_report import AssessmentReport, assessment_report_page


def _qrels(assessed: AssessedBatch) -> Qrels:
    return without_topics(document_qrels(assessed.finals, assessed.pool.ranked), assessed.dropped)


def _visual(assessed: AssessedBatch) -> Qrels:
    return without_topics(_by_visual_id(assessed, has_codes=False), assessed.dropped)


def _complete(assessed: AssessedBatch) -> Qrels:
    return document_qrels(assessed.finals, assessed.pool.ranked, has_codes=True)


def _visual_complete(assessed: AssessedBatch) -> Qrels:
    return _by_visual_id(assessed, has_codes=True)


def _short(assessed: AssessedBatch) -> Qrels:
    """Includes dropped topics, since each topic's answer is scored on its own."""
    return document_qrels(assessed.finals, assessed.pool.short_answers, has_codes=True)


def _by_visual_id(assessed: AssessedBatch, has_codes: bool) -> Qrels:
    """The grades by visual id; formulas without one occur only in the qrels by instance.

    Scoring does the same: a formula without a visual id is unjudged.
    """
    known = {each.visual_id for each in assessed.pool.candidates}
    all_grades = visual_qrels(assessed.finals, assessed.pool, has_codes).grades
    by_topic = {
        topic_id: {visual_id: grade for visual_id, grade in grades.items() if visual_id in known}
        for topic_id, grades in all_grades.items()
    }
    return Qrels({topic_id: grades for topic_id, grades in by_topic.items() if grades})


def _write_text(path: Path, text: str) -> None:
    with open_atomic(path) as file:
        file.write(text)


def _write_html(path: Path, assessed: AssessedBatch) -> None:
    report = AssessmentReport(
        title=f"Assessment: {assessed.batch}",
        statistics=assessed.statistics,
        rounds=round_results(assessed.published_training, assessed.earlier),
        notes=tuple(_notes(assessed)),
    )
    _write_text(path, assessment_report_page(report))


def _notes(assessed: AssessedBatch) -> list[str]:
    """The settings of the pool, with warnings about what the judgments can be used for."""
    settings = (f"{name}: {value}" for name, value in sorted(assessed.pool.settings.items()))
    return [*_warnings(assessed), *settings]


def _warnings(assessed: AssessedBatch) -> list[str]:
    bias = bias_note(assessed.pool, assessed.unjudged)
    notes = instruction_notes(assessed.pool.task, assessed.instructions, assessed.judgments)
    return [*([bias] if bias else []), *notes]


def _write_latex(path: Path, assessed: AssessedBatch) -> None:
    tables = statistics_tables(assessed.statistics)
    _write_text(path, latex_document(tables, _warnings(assessed)))


def _write_annotations(path: Path, assessed: AssessedBatch) -> None:
    """The file that ``porism evaluate --annotations`` reads."""
    with open_atomic(path) as file:
        file.write("topic\tanswer\tmachine_generated\tunrelated\n")
        for (topic_id, doc_id), final in _annotated(assessed).items():
            flags = (final.is_machine_made, final.is_unrelated)
            check_ids(path, (topic_id, doc_id))
            cells = (topic_id, doc_id, *("yes" if flag else "no" for flag in flags))
            file.write("\t".join(cells) + "\n")


def _annotated(assessed: AssessedBatch) -> dict[CandidateKey, FinalChoice]:
    return {
        key: final
        for key, final in assessed.finals.items()
        if final.is_machine_made is not None and final.is_unrelated is not None
    }


def _write_answer_ids(path: Path, assessed: AssessedBatch) -> None:
    """The file that ``porism evaluate --answers`` reads: the answers of each run of Task 3."""
    with open_atomic(path) as file:
        for run, topic_id, doc_id in _short_answers(assessed.pool):
            check_ids(path, (run, topic_id, doc_id))
            file.write(f"{run}\t{topic_id}\t{doc_id}\n")


def _short_answers(pool: Pool) -> list[tuple[str, TopicId, DocId]]:
    runs = {run.name for run in pool.runs if run.task == Task.SHORT_ANSWERS}
    return sorted(
        (each.run, candidate.topic_id, candidate.doc_id)
        for candidate in pool.candidates
        if candidate.text
        for each in candidate.contributions
        if each.run in runs
    )


def _task_settings(assessed: AssessedBatch) -> TurkleTaskSettings:
    pool, instructions = assessed.pool, assessed.instructions[-1]
    is_formulas = pool.task == Task.FORMULAS
    return TurkleTaskSettings(
        pool.task,
        needed_slots(pool),
        has_annotations=instructions.asks_annotations and not is_formulas,
        note=VISUAL_MATCH_RULES[instructions.same_look] if is_formulas else "",
    )


def _write_turkle(path: Path, assessed: AssessedBatch) -> None:
    write_tasks(path, assessed.pool, _task_settings(assessed), _renderer(assessed))


def _renderer(assessed: AssessedBatch) -> TurkleRenderer:
    cached_view = cache(topic_view)  # few topics, each with many candidates

    def candidate(each: Candidate) -> str:
        view = candidate_view(each, assessed.pool.task, assessed.collection)
        return f"<p>{view.about}</p>\n{view.body}" if view.about else view.body

    def question(topic: Topic) -> str:
        view = cached_view(topic)
        return view.formula + view.body

    return TurkleRenderer(lambda topic: cached_view(topic).title, question, candidate)


ExportWriter = Callable[[Path, AssessedBatch], None]

_WRITERS: dict[str, ExportWriter] = {
    "qrels.tsv": lambda path, assessed: write_qrels(path, _qrels(assessed)),
    "qrels_visual.tsv": lambda path, assessed: write_qrels(path, _visual(assessed)),
    "qrels_complete.tsv": lambda path, assessed: write_qrels(path, _complete(assessed)),
    "qrels_visual_complete.tsv": lambda path, assessed: write_qrels(
        path, _visual_complete(assessed)
    ),
    "qrels_short_answers.tsv": lambda path, assessed: write_qrels(path, _short(assessed)),
    "annotations.tsv": _write_annotations,
    "answers.tsv": _write_answer_ids,
    "judgments.jsonl": lambda path, assessed: write_acts(path, assessed.published_judgments),
    "annotations.jsonl": lambda path, assessed: write_acts(path, assessed.published_annotations),
    "statistics.html": _write_html,
    "statistics.tex": _write_latex,
    "turkle_tasks.csv": _write_turkle,
    "turkle_template.html": lambda path, assessed: write_template(path, _task_settings(assessed)),
    "export.json": lambda path, assessed: _write_text(
        path, json.dumps(export_record(assessed), indent=2, ensure_ascii=False) + "\n"
    ),
}

FILE_DESCRIPTIONS = {
    "qrels.tsv": "Grades by answer, or by formula instance",
    "qrels_visual.tsv": "Grades by visual id: the highest grade of the formula's instances",
    "qrels_complete.tsv": "Like qrels.tsv, with all topics, 5 for system failure and 6 for "
    "do not know",
    "qrels_visual_complete.tsv": "The same by visual id",
    "qrels_short_answers.tsv": "Grades of short answers (Task 3), of all topics, with 5 and 6",
    "annotations.tsv": "Answers that seem machine-generated or have unrelated content",
    "answers.tsv": "The short answers of each run",
    "judgments.jsonl": "Every judgment ever made, with assessor and time",
    "annotations.jsonl": "Every annotation made apart from judgments, with assessor and time",
    "statistics.html": "Judged and relevant per topic, times, agreement, as a page",
    "statistics.tex": "The same as tables for a paper",
    "turkle_tasks.csv": "The candidates as tasks for Turkle",
    "turkle_template.html": "The template for these tasks",
    "export.json": "The pool, settings and rules of this export",
}
"""A description of each file."""


def export_file_names(assessed: AssessedBatch) -> tuple[str, ...]:
    """The files that can be written for this batch."""
    return tuple(name for name in _WRITERS if not unavailable_reason(name, assessed))


def unavailable_reason(name: str, assessed: AssessedBatch) -> str:
    """Why a file cannot be written; empty if it can."""
    if name.startswith("qrels_visual") and assessed.pool.task != Task.FORMULAS:
        return "only formulas have visual ids"
    if name in ("qrels.tsv", "qrels_complete.tsv") and not assessed.pool.ranked.candidates:
        return "the pool has only short answers"
    if name == "qrels_short_answers.tsv" and not assessed.pool.short_answers.candidates:
        return "the pool has no short answers"
    if name == "annotations.tsv" and not _annotated(assessed):
        return "no answer is annotated"
    if name == "annotations.jsonl" and not assessed.annotations:
        return "no answer has annotations apart from judgments"
    if name == "answers.tsv" and not _short_answers(assessed.pool):
        return "the pool has no run of short answers"
    if name.startswith("turkle"):
        if assessed.collection is None and not all(each.text for each in assessed.pool.candidates):
            return "Turkle tasks contain the text of candidates, which needs the collection"
        if needed_slots(assessed.pool) > MAX_SLOTS:
            return f"a Turkle task holds {MAX_SLOTS} candidates, and some visual ids have more"
    return ""


def write_export_file(name: str, path: Path, assessed: AssessedBatch) -> None:
    """Write one of the files, by its name, to a path."""
    if name not in _WRITERS:
        raise PorismError(f"unknown export file {name[:80]}; the files are {', '.join(_WRITERS)}")
    if why := unavailable_reason(name, assessed):
        raise PorismError(f"{name} cannot be written: {why}")
    _WRITERS[name](path, assessed)


def write_export(folder: Path, assessed: AssessedBatch) -> tuple[str, ...]:
    """Write all available files to a folder and return their names.

    A new folder is created atomically. In an existing folder, files of the same names are replaced
    atomically, one by one.
    """
    if folder.exists() and not folder.is_dir():
        raise PorismError(f"{folder} is a file; name a folder for the export")
    if (other := _batch_in(folder)) not in (None, assessed.batch):
        raise PorismError(f"{folder} has the export of batch {other}; name another folder")
    names = export_file_names(assessed)

    def write(target: Path) -> None:
        for name in names:
            write_export_file(name, target / name, assessed)

    if not write_new_folder(folder, write):
        write(folder)
        for name in set(_WRITERS).difference(names):  # left by an earlier export
            (folder / name).unlink(missing_ok=True)
    return names


def _batch_in(folder: Path) -> str | None:
    """The batch whose export is in a folder; None if there is none."""
    try:
        record = json.loads((folder / "export.json").read_bytes())
    except (OSError, ValueError):
        return None
    batch = record.get("batch") if isinstance(record, dict) else None
    return batch if isinstance(batch, str) else None


def export_record(assessed: AssessedBatch) -> dict[str, object]:
    """The contents of ``export.json``."""
    pool = assessed.pool
    return {
        "batch": assessed.batch,
        "task": pool.task,
        "pool": pool_digest(pool),
        "collection": pool.collection,
        "seed": pool.seed,
        "settings": dict(sorted(pool.settings.items())),
        "topics": len(pool.topics),
        "candidates": len(pool.candidates),
        "unjudged": assessed.unjudged,
        "bias": bias_note(pool, assessed.unjudged),
        "instructions": _instructions(assessed),
        "rule": str(assessed.settings.rule),
        "fewest_relevant": assessed.settings.fewest_relevant,
        "dropped_topics": list(assessed.dropped),
        "disputed": [list(key) for key, final in assessed.finals.items() if final.is_disputed],
        "files": list(export_file_names(assessed)),
    }


def _instructions(assessed: AssessedBatch) -> list[dict[str, object]]:
    """The instructions that were in force, with the number of judgments made under each."""
    counts = Counter(each.instructions for each in assessed.judgments)
    return [
        {**asdict(each), "judgments": counts[each.number]}
        for each in assessed.instructions
        if counts[each.number] or each == assessed.instructions[-1]
    ]
