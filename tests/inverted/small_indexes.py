"""Small indexes for tests: random documents, and a layout that fits small data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from porism.inverted import Field, Index, IndexWriter, Layout, open_inverted_index

SMALL = Layout(block=64, rare=2, column_share=0.25)
FIELDS = (
    Field("words", length="all"),
    Field("math", k1=0.9, b=0.4, length="all"),
    Field("title", k1=2.0, b=1.0),
    Field("labels", k1=0.0, b=0.0),
)
VOCABULARY = tuple("abcdefgh") + tuple(f"rare{number}" for number in range(12))

Documents = Mapping[str, Mapping[str, Sequence[str]]]


def random_documents(seed: int, size: int) -> dict[str, dict[str, list[str]]]:
    """Documents of very different lengths, with frequent and rare tokens and many repeats."""
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(VOCABULARY) + 1) ** 1.3
    chances /= chances.sum()
    documents: dict[str, dict[str, list[str]]] = {}
    for number in random.permutation(3 * size)[:size].tolist():
        fields: dict[str, list[str]] = {}
        for name in ("words", "math", "title"):
            length = int(random.choice([0, 1, 3, 8, 30, 400], p=[0.1, 0.3, 0.3, 0.2, 0.08, 0.02]))
            fields[name] = random.choice(VOCABULARY, length, p=chances).tolist()
        fields["labels"] = [f"year:{number % 4}", f"kind:{number % 2}"]
        documents[f"d{number}"] = fields
    return documents


def write(path: Path, documents: Documents, parts: int = 1) -> Index:
    """An index of the documents, written in so many commits."""
    with IndexWriter(path, FIELDS, layout=SMALL) as writer:
        ids = list(documents)
        for part in range(parts):
            for doc_id in ids[part::parts]:
                writer.add(doc_id, documents[doc_id])
            writer.commit()
    return open_inverted_index(path)
