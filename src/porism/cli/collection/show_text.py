"""Posts, threads and formulas of a collection, as text or as records for JSON."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator

from porism.cli.formula.formula_text import forms_text
from porism.cli.terminal import WIDTH, harmless
from porism.collection.store import StoredInstance, Thread
from porism.formula.operators import operator_tree
from porism.formula.tree import ParsedTree
from porism.model import Comment, Content, Formula, Post


def record(item: Post | Thread) -> dict[str, object]:
    """A post or thread by field; a formula in a text is an object."""
    return dataclasses.asdict(item)


def formula_record(instance: StoredInstance) -> dict[str, object]:
    """An occurrence of a formula by field, with its place in the post."""
    formula = instance.formula
    layout = formula.layout()
    trees = {"slt": str(layout), "opt": str(operator_tree(layout))}
    return {
        **dataclasses.asdict(instance),
        "place": instance.place.name.lower(),
        "formula": {**dataclasses.asdict(formula), **trees},
    }


def post_text(post: Post) -> str:
    """A post with its metadata above and its formulas with ids below."""
    lines = [*_post_lines(post)]
    formulas = [piece for piece in (*post.title, *post.body) if isinstance(piece, Formula)]
    if formulas:
        width = max(len(formula.id) for formula in formulas)
        lines += ["", "Formulas"]
        lines += [f"  {each.id:<{width}}  {' '.join(each.latex.split())}" for each in formulas]
    return harmless("\n".join(lines))


def thread_text(thread: Thread) -> str:
    """A question with its answers, indented comments, and linked questions."""
    lines: list[str] = []
    for post in (thread.question, *thread.answers):
        if lines:
            lines += ["", "-" * WIDTH]
        if post.id == thread.question.accepted_id:
            lines.append("Accepted answer")
        lines += _post_lines(post)
        for comment in thread.comments.get(post.id, ()):
            lines += ["", *_comment_lines(comment)]
    if thread.related:
        lines += ["", "-" * WIDTH, "Linked questions"]
        for link in thread.related:
            lines.append(f"  {link.id} ({link.kind}) {_plain(link.title)}".rstrip())
    return harmless("\n".join(lines))


def formula_text(instance: StoredInstance) -> str:
    """Where a formula occurs and its ids; its trees and tokens if it was parsed."""
    formula = instance.formula
    place = f"{instance.place.name.lower()} of post {instance.post_id}"
    facts = {
        "occurs in": f"comment {instance.comment_id} on post {instance.post_id}"
        if instance.comment_id
        else place,
        "the lab's visual id": instance.visual_id,
        "the lab's old visual id": instance.old_visual_id,
        "issue": instance.issue,
        "Porism's visual id": formula.visual_id,
        "macros": formula.macros,
        "problem": formula.problem or "",
        "source": formula.latex,
    }
    width = max(map(len, facts))
    lines = [f"Formula {instance.id}"]
    lines += [f"  {name:<{width}}  {value}" for name, value in facts.items() if value]
    head = harmless("\n".join(lines))
    if formula.is_refused:
        return head
    # Problems are listed above.
    return f"{head}\n\n{forms_text(formula.latex, ParsedTree(formula.layout(), ()))}"


def _post_lines(post: Post) -> Iterator[str]:
    facts = [
        f"{post.kind.capitalize()} {post.id}",
        f"to question {post.parent_id}" if post.parent_id else "",
        f"score {post.score:,}" if post.score is not None else "",
        f"{post.views:,} views" if post.views is not None else "",
        f"user {post.owner_id}" if post.owner_id else "",
        post.created or "",
    ]
    yield ", ".join(fact for fact in facts if fact)
    if post.tags:
        yield f"Tags: {', '.join(post.tags)}"
    if post.title:
        yield ""
        yield _plain(post.title)
    yield ""
    yield from _wrapped(_plain(post.body), "")


def _comment_lines(comment: Comment) -> Iterator[str]:
    facts = [
        f"Comment {comment.id}",
        f"score {comment.score:,}" if comment.score is not None else "",
        f"user {comment.user_id}" if comment.user_id else "",
        comment.created or "",
    ]
    yield "    " + ", ".join(fact for fact in facts if fact)
    yield from _wrapped(_plain(comment.text), "    ")


def _wrapped(text: str, indent: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield from textwrap.wrap(
            line,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]


def _plain(content: Content) -> str:
    return "".join(piece if isinstance(piece, str) else f"${piece.latex}$" for piece in content)
