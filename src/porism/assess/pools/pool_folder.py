"""Pools on disk: a folder of files, written whole or not at all, and never changed.

``pool.json`` has the settings, ``candidates.jsonl`` a line per candidate in display order with the
runs that contributed it, and ``topics.xml`` the topics in the lab's format. If instances of
formulas were passed over, ``passed_over.jsonl`` has these in the same format.
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
    """Write a pool to a new folder.

    A folder that holds the same pool is left unchanged; any other existing folder is refused,
    because judgments may refer to it. What the lab's XML cannot hold of topics, such as visual ids
    of their formulas, is not written.
    """
    if not write_new_folder(folder, lambda unfinished: _write_files(unfinished, pool)):
        _check_same(folder, pool)


def _check_same(folder: Path, pool: Pool) -> None:
    try:
        same = pool_digest(read_pool(folder)) == pool_digest(pool)
    except (PorismError, OSError) as error:
        raise PorismError(f"{folder} exists already and is not a pool ({error})") from error
    if not same:
        raise PorismError(
            f"{folder} exists already and is another pool: choose another folder, or remove it"
        )


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
    """Read the pool of a folder; errors name the file and line."""
    if not (folder / _HEAD).is_file():
        raise PorismError(f"{folder} is not a pool: expected a folder with {_HEAD} in it")
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
        raise FormatError(str(path), error.lineno, f"this is not JSON ({error.msg})") from None
    except ValueError as error:
        raise FormatError(str(path), 1, f"{error}: expected the settings of a pool") from None
    return _checked_head(head, str(path))


def _json_lines(path: Path) -> Iterator[tuple[int, object]]:
    for number, line in read_lines(path):
        try:
            yield number, json_value(line)
        except json.JSONDecodeError as error:
            why = f"this is not JSON ({error.msg}): expected a candidate"
            raise FormatError(str(path), number, why) from None
        except ValueError as error:
            raise FormatError(str(path), number, f"{error}: expected a candidate") from None


def pool_digest(pool: Pool) -> str:
    """Sixteen hexadecimal digits that identify the content of a pool."""
    return sha256(_canonical(pool)).hexdigest()[:16]


def pool_bytes(pool: Pool) -> bytes:
    """The pool as one compressed JSON object, to be stored with its judgments."""
    return gzip.compress(_canonical(pool), mtime=0)


def pool_from_bytes(data: bytes) -> Pool:
    """The pool that ``pool_bytes`` serialised."""
    try:
        whole = json_value(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise FormatError(_STORED, 1, f"it is damaged ({error})") from None
    head = _checked_head(whole, _STORED)
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / _TOPICS
        xml = _parsed(_STORED, 1, head, lambda values: _text(values, "topics_xml"))
        path.write_bytes(xml.encode())
        topics = tuple(read_topics(path))
    return _pool(
        _STORED, head, topics, _stored_rows(head.get("rows")), _stored_rows(head.get(_OTHERS, []))
    )


def _stored_rows(rows: object) -> _Rows:
    if not isinstance(rows, list):
        raise FormatError(_STORED, 1, "it has no candidates")
    return _Rows(_STORED, enumerate(rows, start=1))


def _canonical(pool: Pool) -> bytes:
    """The content of all files as one JSON object."""
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / _TOPICS
        write_topics(path, pool.topics)
        topics = path.read_bytes().decode()
    whole = {
        **_head(pool),
        "topics_xml": topics,
        "rows": [_of_candidate(each) for each in pool.candidates],
        # Absent where older pools do not have it, so that their digests stay the same.
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
    """The fields of a candidate without empty ones."""
    values: dict[str, object] = {"topic": candidate.topic_id, "document": candidate.doc_id}
    if candidate.post_id is not None:
        values["post"] = candidate.post_id
    if candidate.visual_id:
        values["visual_id"] = candidate.visual_id
    if candidate.text:
        values["text"] = candidate.text
    values["contributions"] = [[each.run, each.rank] for each in candidate.contributions]
    return values


def _checked_head(head: object, path: str) -> dict[str, object]:
    if not isinstance(head, dict) or "format" not in head:
        raise FormatError(path, 1, "found no format: expected the settings of a pool")
    if not isinstance(head["format"], int):
        raise FormatError(path, 1, "found a format that is not a number: the file was changed")
    if head["format"] != POOL_FORMAT_VERSION:
        raise FormatError(
            path,
            1,
            f"found a pool of format {head['format']}: expected {POOL_FORMAT_VERSION}; it was made "
            "by another version of Porism",
        )
    return head


@dataclass(frozen=True, slots=True)
class _Rows:
    """Candidates as JSON, each with its line for errors."""

    path: str
    rows: Iterable[tuple[int, object]]


def _pool(
    head_path: str, head: dict[str, object], topics: tuple[Topic, ...], rows: _Rows, others: _Rows
) -> Pool:
    known = {topic.id for topic in topics}
    seen: set[tuple[str, str]] = set()
    expected = _parsed(head_path, 1, head, lambda values: _number(values, "candidates"))
    candidates = _candidates(rows, known, seen, expected)
    expected = _parsed(
        head_path, 1, head, lambda values: _number({"passed_over": 0} | values, "passed_over")
    )
    passed_over = _candidates(others, known, seen, expected)
    return _parsed(
        head_path, 1, head, lambda values: _from_head(values, topics, candidates, passed_over)
    )


def _candidates(
    rows: _Rows, known: Container[TopicId], seen: set[tuple[str, str]], expected: int
) -> tuple[Candidate, ...]:
    """The candidates of known topics, none of which may be in ``seen``."""
    candidates: list[Candidate] = []
    number = 0
    for number, row in rows.rows:
        candidate = _parsed(rows.path, number, row, _candidate)
        if candidate.topic_id not in known:
            why = f"found a candidate of {candidate.topic_id}, which is not one of the topics"
            raise FormatError(rows.path, number, why)
        if (candidate.topic_id, candidate.doc_id) in seen:
            why = f"found {candidate.doc_id} twice in topic {candidate.topic_id}"
            raise FormatError(rows.path, number, why)
        seen.add((candidate.topic_id, candidate.doc_id))
        candidates.append(candidate)
    if expected != len(candidates):
        why = f"found {len(candidates):,} candidates: expected {expected:,}"
        raise FormatError(rows.path, number + 1, f"{why}; the file is truncated or was changed")
    return tuple(candidates)


def _parsed(
    path: str, line: int, value: object, parse: Callable[[dict[str, object]], Record]
) -> Record:
    """The record parsed from a JSON object; missing or mistyped fields are a FormatError."""
    try:
        if not isinstance(value, dict):
            raise ValueError("no JSON object")
        return parse(value)
    except ValueError as error:
        raise FormatError(path, line, f"found {error}: the file was changed") from None


def _from_head(
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


def _run(value: object) -> PooledRun:
    if not isinstance(value, dict) or not isinstance(value.get("is_manual"), bool):
        raise ValueError("a run without is_manual")
    return PooledRun(
        _text(value, "name"),
        _text(value, "team"),
        RunKind(_text(value, "kind")),
        value["is_manual"],
        _number(value, "task"),
        _number(value, "depth"),
    )


def _candidate(values: dict[str, object]) -> Candidate:
    contributions = values.get("contributions")
    if not isinstance(contributions, list):
        raise ValueError("a candidate without contributions")
    return Candidate(
        TopicId(_text(values, "topic")),
        DocId(_text(values, "document")),
        DocId(_text(values, "post")) if "post" in values else None,
        _text(values, "visual_id") if "visual_id" in values else "",
        _text(values, "text") if "text" in values else "",
        tuple(_contribution(each) for each in contributions),
    )


def _contribution(value: object) -> PoolContribution:
    match value:
        case [str(run), int(rank)] if rank > 0:
            return PoolContribution(run, rank)
    raise ValueError("a contribution that is not a run and a rank")


def _text(values: dict[str, object], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise ValueError(f"no text for {name}")
    return value


def _number(values: dict[str, object], name: str) -> int:
    value = values.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"no number for {name}")
    return value
