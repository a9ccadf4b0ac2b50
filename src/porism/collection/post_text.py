"""Stored HTML as content. Text that cannot be read is returned as plain text."""

from __future__ import annotations

import logging

from porism.errors import PorismError, error_summary
from porism.formats.markup import bare_text, marked_content
from porism.model import Content

log = logging.getLogger(__name__)


def text_content(markup: str, name: str) -> Content:
    """The content of the stored text of the post ``name``, or its bare text if reading fails.

    Ingest has marked every formula, so that none is searched for here. Reading should never fail;
    if it does, one post among millions must not stop an index, a search or a page.
    """
    try:
        return marked_content(markup)
    except PorismError:  # a decision, such as the end of a request's time
        raise
    except Exception as error:
        log.warning("%s: read as plain text, without formulas (%s)", name, error_summary(error))
        text = bare_text(markup)
        return (text,) if text else ()
