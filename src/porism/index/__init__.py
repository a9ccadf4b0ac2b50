"""An exact inverted index: tokens of documents into segments on disk, queries into rankings.

It knows tokens and nothing of what they mean. ``IndexWriter`` makes an index and changes it,
``open_index`` reads it; ``Clause``, ``Term`` and the models say what is asked, ``Where`` of which
documents. Whoever makes batches needs no compiled code: reader and writer are imported on use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from porism.index.documents import Batch, Field, Tokens, batch
from porism.index.keys import key, keys
from porism.index.query import (
    BM25,
    BM25_PLUS,
    TF_IDF,
    Clause,
    Idf,
    Model,
    Part,
    Term,
    Where,
)

if TYPE_CHECKING:
    from porism.index.damage import IndexFormatError
    from porism.index.layout import Layout
    from porism.index.reading import FieldStatistics, Index, open_index
    from porism.index.writing import IndexWriter

__all__ = [
    "BM25",
    "BM25_PLUS",
    "TF_IDF",
    "Batch",
    "Clause",
    "Field",
    "FieldStatistics",
    "Idf",
    "Index",
    "IndexFormatError",
    "IndexWriter",
    "Layout",
    "Model",
    "Part",
    "Term",
    "Tokens",
    "Where",
    "batch",
    "key",
    "keys",
    "open_index",
]

_ON_USE = {
    "FieldStatistics": "porism.index.reading",
    "Index": "porism.index.reading",
    "IndexFormatError": "porism.index.damage",
    "IndexWriter": "porism.index.writing",
    "Layout": "porism.index.layout",
    "open_index": "porism.index.reading",
}


def __getattr__(name: str) -> object:
    """Reader and writer, which bring Numba, when they are first asked for."""
    if name in _ON_USE:
        return getattr(import_module(_ON_USE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
