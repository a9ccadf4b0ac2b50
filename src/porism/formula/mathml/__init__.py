"""MathML in and out: Presentation MathML and layout trees, Content MathML and operator trees."""

from porism.formula.mathml.content import content_mathml, read_content
from porism.formula.mathml.presentation import presentation_mathml
from porism.formula.mathml.presentation_reader import read_as_written, read_presentation

__all__ = [
    "content_mathml",
    "presentation_mathml",
    "read_as_written",
    "read_content",
    "read_presentation",
]
