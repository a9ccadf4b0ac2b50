"""The records of pools and judgments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from porism.model import DocId, Topic, TopicId


class Choice(StrEnum):
    """The choices of an assessor; the last two are not grades, and need a comment."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NOT_RELEVANT = "not_relevant"
    SYSTEM_FAILURE = "system_failure"
    DO_NOT_KNOW = "do_not_know"

    @property
    def grade(self) -> int | None:
        """3 to 0; None for choices that are not grades.

        >>> [choice.grade for choice in Choice]
        [3, 2, 1, 0, None, None]
        """
        return _GRADES.get(self)

    @property
    def code(self) -> int:
        """The grade, or 5 or 6 as in the lab's files."""
        return _CODES[self]


_GRADES = {Choice.HIGH: 3, Choice.MEDIUM: 2, Choice.LOW: 1, Choice.NOT_RELEVANT: 0}
_CODES = {**_GRADES, Choice.SYSTEM_FAILURE: 5, Choice.DO_NOT_KNOW: 6}

CHOICE_BY_CODE = {code: choice for choice, code in _CODES.items()}
"""The choices by their numbers in the lab's files."""

HIGHEST_GRADE = 3
RELEVANT_GRADE = 2
"""The lowest grade that counts as relevant in binary measures (H+M)."""

UNGRADED_CODES = frozenset(choice.code for choice in Choice if choice.grade is None)
"""The numbers in the lab's files that are not grades."""


class RunKind(StrEnum):
    """How a run was submitted, which decides how deep it is pooled."""

    PRIMARY = "primary"
    ALTERNATE = "alternate"
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class PooledRun:
    """A run that a pool was drawn from, and its depth."""

    name: str
    team: str
    kind: RunKind
    is_manual: bool
    task: int
    depth: int


@dataclass(frozen=True, slots=True)
class PoolContribution:
    """The rank at which a run returned a candidate; ``run`` may also name an enrichment."""

    run: str
    rank: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is judged for a topic: an answer, one instance of a formula, or a short answer.

    For a formula, ``post_id`` is the post that contains it, and instances with the same
    ``visual_id`` are shown together and judged one by one. ``text`` is that of a short answer,
    which is not a post.
    """

    topic_id: TopicId
    doc_id: DocId
    post_id: DocId | None = None
    visual_id: str = ""
    text: str = ""
    contributions: tuple[PoolContribution, ...] = ()

    @property
    def group_key(self) -> str:
        """Shared by candidates that are shown together: the visual id, else a unique name.

        Document ids and visual ids are both numbers, so the unique name has a prefix.
        """
        return self.visual_id or f"document {self.doc_id}"


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of topics, in display order, and how they were drawn.

    ``collection`` is a digest of the judged posts, if the collection was available. ``questions``
    are the posts that topics were drawn from, where known. ``passed_over`` are instances of
    formulas that runs contributed but that are not judged, because enough other instances of
    their visual id are.
    """

    task: int
    topics: tuple[Topic, ...]
    candidates: tuple[Candidate, ...]
    runs: tuple[PooledRun, ...] = ()
    seed: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    collection: str = ""
    questions: dict[TopicId, DocId] = field(default_factory=dict)
    passed_over: tuple[Candidate, ...] = ()

    @property
    def ranked(self) -> Pool:
        """The posts and formulas, by which rankings are scored."""
        return replace(self, candidates=tuple(each for each in self.candidates if not each.text))

    @property
    def short_answers(self) -> Pool:
        """The short answers, which may be mixed with posts."""
        return replace(self, candidates=tuple(each for each in self.candidates if each.text))


class BatchKind(StrEnum):
    """The purpose of judgments."""

    OFFICIAL = "official"
    TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One act of an assessor; a later one on the same candidate replaces it, and none is deleted.

    ``choice`` is None for a withdrawn judgment. ``is_adjudication`` marks decisions after
    disagreement, which win over the judgments of assessors. ``is_machine_made`` and
    ``is_unrelated`` are annotations of answers: machine-generated, or with information unrelated to
    the question; None if not requested. ``at`` is the time in UTC, ``seconds`` the duration,
    ``instructions`` the number of the instructions that the assessor had.
    """

    number: int
    batch: str
    assessor: str
    topic_id: TopicId
    doc_id: DocId
    choice: Choice | None
    at: str
    seconds: float = 0.0
    comment: str = ""
    is_adjudication: bool = False
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None
    instructions: int = 0


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation of an answer, apart from its grade; the latest counts.

    The flags mean the same as in a judgment; both are None if the annotation was withdrawn.
    """

    number: int
    batch: str
    assessor: str
    topic_id: TopicId
    doc_id: DocId
    is_machine_made: bool | None
    is_unrelated: bool | None
    at: str


class VisualMatchRule(StrEnum):
    """How formulas visually identical to the query are judged (S1 5.4, S2 2)."""

    ALWAYS_HIGH = "always-high"
    BY_CONTEXT = "by-context"


@dataclass(frozen=True, slots=True)
class Instructions:
    """What assessors read and are asked for.

    ``asks_annotations`` requests annotations of answers (see ``Judgment``). Number 0 is the default
    until the first change.
    """

    number: int = 0
    same_look: VisualMatchRule = VisualMatchRule.BY_CONTEXT
    asks_annotations: bool = False
    at: str = ""


@dataclass(frozen=True, slots=True)
class Assessor:
    """Somebody who can sign in; administrators may also adjudicate."""

    name: str
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class AssessmentBatch:
    """A pool to be judged, officially or for training."""

    name: str
    kind: BatchKind
    digest: str
    at: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """A topic of a batch assigned to an assessor."""

    batch: str
    topic_id: TopicId
    assessor: str
    at: str


@dataclass(frozen=True, slots=True)
class TopicWish:
    """How much an assessor would like to judge a topic: from 3 (most) to 0 (not at all)."""

    batch: str
    topic_id: TopicId
    assessor: str
    wish: int


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """A judgment as sent, with a key that identifies it if it is sent again.

    ``at`` is when it was made, by default now; ``instructions`` the number of the instructions that
    the assessor had, by default the current ones.
    """

    key: str
    batch: str
    topic_id: TopicId
    doc_id: DocId
    choice: Choice | None
    seconds: float = 0.0
    comment: str = ""
    is_adjudication: bool = False
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None
    at: str | None = None
    instructions: int | None = None


@dataclass(frozen=True, slots=True)
class NewAnnotation:
    """An annotation as sent, with a key like that of a judgment."""

    key: str
    batch: str
    topic_id: TopicId
    doc_id: DocId
    is_machine_made: bool | None
    is_unrelated: bool | None
