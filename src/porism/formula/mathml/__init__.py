"""Presentation MathML to layout trees and back, Content MathML to operator trees and back."""

from porism.formula.mathml.content_reader import read_content
from porism.formula.mathml.content_writer import content_mathml
from porism.formula.mathml.presentation_reader import (
    read_presentation,
    read_presentation_verbatim,
)
from porism.formula.mathml.presentation_writer import presentation_mathml

__all__ = [
    "content_mathml",
    "presentation_mathml",
    "read_content",
    "read_presentation",
    "read_presentation_verbatim",
]
