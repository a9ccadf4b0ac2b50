"""The runs, topics and judgments that are explored, and runs that visitors try beside them.

Files are read and scored once, by a thread of its own that the first request starts, and again
when they have changed. What visitors send stays in memory, under names that nobody can guess.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from porism.collection.store import Collection, is_collection, open_collection
from porism.errors import FormatError, PorismError
from porism.evaluate.validation import (
    FindingKind,
    RunChecks,
    RunFinding,
    findings,
    limited_findings,
)
from porism.formats.qrels import read_qrels
from porism.formats.text_lines import file_stem
from porism.formats.topics import read_topics
from porism.model import Qrels, Topic, TopicId
from porism.web.runs.scores import ExplorerJudgments, ExplorerRun, RunNames
from porism.web.runs.upload import UploadedRun

MAX_RUNS = 50
MAX_BYTES = 200_000_000
"""How many runs of a folder are read, and how large their files may be together."""

MAX_TRIAL_RUNS = 20
"""So many runs of visitors are kept; then the oldest goes."""

WAIT_SECONDS = 2.0
"""Seconds that a request waits for the reading before it says that it is under way."""

_ENDINGS = (".tsv", ".txt", ".run", ".res", ".trec")

log = logging.getLogger(__name__)


class RejectedFile(NamedTuple):
    """A file that is not shown, and why."""

    file: str
    why: str


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Runs that were read and scored, the best first, and what they were held against."""

    judgments: ExplorerJudgments
    topics: Mapping[TopicId, Topic]
    runs: tuple[ExplorerRun, ...]
    refused: tuple[RejectedFile, ...]
    notes: tuple[str, ...]

    def run(self, key: str) -> ExplorerRun | None:
        """The run of that key, if there is one."""
        return next((run for run in self.runs if run.key == key), None)


class ReadingProgress(NamedTuple):
    """How many of the files have been read."""

    done: int
    of: int


@dataclass(frozen=True, slots=True)
class TrialRun:
    """A run that a visitor sent, and the faults that its file has."""

    run: ExplorerRun
    findings: tuple[RunFinding, ...]


class UnscorableRun(PorismError):
    """A run that a visitor sent and that cannot be scored; ``findings`` are the faults it has."""

    def __init__(self, why: str, found: tuple[RunFinding, ...]) -> None:
        self.findings = found
        super().__init__(why)


class ScoringBusy(PorismError):
    """Another run is being scored: one at a time, so that nobody takes more than a share."""


class RunFolder:
    """A folder of runs, the judgments of their topics, and runs tried beside them.

    ``topics`` is a file of the lab; without it, files in the folder that are called so are read.
    ``patience`` is in seconds.
    """

    def __init__(
        self, runs: Path, qrels: Path, topics: Path | None = None, patience: float = WAIT_SECONDS
    ) -> None:
        if not runs.is_dir():
            raise PorismError(f"{runs}: no such folder; expected one with runs")
        for file in filter(None, (qrels, topics)):
            if not file.is_file():
                raise PorismError(f"{file}: no such file")
        self.folder = runs
        self.qrels = qrels
        self._topics = topics
        self._patience = patience
        self._lock = threading.Lock()
        self._reading: _Reading | None = None
        self._tried: OrderedDict[str, TrialRun] = OrderedDict()
        self._one_try = threading.Semaphore()

    def bench(self, collection: Path) -> Leaderboard | ReadingProgress:
        """What was read, or how far the reading is; the first call, and any change, begins it.

        What makes it impossible, such as damaged judgments, is raised.
        """
        files = self._files()
        with self._lock:
            reading = self._reading
            if reading is None or (reading.is_done() and reading.files != files):
                if reading is not None and reading.files.judged != files.judged:
                    self._tried.clear()  # their scores were by other judgments
                reading = self._reading = _Reading(files, collection)
                reading.start()
        return reading.result(self._patience)

    def try_run(
        self, sent: UploadedRun, bench: Leaderboard, collection: Collection | None
    ) -> TrialRun:
        """Validate and score a run that somebody sent, and keep it; ``UnscorableRun`` if it is none."""
        if not self._one_try.acquire(blocking=False):
            raise ScoringBusy("another run is being scored just now; send yours again in a moment")
        try:
            tried = _trial_run(sent, bench, collection)
        finally:
            self._one_try.release()
        with self._lock:
            self._tried[tried.run.key] = tried
            while len(self._tried) > MAX_TRIAL_RUNS:
                self._tried.popitem(last=False)
        return tried

    def tried(self, key: str) -> TrialRun | None:
        """What was tried under that key, if it is still kept."""
        with self._lock:
            return self._tried.get(key)

    def _files(self) -> _Files:
        others = {self.qrels.resolve()} | ({self._topics.resolve()} if self._topics else set())
        entries = [each for each in sorted(self.folder.iterdir()) if each.is_file()]
        topics = [self._topics] if self._topics else [each for each in entries if _is_topics(each)]
        runs = [each for each in entries if _is_run(each) and each.resolve() not in others]
        return _Files(
            judged=(_state(self.qrels), *map(_state, topics)),
            runs=tuple(map(_state, runs)),
        )


class _FileState(NamedTuple):
    path: Path
    size: int
    changed: int


class _Files(NamedTuple):
    """The files as they are: the judgments, then topics; and the runs."""

    judged: tuple[_FileState, ...]
    runs: tuple[_FileState, ...]


def _state(path: Path) -> _FileState:
    told = path.stat()
    return _FileState(path, told.st_size, told.st_mtime_ns)


def _is_topics(path: Path) -> bool:
    name = path.name.lower()
    return name.startswith("topics") and name.removesuffix(".gz").endswith(".xml")


def _is_run(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return not name.startswith(".") and (name.endswith(_ENDINGS) or "." not in name)


class _Reading:
    """Files being read and scored by a thread, of which others ask how far it is."""

    def __init__(self, files: _Files, collection: Path) -> None:
        self.files = files
        self._collection = collection
        self._count = 0
        self._done = threading.Event()
        self._bench: Leaderboard | None = None
        self._error: PorismError | None = None

    def start(self) -> None:
        threading.Thread(target=self._read, name="reading runs", daemon=True).start()

    def is_done(self) -> bool:
        return self._done.is_set()

    def result(self, patience: float) -> Leaderboard | ReadingProgress:
        if not self._done.wait(patience):
            return ReadingProgress(self._count, len(self.files.runs))
        if self._bench is None:
            raise self._error or PorismError("the runs could not be read; the log says more")
        return self._bench

    def _read(self) -> None:
        try:
            self._bench = self._scored()
        except PorismError as error:
            self._error = error
        except Exception:  # whatever it is, those who wait must be told
            log.exception("the runs could not be read")
        finally:
            self._done.set()

    def _scored(self) -> Leaderboard:
        qrels = read_qrels(self.files.judged[0].path)
        with _opened(self._collection) as collection:
            judgments = ExplorerJudgments(qrels, collection)
            notes = judgments.notes
            if collection is None:
                notes += ("the collection is not there, so only ids are shown",)
            runs: list[ExplorerRun] = []
            allowed, refused = _allowed(self.files.runs)
            for path, name in zip(allowed, _names(allowed), strict=True):
                try:
                    runs.append(judgments.explored(path, RunNames(name, name), collection))
                except (PorismError, OSError) as error:
                    refused.append(RejectedFile(path.name, _why(error, path)))
                self._count += 1
        topics, unread = _topics([each.path for each in self.files.judged[1:]], qrels)
        first = judgments.measures[0]
        runs.sort(key=lambda run: (-run.scores.mean(first), run.name))
        return Leaderboard(judgments, topics, tuple(runs), (*unread, *refused), notes)


@contextmanager
def _opened(path: Path) -> Iterator[Collection | None]:
    """The collection, opened for this thread alone; None if it is not there."""
    with open_collection(path) if is_collection(path) else nullcontext() as collection:
        yield collection


def _allowed(files: Sequence[_FileState]) -> tuple[list[Path], list[RejectedFile]]:
    """The files that are within the limits, and the others."""
    allowed: list[Path] = []
    refused: list[RejectedFile] = []
    size = 0
    for file in files:
        if len(allowed) == MAX_RUNS:
            why = f"there are over {MAX_RUNS} runs: move those you do not need to another folder"
            refused.append(RejectedFile(file.path.name, why))
        elif size + file.size > MAX_BYTES:
            why = (
                f"with it the files would have over {MAX_BYTES // 1_000_000} MB: pack them with "
                "gzip, or move some to another folder"
            )
            refused.append(RejectedFile(file.path.name, why))
        else:
            allowed.append(file.path)
            size += file.size
    return allowed, refused


def _names(paths: Sequence[Path]) -> list[str]:
    """What runs are called: like their files, with numbers where two are alike."""
    names = list(map(file_stem, paths))
    return [
        f"{name} ({names[:place].count(name) + 1})" if name in names[:place] else name
        for place, name in enumerate(names)
    ]


def _topics(
    paths: Sequence[Path], qrels: Qrels
) -> tuple[dict[TopicId, Topic], tuple[RejectedFile, ...]]:
    """The topics that are judged, out of files that may have others; and what cannot be read."""
    topics: dict[TopicId, Topic] = {}
    refused = []
    for path in paths:
        try:
            for topic in read_topics(path):
                if topic.id in qrels.grades:
                    topics.setdefault(topic.id, topic)
        except (PorismError, OSError) as error:
            refused.append(RejectedFile(path.name, _why(error, path)))
    return topics, tuple(refused)


def _trial_run(sent: UploadedRun, bench: Leaderboard, collection: Collection | None) -> TrialRun:
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / "run.tsv"
        path.write_bytes(sent.data)
        checks = RunChecks(bench.judgments.task, bench.topics or None)
        # Its name here is ours, so nothing is to be said of it.
        faults = (each for each in findings(path, checks) if each.kind != FindingKind.FILE_NAME)
        found = tuple(sorted(limited_findings(faults), key=_place))
        try:
            names = RunNames(secrets.token_urlsafe(), sent.name)
            return TrialRun(bench.judgments.explored(path, names, collection), found)
        except PorismError as error:
            raise UnscorableRun(_why(error, path), found) from error


def _place(finding: RunFinding) -> tuple[bool, int]:
    """Findings are told by their lines, and then those that are of the whole file."""
    return finding.line is None, finding.line or 0


def _why(error: PorismError | OSError, path: Path) -> str:
    """What is wrong with a file, without its folder, which is nobody's concern."""
    if isinstance(error, FormatError):
        return f"line {error.line}: {error.why}"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    return str(error).replace(str(path), path.name)
