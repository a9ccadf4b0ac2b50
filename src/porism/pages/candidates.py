"""What an assessor looks at: a topic, and candidates for it, with the formulas in question marked.

S1 section 5.4 and figure 6: the formula that is searched for is marked in the question, and each
instance of a formula that was found is marked in its post.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from porism.assess.records import Candidate, Pool
from porism.collection.store import Collection
from porism.formats.markup import LocatedFormula
from porism.model import Content, DocId, Formula, PostKind, Task, Topic
from porism.pages.formula_html import FormulaRenderer
from porism.pages.safe_html import safe_html

_UNSTORED = FormulaRenderer({})

_TO_A_POST = re.compile(
    r'<a href="https?://math\.stackexchange\.com/(?:questions|q|a)/([0-9]+)[^"]*"[^>]*>'
)


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic as HTML. ``formula`` is the one that is searched for, if it is a topic of formulas;
    ``thread_id`` is the question in the collection, if the pool says which and it is there."""

    title: str
    body: str
    formula: str = ""
    thread_id: DocId | None = None


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate as HTML; ``thread`` is the address of its place in a thread, if it has one.

    ``is_missing`` says that the collection does not have it, and then there is no body.
    """

    body: str
    about: str = ""
    thread: str = ""
    formula: str = ""
    is_missing: bool = False


def topic_view(
    topic: Topic, pool: Pool | None = None, collection: Collection | None = None
) -> TopicView:
    """A topic with its formula marked wherever it stands in the question."""
    focus = topic.focus
    asked = None if pool is None else pool.questions.get(topic.id)
    is_there = asked and collection is not None and collection.find_number(asked) is not None
    return TopicView(
        title=_line(topic.title, focus),
        body="\n".join(_paragraph(line, focus) for line in _lines(topic.body)),
        formula="" if focus is None else _UNSTORED.html("", focus.latex, is_alone=True),
        thread_id=asked if is_there else None,
    )


_NOTHING = "<p><em>Nothing of this answer can be shown.</em></p>"


def candidate_view(candidate: Candidate, task: int, collection: Collection | None) -> CandidateView:
    """A candidate with the text around it; a short answer has its own text alone."""
    if candidate.text:
        shown = safe_html(candidate.text, _parsed_here, name=f"candidate {candidate.doc_id}")
        return CandidateView(shown if shown.strip() else _NOTHING)
    if collection is None or is_missing(candidate, task, collection):
        return CandidateView("", is_missing=True)
    is_formula = task == Task.FORMULAS
    post_id = collection.instance(candidate.doc_id).post_id if is_formula else candidate.doc_id
    marked_id = candidate.doc_id if is_formula else None
    view = _PostView(collection, post_id, marked_id)
    place = f"formula-{candidate.doc_id}" if is_formula else f"post-{post_id}"
    thread_id = collection.parent(post_id) or post_id
    return CandidateView(
        body=view.body(),
        about=view.about(),
        thread=f"/threads/{quote(thread_id)}#{quote(place)}",
        formula=view.marked_alone() if is_formula else "",
    )


def is_missing(candidate: Candidate, task: int, collection: Collection) -> bool:
    """Whether the collection does not have what a candidate names.

    Answers must not be questions, and a formula must stand in the post that the candidate says, if
    it says one. Short answers bring their own texts, so they are never missing.
    """
    if candidate.text:
        return False
    if task != Task.FORMULAS:
        return not collection.has_answer(candidate.doc_id)
    if not collection.has_formula(candidate.doc_id):
        return True
    return candidate.post_id not in (None, collection.instance(candidate.doc_id).post_id)


def missing_candidates(pool: Pool, collection: Collection | None) -> tuple[Candidate, ...]:
    """The candidates that cannot be shown, since the collection does not have them."""
    if collection is None:
        return tuple(each for each in pool.candidates if not each.text)
    return tuple(each for each in pool.candidates if is_missing(each, pool.task, collection))


class _PostView:
    """A post in which one instance of a formula may be marked."""

    def __init__(self, collection: Collection, post_id: str, marked_id: str | None) -> None:
        self._collection = collection
        self._post_id = post_id
        self._marked_id = marked_id
        self._instances = {each.id: each for each in collection.instances_in(post_id)}
        # A post may be on a page twice, and ids may not: what is no word does not become an id.
        self._formulas = FormulaRenderer(
            {f"#{name}": each.formula for name, each in self._instances.items()}
        )

    def body(self) -> str:
        """The post, with the comment in which the marked formula stands, if it is in one."""
        markup = self._collection.markup(self._post_id)
        title = self._safe(f"<p>{markup.title}</p>", is_inline=True) if markup.title else ""
        heading = title.replace("<p>", '<p class="post-title">', 1)
        return heading + self._safe(markup.body) + self._comment()

    def about(self) -> str:
        """What kind of post it is, and for an answer the title of its question."""
        post = self._collection.post(self._post_id)
        kind = f"{post.kind.capitalize()} {escape(post.id)}"
        if post.kind is not PostKind.ANSWER or post.parent_id is None:
            return kind
        title = _UNSTORED.content_html(self._collection.linked_title(post.parent_id))
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
        return f'<div class="comments"><p class="meta">A comment on it:</p>{text}</div>'

    def _safe(self, markup: str, is_inline: bool = False) -> str:
        def show(formula: LocatedFormula, is_alone: bool) -> str:
            is_display = is_alone and not is_inline
            html = self._formulas.html(f"#{formula.id}", formula.latex, is_display)
            is_marked = self._marked_id is not None and formula.id == self._marked_id
            return _marked(html) if is_marked else html

        safe = safe_html(markup, show, name=f"post {self._post_id}")
        return _TO_A_POST.sub(self._within, safe)

    def _within(self, link: re.Match[str]) -> str:
        """A link to a post that we have leads to its thread here, as S2 lets assessors follow."""
        if self._collection.find_number(link[1]) is None:
            return link[0]
        return f'<a href="/threads/{link[1]}">'


def _lines(content: Content) -> list[list[str | Formula]]:
    """The content cut where its prose has line ends; lines that say nothing are left out."""
    lines: list[list[str | Formula]] = [[]]
    for piece in content:
        first, *others = [piece] if isinstance(piece, Formula) else piece.split("\n")
        lines[-1].append(first)
        lines += ([other] for other in others)
    return [line for line in lines if any(isinstance(p, Formula) or p.strip() for p in line)]


def _paragraph(line: list[str | Formula], focus: Formula | None) -> str:
    """A line as a paragraph; what is but a formula and a full stop has the formula displayed."""
    said = [piece for piece in line if isinstance(piece, Formula) or piece.strip(" .,;:")]
    return f"<p>{_line(line, focus, is_alone=len(said) == 1)}</p>"


def _line(
    line: Content | list[str | Formula], focus: Formula | None, is_alone: bool = False
) -> str:
    return "".join(
        escape(piece) if isinstance(piece, str) else _formula(piece, focus, is_alone)
        for piece in line
    )


def _formula(formula: Formula, focus: Formula | None, is_alone: bool) -> str:
    html = _UNSTORED.html("", formula.latex, is_alone)
    return _marked(html) if focus is not None and formula.id == focus.id else html


def _marked(html: str) -> str:
    return f'<mark class="found">{html}</mark>'


def _parsed_here(formula: LocatedFormula, is_alone: bool) -> str:
    return _UNSTORED.html("", formula.latex, is_alone)
