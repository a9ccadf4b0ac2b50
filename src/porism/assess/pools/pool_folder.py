"""Pools on disk: a folder of files, written whole or not at all, and never changed again.

``pool.json`` says how the pool was drawn, ``candidates.jsonl`` has a line for each candidate in the
order in which they are shown, with the runs that contributed it, and ``topics.xml`` has the topics
as the lab writes them. Where instances of formulas were passed over, ``passed_over.jsonl`` has
these, in lines of the same form.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from porism.assess.records import Candidate, Pool, PoolContribution, PooledRun, RunKind
from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import write_new_folder
from porism.formats.json_values import json_value
from porism.formats.text_lines import open_atomic, read_lines
from porism.formats.topics import read_topics, write_topics
from porism.model import DocId, Topic, TopicId

POOL_FORMAT_VERSION = 1
_HEAD, _CANDIDATES, _TOPICS = "pool.json", "candidates.jsonl", "topics.xml"
_PASSED_OVER = "passed_over.jsonl"
_STORED, _OTHERS = "the stored pool", "passed_over_rows"

Record = TypeVar("Record")


def write_pool(folder: Path, pool: Pool) -> None:
    """Make a new folder of a pool.

    A folder that holds the same pool is left as it is; anything else of that name is refused,
    because judgments may already have been made of it. What topics cannot tell in the lab's XML,
    such as visual ids of formulas within them, is not written.
    """
    if not write_new_folder(folder, lambda unfinished: _write_files(unfinished, pool)):
        _check_same(folder, pool)


def _check_same(folder: Path, pool: Pool) -> None:
    try:
        same = pool_digest(read_pool(folder)) == pool_digest(pool)
    except (PorismError, OSError) as error:
        raise PorismError(f"{folder} is there already and is no pool ({error})") from error
    if not same:
        told = "is there already and is another pool: name another folder, or remove it"
        raise PorismError(f"{folder} {told}")


def _write_files(folder: Path, pool: Pool) -> None:
    with open_atomic(folder / _HEAD) as file:
        file.write(json.dumps(_head(pool), indent=2, ensure_ascii=False) + "\n")
    _write_candidates(folder / _CANDIDATES, pool.candidates)
    if pool.passed_over:
        _write_candidates(folder / _PASSED_OVER, pool.passed_over)
    write_topics(folder / _TOPICS, pool.topics)


def _write_candidates(path: Path, candidates: Iterable[Candidate]) -> None:
    with open_atomic(path) as file:
        file.writelines(
            json.dumps(_of_candidate(each), ensure_ascii=False) + "\n" for each in candidates
        )


def read_pool(folder: Path) -> Pool:
    """The pool of a folder; what is wrong with it is told with file and line."""
    if not (folder / _HEAD).is_file():
        raise PorismError(f"{folder} is no pool: expected a folder with {_HEAD} in it")
    head = _parsed_head(folder)
    topics = tuple(read_topics(folder / _TOPICS))
    rows, others = folder / _CANDIDATES, folder / _PASSED_OVER
    return _pool(
        str(folder / _HEAD),
        head,
        topics,
        _Rows(str(rows), _json_lines(rows)),
        _Rows(str(others), _json_lines(others) if others.exists() else ()),
    )


def _parsed_head(folder: Path) -> dict[str, object]:
    path = folder / _HEAD
    try:
        head = json_value(path.read_bytes())
    except json.JSONDecodeError as error:
        raise FormatError(str(path), error.lineno, f"this is no JSON ({error.msg})") from None
    except ValueError as error:
        raise FormatError(str(path), 1, f"{error}: expected what is known of a pool") from None
    return _checked_head(head, str(path))


def _json_lines(path: Path) -> Iterator[tuple[int, object]]:
    for number, line in read_lines(path):
        try:
            yield number, json_value(line)
        except json.JSONDecodeError as error:
            why = f"this is no JSON ({error.msg}): expected a candidate"
            raise FormatError(str(path), number, why) from None
        except ValueError as error:
            raise FormatError(str(path), number, f"{error}: expected a candidate") from None


def pool_digest(pool: Pool) -> str:
    """Sixteen characters that are the same for equal pools and for no others."""
    return sha256(_canonical(pool)).hexdigest()[:16]


def pool_bytes(pool: Pool) -> bytes:
    """The pool as one compressed JSON object, for a store that keeps it beside its judgments."""
    return gzip.compress(_canonical(pool), mtime=0)


def pool_from_bytes(data: bytes) -> Pool:
    """The pool that ``pool_bytes`` made these bytes of."""
    try:
        whole = json_value(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise FormatError(_STORED, 1, f"it is damaged ({error})") from None
    head = _checked_head(whole, _STORED)
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / _TOPICS
        path.write_bytes(_told(_STORED, 1, head, lambda told: _text(told, "topics_xml")).encode())
        topics = tuple(read_topics(path))
    return _pool(
        _STORED, head, topics, _stored_rows(head.get("rows")), _stored_rows(head.get(_OTHERS, []))
    )


def _stored_rows(rows: object) -> _Rows:
    if not isinstance(rows, list):
        raise FormatError(_STORED, 1, "it has no candidates")
    return _Rows(_STORED, enumerate(rows, start=1))


def _canonical(pool: Pool) -> bytes:
    """What the files say, as one JSON object."""
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / _TOPICS
        write_topics(path, pool.topics)
        topics = path.read_bytes().decode()
    whole = {
        **_head(pool),
        "topics_xml": topics,
        "rows": [_of_candidate(each) for each in pool.candidates],
        # What older pools do not have is absent, so that their digests stay.
        **(
            {_OTHERS: [_of_candidate(each) for each in pool.passed_over]}
            if pool.passed_over
            else {}
        ),
    }
    return json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()


def _head(pool: Pool) -> dict[str, object]:
    return {
        "format": POOL_FORMAT_VERSION,
        "task": pool.task,
        "seed": pool.seed,
        "settings": dict(pool.settings),
        "collection": pool.collection,
        **({"questions": dict(pool.questions)} if pool.questions else {}),
        "candidates": len(pool.candidates),
        **({"passed_over": len(pool.passed_over)} if pool.passed_over else {}),
        "runs": [
            {
                "name": run.name,
                "team": run.team,
                "kind": str(run.kind),
                "is_manual": run.is_manual,
                "task": run.task,
                "depth": run.depth,
            }
            for run in pool.runs
        ],
    }


def _of_candidate(candidate: Candidate) -> dict[str, object]:
    """What a candidate has; what is empty is left out."""
    told: dict[str, object] = {"topic": candidate.topic_id, "document": candidate.doc_id}
    if candidate.post_id is not None:
        told["post"] = candidate.post_id
    if candidate.visual_id:
        told["visual_id"] = candidate.visual_id
    if candidate.text:
        told["text"] = candidate.text
    told["contributions"] = [[each.run, each.rank] for each in candidate.contributions]
    return told


def _checked_head(head: object, path: str) -> dict[str, object]:
    if not isinstance(head, dict) or "format" not in head:
        raise FormatError(path, 1, "found something else: expected what is known of a pool")
    if not isinstance(head["format"], int):
        raise FormatError(path, 1, "found a format that is no number: the file was changed")
    if head["format"] != POOL_FORMAT_VERSION:
        raise FormatError(
            path,
            1,
            f"found a pool of format {head['format']}: expected {POOL_FORMAT_VERSION}; it was made by another "
            "version of Porism",
        )
    return head


@dataclass(frozen=True, slots=True)
class _Rows:
    """Candidates as JSON, each with the line that an error tells."""

    path: str
    rows: Iterable[tuple[int, object]]


def _pool(
    head_path: str, head: dict[str, object], topics: tuple[Topic, ...], rows: _Rows, others: _Rows
) -> Pool:
    known = {topic.id for topic in topics}
    seen: set[tuple[str, str]] = set()
    expected = _told(head_path, 1, head, lambda told: _number(told, "candidates"))
    candidates = _candidates(rows, known, seen, expected)
    expected = _told(
        head_path, 1, head, lambda told: _number({"passed_over": 0} | told, "passed_over")
    )
    passed_over = _candidates(others, known, seen, expected)
    return _told(head_path, 1, head, lambda told: _frame(told, topics, candidates, passed_over))


def _candidates(
    rows: _Rows, known: Container[TopicId], seen: set[tuple[str, str]], expected: int
) -> tuple[Candidate, ...]:
    """The candidates of known topics, none of which may be ``seen`` before."""
    candidates: list[Candidate] = []
    number = 0
    for number, row in rows.rows:
        candidate = _told(rows.path, number, row, _candidate)
        if candidate.topic_id not in known:
            why = f"found a candidate of {candidate.topic_id}, which is none of the topics"
            raise FormatError(rows.path, number, why)
        if (candidate.topic_id, candidate.doc_id) in seen:
            why = f"found {candidate.doc_id} for the second time in topic {candidate.topic_id}"
            raise FormatError(rows.path, number, why)
        seen.add((candidate.topic_id, candidate.doc_id))
        candidates.append(candidate)
    if expected != len(candidates):
        why = f"found {len(candidates):,} candidates: expected {expected:,}"
        raise FormatError(rows.path, number + 1, f"{why}; the file is cut off or was changed")
    return tuple(candidates)


def _told(
    path: str, line: int, told: object, made: Callable[[dict[str, object]], Record]
) -> Record:
    """What is made of a JSON object; what is missing in it or of the wrong kind is an error."""
    try:
        if not isinstance(told, dict):
            raise ValueError("no JSON object")
        return made(told)
    except ValueError as error:
        raise FormatError(path, line, f"found {error}: the file was changed") from None


def _frame(
    head: dict[str, object],
    topics: tuple[Topic, ...],
    candidates: tuple[Candidate, ...],
    passed_over: tuple[Candidate, ...],
) -> Pool:
    settings, runs, questions = head.get("settings"), head.get("runs"), head.get("questions", {})
    if not isinstance(settings, dict) or not isinstance(runs, list):
        raise ValueError("no settings or no runs")
    if not isinstance(questions, dict):
        raise ValueError("questions that are not by topic")
    return Pool(
        _number(head, "task"),
        topics,
        candidates,
        tuple(_run(run) for run in runs),
        _number(head, "seed"),
        {name: _text(settings, name) for name in settings},
        _text(head, "collection"),
        {TopicId(topic_id): DocId(_text(questions, topic_id)) for topic_id in questions},
        passed_over,
    )


def _run(told: object) -> PooledRun:
    if not isinstance(told, dict) or not isinstance(told.get("is_manual"), bool):
        raise ValueError("a run that does not say whether it is manual")
    return PooledRun(
        _text(told, "name"),
        _text(told, "team"),
        RunKind(_text(told, "kind")),
        told["is_manual"],
        _number(told, "task"),
        _number(told, "depth"),
    )


def _candidate(told: dict[str, object]) -> Candidate:
    contributions = told.get("contributions")
    if not isinstance(contributions, list):
        raise ValueError("a candidate that nobody contributed")
    return Candidate(
        TopicId(_text(told, "topic")),
        DocId(_text(told, "document")),
        DocId(_text(told, "post")) if "post" in told else None,
        _text(told, "visual_id") if "visual_id" in told else "",
        _text(told, "text") if "text" in told else "",
        tuple(_contribution(each) for each in contributions),
    )


def _contribution(told: object) -> PoolContribution:
    match told:
        case [str(run), int(rank)] if rank > 0:
            return PoolContribution(run, rank)
    raise ValueError("a contribution, which is no run with a rank")


def _text(told: dict[str, object], name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str):
        raise ValueError(f"no text for {name}")
    return value


def _number(told: dict[str, object], name: str) -> int:
    value = told.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"no number for {name}")
    return value
