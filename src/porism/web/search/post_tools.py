"""What can be done with a post: open its source, link to it, cite it, copy it as LaTeX."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from fastapi import Request
from markupsafe import Markup

from porism.collection.store import Collection
from porism.model import Post, PostKind
from porism.pages.citations import CitedPost, bibtex, markdown
from porism.web.page_templates import rendered


def cited_post(collection: Collection, post: Post, question: Post | None, here: str) -> CitedPost:
    """What a reference says of a post, with its place in its source, or else ``here``."""
    author = collection.user_name(post.owner_id) if post.owner_id is not None else None
    source = collection.url(post)
    return CitedPost(
        post.id,
        post.title or (question.title if question is not None else ()),
        source or here,
        author or "",
        post.created,
        post.kind is PostKind.ANSWER,
        urlsplit(source).hostname or "" if source else "",
    )


def post_tools(request: Request, collection: Collection, post: Post, question: Post) -> Markup:
    """The links and buttons below a post."""
    place = f"#post-{quote(post.id)}"
    here = f"{request.base_url}threads/{quote(question.id)}{place}"
    source = collection.url(post)
    cited = cited_post(collection, post, question, here)
    return rendered(
        "_post_tools.html",
        post_id=post.id,
        place=place,
        source=source,
        site=cited.site,
        bibtex=bibtex(cited),
        markdown=markdown(cited),
    )
