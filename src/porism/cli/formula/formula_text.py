"""One formula as text, or as one record for JSON."""

from __future__ import annotations

import textwrap
from collections import Counter

from porism.cli.terminal import WIDTH, harmless
from porism.errors import message_with_excerpt
from porism.formula.conversion import Value, convert_tree
from porism.formula.drawings import drawing
from porism.formula.forms import ConversionTarget
from porism.formula.operators import operator_tree
from porism.formula.tree import ParsedTree

MAX_TOKENS = 200
"""Distinct tokens of a feature that are listed; the rest is counted."""


def forms_record(source: str, parsed: ParsedTree) -> dict[str, object]:
    """Every form of the formula by its target's name, and the problems."""
    values: dict[str, object] = {
        target.value: convert_tree(parsed.tree, target, source) for target in ConversionTarget
    }
    return {
        "source": source,
        **values,
        "problems": [problem._asdict() for problem in parsed.problems],
    }


def forms_text(source: str, parsed: ParsedTree) -> str:
    """The formula's trees, tokens and other forms, each under a heading."""
    tree = parsed.tree

    def value(target: ConversionTarget) -> Value:
        return convert_tree(tree, target, source)

    sections = [
        ("LaTeX", str(value(ConversionTarget.LATEX))),
        ("Visual id", str(value(ConversionTarget.VISUAL_ID))),
        ("Layout tree", drawing(tree)),
        ("Operator tree", drawing(operator_tree(tree))),
        _listed("Tangent-L tokens", value(ConversionTarget.TANGENT_L)),
        _listed("L8 tuples", value(ConversionTarget.L8)),
        _listed("Paths", value(ConversionTarget.PATHS)),
        ("MathML", str(value(ConversionTarget.MATHML))),
    ]
    if parsed.problems:
        messages = [message_with_excerpt(source, *problem) for problem in parsed.problems]
        sections.append((f"Problems ({len(messages)})", "\n".join(messages)))
    return "\n\n".join(f"{title}\n{harmless(_indented(body))}" for title, body in sections)


def _listed(title: str, tokens: Value) -> tuple[str, str]:
    """A heading with the number of tokens, and the distinct tokens with counts above 1."""
    assert isinstance(tokens, list), f"{title} are a list"
    counts = Counter(tokens)
    words = [token if count == 1 else f"{token} ×{count}" for token, count in counts.items()]
    if len(words) > MAX_TOKENS:
        words[MAX_TOKENS:] = [f"… and {len(words) - MAX_TOKENS:,} more"]
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 2 > WIDTH:
            lines.append("")
        lines[-1] += f"  {word}" if lines[-1] else word
    return f"{title} ({len(tokens):,})", "\n".join(lines)


def _indented(body: str) -> str:
    return textwrap.indent(body or "(nothing)", "  ")
