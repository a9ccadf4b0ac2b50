"""The input of an index: fields, and batches of documents with their tokens as keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism.errors import PorismError
from porism.inverted.keys import Keys, key


@dataclass(frozen=True, slots=True)
class Field:
    """A named stream of tokens of each document, with the constants of BM25 it is scored by.

    Fields with the same non-empty ``length`` share their document length, the sum of theirs.
    With ``k1`` 0 a token counts the same however often it occurs, as labels do.
    """

    name: str
    k1: float = 1.2
    b: float = 0.75
    length: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise PorismError("a field of an index needs a name")
        if not (self.k1 >= 0 and 0 <= self.b <= 1):
            raise PorismError(
                f"field {self.name!r} has k1 = {self.k1} and b = {self.b}; "
                "k1 must be at least 0, and b from 0 to 1"
            )


@dataclass(frozen=True, slots=True)
class FieldTokens:
    """The tokens of one field of several documents: one stream of keys, with repeats.

    The tokens of document ``i`` are ``keys[starts[i]:starts[i + 1]]``.
    """

    keys: Keys
    starts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Documents in order. A field that is missing from ``fields`` has no tokens in any of them.

    ``tokens`` are the strings of keys, for people to read; those that the index already has may be
    left out.
    """

    doc_ids: Sequence[str]
    fields: Mapping[str, FieldTokens]
    tokens: Mapping[int, str] = field(default_factory=dict)


def batch(documents: Iterable[tuple[str, Mapping[str, Sequence[str]]]]) -> DocumentBatch:
    """Return a batch of documents given as strings: (id, tokens by field)."""
    doc_ids: list[str] = []
    known: dict[str, int] = {}
    keys: dict[str, list[int]] = {}
    starts: dict[str, list[int]] = {}
    for doc_id, fields in documents:
        for name in fields:
            if name not in keys:
                keys[name] = []
                starts[name] = [0] * (len(doc_ids) + 1)
        doc_ids.append(doc_id)
        for name, stream in keys.items():
            for token in fields.get(name, ()):
                number = known.get(token)
                if number is None:
                    number = known[token] = key(token)
                stream.append(number)
            starts[name].append(len(stream))
    return DocumentBatch(
        doc_ids,
        {
            name: FieldTokens(np.array(stream, np.uint64), np.array(starts[name], np.int64))
            for name, stream in keys.items()
        },
        {number: token for token, number in known.items()},
    )


def check_batch(batch: DocumentBatch, names: Sequence[str]) -> None:
    """Raise a PorismError if a batch does not fit fields of these names, or is inconsistent."""
    count = len(batch.doc_ids)
    for name, tokens in batch.fields.items():
        if name not in names:
            raise PorismError(f"the index has no field {name!r}; its fields are {', '.join(names)}")
        starts = tokens.starts
        if (
            len(starts) != count + 1
            or int(starts[0]) != 0
            or int(starts[-1]) != len(tokens.keys)
            or bool((np.diff(starts) < 0).any())
        ):
            raise PorismError(
                f"field {name!r} of a batch of {count} documents needs {count + 1} ascending "
                f"starts from 0 to its {len(tokens.keys)} keys"
            )
    for doc_id in batch.doc_ids:
        if not doc_id or "\0" in doc_id:
            raise PorismError(f"{doc_id!r} cannot be the id of a document: empty, or with NUL")
