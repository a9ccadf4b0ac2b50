"""An exact inverted index: tokens of documents into segments on disk, queries into rankings.

It knows tokens, but not what they mean. ``IndexWriter`` makes and changes an index,
``open_inverted_index`` reads it; a query is made of ``Clause``, ``Term`` and a model, and a
``Filter`` restricts it. Making batches needs no compiled code: reader and writer are imported on
use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from porism.inverted.documents import DocumentBatch, Field, FieldTokens, batch
from porism.inverted.keys import key, keys
from porism.inverted.query import (
    BM25,
    BM25_PLUS,
    SMART_DTB,
    TF_IDF,
    Clause,
    Filter,
    Idf,
    Term,
    TermScore,
    WeightingModel,
)

if TYPE_CHECKING:
    from porism.inverted.layout import Layout
    from porism.inverted.reader import FieldStatistics, Index, open_inverted_index
    from porism.inverted.writer import IndexWriter
    from porism.storage.errors import IndexFormatError

__all__ = [
    "BM25",
    "BM25_PLUS",
    "SMART_DTB",
    "TF_IDF",
    "Clause",
    "DocumentBatch",
    "Field",
    "FieldStatistics",
    "FieldTokens",
    "Filter",
    "Idf",
    "Index",
    "IndexFormatError",
    "IndexWriter",
    "Layout",
    "Term",
    "TermScore",
    "WeightingModel",
    "batch",
    "key",
    "keys",
    "open_inverted_index",
]

_ON_USE = {
    "FieldStatistics": "porism.inverted.reader",
    "Index": "porism.inverted.reader",
    "IndexFormatError": "porism.storage.errors",
    "IndexWriter": "porism.inverted.writer",
    "Layout": "porism.inverted.layout",
    "open_inverted_index": "porism.inverted.reader",
}


def __getattr__(name: str) -> object:
    """Import the reader and the writer, which load Numba, on first use."""
    if name in _ON_USE:
        return getattr(import_module(_ON_USE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
