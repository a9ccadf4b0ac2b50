"""Known relevant answers, with which the automatic measures of Task 3 compare a new one.

S3 section 6.3.2 takes the relevant answers of the submitted runs, without those that only the team
in question contributed; section 6.4.2 adds the relevant answers of Task 1 that are short enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from porism.evaluate.measures import RELEVANT
from porism.evaluate.scoring import CODES
from porism.evaluate.short_answers.answer_text import LONGEST_ANSWER, within_limit
from porism.formats.qrels import RunAnswerId
from porism.model import AnswerRun, DocId, Qrels, Run, TopicId

_TEAM = re.compile(r"(?P<team>.+?)[-_]task[0-9](?:[-_](?P<run>[^-]+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a relevant answer and the teams that contributed it; none if nobody's run did."""

    text: str
    teams: frozenset[str] = frozenset()


References = Mapping[TopicId, tuple[Reference, ...]]
"""The relevant answers of each topic that has any."""


def team_of(run_name: str) -> str:
    """The team by the lab's names of files; a run with another name is a team of its own.

    >>> team_of("DPRL-Task3-SVMSBERT-auto-both-extract-A"), team_of("TU_DBS-task3-shortest")
    ('DPRL', 'TU_DBS')
    >>> team_of("gpt4")
    'gpt4'
    """
    found = _TEAM.match(run_name)
    return found["team"] if found else run_name


def references(
    answer_ids: Iterable[RunAnswerId], qrels: Qrels, texts: Mapping[DocId, str]
) -> dict[TopicId, tuple[Reference, ...]]:
    """The relevant answers by the qrels of Task 3 of which the text is known, ordered by id.

    Equal answers of several runs share an id, and all their teams contributed it. Texts are cut at
    the length that the lab allows; blank ones are left out.
    """
    teams: defaultdict[tuple[TopicId, DocId], set[str]] = defaultdict(set)
    for run, topic_id, answer_id in answer_ids:
        teams[topic_id, answer_id].add(team_of(run))
    found = {
        topic_id: tuple(
            Reference(within_limit(texts[answer_id]), frozenset(teams[topic_id, answer_id]))
            for answer_id in _relevant(grades)
            if texts.get(answer_id, "").strip()
        )
        for topic_id, grades in qrels.grades.items()
    }
    return {topic_id: of_topic for topic_id, of_topic in found.items() if of_topic}


def _relevant(grades: Mapping[DocId, int]) -> list[DocId]:
    return sorted(document for document, grade in grades.items() if _is_relevant(grade))


def _is_relevant(grade: int) -> bool:
    """Whether a grade is medium or high; the codes for no judgment are above both."""
    return grade >= RELEVANT and grade not in CODES


def texts_by_answer_id(
    runs: Iterable[AnswerRun], answer_ids: Iterable[RunAnswerId]
) -> dict[DocId, str]:
    """What the submitted runs say, by the ids that their answers have in the qrels.

    Runs are found by ``name_in_map``; those that the map does not have give nothing. Of texts with
    one id the first is taken.
    """
    ids: defaultdict[str, dict[TopicId, DocId]] = defaultdict(dict)
    for run_name, topic_id, answer_id in answer_ids:
        ids[run_name][topic_id] = answer_id
    texts: dict[DocId, str] = {}
    for run in runs:
        name = name_in_map(run.name, ids)
        of_run = ids[name] if name is not None else {}
        for topic_id, answer in run.answers.items():
            if topic_id in of_run:
                texts.setdefault(of_run[topic_id], answer.text)
    return texts


def name_in_map(run_name: str, known: Collection[str]) -> str | None:
    """What a run is called in the lab's map of answers: like the file, without ``.tsv``.

    Inside its file a run has only the part that follows the task, which will do where no other run
    has the same. None if there is no such run, or more than one.

    >>> known = ["Baseline2022-task3-GPT3-auto-both-generate-P", "A-task3-1-auto", "B-task3-1-auto"]
    >>> name_in_map("GPT3", known), name_in_map("A-task3-1-auto.tsv", known)
    ('Baseline2022-task3-GPT3-auto-both-generate-P', 'A-task3-1-auto')
    >>> name_in_map("1", known)
    """
    stem = re.sub(r"(?:\.(?:tsv|csv|txt))?(?:\.gz)?\Z", "", run_name)
    if stem in known:
        return stem
    parts = {name: found["run"] for name in known if (found := _TEAM.match(name))}
    same = [name for name, part in parts.items() if part == stem]
    return same[0] if len(same) == 1 else None


def with_task1_answers(
    references: References,
    task1_qrels: Qrels,
    texts: Mapping[DocId, str] | Callable[[DocId], str | None],
    task1_runs: Iterable[Run] = (),
) -> dict[TopicId, tuple[Reference, ...]]:
    """The references with the relevant answers of Task 1 of at most 1,200 characters after them.

    Answers without a text, or with a blank one, are left out. ``task1_runs`` say whose they are:
    give all that were pooled or none, since an answer that only one of them has counts as that
    team's alone. Without them the answers are nobody's, and so serve every team.
    """
    text_of = texts.get if isinstance(texts, Mapping) else texts
    teams: defaultdict[tuple[TopicId, DocId], set[str]] = defaultdict(set)
    for run in task1_runs:
        for topic_id, ranking in run.rankings.items():
            grades = task1_qrels.grades.get(topic_id, {})
            for hit in ranking:
                if _is_relevant(grades.get(hit.doc_id, 0)):
                    teams[topic_id, hit.doc_id].add(team_of(run.name))
    wide = dict(references)
    for topic_id, grades in task1_qrels.grades.items():
        added = tuple(
            Reference(text, frozenset(teams.get((topic_id, document), ())))
            for document in _relevant(grades)
            if (text := text_of(document)) and text.strip() and len(text) <= LONGEST_ANSWER
        )
        if added:
            wide[topic_id] = wide.get(topic_id, ()) + added
    return wide


def usable_references(references: Iterable[Reference], team: str | None) -> tuple[Reference, ...]:
    """The references by which a team's answer may be measured: not those that it alone contributed.

    Capitals in a team's name make no difference. A system of no team (None) may use all.
    """
    own = {team.casefold()} if team is not None else set()
    return tuple(
        reference
        for reference in references
        if not reference.teams or {name.casefold() for name in reference.teams} - own
    )
