"""Documents outside of dumps: Markdown, LaTeX, HTML, notebooks, plain text and JSON Lines.

Each becomes a post: HTML in which formulas are spans, a title, and the macros that its source
defines. ``folders`` finds the files, ``readers`` knows the module that reads each.
"""

from porism.formats.documents.folders import (
    MAX_FILES,
    DocumentFile,
    document_files,
    read_documents,
    read_file,
    scan_documents,
)
from porism.formats.documents.readers import READERS, read_document_file

__all__ = [
    "MAX_FILES",
    "READERS",
    "DocumentFile",
    "document_files",
    "read_document_file",
    "read_documents",
    "read_file",
    "scan_documents",
]
