"""The records that a training of encoders reads: pairs of texts, and validation topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class PairSource(StrEnum):
    """Where a pair comes from."""

    ANSWERS = "answers"
    DUPLICATES = "duplicates"
    RELATED = "related"
    JUDGMENTS = "judgments"
    WRONG = "wrong"


class ValidationKind(StrEnum):
    """What is to be found for a validation topic."""

    LINKS = "answers of linked questions"
    ANSWERS = "answers of the question"


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """Two texts by their places, the threads they are from, and how similar they should be."""

    source: PairSource
    first: int
    second: int
    threads: tuple[str, str]
    target: float


@dataclass(frozen=True, slots=True)
class ValidationCandidates:
    """A validation topic by the places of texts: answers with their questions, the relevant first.

    The question of an answer is None where the topic asks for its own answers.
    """

    question: int
    candidates: tuple[tuple[int | None, int], ...]
    relevant: int


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """All that a training reads. ``linked`` are pairs of threads that are linked with each other.

    ``counts`` says how many pairs come from where; ``notes`` what the reader of a report should
    know, and ``judged`` names the topics whose judgments are learned from.
    """

    texts: tuple[str, ...]
    pairs: tuple[TrainingPair, ...]
    linked: frozenset[tuple[str, str]]
    validation_kind: ValidationKind
    validation: tuple[ValidationCandidates, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()
    judged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
