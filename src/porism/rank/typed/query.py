"""A typed query as typed search uses it: corrected, with other spellings, in several forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from porism.analysis import linear_text, title_labels
from porism.inverted.keys import Keys
from porism.model import Content, Topic, plain_text
from porism.query.interpretation import PartKind
from porism.query.typed_topics import TypedTopic
from porism.rank.systems.porism_answers import WORDS
from porism.rank.typed.corrections import best_correction, more_frequent
from porism.rank.typed.spelling_variants import accent_variants, folded_forms, spelling_variants
from porism.searchindex.components.text_store import words_in_order
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

MOST_CORRECTED = 8
"""Words of a query that are corrected, at up to 20 ms each: longer queries are pasted."""


class Phrase(NamedTuple):
    """Words that posts must, or must not, have one after another, and their keys."""

    text: str
    words: Keys


@dataclass(frozen=True, slots=True)
class TypedQuery:
    """A typed query, with the corrections of words that the collection does not have.

    ``suggestion`` is the whole query with likely corrections, and ``is_corrected`` says that it is
    what is searched for. ``expansions`` are further stems by the stems of the query's words.
    ``forms`` are the linear texts of the query, as typed and as understood, and ``titles`` the
    labels of posts with such a title.
    """

    topic: Topic
    suggestion: str | None = None
    is_corrected: bool = False
    expansions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forms: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()

    @property
    def other_stems(self) -> frozenset[str]:
        """The stems of other spellings of the words."""
        return frozenset(stem for stems in self.expansions.values() for stem in stems)


def read_query(search_index: SearchIndex, typed: TypedTopic) -> TypedQuery:
    """Return what to search for."""
    topic = typed.topic
    words = list(dict.fromkeys(_words(topic.title)))
    unknown = _unknown(search_index, words)[:MOST_CORRECTED]
    vocabulary = search_index.vocabulary
    corrections = {
        word: correction
        for word in unknown
        if (correction := best_correction(word, vocabulary)) is not None
    }
    corrected = replace(topic, title=_replaced(topic.title, corrections))
    rarely = {} if corrections else _frequent_forms(search_index, words)
    likely = corrections or rarely
    forms = ((_as_typed(typed),), corrected.title)
    return TypedQuery(
        topic=corrected,
        suggestion=_suggestion(typed, likely) if likely else None,
        is_corrected=bool(corrections),
        expansions=_expansions(search_index, _words((*corrected.title, *topic.body)), rarely),
        forms=tuple(
            dict.fromkeys(form for each in forms if (form := linear_text(plain_text(each))))
        ),
        titles=title_labels(*forms),
        phrases=_phrases(_replaced_text(phrase, corrections) for phrase in typed.phrases),
        excluded=_phrases(typed.excluded),
    )


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def _words(content: Content) -> Iterator[str]:
    """Yield the words of prose in lower case, without a possessive."""
    for piece in content:
        if isinstance(piece, str):
            for match in _WORD.finditer(piece):
                yield _base_form(match[0])


def _base_form(word: str) -> str:
    return re.sub("['’]s$", "", word.lower())


def _unknown(search_index: SearchIndex, words: Sequence[str]) -> list[str]:
    """Return the words of which no post has any form, with or without accents."""
    accented = search_index.vocabulary.accented
    forms = [
        (word, *accent_variants(word), *spelling_variants(word), *_accented(word, accented))
        for word in words
    ]
    stems = {form: PLAIN(form) for each in forms for form in each}
    known = _known(search_index, [stem for each in stems.values() for stem in each])
    return [
        word
        for word, each in zip(words, forms, strict=True)
        if not any(known.issuperset(stems[form]) for form in each)
    ]


def _accented(word: str, accented: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for form in folded_forms(word):
        yield from accented.get(form, ())


def _known(search_index: SearchIndex, stems: Sequence[str]) -> frozenset[str]:
    """Return those of these stems that posts have."""
    distinct = list(dict.fromkeys(stems))
    in_answers, in_questions = (
        index.frequencies(WORDS.name, distinct).tolist()
        for index in (search_index.answers, search_index.questions)
    )
    having = zip(distinct, in_answers, in_questions, strict=True)
    return frozenset(stem for stem, *numbers in having if any(numbers))


def _frequent_forms(search_index: SearchIndex, words: Sequence[str]) -> dict[str, str]:
    """Return much more frequent words that differ by one letter from rare ones of a query."""
    if len(words) > MOST_CORRECTED:
        return {}
    pairs = ((word, more_frequent(word, search_index.vocabulary)) for word in words)
    return {word: frequent for word, frequent in pairs if frequent is not None}


def _expansions(
    search_index: SearchIndex, words: Iterable[str], rarely: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the stems of other spellings of words that posts have, by the stems of the words."""
    accented = search_index.vocabulary.accented
    variants: dict[str, list[str]] = {}
    for word in dict.fromkeys(words):
        others = [*accent_variants(word), *spelling_variants(word), *_accented(word, accented)]
        if word in rarely:
            others.append(rarely[word])
        own = PLAIN(word)
        stems = [stem for other in others for stem in PLAIN(other) if stem not in own]
        if stems:
            for token in own[:1]:
                variants.setdefault(token, []).extend(stems)
    known = _known(search_index, [stem for each in variants.values() for stem in each])
    kept = {
        token: tuple(stem for stem in dict.fromkeys(stems) if stem in known)
        for token, stems in variants.items()
    }
    return {token: stems for token, stems in kept.items() if stems}


def _replaced(content: Content, corrections: Mapping[str, str]) -> Content:
    if not corrections:
        return content
    return tuple(
        _replaced_text(piece, corrections) if isinstance(piece, str) else piece for piece in content
    )


def _replaced_text(text: str, corrections: Mapping[str, str]) -> str:
    """Return a text with corrected words; one with a capital letter keeps it."""

    def corrected(match: re.Match[str]) -> str:
        word = match[0]
        base = _base_form(word)
        if base not in corrections:
            return word
        new = corrections[base] + word[len(base) :]
        return new.capitalize() if word[0].isupper() else new

    return _WORD.sub(corrected, text)


def _as_typed(typed: TypedTopic) -> str:
    return typed.interpretation.text or plain_text(typed.topic.title)


def _suggestion(typed: TypedTopic, corrections: Mapping[str, str]) -> str:
    """Return the query as it was typed, with corrected words."""
    parts = typed.interpretation.parts
    if not parts:
        return plain_text(_replaced(typed.topic.title, corrections))
    return "".join(
        _replaced_text(part.source, corrections)
        if part.kind in (PartKind.WORDS, PartKind.PHRASE)
        else part.source
        for part in parts
    )


def _phrases(texts: Iterable[str]) -> tuple[Phrase, ...]:
    phrases = (Phrase(text, np.array(words_in_order((text,)), np.uint64)) for text in texts)
    return tuple(phrase for phrase in phrases if len(phrase.words))
