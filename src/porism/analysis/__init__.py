"""What documents and topics are made of, and how each part of them becomes tokens.

``documents`` has the parts of a document, ``recipes`` says which of them a field of an index
holds, ``labels`` has what a search is narrowed by, ``notations`` what a formula becomes, and
``queries`` makes a query of a topic. Nothing here knows where posts are stored or how tokens are
indexed.
"""

from porism.analysis.documents import (
    EVERY_PART,
    Document,
    Part,
    answer_document,
    note_document,
    post_labels,
    question_parts,
)
from porism.analysis.notations import (
    FROM_LATEX,
    NO_TREE,
    REPETITION,
    Notation,
    QueryTokens,
    formula_tokens,
    query_layout,
    query_tokens,
    visual_token,
)
from porism.analysis.queries import (
    Bag,
    Query,
    keyword_query,
    keyword_vocabulary,
    keywords,
    word_query,
)
from porism.analysis.recipes import Recipe, document_tokens

__all__ = [
    "EVERY_PART",
    "FROM_LATEX",
    "NO_TREE",
    "REPETITION",
    "Bag",
    "Document",
    "Notation",
    "Part",
    "Query",
    "QueryTokens",
    "Recipe",
    "answer_document",
    "document_tokens",
    "formula_tokens",
    "keyword_query",
    "keyword_vocabulary",
    "keywords",
    "note_document",
    "post_labels",
    "query_layout",
    "query_tokens",
    "question_parts",
    "visual_token",
    "word_query",
]
