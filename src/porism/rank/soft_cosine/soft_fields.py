"""Fields of the soft cosine systems, which are also the streams of tokens of their models.

``porism train fasttext`` reads the same tokens as the fields have, so that terms of an index are
words of the model.
"""

from __future__ import annotations

from porism.analysis import DocumentPart, FieldSpec, FormulaTokens, Unit
from porism.text import UNSTEMMED

_TITLE_AND_ANSWER = frozenset({DocumentPart.TITLE, DocumentPart.ANSWER})

JOINT = FieldSpec(
    "scm", frozenset({DocumentPart.ANSWER}), UNSTEMMED, (FormulaTokens.PREFIX,), k1=1.0, b=0.2
)
"""MIRMU 2020: words and formulas of answers together; b is the slope of the pivoted length."""

JOINT_FORMULAS = FieldSpec(
    JOINT.name, formula_tokens=JOINT.formula_tokens, k1=JOINT.k1, b=JOINT.b, unit=Unit.FORMULAS
)
"""The same for formulas alone."""

TEXT = FieldSpec(
    "scm-words",
    _TITLE_AND_ANSWER,
    UNSTEMMED,
    part_weights=((DocumentPart.TITLE, 2),),
    k1=1.5,
)
"""SCM 2022: words of answers, and those of the question's title twice."""

TUPLES = FieldSpec(
    "scm-tuples",
    _TITLE_AND_ANSWER,
    formula_tokens=(FormulaTokens.L8,),
    part_weights=((DocumentPart.TITLE, 5),),
    k1=1.5,
)
"""SCM 2022: tuples of answers, and those of the question's title five times."""

STREAMS = {"joint": JOINT, "words": TEXT, "tuples": TUPLES}
"""By the names that models have: the field whose tokens a model is trained on."""


def stream_of(spec: FieldSpec) -> str:
    """Return the name of the stream of tokens that a field has."""
    return next(name for name, each in STREAMS.items() if each == spec)
