"""The runs, topics and judgments of the explorer, and runs that visitors upload.

Files are read and scored once, by a thread that the first request starts, and again when they
change. Uploaded runs stay in memory, under keys that nobody can guess.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from porism.errors import PorismError
from porism.formats.qrels import read_qrels
from porism.formats.text_lines import file_stem
from porism.formats.topics import read_topics
from porism.model import Qrels, Topic, TopicId
from porism.web.runs.scores import ExplorerJudgments, ExplorerRun, RunNames
from porism.web.runs.trial_runs import TrialRun, opened_collection, read_error, score_upload
from porism.web.runs.upload import UploadedRun

MAX_RUNS = 50
MAX_BYTES = 200_000_000
"""Limits on the runs of a folder: their number, and the size of all files."""

MAX_TRIAL_RUNS = 20
"""Uploaded runs that are kept; then the oldest is dropped."""

WAIT_SECONDS = 2.0
"""Seconds that a request waits for the runs before it shows progress instead."""

_ENDINGS = (".tsv", ".txt", ".run", ".res", ".trec")

log = logging.getLogger(__name__)


class RejectedFile(NamedTuple):
    """A file that could not be read, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The scored runs, best first, with their judgments and topics."""

    judgments: ExplorerJudgments
    topics: Mapping[TopicId, Topic]
    runs: tuple[ExplorerRun, ...]
    rejected: tuple[RejectedFile, ...]
    notes: tuple[str, ...]

    def run(self, key: str) -> ExplorerRun | None:
        """The run with that key, if there is one."""
        return next((run for run in self.runs if run.key == key), None)


class ReadingProgress(NamedTuple):
    """The number of files read so far."""

    done: int
    total: int


class ScoringBusy(PorismError):
    """Another uploaded run is being scored; they are scored one at a time."""


class RunFolder:
    """A folder of runs, their judgments, and uploaded runs.

    ``topics`` is a file of the lab; by default ``Topics*.xml`` in the folder are read. A request
    waits at most ``patience`` seconds for the runs.
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
        self._trial_runs: OrderedDict[str, TrialRun] = OrderedDict()
        self._scoring = threading.Semaphore()

    def leaderboard(self, collection: Path) -> Leaderboard | ReadingProgress:
        """The scored runs, or the progress of reading, which the first call or a change starts.

        Raises ``PorismError`` if nothing can be read, as when the judgments are damaged.
        """
        files = self._files()
        with self._lock:
            reading = self._reading
            if reading is None or (reading.is_done() and reading.files != files):
                if reading is not None and reading.files.judged != files.judged:
                    self._trial_runs.clear()  # they were scored by other judgments
                reading = self._reading = _Reading(files, collection)
                reading.start()
        return reading.result(self._patience)

    def add_trial_run(
        self, upload: UploadedRun, leaderboard: Leaderboard, collection: Path
    ) -> TrialRun:
        """Score an uploaded run and keep it; raises ``UnscorableRun`` or ``ScoringBusy``."""
        if not self._scoring.acquire(blocking=False):
            raise ScoringBusy("another run is being scored; send yours again in a moment")
        try:
            trial = score_upload(upload, leaderboard.judgments, leaderboard.topics, collection)
        finally:
            self._scoring.release()
        with self._lock:
            self._trial_runs[trial.run.key] = trial
            while len(self._trial_runs) > MAX_TRIAL_RUNS:
                self._trial_runs.popitem(last=False)
        return trial

    def trial_run(self, key: str) -> TrialRun | None:
        """The uploaded run with that key, if it is still kept."""
        with self._lock:
            return self._trial_runs.get(key)

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
    """The state of the files: judgments and topics, and the runs."""

    judged: tuple[_FileState, ...]
    runs: tuple[_FileState, ...]


def _state(path: Path) -> _FileState:
    stat = path.stat()
    return _FileState(path, stat.st_size, stat.st_mtime_ns)


def _is_topics(path: Path) -> bool:
    name = path.name.lower()
    return name.startswith("topics") and name.removesuffix(".gz").endswith(".xml")


def _is_run(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return not name.startswith(".") and (name.endswith(_ENDINGS) or "." not in name)


class _Reading:
    """Reads and scores files in a thread."""

    def __init__(self, files: _Files, collection: Path) -> None:
        self.files = files
        self._collection = collection
        self._count = 0
        self._done = threading.Event()
        self._leaderboard: Leaderboard | None = None
        self._error: PorismError | None = None

    def start(self) -> None:
        threading.Thread(target=self._read, name="reading runs", daemon=True).start()

    def is_done(self) -> bool:
        return self._done.is_set()

    def result(self, patience: float) -> Leaderboard | ReadingProgress:
        if not self._done.wait(patience):
            return ReadingProgress(self._count, len(self.files.runs))
        if self._leaderboard is None:
            raise self._error or PorismError("the runs could not be read; see the log")
        return self._leaderboard

    def _read(self) -> None:
        try:
            self._leaderboard = self._scored()
        except PorismError as error:
            self._error = error
        except Exception:  # waiting requests must get an answer
            log.exception("the runs could not be read")
        finally:
            self._done.set()

    def _scored(self) -> Leaderboard:
        qrels = read_qrels(self.files.judged[0].path)
        with opened_collection(self._collection) as collection:
            judgments = ExplorerJudgments(qrels, collection)
            notes = judgments.notes
            if collection is None:
                notes += ("the collection is missing, so only ids are shown",)
            runs: list[ExplorerRun] = []
            allowed, rejected = _allowed(self.files.runs)
            for path, name in zip(allowed, _names(allowed), strict=True):
                try:
                    runs.append(judgments.scored_run(path, RunNames(name, name), collection))
                except (PorismError, OSError) as error:
                    rejected.append(RejectedFile(path.name, read_error(error, path)))
                self._count += 1
        topics, unread = _topics([each.path for each in self.files.judged[1:]], qrels)
        first = judgments.measures[0]
        runs.sort(key=lambda run: (-run.scores.mean(first), run.name))
        return Leaderboard(judgments, topics, tuple(runs), (*unread, *rejected), notes)


def _allowed(files: Sequence[_FileState]) -> tuple[list[Path], list[RejectedFile]]:
    """The files within the limits, and the others."""
    allowed: list[Path] = []
    rejected: list[RejectedFile] = []
    size = 0
    for file in files:
        if len(allowed) == MAX_RUNS:
            reason = f"there are over {MAX_RUNS} runs: move those you do not need to another folder"
            rejected.append(RejectedFile(file.path.name, reason))
        elif size + file.size > MAX_BYTES:
            reason = (
                f"with it the files would exceed {MAX_BYTES // 1_000_000} MB: compress them with "
                "gzip, or move some to another folder"
            )
            rejected.append(RejectedFile(file.path.name, reason))
        else:
            allowed.append(file.path)
            size += file.size
    return allowed, rejected


def _names(paths: Sequence[Path]) -> list[str]:
    """The names of runs: those of their files, with numbers where two are the same."""
    names = list(map(file_stem, paths))
    return [
        f"{name} ({names[:place].count(name) + 1})" if name in names[:place] else name
        for place, name in enumerate(names)
    ]


def _topics(
    paths: Sequence[Path], qrels: Qrels
) -> tuple[dict[TopicId, Topic], tuple[RejectedFile, ...]]:
    """The judged topics of the files, and the files that cannot be read."""
    topics: dict[TopicId, Topic] = {}
    rejected = []
    for path in paths:
        try:
            for topic in read_topics(path):
                if topic.id in qrels.grades:
                    topics.setdefault(topic.id, topic)
        except (PorismError, OSError) as error:
            rejected.append(RejectedFile(path.name, read_error(error, path)))
    return topics, tuple(rejected)
