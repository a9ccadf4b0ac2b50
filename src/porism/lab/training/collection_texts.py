"""The texts of a collection as files of tokens, for models of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from porism.analysis import (
    ALL_PARTS,
    Document,
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    document_tokens,
    unparsed_formula_tokens,
)
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.lab.training.fasttext import WordFile
from porism.model import Formula, Post
from porism.searchindex.formula_table import stored_tokens

_REMEMBERED_FORMULAS = 50_000
"""Formulas whose tokens are remembered; most occurrences are of a few."""

_REPORT_POSTS = 500

PostTokens = Callable[[Post], Sequence[str]]
"""Returns the tokens of a post in one stream."""


@dataclass(slots=True)
class CollectionText:
    """A stream of tokens, a post on each line, and how many posts have each token."""

    path: Path
    tokens: int = 0
    posts: int = 0
    frequencies: Counter[str] = field(default_factory=Counter)

    @property
    def file(self) -> WordFile:
        """The stream as training reads it."""
        return WordFile(self.path, self.tokens)


def written_texts(
    collection: Collection, folder: Path, streams: Mapping[str, PostTokens], watch: Watch
) -> dict[str, CollectionText]:
    """Write all questions, answers and notes to a file for each stream, by its name.

    Tokens with blanks are left out: they are prose inside formulas. So are posts without tokens.
    """
    texts = {name: CollectionText(folder / name) for name in streams}
    total = collection.count_posts()
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(text.path.open("w", encoding="utf-8", errors="surrogatepass"))
            for name, text in texts.items()
        }
        for done, post in enumerate(collection.posts(), start=1):
            for name, tokens_of in streams.items():
                tokens = [token for token in tokens_of(post) if len(token.split()) == 1]
                if tokens:
                    files[name].write(" ".join(tokens) + "\n")
                    texts[name].tokens += len(tokens)
                    texts[name].posts += 1
                    texts[name].frequencies.update(set(tokens))
            if done % _REPORT_POSTS == 0 or done == total:
                watch(StepProgress("posts to words", done, total, done))
    return texts


def field_tokens(collection: Collection, spec: FieldSpec) -> PostTokens:
    """Return a function for the tokens of a post that a field would have of it, each part once."""
    whole = replace(spec, parts=ALL_PARTS, part_weights=())

    @lru_cache(_REMEMBERED_FORMULAS)
    def of_number(number: int, kind: FormulaTokens) -> tuple[str, ...]:
        return tuple(stored_tokens(collection, number, kind) or ())

    def of_formula(formula: Formula, kind: FormulaTokens) -> Sequence[str]:
        if formula.number is None:
            return unparsed_formula_tokens(kind, formula.latex, formula.macros)
        return of_number(formula.number, kind)

    def of_post(post: Post) -> Sequence[str]:
        parts = {DocumentPart.TITLE: post.title, DocumentPart.ANSWER: post.body}
        return document_tokens(whole, Document(post.id, parts), of_formula)

    return of_post
