"""What is judged, by whom, and how: the records of pools and judgments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from porism.model import DocId, Topic, TopicId


class Choice(StrEnum):
    """What an assessor can say; the last two are no grades, and ask for a comment."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NOT_RELEVANT = "not_relevant"
    SYSTEM_FAILURE = "system_failure"
    DO_NOT_KNOW = "do_not_know"

    @property
    def grade(self) -> int | None:
        """3 to 0; None of what is no grade.

        >>> [choice.grade for choice in Choice]
        [3, 2, 1, 0, None, None]
        """
        return _GRADES.get(self)

    @property
    def code(self) -> int:
        """The grade, or the number that the lab's files have in its place: 5 and 6."""
        return _CODES[self]


_GRADES = {Choice.HIGH: 3, Choice.MEDIUM: 2, Choice.LOW: 1, Choice.NOT_RELEVANT: 0}
_CODES = {**_GRADES, Choice.SYSTEM_FAILURE: 5, Choice.DO_NOT_KNOW: 6}

CHOICE_BY_CODE = {code: choice for choice, code in _CODES.items()}
"""What the numbers in the lab's files stand for."""

HIGHEST_GRADE = 3
RELEVANT_GRADE = 2
"""The lowest grade that counts as relevant where only two classes are told apart (H+M)."""

UNGRADED_CODES = frozenset(choice.code for choice in Choice if choice.grade is None)
"""What stands for no grade in the lab's files."""


class RunKind(StrEnum):
    """What a run was handed in as, which decides how deep it is pooled."""

    PRIMARY = "primary"
    ALTERNATE = "alternate"
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class PooledRun:
    """A run that a pool was drawn from, and how deep."""

    name: str
    team: str
    kind: RunKind
    is_manual: bool
    task: int
    depth: int


@dataclass(frozen=True, slots=True)
class PoolContribution:
    """At which rank a run returned a candidate; enriched pools name what was added to them."""

    run: str
    rank: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is judged for a topic: an answer, one instance of a formula, or a short answer.

    Of a formula ``post_id`` says where it stands and ``visual_id`` which others look like it; they
    are shown together and judged apart. ``text`` is that of a short answer that is no post.
    """

    topic_id: TopicId
    doc_id: DocId
    post_id: DocId | None = None
    visual_id: str = ""
    text: str = ""
    contributions: tuple[PoolContribution, ...] = ()

    @property
    def group_key(self) -> str:
        """What candidates that are shown together share: the visual id, else a name of their own.

        Both kinds of ids are numbers, so one's own does not stand alone, where it could be taken
        for the visual id of others.
        """
        return self.visual_id or f"document {self.doc_id}"


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of topics, in the order in which they are shown, and how they were drawn.

    ``collection`` is a digest of the posts that are judged, if they were at hand. ``questions`` are
    the posts that topics were drawn from, of those that are in the collection and known.
    ``passed_over`` are instances of formulas that runs contributed and nobody judges, because
    enough others of their look are judged.
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
        """The part of it that rankings are scored by: posts and formulas."""
        return replace(self, candidates=tuple(each for each in self.candidates if not each.text))

    @property
    def short_answers(self) -> Pool:
        """The part of it that is short answers, which may be mixed in with posts."""
        return replace(self, candidates=tuple(each for each in self.candidates if each.text))


class BatchKind(StrEnum):
    """What judgments are made for."""

    OFFICIAL = "official"
    TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One act of an assessor; a later one on the same candidate takes its place, and none is lost.

    ``choice`` is None where a judgment was taken back. ``is_adjudication`` marks what was decided
    after assessors disagreed, which counts above theirs. ``is_machine_made`` and ``is_unrelated``
    are annotations of answers: made by a machine, with information that has nothing to do with the
    question; None where nobody was asked. ``at`` is the time in UTC, ``seconds`` how long it took,
    ``instructions`` the number of what the assessor was told.
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
    """What was said of an answer besides its grade, by whoever was asked to: the latest counts.

    The marks mean the same as in a judgment; both are None where an annotation was taken back.
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
    """What a formula is worth that looks like the one in question (S1 5.4, S2 2)."""

    ALWAYS_HIGH = "always-high"
    BY_CONTEXT = "by-context"


@dataclass(frozen=True, slots=True)
class Instructions:
    """What assessors are told and asked.

    ``asks_annotations`` has them say of answers whether a machine made them, and whether they say
    what has nothing to do with the question. Those of number 0 hold until somebody says otherwise.
    """

    number: int = 0
    same_look: VisualMatchRule = VisualMatchRule.BY_CONTEXT
    asks_annotations: bool = False
    at: str = ""


@dataclass(frozen=True, slots=True)
class Assessor:
    """Somebody who signs in; whoever administers may adjudicate too."""

    name: str
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class AssessmentBatch:
    """A pool that is judged, officially or to train."""

    name: str
    kind: BatchKind
    digest: str
    at: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """A topic of a batch that an assessor judges."""

    batch: str
    topic_id: TopicId
    assessor: str
    at: str


@dataclass(frozen=True, slots=True)
class TopicWish:
    """How much an assessor would like to judge a topic: 3 most, 1 least, 0 not at all."""

    batch: str
    topic_id: TopicId
    assessor: str
    wish: int


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """A judgment as it is sent, with a key by which it is known when it is sent again.

    ``at`` is when it was made, if that was elsewhere; it is made now if not given. So it is with
    ``instructions``, the number of those that the assessor was told.
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
    """An annotation as it is sent, with a key as a judgment has."""

    key: str
    batch: str
    topic_id: TopicId
    doc_id: DocId
    is_machine_made: bool | None
    is_unrelated: bool | None
