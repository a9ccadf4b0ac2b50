"""One formula for a person to read, or as one record for a program, as commands print it."""

from __future__ import annotations

import textwrap
from collections import Counter

from porism.cli.terminal import WIDTH, harmless
from porism.errors import placed
from porism.formula.convert import Value, made_of
from porism.formula.draw import drawing
from porism.formula.forms import Target
from porism.formula.operators import operator_tree
from porism.formula.tree import Parsed

MAX_TOKENS = 200
"""How many different tokens of a feature are listed before the rest is only counted."""


def as_record(source: str, parsed: Parsed) -> dict[str, object]:
    """Every form of the formula by its target's name, and the problems."""
    values: dict[str, object] = {
        target.value: made_of(parsed.tree, target, source) for target in Target
    }
    return {
        "source": source,
        **values,
        "problems": [problem._asdict() for problem in parsed.problems],
    }


def as_text(source: str, parsed: Parsed) -> str:
    """The formula's trees, tokens and other forms, each under a heading."""
    tree = parsed.tree

    def value(target: Target) -> Value:
        return made_of(tree, target, source)

    sections = [
        ("LaTeX", str(value(Target.LATEX))),
        ("Visual id", str(value(Target.VISUAL_ID))),
        ("Layout tree", drawing(tree)),
        ("Operator tree", drawing(operator_tree(tree))),
        _listed("Tangent-L tokens", value(Target.TANGENT_L)),
        _listed("L8 tuples", value(Target.L8)),
        _listed("Paths", value(Target.PATHS)),
        ("MathML", str(value(Target.MATHML))),
    ]
    if parsed.problems:
        told = [placed(source, *problem) for problem in parsed.problems]
        sections.append((f"Problems ({len(told)})", "\n".join(told)))
    return "\n\n".join(f"{title}\n{harmless(_indented(body))}" for title, body in sections)


def _listed(title: str, tokens: Value) -> tuple[str, str]:
    """A heading with the number of tokens, and each different one with its count if not 1."""
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
