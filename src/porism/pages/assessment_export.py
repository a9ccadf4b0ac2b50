"""What an assessment is published as: qrels, all judgments, statistics, and tasks for Turkle.

Everything is computed from the judgments when it is asked for. ``export.json`` says of what and by
which rules, so that others can tell what the numbers rest on.
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
    """Of all topics: an answer to each is scored, whatever else was found for it."""
    return document_qrels(assessed.finals, assessed.pool.short_answers, has_codes=True)


def _by_visual_id(assessed: AssessedBatch, has_codes: bool) -> Qrels:
    """The grades of looks that have a visual id; other formulas are in the qrels by instance alone.

    So it is when runs are scored: what has no visual id is not judged.
    """
    known = {each.visual_id for each in assessed.pool.candidates}
    of_looks = visual_qrels(assessed.finals, assessed.pool, has_codes).grades
    named = {
        topic_id: {look: grade for look, grade in grades.items() if look in known}
        for topic_id, grades in of_looks.items()
    }
    return Qrels({topic_id: grades for topic_id, grades in named.items() if grades})


def _write_text(path: Path, text: str) -> None:
    with open_atomic(path) as file:
        file.write(text)


def _write_html(path: Path, assessed: AssessedBatch) -> None:
    report = AssessmentReport(
        title=f"Assessment: {assessed.batch}",
        statistics=assessed.statistics,
        rounds=round_results(assessed.rounds, assessed.earlier),
        notes=tuple(_notes(assessed)),
    )
    _write_text(path, assessment_report_page(report))


def _notes(assessed: AssessedBatch) -> list[str]:
    """How the pool was drawn and shown, which says what the judgments are fit for."""
    drawn = (f"{name}: {value}" for name, value in sorted(assessed.pool.settings.items()))
    return [*_warnings(assessed), *drawn]


def _warnings(assessed: AssessedBatch) -> list[str]:
    bias = bias_note(assessed.pool, assessed.unjudged)
    told = instruction_notes(assessed.pool.task, assessed.instructions, assessed.judgments)
    return [*([bias] if bias else []), *told]


def _write_latex(path: Path, assessed: AssessedBatch) -> None:
    tables = statistics_tables(assessed.statistics)
    _write_text(path, latex_document(tables, _warnings(assessed)))


def _write_annotations(path: Path, assessed: AssessedBatch) -> None:
    """What ``porism evaluate --annotations`` reads."""
    with open_atomic(path) as file:
        file.write("topic\tanswer\tmachine_generated\tunrelated\n")
        for (topic_id, doc_id), final in _annotated(assessed).items():
            said = (final.is_machine_made, final.is_unrelated)
            words = ("yes" if each else "no" for each in said)
            check_ids(path, (topic_id, doc_id))
            file.write("\t".join((topic_id, doc_id, *words)) + "\n")


def _annotated(assessed: AssessedBatch) -> dict[CandidateKey, FinalChoice]:
    return {
        key: final
        for key, final in assessed.finals.items()
        if final.is_machine_made is not None and final.is_unrelated is not None
    }


def _write_answer_ids(path: Path, assessed: AssessedBatch) -> None:
    """What ``porism evaluate --answers`` reads: which answer each run of Task 3 gave."""
    with open_atomic(path) as file:
        for run, topic_id, doc_id in _short_answers(assessed.pool):
            check_ids(path, (run, topic_id, doc_id))
            file.write(f"{run}\t{topic_id}\t{doc_id}\n")


def _short_answers(pool: Pool) -> list[tuple[str, TopicId, DocId]]:
    of_task = {run.name for run in pool.runs if run.task == Task.SHORT_ANSWERS}
    return sorted(
        (each.run, candidate.topic_id, candidate.doc_id)
        for candidate in pool.candidates
        if candidate.text
        for each in candidate.contributions
        if each.run in of_task
    )


def _task_form(assessed: AssessedBatch) -> TurkleTaskSettings:
    pool, told = assessed.pool, assessed.instructions[-1]
    is_formulas = pool.task == Task.FORMULAS
    return TurkleTaskSettings(
        pool.task,
        needed_slots(pool),
        has_annotations=told.asks_annotations and not is_formulas,
        note=VISUAL_MATCH_RULES[told.same_look] if is_formulas else "",
    )


def _write_turkle(path: Path, assessed: AssessedBatch) -> None:
    write_tasks(path, assessed.pool, _task_form(assessed), _shown(assessed))


def _shown(assessed: AssessedBatch) -> TurkleRenderer:
    topic_of = cache(topic_view)  # of which there are few, and each has many candidates

    def candidate(each: Candidate) -> str:
        shown = candidate_view(each, assessed.pool.task, assessed.collection)
        return f"<p>{shown.about}</p>\n{shown.body}" if shown.about else shown.body

    def question(topic: Topic) -> str:
        shown = topic_of(topic)
        return shown.formula + shown.body

    return TurkleRenderer(lambda topic: topic_of(topic).title, question, candidate)


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
    "turkle_template.html": lambda path, assessed: write_template(path, _task_form(assessed)),
    "export.json": lambda path, assessed: _write_text(
        path, json.dumps(export_record(assessed), indent=2, ensure_ascii=False) + "\n"
    ),
}

FILE_DESCRIPTIONS = {
    "qrels.tsv": "Grades by answer, or by formula instance",
    "qrels_visual.tsv": "Grades by visual id: of the instances of a formula the highest",
    "qrels_complete.tsv": "The same as the first with all topics, and system failures as 5, "
    "not known as 6",
    "qrels_visual_complete.tsv": "The same by visual id",
    "qrels_short_answers.tsv": "Grades of short answers (Task 3), of all topics, with 5 and 6",
    "annotations.tsv": "Which answers a machine seems to have made, and which stray",
    "answers.tsv": "Which short answer each run gave",
    "judgments.jsonl": "Every judgment that was ever made, with who and when",
    "annotations.jsonl": "Every annotation that was made apart from judgments, with who and when",
    "statistics.html": "Judged and relevant a topic, times, agreement, as a page",
    "statistics.tex": "The same as tables for a paper",
    "turkle_tasks.csv": "The candidates as tasks for Turkle",
    "turkle_template.html": "The template for these tasks",
    "export.json": "What all this was made of, and by which rules",
}
"""What each file is."""


def export_file_names(assessed: AssessedBatch) -> tuple[str, ...]:
    """The files that can be written: visual ids are of formulas, and Turkle shows candidates."""
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
        return "no answer is annotated apart from judgments"
    if name == "answers.tsv" and not _short_answers(assessed.pool):
        return "the pool has no run of short answers"
    if name.startswith("turkle"):
        if assessed.collection is None and not all(each.text for each in assessed.pool.candidates):
            return "Turkle is given what candidates say, for which the collection is needed"
        if needed_slots(assessed.pool) > MAX_SLOTS:
            return f"Turkle shows {MAX_SLOTS} candidates at once, and here more look alike"
    return ""


def write_export_file(name: str, path: Path, assessed: AssessedBatch) -> None:
    """Write one of the files, by its name, to where it is wanted."""
    if name not in _WRITERS:
        raise PorismError(f"there is no file {name[:80]} to export: {', '.join(_WRITERS)}")
    if why := unavailable_reason(name, assessed):
        raise PorismError(f"{name} cannot be written: {why}")
    _WRITERS[name](path, assessed)


def write_export(folder: Path, assessed: AssessedBatch) -> tuple[str, ...]:
    """Write all files that can be written to a folder; their names.

    A folder that is not there is made, whole or not at all. In one that is there files of the same
    names are replaced, each whole or not at all.
    """
    if folder.exists() and not folder.is_dir():
        raise PorismError(f"{folder}: this is a file; name a folder for the export")
    if (other := _batch_in(folder)) not in (None, assessed.batch):
        raise PorismError(f"{folder} has the export of {other}: name another folder")
    names = export_file_names(assessed)

    def write(place: Path) -> None:
        for name in names:
            write_export_file(name, place / name, assessed)

    if not write_new_folder(folder, write):
        write(folder)
        for name in set(_WRITERS).difference(names):  # of an export before
            (folder / name).unlink(missing_ok=True)
    return names


def _batch_in(folder: Path) -> str | None:
    """The batch whose export a folder has; None if it has none."""
    try:
        found = json.loads((folder / "export.json").read_bytes())
    except (OSError, ValueError):
        return None
    batch = found.get("batch") if isinstance(found, dict) else None
    return batch if isinstance(batch, str) else None


def export_record(assessed: AssessedBatch) -> dict[str, object]:
    """What an export was made of."""
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
        "rule": str(assessed.form.rule),
        "fewest_relevant": assessed.form.fewest_relevant,
        "dropped_topics": list(assessed.dropped),
        "disputed": [list(key) for key, final in assessed.finals.items() if final.is_disputed],
        "files": list(export_file_names(assessed)),
    }


def _instructions(assessed: AssessedBatch) -> list[dict[str, object]]:
    """What assessors were told when they judged, and how many judgments they made by it."""
    counts = Counter(each.instructions for each in assessed.judgments)
    return [
        {**asdict(each), "judgments": counts[each.number]}
        for each in assessed.instructions
        if counts[each.number] or each == assessed.instructions[-1]
    ]
