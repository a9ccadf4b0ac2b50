r"""References of a LaTeX document as readers see them: numbers, and links where they lead."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from porism.formats.documents.latex.edits import Edit, edited_text
from porism.formats.documents.latex.outline import LabelReference, LabelTarget, Outline, OutlinePart
from porism.formats.documents.latex.prose import LINK, NUMBER


def theorem_edits(parts: Outline, text: str, references: list[Edit], name: str) -> Iterator[Edit]:
    """Links in place of theorems, which are documents of their own."""
    for part in parts.parts:
        if part.is_theorem:
            note = edited_text(text, references, *part.note).text.strip()
            link = _link(part, f"{part.name} ({note})" if note else part.name, name)
            yield Edit(part.start, part.end, f"\n\n{link}.\n\n")


def reference_edits(parts: Outline, name: str) -> Iterator[Edit]:
    """Numbers and links at references and citations, and numbers of inner theorems."""
    for position, number in parts.numbers.items():
        if number:
            yield Edit(position, position, f"\\{NUMBER}{{{number}}}")
    for reference in parts.references:
        text = _citation(reference) if reference.is_citation else _reference(reference, parts, name)
        yield Edit(reference.start, reference.end, text)


def _citation(reference: LabelReference) -> str:
    notes = [note.strip(" []") for note in reference.options.split("]") if note.strip(" []")]
    return f"[{', '.join((*reference.keys, *notes))}]"


def _reference(reference: LabelReference, parts: Outline, name: str) -> str:
    texts = [
        _target(reference.command, key, parts.targets.get(key), name) for key in reference.keys
    ]
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)


def _target(command: str, key: str, target: LabelTarget | None, name: str) -> str:
    """One label of a reference; the label itself if it is not known what it refers to."""
    if target is None or command == "pageref":
        return f"({key})" if command == "eqref" else key
    number = target.number or key
    if command == "eqref":
        number = f"({number})"
    elif command == "nameref":
        number = target.part.title or number
    elif command in ("cref", "Cref", "autoref", "vref"):
        kind = target.kind.lower() if command in ("cref", "vref") else target.kind.capitalize()
        number = f"{kind} ({number})" if target.kind == "equation" else f"{kind} {number}"
    return _link(target.part, number, name)


def _link(part: OutlinePart, text: str, name: str) -> str:
    # Quoted, since names of files may have braces.
    target = quote(f"{name}#{part.anchor}" if part.anchor else name)
    return f"\\{LINK}{{{target}}}{{{text}}}"
