"""All judgments as a file for others: JSON lines, in the order of time.

Nothing is left out, so that readers can decide for themselves what counts. Assessors can be named
or numbered. Annotations are written in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar

from porism.assess.records import Annotation, Judgment
from porism.formats.text_lines import open_atomic

AssessorAct = TypeVar("AssessorAct", Judgment, Annotation)


def write_acts(path: Path, acts: Iterable[AssessorAct]) -> None:
    """Write judgments or annotations by number, compressed if the name ends in ``.gz``."""
    with open_atomic(path) as file:
        for act in sorted(acts, key=lambda each: each.number):
            file.write(json.dumps(asdict(act), ensure_ascii=False, allow_nan=False) + "\n")


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
