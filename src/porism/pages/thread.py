"""A thread as a web page: a question with its answers, comments and links, formulas as MathML.

S1 section 3 describes such views of the ARQMath collection, which assessors looked at. By itself
such a page leads nowhere; what tags, formulas and linked questions lead to, and what is marked,
is told by a ``ThreadContext``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from porism.collection.store import Collection, RelatedQuestion, Thread
from porism.formats.markup import LocatedFormula
from porism.formula.tree import Tree
from porism.model import Comment, Content, LinkKind, Post, PostKind
from porism.pages.formula_html import (
    FormulaMarker,
    FormulaRenderer,
    SimilarAddress,
    no_address,
    similar_link,
)
from porism.pages.html_page import html_page
from porism.pages.safe_html import ShowFormula, escaped_text, safe_html


def _nowhere(name: str) -> str:
    return ""


def _unsought(tree: Tree) -> None:
    return None


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """What a thread is surrounded by: where its parts lead to, and what is looked for in it.

    The addresses, of a tag, a thread by its id and formulas like one, are empty where something
    leads nowhere. ``said`` makes HTML of a stretch of text, and ``found`` tells what is
    looked for of a formula.
    """

    said: Callable[[str], str] = escaped_text
    found: FormulaMarker = _unsought
    tag_address: Callable[[str], str] = _nowhere
    thread_address: Callable[[str], str] = _nowhere
    similar_address: SimilarAddress = no_address


NO_CONTEXT = ThreadContext()
"""That of a page of its own."""


def thread_page(thread: Thread, collection: Collection) -> str:
    """One HTML file that needs nothing else and runs nothing, whatever the posts contain."""
    title = thread_title(thread.question)
    return html_page(title, f"<main>\n{thread_html(thread, collection)}\n</main>")


def thread_title(question: Post) -> str:
    """The title of a question as text, with formulas between dollars; its id if it has none."""
    return _plain(question.title) or question.id


def thread_html(thread: Thread, collection: Collection, setting: ThreadContext = NO_CONTEXT) -> str:
    """All that a thread says, as HTML that begins with its title as the heading of the page."""
    question = thread.question
    view = _View(thread, collection, setting)
    pieces = [
        f"<h1>{view.title()}</h1>",
        f'<article id="post-{escape(question.id)}">',
        _facts(question, view.author(question.owner_id)),
        view.body(question),
        view.tags(question),
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

    def __init__(self, thread: Thread, collection: Collection, setting: ThreadContext) -> None:
        self._thread = thread
        self._collection = collection
        self._setting = setting
        self._formulas = FormulaRenderer(
            {
                instance.id: instance.formula
                for post in (thread.question, *thread.answers)
                for instance in collection.instances_in(post.id)
            },
            setting.found,
        )

    def title(self) -> str:
        question = self._thread.question
        markup = self._collection.markup(question.id).title
        if not markup:
            return escape(question.id)
        return self._safe(markup, self._inline, f"post {question.id}")

    def body(self, post: Post) -> str:
        body = self._collection.markup(post.id).body
        return self._safe(body, self._anywhere, f"post {post.id}")

    def tags(self, question: Post) -> str:
        """What a question is filed under."""
        if not question.tags:
            return ""
        address = self._setting.tag_address
        items = (f"<li>{_leading(escape(tag), address(tag))}</li>" for tag in question.tags)
        return f'<ul class="tags" aria-label="Tags">{"".join(items)}</ul>'

    def author(self, user_id: str | None) -> str:
        """Who wrote something, as far as that is known, as HTML."""
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
        """The questions that this one is linked with in one way, under a heading."""
        links = [link for link in self._thread.related if link.kind is kind]
        if not links:
            return ""
        items = "\n".join(f"<li>{self._link(link)}</li>" for link in links)
        return f'<section>\n<h2>{heading}</h2>\n<ul class="related">\n{items}\n</ul>\n</section>'

    def _link(self, link: RelatedQuestion) -> str:
        title = self._formulas.content_html(link.title)
        number = f'<span class="meta">{escape(link.id)}</span>'
        told = f"{title} {number}" if title else number
        return _leading(told, self._setting.thread_address(link.id) if link.is_here else "")

    def _comment(self, comment: Comment) -> str:
        markup = self._collection.comment_markup(comment.id)
        text = self._safe(markup, self._inline, f"comment {comment.id}")
        facts = _joined(_score(comment.score), self.author(comment.user_id), _day(comment.created))
        told = f' <span class="meta">{facts}</span>' if facts else ""
        return f'<li id="comment-{escape(comment.id)}">{text}{told}</li>'

    def _safe(self, markup: str, show: ShowFormula, name: str) -> str:
        return safe_html(markup, show, self._setting.said, self._similar, name)

    def _anywhere(self, formula: LocatedFormula, is_alone: bool) -> str:
        shown = self._formulas.rendered(formula.id, formula.latex, is_alone)
        return f'<mark class="found">{shown.html}</mark>' if shown.is_match else shown.html

    def _inline(self, formula: LocatedFormula, is_alone: bool) -> str:
        return self._anywhere(formula, is_alone=False)

    def _similar(self, formula: LocatedFormula, html: str) -> str:
        """A formula as a link to others like it."""
        stored = self._formulas.stored.get(formula.id)
        latex, macros = (stored.latex, stored.macros) if stored else (formula.latex, "")
        return similar_link(html, self._setting.similar_address(formula.latex or latex, macros))


def _leading(html: str, address: str) -> str:
    """HTML as a link, if it leads anywhere."""
    return f'<a href="{escape(address)}">{html}</a>' if address else html


def _facts(post: Post, author: str) -> str:
    """What stands above a text: its number, score and date, and who wrote it."""
    views = f"{post.views:,} views" if post.views is not None else ""
    facts = _joined(_kind(post), _score(post.score), views, author, _day(post.created))
    return f'<p class="meta">{facts}</p>'


def _joined(*facts: str) -> str:
    """Those of the facts that are known, as HTML in one line."""
    return " · ".join(filter(None, facts))


def _kind(post: Post) -> str:
    return escape(f"{post.kind.capitalize()} {post.id}")


def _score(score: int | None) -> str:
    return "" if score is None else f"score {score:,}"


def _day(created: str | None) -> str:
    """A date without its time of day; some are known to the month only."""
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


def _plain(content: Content) -> str:
    return "".join(piece if isinstance(piece, str) else f"${piece.latex}$" for piece in content)
