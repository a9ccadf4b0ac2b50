"""Stored HTML as content, for every post: one that cannot be read is plain text."""

from __future__ import annotations

import logging

from porism.errors import PorismError, error_summary
from porism.formats.markup import bare_text, content
from porism.model import Content

log = logging.getLogger(__name__)


def text_content(markup: str, name: str) -> Content:
    """What the HTML of the post ``name`` says; its text without formulas should that fail.

    Formula finding is meant to be total. Should it fail nevertheless, one post among millions must
    not stop an index, a search or a page.
    """
    try:
        return content(markup)
    except PorismError:  # a decision, such as the end of a request's time
        raise
    except Exception as error:
        log.warning("%s: read as plain text, without formulas (%s)", name, error_summary(error))
        text = bare_text(markup)
        return (text,) if text else ()
