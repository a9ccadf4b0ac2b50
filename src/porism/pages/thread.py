"""A thread as a web page: a question with its answers, comments and links, formulas as MathML.

S1 section 3 describes such views of the ARQMath collection, which assessors looked at.
"""

from __future__ import annotations

from html import escape

from porism.collection.store import Collection, Related, Thread
from porism.formats.markup import Found
from porism.model import Comment, Content, Kind, LinkKind, Post
from porism.pages.formulas import ShownFormulas
from porism.pages.look import page
from porism.pages.safe_html import safe_html


def thread_page(thread: Thread, collection: Collection) -> str:
    """One HTML file that needs nothing else and runs nothing, whatever the posts contain."""
    question = thread.question
    view = _View(thread, collection)
    pieces = [
        f"<main>\n<h1>{view.title()}</h1>",
        f'<article id="post-{escape(question.id)}">',
        _facts(question, view.author(question.owner_id)),
        view.body(question),
        _tags(question),
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
        "</main>",
    ]
    return page(_plain(question.title) or question.id, "\n".join(filter(None, pieces)))


class _View:
    """The parts of one thread as HTML."""

    def __init__(self, thread: Thread, collection: Collection) -> None:
        self._thread = thread
        self._collection = collection
        self._formulas = ShownFormulas(
            {
                instance.id: instance.formula
                for post in (thread.question, *thread.answers)
                for instance in collection.instances_in(post.id)
            }
        )

    def title(self) -> str:
        question = self._thread.question
        markup = self._collection.markup(question.id).title
        return safe_html(markup, self._inline) if markup else escape(question.id)

    def body(self, post: Post) -> str:
        return safe_html(self._collection.markup(post.id).body, self._anywhere)

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

    def _link(self, link: Related) -> str:
        title = self._formulas.content_html(link.title)
        number = f'<span class="meta">{escape(link.id)}</span>'
        return f"{title} {number}" if title else number

    def _comment(self, comment: Comment) -> str:
        text = safe_html(self._collection.comment_markup(comment.id), self._inline)
        facts = _joined(_score(comment.score), self.author(comment.user_id), _day(comment.created))
        told = f' <span class="meta">{facts}</span>' if facts else ""
        return f'<li id="comment-{escape(comment.id)}">{text}{told}</li>'

    def _anywhere(self, formula: Found, is_alone: bool) -> str:
        return self._formulas.html(formula.id, formula.latex, is_alone)

    def _inline(self, formula: Found, is_alone: bool) -> str:
        return self._formulas.html(formula.id, formula.latex)


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


def _tags(question: Post) -> str:
    if not question.tags:
        return ""
    items = "".join(f"<li>{escape(tag)}</li>" for tag in question.tags)
    return f'<ul class="tags" aria-label="Tags">{items}</ul>'


def _answers_heading(thread: Thread) -> str:
    if thread.question.kind is Kind.DOCUMENT:
        return ""
    number = len(thread.answers)
    return f"<h2>{number:,} {'answer' if number == 1 else 'answers'}</h2>"


def _accepted_mark(answer: Post, question: Post) -> str:
    is_accepted = answer.id == question.accepted_id
    return '<p class="accepted">✓ Accepted answer</p>' if is_accepted else ""


def _plain(content: Content) -> str:
    return "".join(piece if isinstance(piece, str) else f"${piece.latex}$" for piece in content)
