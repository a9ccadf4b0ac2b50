"""A topic, and documents that were found for it, as HTML with MathML.

Where the texts of documents come from is left to a ``ShowHit``: a collection of posts, one of
formulas, or texts at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Protocol

from porism.collection.store import Collection, StoredInstance
from porism.formats.markup import LocatedFormula
from porism.model import Comment, Content, DocId, Formula, Hit, Topic
from porism.pages.formula_html import FormulaRenderer, SimilarAddress, no_address, similar_link
from porism.pages.safe_html import ShowFormula, safe_html

_UNSTORED = FormulaRenderer({})


class ShowHit(Protocol):
    """Makes safe HTML of the document of a hit; None if it has no such document."""

    def __call__(self, hit: Hit) -> str | None: ...


def no_text(hit: Hit) -> str | None:
    """Where no texts are at hand."""
    return None


@dataclass(frozen=True, slots=True)
class CollectionPosts:
    """The posts of a collection, for the runs of Task 1; an answer comes with its question."""

    collection: Collection

    def __call__(self, hit: Hit) -> str | None:
        if self.collection.find_number(hit.doc_id) is None:
            return None
        parent = self.collection.parent(hit.doc_id)
        title = _UNSTORED.content_html(self.collection.linked_title(parent)) if parent else ""
        about = f'<p class="meta">Answer to: {title}</p>\n' if title else ""
        return about + post_body_html(self.collection, hit.doc_id)


@dataclass(frozen=True, slots=True)
class CollectionFormulas:
    """The formulas of a collection by visual id, for the runs of Task 2.

    Of the formulas that look alike, one stands for all: that of the post which the hit names, or
    else the first. An old visual id is understood only in a post that the hit names, and there
    only if it is no newer one, since the two numberings overlap.
    """

    collection: Collection

    def __call__(self, hit: Hit) -> str | None:
        instance = self._instance(hit)
        if instance is None:
            return None
        stored = instance.formula
        formula = FormulaRenderer({"#": stored}).html("#", stored.latex, is_alone=True)
        return f'{formula}\n<p class="meta">in post {escape(instance.post_id)}</p>'

    def _instance(self, hit: Hit) -> StoredInstance | None:
        post_id = hit.post_id
        is_here = post_id is not None and self.collection.find_number(post_id) is not None
        nearest = list(self.collection.instances_in(post_id)) if post_id and is_here else []
        alike = (each for each in nearest if hit.doc_id == each.effective_visual_id)
        formerly = (each for each in nearest if hit.doc_id == each.old_visual_id)
        return next(chain(alike, formerly, self.collection.instances(hit.doc_id)), None)


@dataclass(frozen=True, slots=True)
class AnswerTexts:
    """Texts at hand, as HTML or plain with LaTeX between dollars, for the answers of Task 3."""

    texts: Mapping[DocId, str]

    def __call__(self, hit: Hit) -> str | None:
        text = self.texts.get(hit.doc_id)
        if text is None:
            return None
        return f"<p>{safe_html(text, _parsed_here, name=f'answer {hit.doc_id}')}</p>"


def post_body_html(collection: Collection, post_id: str) -> str:
    """The body of a post as HTML that can do no harm, with its formulas as MathML."""
    body = collection.markup(post_id).body
    return safe_html(body, _shown_in(collection, post_id), name=f"post {post_id}")


def comments_html(collection: Collection, comments: Sequence[Comment]) -> list[str]:
    """The comments on one post in the same way."""
    if not comments:
        return []
    show = _shown_in(collection, comments[0].post_id)
    return [
        safe_html(collection.comment_markup(each.id), show, name=f"comment {each.id}")
        for each in comments
    ]


def _shown_in(collection: Collection, post_id: str) -> ShowFormula:
    """Shows the formulas of a post and of the comments on it."""
    # A post may be on a page twice, and ids may not: what is no word does not become an id.
    formulas = FormulaRenderer(
        {f"#{each.id}": each.formula for each in collection.instances_in(post_id)}
    )

    def show(formula: LocatedFormula, is_alone: bool) -> str:
        return formulas.html(f"#{formula.id}", formula.latex, is_alone)

    return show


def _parsed_here(formula: LocatedFormula, is_alone: bool) -> str:
    return _UNSTORED.html("", formula.latex, is_alone)


def topic_title_html(topic: Topic, similar_address: SimilarAddress = no_address) -> str:
    """The title of a topic on one line; empty if it has none."""
    return _UNSTORED.content_html(topic.title, similar_address)


def topic_body_html(topic: Topic, similar_address: SimilarAddress = no_address) -> str:
    """The formula that a topic asks for, if any, and its text in paragraphs."""

    def show(formula: Formula, is_alone: bool) -> str:
        html = _UNSTORED.html("", formula.latex, is_alone)
        return similar_link(html, similar_address(formula.latex, formula.macros))

    focus = "" if topic.focus is None else show(topic.focus, True)
    return "\n".join(
        filter(None, (focus, *(_paragraph(line, show) for line in _lines(topic.body))))
    )


def _lines(content: Content) -> list[list[str | Formula]]:
    """The content cut where its prose has line ends."""
    lines: list[list[str | Formula]] = [[]]
    for piece in content:
        if isinstance(piece, Formula):
            lines[-1].append(piece)
            continue
        first, *others = piece.split("\n")
        lines[-1].append(first)
        lines += ([other] for other in others)
    return lines


def _paragraph(line: list[str | Formula], show: Callable[[Formula, bool], str]) -> str:
    """A line as a paragraph; what is but a formula and a full stop has the formula displayed."""
    said = [piece for piece in line if isinstance(piece, Formula) or piece.strip(" .,;:")]
    is_alone = len(said) == 1
    shown = "".join(
        escape(piece) if isinstance(piece, str) else show(piece, is_alone) for piece in line
    )
    return f"<p>{shown}</p>" if said else ""
