"""What the models of an index are for: ``porism index --model ROLE=MODEL``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from porism.embed.models import local_model
from porism.errors import PorismError


class ModelRole(StrEnum):
    """A model that systems open while they search; an index stores where it is."""

    CROSS_ENCODER = "cross-encoder"
    """It reads a question together with an answer: for re-ranking."""
    LATE_INTERACTION = "colbert"
    """An encoder whose token vectors are compared; else that of the vectors is."""
    SPARSE = "sparse"
    """A masked language model that gives texts weighted words (SPLADE)."""
    FASTTEXT = "fasttext"
    """Word vectors of ``porism train fasttext``."""
    CONCEPTS = "concepts"
    """A table of formula concepts with their names."""
    AMR = "amr"
    """A model of amrlib that parses sentences; else rules do."""
    SUMMARY = "summary"
    """A BERT model whose hidden states stand for sentences in summaries; else that of MiniLM."""


class VectorRole(StrEnum):
    """A set of vectors of texts that an index can have, by a model of its own."""

    TEXTS = "vectors"
    """Questions and answers with LaTeX, by a sentence encoder: what most systems use."""
    COMPUBERT = "compubert"
    """The same with formulas in prefix notation."""
    FORMULA2VEC = "formula2vec"
    """The same by a doc2vec model."""


@dataclass(frozen=True, slots=True)
class IndexModels:
    """The models that an index is given: that of its usual vectors, and others by their roles."""

    usual: str | None = None
    vectors: Mapping[VectorRole, str] = field(default_factory=dict)
    rankers: Mapping[str, str] = field(default_factory=dict)

    def has(self, role: str) -> bool:
        """Whether an index still has the model of a role, if it had one: none removes it here."""
        return self.rankers.get(role) != ""


def parsed_models(values: Iterable[str]) -> IndexModels:
    """Return models as users name them: ``MODEL`` for the vectors, or ``ROLE=MODEL``.

    What a role of rankers names must be there; its path becomes absolute. ``ROLE=`` removes the
    model of such a role.

    >>> parsed_models(["wordllama", "compubert=minilm"])
    IndexModels(usual='wordllama', vectors={<VectorRole.COMPUBERT: 'compubert'>: 'minilm'}, \
rankers={})
    """
    usual: list[str] = []
    vectors: dict[VectorRole, str] = {}
    rankers: dict[str, str] = {}
    for value in values:
        role, mark, model = value.partition("=")
        if not mark or Path(value).exists():
            usual.append(value)
        elif role == VectorRole.TEXTS:
            usual.append(model)
        elif role in tuple(VectorRole):
            vectors[VectorRole(role)] = model
        elif role in tuple(ModelRole):
            rankers[ModelRole(role)] = _place(role, model)
        else:
            roles = ", ".join((*VectorRole, *ModelRole))
            raise PorismError(f"{value!r}: there is no role {role!r} of models; these are: {roles}")
    if len(usual) > 1:
        raise PorismError(f"an index has vectors by one model, not by {' and '.join(usual)}")
    return IndexModels(usual[0] if usual else None, vectors, rankers)


def _place(role: str, model: str) -> str:
    if not model:
        return ""
    place = local_model(model)
    if not Path(place).exists():
        raise PorismError(f"{role}={model}: there is no such model")
    return place
