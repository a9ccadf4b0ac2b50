"""Documents that are no dump: Markdown, LaTeX, HTML, notebooks, plain text and JSON Lines.

Each becomes a post of its own: HTML in which formulas are spans, a title, and the macros that its
source defines. ``folders`` finds the files and knows which module reads which.
"""

from porism.formats.documents.folders import (
    READERS,
    document_files,
    read_document_file,
    read_documents,
)

__all__ = ["READERS", "document_files", "read_document_file", "read_documents"]
