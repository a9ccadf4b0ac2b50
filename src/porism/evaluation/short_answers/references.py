"""Known relevant answers, the references of the automatic measures of Task 3.

S3 section 6.3.2 uses the relevant answers of the submitted runs, except those contributed only by
the team in question; section 6.4.2 adds the relevant answers of Task 1 that are short enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from porism.evaluation.measures import RELEVANT
from porism.evaluation.scoring import CODES
from porism.formats.answer_text import MAX_ANSWER_LENGTH, within_limit
from porism.formats.qrels import RunAnswerId
from porism.model import AnswerRun, DocId, Qrels, Run, TopicId

_TEAM = re.compile(r"(?P<team>.+?)[-_]task[0-9](?:[-_](?P<run>[^-]+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a relevant answer and the teams whose runs contributed it, if any."""

    text: str
    teams: frozenset[str] = frozenset()


References = Mapping[TopicId, tuple[Reference, ...]]
"""The relevant answers of each topic that has any."""


def team_of(run_name: str) -> str:
    """The team in a file name of the lab's form; any other run name is a team of its own.

    >>> team_of("DPRL-Task3-SVMSBERT-auto-both-extract-A"), team_of("TU_DBS-task3-shortest")
    ('DPRL', 'TU_DBS')
    >>> team_of("gpt4")
    'gpt4'
    """
    match = _TEAM.match(run_name)
    return match["team"] if match else run_name


def references(
    answer_ids: Iterable[RunAnswerId], qrels: Qrels, texts: Mapping[DocId, str]
) -> dict[TopicId, tuple[Reference, ...]]:
    """The relevant answers by the qrels of Task 3 whose text is known, ordered by id.

    Equal answers of several runs share an id and count as contributed by all their teams. Texts are
    cut at the lab's limit; blank ones are omitted.
    """
    teams: defaultdict[tuple[TopicId, DocId], set[str]] = defaultdict(set)
    for run, topic_id, answer_id in answer_ids:
        teams[topic_id, answer_id].add(team_of(run))
    by_topic = {
        topic_id: tuple(
            Reference(within_limit(texts[answer_id]), frozenset(teams[topic_id, answer_id]))
            for answer_id in _relevant(grades)
            if texts.get(answer_id, "").strip()
        )
        for topic_id, grades in qrels.grades.items()
    }
    return {
        topic_id: topic_references
        for topic_id, topic_references in by_topic.items()
        if topic_references
    }


def _relevant(grades: Mapping[DocId, int]) -> list[DocId]:
    return sorted(document for document, grade in grades.items() if _is_relevant(grade))


def _is_relevant(grade: int) -> bool:
    """Whether a grade is medium or high; the lab's codes are larger numbers."""
    return grade >= RELEVANT and grade not in CODES


def texts_by_answer_id(
    runs: Iterable[AnswerRun], answer_ids: Iterable[RunAnswerId]
) -> dict[DocId, str]:
    """The answers of submitted runs, by their ids in the qrels.

    Runs are looked up with ``name_in_map``; those not in the map are ignored. Of several texts with
    the same id the first counts.
    """
    ids: defaultdict[str, dict[TopicId, DocId]] = defaultdict(dict)
    for run_name, topic_id, answer_id in answer_ids:
        ids[run_name][topic_id] = answer_id
    texts: dict[DocId, str] = {}
    for run in runs:
        name = name_in_map(run.name, ids)
        run_ids = ids[name] if name is not None else {}
        for topic_id, answer in run.answers.items():
            if topic_id in run_ids:
                texts.setdefault(run_ids[topic_id], answer.text)
    return texts


def name_in_map(run_name: str, known: Collection[str]) -> str | None:
    """The name of a run in the lab's map of answers: that of the file, without ``.tsv``.

    Inside its file a run has only the part of the name after the task, which suffices if it is
    unique. None if there is no such run, or more than one.

    >>> known = ["Baseline2022-task3-GPT3-auto-both-generate-P", "A-task3-1-auto", "B-task3-1-auto"]
    >>> name_in_map("GPT3", known), name_in_map("A-task3-1-auto.tsv", known)
    ('Baseline2022-task3-GPT3-auto-both-generate-P', 'A-task3-1-auto')
    >>> name_in_map("1", known)
    """
    stem = re.sub(r"(?:\.(?:tsv|csv|txt))?(?:\.gz)?\Z", "", run_name)
    if stem in known:
        return stem
    parts = {name: match["run"] for name in known if (match := _TEAM.match(name))}
    same = [name for name, part in parts.items() if part == stem]
    return same[0] if len(same) == 1 else None


def with_task1_answers(
    references: References,
    task1_qrels: Qrels,
    texts: Mapping[DocId, str] | Callable[[DocId], str | None],
    task1_runs: Iterable[Run] = (),
) -> dict[TopicId, tuple[Reference, ...]]:
    """The references, followed by the relevant answers of Task 1 of at most 1,200 characters.

    Answers with no or blank text are omitted. ``task1_runs`` determine their teams: pass all pooled
    runs or none, since an answer in only one of them counts as that team's alone. Without runs the
    answers have no team and can be used for every team.
    """
    text_of = texts.get if isinstance(texts, Mapping) else texts
    teams: defaultdict[tuple[TopicId, DocId], set[str]] = defaultdict(set)
    for run in task1_runs:
        for topic_id, ranking in run.rankings.items():
            grades = task1_qrels.grades.get(topic_id, {})
            for hit in ranking:
                if _is_relevant(grades.get(hit.doc_id, 0)):
                    teams[topic_id, hit.doc_id].add(team_of(run.name))
    extended = dict(references)
    for topic_id, grades in task1_qrels.grades.items():
        added = tuple(
            Reference(text, frozenset(teams.get((topic_id, document), ())))
            for document in _relevant(grades)
            if (text := text_of(document)) and text.strip() and len(text) <= MAX_ANSWER_LENGTH
        )
        if added:
            extended[topic_id] = extended.get(topic_id, ()) + added
    return extended


def usable_references(references: Iterable[Reference], team: str | None) -> tuple[Reference, ...]:
    """The references for a team's answers: without those that it alone contributed.

    The case of team names does not matter. A system of no team (None) may use all.
    """
    own = {team.casefold()} if team is not None else set()
    return tuple(
        reference
        for reference in references
        if not reference.teams or {name.casefold() for name in reference.teams} - own
    )
