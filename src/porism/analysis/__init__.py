"""What documents and topics are made of, and how each part of them becomes tokens.

``documents`` has the parts of a document, ``recipes`` says which of them a field of an index
holds, ``labels`` has what a search is narrowed by, ``notations`` what a formula becomes,
``query_formulas`` the same for a formula somebody typed, and ``queries`` makes a query of a topic.
Nothing here knows where posts are stored or how tokens are indexed.
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
    formula_tokens,
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
from porism.analysis.query_formulas import (
    QueryTokens,
    query_layout,
    query_tokens,
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
