"""Documents outside of dumps: Markdown, LaTeX, HTML, notebooks, plain text and JSON Lines.

Each becomes a post: HTML in which formulas are spans, a title, and the macros that its source
defines. ``folders`` finds the files and the module that reads each.
"""

from porism.formats.documents.folders import (
    READERS,
    document_files,
    read_document_file,
    read_documents,
)

__all__ = ["READERS", "document_files", "read_document_file", "read_documents"]
