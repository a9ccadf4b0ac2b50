"""A thread as a web page: a question with its answers, comments and links, formulas as MathML.

S1 section 3 describes such views of the ARQMath collection for assessors. A ``ThreadContext``
provides the link targets of tags, formulas and linked questions, and what is highlighted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from porism.collection.document_links import linked_document
from porism.collection.store import Collection, RelatedQuestion, Thread
from porism.formats.markup import LocatedFormula
from porism.model import Comment, LinkKind, Location, Post, PostKind, plain_text
from porism.pages.comment_links import with_links
from porism.pages.formula_html import (
    FormulaMarker,
    FormulaRenderer,
    SimilarAddress,
    no_address,
    no_match,
    similar_link,
)
from porism.pages.html_page import html_page
from porism.pages.safe_html import ShowFormula, escaped_text, safe_html


def _no_link(name: str) -> str:
    return ""


def _no_tools(post: Post) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """The link targets and highlights of a thread.

    The addresses of a tag, of a thread by its id, and of similar formulas are empty where there is
    no link. ``render_text`` renders a stretch of text, ``marker`` marks matching formulas.
    ``address_here`` gives the address here of what an address elsewhere leads to, if it is here.
    ``post_tools`` is HTML that follows each post.
    """

    render_text: Callable[[str], str] = escaped_text
    marker: FormulaMarker = no_match
    tag_address: Callable[[str], str] = _no_link
    thread_address: Callable[[str], str] = _no_link
    address_here: Callable[[str], str] = _no_link
    similar_address: SimilarAddress = no_address
    post_tools: Callable[[Post], str] = _no_tools


NO_CONTEXT = ThreadContext()
"""For a standalone page."""


def thread_page(thread: Thread, collection: Collection) -> str:
    """A self-contained HTML file without scripts, whatever the posts contain."""
    title = thread_title(thread.question)
    return html_page(title, f"<main>\n{thread_html(thread, collection)}\n</main>")


def thread_title(question: Post) -> str:
    """The title of a question as text, with formulas between dollars, or else its id."""
    return plain_text(question.title) or question.id


def thread_html(thread: Thread, collection: Collection, context: ThreadContext = NO_CONTEXT) -> str:
    """A thread as HTML, beginning with its title as the heading of the page."""
    question = thread.question
    view = _View(thread, collection, context)
    pieces = [
        f"<h1>{view.title()}</h1>",
        f'<article id="post-{escape(question.id)}">',
        _facts(question, view.author(question.owner_id)),
        view.body(question),
        view.tags(question),
        context.post_tools(question),
        view.comments(question),
        "</article>",
        _answers_heading(thread),
    ]
    for answer in thread.answers:
        pieces += [
            f'<article id="post-{escape(answer.id)}">',
            _accepted_mark(answer, question),
            _facts(answer, view.author(answer.owner_id)),
            view.body(answer),
            context.post_tools(answer),
            view.comments(answer),
            "</article>",
        ]
    pieces += [
        view.related(LinkKind.DUPLICATE, "Duplicates"),
        view.related(LinkKind.RELATED, "Related questions"),
    ]
    return "\n".join(filter(None, pieces))


class _View:
    """The parts of one thread as HTML."""

    def __init__(self, thread: Thread, collection: Collection, context: ThreadContext) -> None:
        self._thread = thread
        self._collection = collection
        self._context = context
        self._formulas = FormulaRenderer(
            {
                instance.id: instance.formula
                for post in (thread.question, *thread.answers)
                for instance in collection.instances_in(post.id)
            },
            context.marker,
        )

    def title(self) -> str:
        question = self._thread.question
        markup = self._collection.markup(question.id).title
        if not markup:
            return escape(question.id)
        return self._safe(markup, self._inline, f"post {question.id}")

    def body(self, post: Post) -> str:
        body = self._collection.markup(post.id).body
        return self._safe(body, self._formula, f"post {post.id}", post.location)

    def tags(self, question: Post) -> str:
        if not question.tags:
            return ""
        address = self._context.tag_address
        items = (f"<li>{_linked(escape(tag), address(tag))}</li>" for tag in question.tags)
        return f'<ul class="tags" aria-label="Tags">{"".join(items)}</ul>'

    def author(self, user_id: str | None) -> str:
        """The name of a user as HTML, or else the id; empty if unknown."""
        if user_id is None:
            return ""
        return escape(self._collection.user_name(user_id) or f"user {user_id}")

    def comments(self, post: Post) -> str:
        comments = self._thread.comments.get(post.id, ())
        if not comments:
            return ""
        items = "\n".join(self._comment(comment) for comment in comments)
        return f'<ul class="comments" aria-label="Comments">\n{items}\n</ul>'

    def related(self, kind: LinkKind, heading: str) -> str:
        """The questions linked with this one by one kind of link, under a heading."""
        links = [link for link in self._thread.related if link.kind is kind]
        if not links:
            return ""
        items = "\n".join(f"<li>{self._link(link)}</li>" for link in links)
        return f'<section>\n<h2>{heading}</h2>\n<ul class="related">\n{items}\n</ul>\n</section>'

    def _link(self, link: RelatedQuestion) -> str:
        title = self._formulas.content_html(link.title)
        number = f'<span class="meta">{escape(link.id)}</span>'
        label = f"{title} {number}" if title else number
        return _linked(label, self._context.thread_address(link.id) if link.is_here else "")

    def _comment(self, comment: Comment) -> str:
        markup = self._collection.comment_markup(comment.id)
        prose = with_links(self._context.render_text, self._context.address_here)
        text = self._safe(markup, self._inline, f"comment {comment.id}", prose=prose)
        facts = _joined(_score(comment.score), self.author(comment.user_id), _day(comment.created))
        meta = f' <span class="meta">{facts}</span>' if facts else ""
        return f'<li id="comment-{escape(comment.id)}">{text}{meta}</li>'

    def _safe(
        self,
        markup: str,
        render_formula: ShowFormula,
        name: str,
        origin: Location | None = None,
        prose: Callable[[str], str] | None = None,
    ) -> str:
        def document_address(target: str) -> str:
            linked = linked_document(self._collection, target, origin)
            return "" if linked is None else self._context.thread_address(linked)

        return safe_html(
            markup,
            render_formula,
            prose or self._context.render_text,
            self._similar,
            name,
            document_address,
        )

    def _formula(self, formula: LocatedFormula, is_alone: bool) -> str:
        rendered = self._formulas.rendered(formula.id, formula.latex, is_alone)
        return f'<mark class="found">{rendered.html}</mark>' if rendered.is_match else rendered.html

    def _inline(self, formula: LocatedFormula, is_alone: bool) -> str:
        return self._formula(formula, is_alone=False)

    def _similar(self, formula: LocatedFormula, html: str) -> str:
        """A formula as a link to similar ones."""
        stored = self._formulas.stored.get(formula.id)
        latex, macros = (stored.latex, stored.macros) if stored else (formula.latex, "")
        return similar_link(html, self._context.similar_address(formula.latex or latex, macros))


def _linked(html: str, address: str) -> str:
    """HTML as a link, unless the address is empty."""
    return f'<a href="{escape(address)}">{html}</a>' if address else html


def _facts(post: Post, author: str) -> str:
    """The line above a post: its id, score, views, author and date."""
    views = f"{post.views:,} views" if post.views is not None else ""
    facts = _joined(_kind(post), _score(post.score), views, author, _day(post.created))
    return f'<p class="meta">{facts}</p>'


def _joined(*facts: str) -> str:
    """The non-empty facts on one line."""
    return " · ".join(filter(None, facts))


def _kind(post: Post) -> str:
    return escape(f"{post.kind.capitalize()} {post.id}")


def _score(score: int | None) -> str:
    return "" if score is None else f"score {score:,}"


def _day(created: str | None) -> str:
    """A date without the time of day; some have only a month."""
    if created is None:
        return ""
    return f'<time datetime="{escape(created)}">{escape(created[:10])}</time>'


def _answers_heading(thread: Thread) -> str:
    if thread.question.kind is PostKind.DOCUMENT:
        return ""
    number = len(thread.answers)
    return f"<h2>{number:,} {'answer' if number == 1 else 'answers'}</h2>"


def _accepted_mark(answer: Post, question: Post) -> str:
    is_accepted = answer.id == question.accepted_id
    return '<p class="accepted">✓ Accepted answer</p>' if is_accepted else ""
