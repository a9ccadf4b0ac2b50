"""The parts of documents and topics, and how they become tokens.

``documents`` has the parts of a document, ``field_specs`` which of them a field of an index has,
``formula_tokens`` the tokens of a formula, ``prefix_formulas`` formulas as text,
``query_formulas`` the tokens of a query formula, ``linear_text`` texts without notation, and
``topic_queries`` makes a query of a topic.
Nothing here knows where posts are stored or how tokens are indexed.
"""

from porism.analysis.documents import (
    ALL_PARTS,
    Document,
    DocumentPart,
    answer_document,
    note_document,
    post_labels,
    question_document,
    question_parts,
    title_labels,
)
from porism.analysis.field_specs import (
    ANSWER_FORMULAS,
    COMMON_FIELDS,
    QUESTION_FORMULAS,
    QUESTION_TUPLES,
    QUESTION_WORDS,
    FieldSpec,
    Unit,
    document_tokens,
)
from porism.analysis.formula_tokens import (
    FOLDED,
    FROM_LATEX,
    NO_TREE,
    REPETITION,
    FormulaTokens,
    formula_tokens,
    linear_tokens,
    unparsed_formula_tokens,
    visual_token,
)
from porism.analysis.linear_text import linear_text, text_characters
from porism.analysis.prefix_formulas import prefix_text, prefix_tokens
from porism.analysis.query_formulas import QueryFormulaTokens, query_layout, query_tokens
from porism.analysis.topic_queries import (
    TermBag,
    TopicQuery,
    keyword_query,
    keyword_vocabulary,
    keywords,
    word_query,
)

__all__ = [
    "ALL_PARTS",
    "ANSWER_FORMULAS",
    "COMMON_FIELDS",
    "FOLDED",
    "FROM_LATEX",
    "NO_TREE",
    "QUESTION_FORMULAS",
    "QUESTION_TUPLES",
    "QUESTION_WORDS",
    "REPETITION",
    "Document",
    "DocumentPart",
    "FieldSpec",
    "FormulaTokens",
    "QueryFormulaTokens",
    "TermBag",
    "TopicQuery",
    "Unit",
    "answer_document",
    "document_tokens",
    "formula_tokens",
    "keyword_query",
    "keyword_vocabulary",
    "keywords",
    "linear_text",
    "linear_tokens",
    "note_document",
    "post_labels",
    "prefix_text",
    "prefix_tokens",
    "query_layout",
    "query_tokens",
    "question_document",
    "question_parts",
    "text_characters",
    "title_labels",
    "unparsed_formula_tokens",
    "visual_token",
    "word_query",
]
