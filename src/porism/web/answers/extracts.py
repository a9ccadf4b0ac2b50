"""The extract above the results of a search for answers."""

from __future__ import annotations

import logging

from porism.answer.extracts.extract import Extract, answer_chooser
from porism.catalog import DEFAULT
from porism.deadlines import Deadline, DeadlineExceeded, limited
from porism.errors import PorismError, error_summary
from porism.searchindex.index_folder import SearchIndex
from porism.web.answers.answer_html import AnswerRenderer, AnswerView
from porism.web.search.result_html import Passages
from porism.web.search.result_page import ResultPage
from porism.web.search.search_request import SearchRequest, SearchTarget

log = logging.getLogger(__name__)

CPU_SECONDS = 1.0
"""CPU time for an extract, which usually takes 0.02 s: longer than the reader should wait."""


def extract_view(
    search_index: SearchIndex, search: SearchRequest, page: ResultPage, passages: Passages
) -> AnswerView | None:
    """The best passage of the results on a first page of answers; None if none is good enough.

    The ranking of the page is used again, so filters hold and nothing is searched twice. Results
    are shown without an extract if it takes too long or fails.
    """
    is_first = search.target is SearchTarget.ANSWERS and search.page == 1
    if not is_first or page.system != DEFAULT or not page.first:
        return None
    try:
        with limited(Deadline(CPU_SECONDS)):
            extract = Extract(answer_chooser(search_index))
            answer = extract.of_ranking(page.results.search.topic, page.first)
            return AnswerRenderer(passages, search).view(answer) if answer.text else None
    except DeadlineExceeded:
        log.warning("no extract for %r: it takes too long", search.text[:200])
        return None
    except PorismError:  # deliberate
        raise
    except Exception as error:  # the results are there without it
        log.warning("no extract for %r (%s)", search.text[:200], error_summary(error))
        return None
