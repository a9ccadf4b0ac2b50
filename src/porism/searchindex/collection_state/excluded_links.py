"""Links that an index was built without, as if nobody knew them.

Documents contain the titles of linked questions. Where links are the judgments of topics, these
titles would give the answers away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from porism.collection.store import Collection
from porism.model import DocId
from porism.storage.array_file import StoredFile, open_arrays, verify, write_arrays

LinkedIds = Mapping[str, frozenset[str]]
"""For questions, by id, the ids of others."""


@dataclass(frozen=True, slots=True)
class ExcludedLinks:
    """Pairs of questions whose links are left out of documents, in both directions."""

    by_question: LinkedIds = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_question)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return sum(1 for _ in self.pairs())

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each pair once, in the order of their ids."""
        for question in sorted(self.by_question):
            for other in sorted(self.by_question[question]):
                if question < other:
                    yield question, other

    def of(self, questions: Iterable[str]) -> LinkedIds:
        """Return the excluded links of some questions, to be sent to another process."""
        known = self.by_question
        return {question: known[question] for question in questions if question in known}

    def occur_in(self, collection: Collection) -> bool:
        """Whether the collection has at least one of these links."""
        return any(
            link.related_id in others
            for question, others in self.by_question.items()
            if collection.find_number(question) is not None
            for link in collection.links(question)
        )


NO_LINKS = ExcludedLinks()


def excluded_links(pairs: Iterable[tuple[DocId, DocId]]) -> ExcludedLinks:
    """Return the links between pairs of questions, whatever their direction and kind.

    >>> excluded_links([("2", "1"), ("1", "2"), ("1", "3")]).by_question["1"] == {"2", "3"}
    True
    """
    by_question: dict[str, set[str]] = defaultdict(set)
    for first, second in pairs:
        by_question[first].add(second)
        by_question[second].add(first)
    return ExcludedLinks({question: frozenset(others) for question, others in by_question.items()})


def write_excluded_links(path: Path, links: ExcludedLinks) -> StoredFile | None:
    """Write the links for the next update; there is no file for none."""
    if not links:
        return None
    text = "\n".join(f"{first}\t{second}" for first, second in links.pairs()).encode()
    return write_arrays(path, {"text": np.frombuffer(text, np.uint8)})


def read_excluded_links(folder: Path, stored: StoredFile | None) -> ExcludedLinks:
    """Read the links; the checksum is verified, because the whole file is read."""
    if stored is None:
        return NO_LINKS
    verify(folder, [stored])
    text = bytes(open_arrays(folder, stored)["text"]).decode("utf-8")
    pairs = (line.split("\t") for line in text.split("\n"))
    return excluded_links((DocId(first), DocId(second)) for first, second in pairs)
