"""Topics and the documents of hits as HTML with MathML.

A ``ShowHit`` provides the documents: posts or formulas of a collection, or given texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Protocol

from porism.collection.store import Collection, StoredInstance
from porism.formats.markup import LocatedFormula
from porism.model import Comment, DocId, Formula, Hit, Topic
from porism.pages.comment_links import with_links
from porism.pages.formula_html import (
    UNSTORED,
    FormulaRenderer,
    SimilarAddress,
    no_address,
    paragraphs,
    render_unstored,
    similar_link,
)
from porism.pages.safe_html import ShowFormula, escaped_text, safe_html


class ShowHit(Protocol):
    """Renders the document of a hit as safe HTML; None if there is no such document."""

    def __call__(self, hit: Hit) -> str | None: ...


def no_text(hit: Hit) -> str | None:
    """Renders nothing, where no texts are available."""
    return None


@dataclass(frozen=True, slots=True)
class CollectionPosts:
    """The posts of a collection, for runs of Task 1; answers have the title of their question."""

    collection: Collection

    def __call__(self, hit: Hit) -> str | None:
        if self.collection.find_number(hit.doc_id) is None:
            return None
        parent = self.collection.parent(hit.doc_id)
        title = UNSTORED.content_html(self.collection.linked_title(parent)) if parent else ""
        about = f'<p class="meta">Answer to: {title}</p>\n' if title else ""
        return about + post_body_html(self.collection, hit.doc_id)


@dataclass(frozen=True, slots=True)
class CollectionFormulas:
    """The formulas of a collection by visual id, for runs of Task 2.

    Of all instances with the visual id, the one in the hit's post is shown, or else the first. Old
    visual ids are looked up only in the hit's post, after new ones, since both numberings overlap.
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
        is_stored = post_id is not None and self.collection.find_number(post_id) is not None
        in_post = list(self.collection.instances_in(post_id)) if post_id and is_stored else []
        by_id = (each for each in in_post if hit.doc_id == each.effective_visual_id)
        by_old_id = (each for each in in_post if hit.doc_id == each.old_visual_id)
        return next(chain(by_id, by_old_id, self.collection.instances(hit.doc_id)), None)


@dataclass(frozen=True, slots=True)
class AnswerTexts:
    """Given texts, HTML or plain with LaTeX between dollars, for the answers of Task 3."""

    texts: Mapping[DocId, str]

    def __call__(self, hit: Hit) -> str | None:
        text = self.texts.get(hit.doc_id)
        if text is None:
            return None
        return f"<p>{safe_html(text, render_unstored, name=f'answer {hit.doc_id}')}</p>"


def post_body_html(collection: Collection, post_id: str) -> str:
    """The body of a post as safe HTML, with formulas as MathML."""
    body = collection.markup(post_id).body
    return safe_html(body, _renderer(collection, post_id), name=f"post {post_id}")


def comments_html(collection: Collection, comments: Sequence[Comment]) -> list[str]:
    """The comments on one post as safe HTML."""
    if not comments:
        return []
    render = _renderer(collection, comments[0].post_id)
    return [
        safe_html(
            collection.comment_markup(each.id),
            render,
            with_links(escaped_text, lambda address: ""),
            name=f"comment {each.id}",
        )
        for each in comments
    ]


def _renderer(collection: Collection, post_id: str) -> ShowFormula:
    """Renders the formulas of a post and its comments."""
    # A post may occur twice on a page, ids may not: a key with "#" does not become an id.
    formulas = FormulaRenderer(
        {f"#{each.id}": each.formula for each in collection.instances_in(post_id)}
    )

    def render(formula: LocatedFormula, is_alone: bool) -> str:
        return formulas.html(f"#{formula.id}", formula.latex, is_alone)

    return render


def topic_title_html(topic: Topic, similar_address: SimilarAddress = no_address) -> str:
    """The title of a topic; empty if it has none."""
    return UNSTORED.content_html(topic.title, similar_address)


def topic_body_html(topic: Topic, similar_address: SimilarAddress = no_address) -> str:
    """The query formula of a topic, if any, and its text in paragraphs."""

    def render(formula: Formula, is_alone: bool) -> str:
        html = render_unstored(formula, is_alone)
        return similar_link(html, similar_address(formula.latex, formula.macros))

    focus = "" if topic.focus is None else render(topic.focus, True)
    return "\n".join(filter(None, (focus, *paragraphs(topic.body, render))))
