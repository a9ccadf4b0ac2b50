"""A sample assessment: topics and judged documents of the sample as pools, with assessors."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import BatchKind, Candidate, Pool
from porism.collection.sample import sample_qrels, sample_topics
from porism.collection.store import open_collection
from porism.formats.qrels import read_qrels
from porism.formats.topics import read_topics
from porism.model import DocId, TopicId

ANSWERS, FORMULAS, TRAINING = "official", "formulas", "training 1"
MISSING = DocId("987654321")

SHORT_ANSWER = "It is $\\frac34$, by <b>differentiation</b>.<script>alert(1)</script>"


@dataclass(frozen=True)
class Assessment:
    """A store with batches, and the tokens of its assessors by name."""

    path: Path
    collection: Path | None
    tokens: dict[str, str]

    @property
    def store(self) -> JudgmentStore:
        return JudgmentStore(self.path)


def answer_pool() -> Pool:
    """The judged answers of the sample, with a short answer and a missing candidate per topic."""
    topics = tuple(read_topics(sample_topics(1)))
    grades = read_qrels(sample_qrels(1)).grades
    candidates = []
    for topic in topics:
        candidates += [Candidate(topic.id, doc_id) for doc_id in grades.get(topic.id, {})]
        candidates.append(Candidate(topic.id, DocId(f"short-{topic.id}"), text=SHORT_ANSWER))
        candidates.append(Candidate(topic.id, MISSING))
    return Pool(1, topics, tuple(candidates))


def formula_pool(collection: Path) -> Pool:
    """The judged formulas of the sample, with at most three instances of each visual id."""
    topics = tuple(read_topics(sample_topics(2)))
    grades = read_qrels(sample_qrels(2)).grades
    candidates: dict[tuple[TopicId, DocId], Candidate] = {}
    with open_collection(collection) as opened:
        for topic in topics:
            for doc_id in grades.get(topic.id, {}):
                visual_id = opened.instance(doc_id).effective_visual_id
                for each in list(opened.instances(visual_id))[:3]:
                    name = DocId(each.id)
                    candidates[topic.id, name] = Candidate(topic.id, name, each.post_id, visual_id)
    return Pool(2, topics, tuple(candidates.values()))


def make_assessment(folder: Path, collection: Path) -> Assessment:
    """Ada has A.1 and B.4, Bob A.2, both the training; Eve administers; others are unassigned."""
    store = JudgmentStore(folder / "judgments.db")
    answers = answer_pool()
    store.add_batch(ANSWERS, BatchKind.OFFICIAL, answers)
    store.add_batch(FORMULAS, BatchKind.OFFICIAL, formula_pool(collection))
    store.add_batch(TRAINING, BatchKind.TRAINING, answers)
    tokens = {name: store.add_assessor(name) for name in ("Ada", "Bob")}
    tokens["Eve"] = store.add_assessor("Eve", is_admin=True)
    store.assign(ANSWERS, "A.1", "Ada")
    store.assign(ANSWERS, "A.2", "Bob")
    store.assign(FORMULAS, "B.4", "Ada")
    for name in ("Ada", "Bob"):
        store.assign(TRAINING, "A.3", name, is_second=True)
    store.close()
    return Assessment(folder / "judgments.db", collection, tokens)


_SERVE = """
import sys
from pathlib import Path
from porism.web.assessment.server import AssessmentCallbacks, run_assessment_server
from porism.web.assessment.settings import AssessmentSettings

store, collection, port = sys.argv[1:]
settings = AssessmentSettings(
    Path(store), Path(collection) if collection else None, requests_a_second=0
)
warnings = []
report = lambda address: print(address, flush=True)
callbacks = AssessmentCallbacks(report, warnings.append)
run_assessment_server(settings, "127.0.0.1", int(port), callbacks)
"""


class ServedAssessment:
    """The real server in a process of its own, which can be killed and started again."""

    def __init__(self, assessment: Assessment) -> None:
        self._assessment = assessment
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
        self.start()

    def start(self) -> None:
        assessment = self._assessment
        arguments = (str(assessment.path), str(assessment.collection or ""), str(self._port))
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, *arguments], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        self._process = process
        self.address = process.stdout.readline().strip().rstrip("/")
        self._port = int(self.address.rpartition(":")[2])

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def kill(self) -> None:
        """As ``kill -9``: it cannot finish or clean up anything."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None


@contextmanager
def served_assessment(assessment: Assessment) -> Iterator[ServedAssessment]:
    """The server until the end of the test."""
    served = ServedAssessment(assessment)
    try:
        yield served
    finally:
        served.kill()
