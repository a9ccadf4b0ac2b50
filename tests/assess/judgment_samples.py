"""Concise judgments and pools for tests."""

from porism.assess.records import Candidate, Choice, Judgment, Pool
from porism.model import DocId, Topic, TopicId

CHOICES = {
    "H": Choice.HIGH,
    "M": Choice.MEDIUM,
    "L": Choice.LOW,
    "N": Choice.NOT_RELEVANT,
    "F": Choice.SYSTEM_FAILURE,
    "?": Choice.DO_NOT_KNOW,
    "-": None,
}
AT = "2026-03-02T12:00:00.000+00:00"


def judged(number: int, assessor: str, doc: str, letter: str, **others: object) -> Judgment:
    """A judgment of topic A.1, by the first letter of its choice; ``-`` withdraws it."""
    values = {
        "number": number,
        "batch": "official",
        "assessor": assessor,
        "topic_id": TopicId("A.1"),
        "doc_id": DocId(doc),
        "choice": CHOICES[letter],
        "at": AT,
    }
    return Judgment(**{**values, **others})  # type: ignore[arg-type]  # others are named by tests


def by_two(first: str, second: str, **others: object) -> list[Judgment]:
    """Judgments of ann and bob on documents 1, 2, ...; a blank is no judgment."""
    letters = [*_of("ann", first), *_of("bob", second)]
    return [
        judged(number, assessor, doc, letter, **others)
        for number, (assessor, doc, letter) in enumerate(letters, 1)
    ]


def _of(assessor: str, letters: str) -> list[tuple[str, str, str]]:
    return [(assessor, str(doc), letter) for doc, letter in enumerate(letters, 1) if letter != " "]


def pool_of(*documents: str, topic: str = "A.1", task: int = 1) -> Pool:
    """A pool of one topic; ``7=x`` is a document with a visual id."""
    candidates = []
    for each in documents:
        doc, _, visual_id = each.partition("=")
        candidates.append(Candidate(TopicId(topic), DocId(doc), visual_id=visual_id))
    return Pool(task, (Topic(TopicId(topic)),), tuple(candidates))
