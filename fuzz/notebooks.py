"""Notebooks and JSON Lines: any JSON gives documents or is refused with a line number."""

from __future__ import annotations

import json
from functools import partial

from hypothesis import strategies as st

from fuzz.notes import SAMPLES as NOTES
from fuzz.notes import WORDS as TEXT
from fuzz.properties import Property, file_of, refusals
from fuzz.strategies import mutated, noise, repeated, soup
from porism.formats.documents import read_document_file
from porism.formats.dumps.rows import PostRow
from porism.formats.markup import content

WORDS = (
    *"""
    { } [ ] : , " "cells" "cell_type" "markdown" "code" "raw" "heading" "source" "outputs" "data"
    "text/latex" "text/markdown" "metadata" "title" "date" "worksheets" "id" "name" "text" "html"
    "latex" "body" "tags" "macros" "created" null true false NaN Infinity -0 1e999 0.1 \\u0000
    \\ud800 \\n "$x$" "# a"
    """.split(),
    "\n",
    " ",
    "9" * 5_000,
)
KEYS = tuple(json.loads(word) for word in WORDS if word.startswith('"') and len(word) > 2)
SAMPLES = (
    json.dumps({"cells": [{"cell_type": "markdown", "source": ["# A\n", "Let $x$"]}]}),
    json.dumps(
        {
            "metadata": {"title": "A", "date": "2020-01-02"},
            "cells": [
                {"cell_type": "code", "source": "a", "outputs": [{"data": {"text/latex": "$x$"}}]}
            ],
        }
    ),
    json.dumps({"worksheets": [{"cells": [{"cell_type": "heading", "source": "A"}]}]}),
    json.dumps({"id": "a", "title": "On $x$", "markdown": "Let $G$ be", "tags": ["a"]}),
)


def values() -> st.SearchStrategy[object]:
    """JSON with the keys of notebooks, in right and wrong places."""
    texts = st.sampled_from(TEXT) | st.sampled_from(NOTES) | st.sampled_from(KEYS) | noise()
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | texts
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5)
        ),
        max_leaves=12,
    )


def notebooks() -> st.SearchStrategy[str]:
    """Objects with a list of cells."""
    cells = st.lists(
        st.fixed_dictionaries(
            {"cell_type": st.sampled_from(("markdown", "code", "raw", "heading")) | values()},
            optional={"source": values(), "outputs": values(), "input": values()},
        ),
        max_size=4,
    )
    whole = st.fixed_dictionaries({"cells": cells, "metadata": values()})
    return whole.map(json.dumps)


def check_json(suffix: str, text: str) -> None:
    """Read the text as a file with that suffix, and the content of each of its documents."""
    data = text.encode("utf-8", "replace")
    with file_of(data, f"note{suffix}") as path, refusals(data):
        for row in read_document_file(path, path.name):
            assert isinstance(row, PostRow)
            content(row.body or "")
            content(row.title or "")


PROPERTIES = tuple(
    Property(f"{suffix[1:]}-{kind}", strategy, partial(check_json, suffix))
    for suffix in (".ipynb", ".jsonl")
    for kind, strategy in (
        ("text", noise() | soup(WORDS) | mutated(SAMPLES, WORDS)),
        ("values", values().map(json.dumps) | notebooks()),
        ("repeated", repeated(WORDS)),
    )
)
