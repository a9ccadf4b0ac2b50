"""Topics and candidates as HTML for assessors, with the formulas in question marked.

As in S1, section 5.4 and figure 6, the query formula is marked in the question and each candidate
formula in its post.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from porism.assess.records import Candidate, Pool
from porism.collection.store import Collection
from porism.formats.markup import LocatedFormula
from porism.model import DocId, Formula, PostKind, Task, Topic
from porism.pages.formula_html import (
    UNSTORED,
    FormulaRenderer,
    line_html,
    paragraphs,
    render_unstored,
)
from porism.pages.safe_html import safe_html

_POST_LINK = re.compile(
    r'<a href="https?://math\.stackexchange\.com/(?:questions|q|a)/([0-9]+)[^"]*"[^>]*>'
)


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic as HTML. ``formula`` is the query formula of a formula topic. ``thread_id`` is the
    topic's question in the collection, if the pool names one and the collection has it."""

    title: str
    body: str
    formula: str = ""
    thread_id: DocId | None = None


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate as HTML; ``thread`` is the URL of its position in a thread, if it has one.

    A candidate that the collection lacks ``is_missing`` and has no body.
    """

    body: str
    about: str = ""
    thread: str = ""
    formula: str = ""
    is_missing: bool = False


def topic_view(
    topic: Topic, pool: Pool | None = None, collection: Collection | None = None
) -> TopicView:
    """A topic with its formula marked wherever it occurs in the question."""
    focus = topic.focus
    question = None if pool is None else pool.questions.get(topic.id)
    number = collection.find_number(question) if collection is not None and question else None

    def render(formula: Formula, is_alone: bool) -> str:
        html = render_unstored(formula, is_alone)
        return _marked(html) if focus is not None and formula.id == focus.id else html

    return TopicView(
        title=line_html(topic.title, render),
        body="\n".join(paragraphs(topic.body, render)),
        formula="" if focus is None else render_unstored(focus, is_alone=True),
        thread_id=None if number is None else question,
    )


_NO_BODY = "<p><em>This answer has no displayable content.</em></p>"


def candidate_view(candidate: Candidate, task: int, collection: Collection | None) -> CandidateView:
    """A candidate with its post; a short answer has only its own text."""
    if candidate.text:
        body = safe_html(candidate.text, render_unstored, name=f"candidate {candidate.doc_id}")
        return CandidateView(body if body.strip() else _NO_BODY)
    if collection is None or is_missing(candidate, task, collection):
        return CandidateView("", is_missing=True)
    is_formula = task == Task.FORMULAS
    post_id = collection.instance(candidate.doc_id).post_id if is_formula else candidate.doc_id
    marked_id = candidate.doc_id if is_formula else None
    view = _PostView(collection, post_id, marked_id)
    anchor = f"formula-{candidate.doc_id}" if is_formula else f"post-{post_id}"
    thread_id = collection.parent(post_id) or post_id
    return CandidateView(
        body=view.body(),
        about=view.about(),
        thread=f"/threads/{quote(thread_id)}#{quote(anchor)}",
        formula=view.marked_alone() if is_formula else "",
    )


def is_missing(candidate: Candidate, task: int, collection: Collection) -> bool:
    """Whether the collection lacks a candidate.

    An answer must not be a question, and a formula must occur in the candidate's post, if it names
    one. Short answers have their own text and are never missing.
    """
    if candidate.text:
        return False
    if task != Task.FORMULAS:
        return not collection.has_answer(candidate.doc_id)
    if not collection.has_formula(candidate.doc_id):
        return True
    return candidate.post_id not in (None, collection.instance(candidate.doc_id).post_id)


def missing_candidates(pool: Pool, collection: Collection | None) -> tuple[Candidate, ...]:
    """The candidates that the collection lacks, which therefore cannot be shown."""
    if collection is None:
        return tuple(each for each in pool.candidates if not each.text)
    return tuple(each for each in pool.candidates if is_missing(each, pool.task, collection))


class _PostView:
    """A post, optionally with one formula instance marked."""

    def __init__(self, collection: Collection, post_id: str, marked_id: str | None) -> None:
        self._collection = collection
        self._post_id = post_id
        self._marked_id = marked_id
        self._instances = {each.id: each for each in collection.instances_in(post_id)}
        # A post may occur twice on a page, ids may not: a key with "#" does not become an id.
        self._formulas = FormulaRenderer(
            {f"#{name}": each.formula for name, each in self._instances.items()}
        )

    def body(self) -> str:
        """The post, with the comment that contains the marked formula, if one does."""
        markup = self._collection.markup(self._post_id)
        title = self._safe(f"<p>{markup.title}</p>", is_inline=True) if markup.title else ""
        heading = title.replace("<p>", '<p class="post-title">', 1)
        return heading + self._safe(markup.body) + self._comment()

    def about(self) -> str:
        """Kind and id of the post, and for an answer the title of its question."""
        post = self._collection.post(self._post_id)
        kind = f"{post.kind.capitalize()} {escape(post.id)}"
        if post.kind is not PostKind.ANSWER or post.parent_id is None:
            return kind
        title = UNSTORED.content_html(self._collection.linked_title(post.parent_id))
        return f"{kind} to: {title}" if title else kind

    def marked_alone(self) -> str:
        instance = self._instances.get(self._marked_id or "")
        if instance is None:
            return ""
        return self._formulas.html(f"#{instance.id}", instance.formula.latex, is_alone=True)

    def _comment(self) -> str:
        instance = self._instances.get(self._marked_id or "")
        if instance is None or instance.comment_id is None:
            return ""
        text = self._safe(self._collection.comment_markup(instance.comment_id), is_inline=True)
        return f'<div class="comments"><p class="meta">Comment:</p>{text}</div>'

    def _safe(self, markup: str, is_inline: bool = False) -> str:
        def render(formula: LocatedFormula, is_alone: bool) -> str:
            is_display = is_alone and not is_inline
            html = self._formulas.html(f"#{formula.id}", formula.latex, is_display)
            is_marked = self._marked_id is not None and formula.id == self._marked_id
            return _marked(html) if is_marked else html

        safe = safe_html(markup, render, name=f"post {self._post_id}")
        return _POST_LINK.sub(self._local_link, safe)

    def _local_link(self, link: re.Match[str]) -> str:
        """Links to posts of the collection lead to their threads here, as for assessors in S2."""
        if self._collection.find_number(link[1]) is None:
            return link[0]
        return f'<a href="/threads/{link[1]}">'


def _marked(html: str) -> str:
    return f'<mark class="found">{html}</mark>'
