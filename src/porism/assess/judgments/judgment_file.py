"""All judgments as a file for others: JSON lines, in the order of time.

Nothing is left out, so that readers can decide for themselves what counts. Assessors can be named
or numbered. Annotations are written in the same way.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from porism.assess.records import Annotation, Choice, Judgment
from porism.errors import FormatError
from porism.formats.json_values import json_value
from porism.formats.text_lines import open_atomic, read_lines
from porism.model import DocId, TopicId

AssessorAct = TypeVar("AssessorAct", Judgment, Annotation)

_NAMES = tuple(each.name for each in fields(Judgment))
_TEXTS = ("batch", "assessor", "topic_id", "doc_id", "at", "comment")
_NEVER_EMPTY = ("batch", "assessor", "topic_id", "doc_id", "at")


def write_acts(path: Path, acts: Iterable[AssessorAct]) -> None:
    """Write judgments or annotations by number, compressed if the name ends in ``.gz``."""
    with open_atomic(path) as file:
        for act in sorted(acts, key=lambda each: each.number):
            file.write(json.dumps(asdict(act), ensure_ascii=False, allow_nan=False) + "\n")


def read_judgments(path: Path) -> Iterator[Judgment]:
    """The judgments of a file; their numbers must increase from line to line."""
    last: int | None = None
    for line, text in read_lines(path):
        try:
            judgment = _judgment(text)
        except ValueError as error:
            raise FormatError(str(path), line, f"{error}: {_EXPECTED}") from None
        if last is not None and judgment.number <= last:
            why = f"judgment {judgment.number} follows judgment {last}: expected them in order"
            raise FormatError(str(path), line, why)
        last = judgment.number
        yield judgment


_EXPECTED = f"expected a JSON object with {', '.join(_NAMES)}"


def _judgment(text: str) -> Judgment:
    # The type of a JSON value is unknown until checked.
    try:
        value: Any = json_value(text)
    except json.JSONDecodeError:
        raise ValueError(f"found {text[:80]!r}, which is not JSON") from None
    if not isinstance(value, dict):
        raise ValueError(f"found {text[:80]!r}, which is not an object")
    missing = [name for name in _NAMES if name not in value]
    unknown = [name for name in value if name not in _NAMES]
    if missing or unknown:
        named = [f"{name} is missing" for name in missing]
        named += [f"{name!r} is unknown" for name in unknown[:5]]
        raise ValueError(", ".join(named))
    _check_types(value)
    choice = None if value["choice"] is None else _choice(value["choice"])
    return Judgment(
        number=value["number"],
        batch=value["batch"],
        assessor=value["assessor"],
        topic_id=TopicId(value["topic_id"]),
        doc_id=DocId(value["doc_id"]),
        choice=choice,
        at=value["at"],
        seconds=float(value["seconds"]),
        comment=value["comment"],
        is_adjudication=value["is_adjudication"],
        is_machine_made=value["is_machine_made"],
        is_unrelated=value["is_unrelated"],
        instructions=value["instructions"],
    )


def _check_types(value: dict[str, Any]) -> None:
    for name in ("number", "instructions"):
        if type(value[name]) is not int:
            raise ValueError(f"{name} is {value[name]!r}, which is not a whole number")
    for name in _TEXTS:
        if not isinstance(value[name], str) or (name in _NEVER_EMPTY and not value[name].strip()):
            raise ValueError(f"{name} is {str(value[name])[:40]!r}, which is not text")
    seconds = value["seconds"]
    is_number = type(seconds) in (int, float) and abs(seconds) < 1e9 and math.isfinite(seconds)
    if not is_number or seconds < 0:
        raise ValueError(f"seconds is {str(seconds)[:40]}, which is not a duration")
    if type(value["is_adjudication"]) is not bool:
        raise ValueError(f"is_adjudication is {value['is_adjudication']!r}: use true or false")
    for name in ("is_machine_made", "is_unrelated"):
        if value[name] is not None and type(value[name]) is not bool:
            raise ValueError(f"{name} is {value[name]!r}: use true, false or null")
    _check_time(value["at"])


def _check_time(text: str) -> None:
    try:
        offset = datetime.fromisoformat(text).utcoffset()
    except ValueError:
        raise ValueError(
            f"at is {text[:40]!r}, which is not a time such as 2026-03-02T12:00Z"
        ) from None
    if offset not in (None, timedelta(0)):
        raise ValueError(f"at is {text[:40]!r}, which is not in UTC")


def _choice(text: object) -> Choice:
    try:
        return Choice(str(text))
    except ValueError:
        raise ValueError(
            f"the choice is {str(text)[:40]!r}, which is not one of {', '.join(Choice)} or null"
        ) from None


def assessor_numbers(
    judgments: Iterable[Judgment], annotations: Iterable[Annotation] = ()
) -> dict[str, str]:
    """Numbers 1, 2, ... for assessors, by their first judgment, then by their annotations."""
    judged = [each.assessor for each in sorted(judgments, key=lambda each: each.number)]
    annotated = [each.assessor for each in sorted(annotations, key=lambda each: each.number)]
    names = dict.fromkeys((*judged, *annotated))
    return {name: str(place) for place, name in enumerate(names, 1)}


def with_assessor_names(
    acts: Iterable[AssessorAct], names: Mapping[str, str]
) -> tuple[AssessorAct, ...]:
    """The acts with other names for assessors. Comments are unchanged and may contain names."""
    return tuple(replace(each, assessor=names[each.assessor]) for each in acts)
