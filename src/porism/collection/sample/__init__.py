"""The sample collection that ships with Porism, as a Stack Exchange dump.

74 questions from a dozen fields of mathematics with answers, comments, links and votes, written for
Porism; topics for both tasks in the lab's format, and graded judgments.
"""

from pathlib import Path

from porism.collection.sample_notes import sample_notes
from porism.collection.store import is_collection

SAMPLE = "sample"
"""The source that means the collection that ships with Porism."""


SAMPLE_NOTES = "sample-notes"
"""The source that means the notes that ship with Porism."""


def named_source(source: str) -> Path:
    """The path of a source; the names of ours mean these where no other source has that name."""
    path = Path(source)
    # A collection that was made of the sample may well have its name too.
    if source in _SOURCES and (not path.exists() or is_collection(path)):
        return _SOURCES[source]()
    return path


def sample_source() -> Path:
    """The folder of the dump, for an ingest."""
    return Path(__file__).parent


_SOURCES = {SAMPLE: sample_source, SAMPLE_NOTES: sample_notes}


def sample_topics(task: int) -> Path:
    """The topics of a task: questions for Tasks 1 and 3, formulas of the same ones for Task 2."""
    number = 2 if task == 2 else 1
    return sample_source() / "topics" / f"Topics_Task{number}_sample.xml"


def sample_qrels(task: int) -> Path:
    """The judgments for the topics of a task: of answers, or of formulas by id."""
    return sample_source() / "qrels" / f"qrel_task{task}_sample.tsv"


def sample_duplicates() -> Path:
    """The questions of which a topic of Task 1 is a duplicate, as a moderator would mark it."""
    return sample_source() / "topics" / "Duplicates_Task1_sample.tsv"
