"""How often our operator trees equal LaTeXML's: topics of 2020 and 2021, and Wikipedia formulas.

Run from the project's root, with the real data where PORISM_SHARED says (default ../shared):

    python -m bench.operator_agreement            shares and the commonest differences
    python -m bench.operator_agreement --show N   also N formulas that differ, with both trees

Each formula's LaTeX is parsed and turned into an operator tree; LaTeXML's Content MathML of the
same formula is read; both are folded by ``folded``, which merges notations of one meaning and
nothing else, and compared. References that LaTeXML itself could not make are counted apart:
parse failures (``cerror``), commands it did not know, and entities or letters broken before it.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import html
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from porism.formula.content import read_content
from porism.formula.content_names import ELEMENTS
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.operators_symbols import IMPLICATIONS, RELATIONS
from porism.formula.tree import BLANK, Node, Tree, operator

csv.field_size_limit(1 << 27)


class Reference(NamedTuple):
    """A formula of the collection: its LaTeX, and LaTeXML's Content MathML of it."""

    name: str
    latex: str
    content: str


# Folding


_SAME_LABELS = {
    "F!⇒": "O!implies",
    "F!⟹": "O!implies",
    "F!⇔": "O!iff",
    "F!⟺": "O!iff",
    "F!↔": "O!iff",
    "F!⟸": "F!⇐",
    "F!⟶": "F!→",
    "F!⟵": "F!←",
    "V!⋯": "V!…",
}
_LINKS = frozenset(RELATIONS.values()) | frozenset(IMPLICATIONS.values())
_IMPLICATIONS = frozenset(_SAME_LABELS.get(label, label) for label in IMPLICATIONS.values())
_STANDARD = frozenset(label[2:] for label in ELEMENTS.values() if label[:2] == "F!") | {
    *("pmod", "d", "deg", "dim", "ker", "hom", "Pr", "lg", "arg"),
}
"""Functions that LaTeXML applies without being told."""


def folded(node: Node) -> Node:
    """``node`` with notations of one meaning merged.

    Nested sums, products, divisions and sequences are flat. Application of a letter or an
    unknown word is a product, and a power of it a power of its argument, as LaTeXML has them; so
    is a differential. A chain of relations lists its operands once, and an implication in it
    divides it. Subscripts come before superscripts. A matrix of one cell is that cell; cases
    list their values and conditions, blank ones left out; bars around a matrix are its
    determinant. Arrows of different length, dots of different height, a word as name or as text,
    and bold and plain digits are the same.
    """
    if not node.parts:
        return _folded_leaf(node.label)
    return _folded(node.label, [folded(operand) for operand in node.operands], node)


def _folded_leaf(label: str) -> Node:
    label = _SAME_LABELS.get(label, label)
    if label[:2] in ("V!", "F!") or (label[:2] == "T!" and label[2:].isalpha()):
        name = "".join(_upright(char) for char in label[2:])
        return Node(("F!" if name in _STANDARD else "V!") + name)
    return Node(unicodedata.normalize("NFKC", label) if label[:2] == "N!" else label)


def _upright(char: str) -> str:
    """Bold italic letters as bold ones: LaTeX has one bold for a letter, LaTeXML two."""
    code = ord(char)
    if 0x1D468 <= code <= 0x1D49B:
        return chr(code - 0x1D468 + 0x1D400)
    if 0x1D71C <= code <= 0x1D755:
        return chr(code - 0x1D71C + 0x1D6A8)
    return char


def _folded(label: str, operands: list[Node], node: Node) -> Node:
    label = _SAME_LABELS.get(label, label)
    if label in ("U!plus", "U!times", "O!form-seq", "U!or", "U!union", "U!intersect"):
        return _flat(label, operands)
    if label == "O!divide" and operands[0].label == "O!divide":
        return operator(label, *operands[0].operands, *operands[1:])
    if label == "U!and":
        return _chain(operands)
    if label == "O!SUB" and operands[0].label == "O!SUP":
        base, above = operands[0].operands
        return operator("O!SUP", operator("O!SUB", base, operands[1]), above)
    if label in ("O!SUP", "O!SUB", "O!factorial") and _is_application(node.operands[0]):
        inner = node.operands[0]
        head, argument = _application(inner.label, [folded(part) for part in inner.operands])
        return _flat("U!times", [head, operator(label, argument, *operands[1:])])
    if _is_application(node):
        return _flat("U!times", list(_application(label, operands)))
    if label == "M!M-1x1":
        return operands[0].operands[0] if operands[0].parts else operands[0]
    if label == "O!cases":
        return _cases(operands)
    if label == "F!abs" and operands[0].label.startswith("M!M-"):
        return operator("F!det", *operands)
    return operator(label, *operands)


def _flat(label: str, operands: list[Node]) -> Node:
    flat: list[Node] = []
    for operand in operands:
        flat += (
            operand.operands if operand.label == label and len(operand.operands) > 1 else [operand]
        )
    if label == "U!times" and Node("O!not") in flat:
        at = flat.index(Node("O!not"))
        if at + 1 < len(flat):
            flat[at:] = [operator("O!not", _flat(label, flat[at + 1 :]))]
    return flat[0] if len(flat) == 1 and label != "U!plus" else operator(label, *flat)


def _is_application(node: Node) -> bool:
    label = node.label.removeprefix("+!")
    if not node.parts or label[:2] != "F!":
        return False
    return label == "F!d" or (label[2:].isalpha() and label[2:] not in _STANDARD)


def _application(label: str, operands: list[Node]) -> tuple[Node, Node]:
    """The function and its argument, several of them as a pair or tuple."""
    if label[:2] == "+!":
        head, *operands = operands
    else:
        head = _folded_leaf("V!" + label[2:])
    if len(operands) == 1:
        return head, operands[0]
    group = "O!interval(O-O)" if len(operands) == 2 else f"M!V-{len(operands)}"
    return head, operator(group, *operands)


def _chain(links: list[Node]) -> Node:
    """Operands and relations in turn, divided where an implication joins two formulas."""
    if not _is_chain(links):
        return _flat("U!and", links)
    sides: list[list[Node]] = []
    joints: list[Node] = []
    side: list[Node] = []
    for link in links:
        composed = link.label[:2] == "+!"
        head = link.operands[0] if composed else Node(link.label)
        left, *rest = link.operands[1 if composed else 0 :]
        right = rest[-1] if rest else BLANK
        if not side:
            side = [left]
        if link.label.removeprefix("+!") in _IMPLICATIONS:
            sides.append(side)
            joints.append(head)
            side = [right]
        else:
            side += [head, right]
    sides.append(side)
    formulas = [_side(side) for side in sides]
    if not joints:
        return formulas[0]
    turns = [formulas[0]]
    for joint, formula in zip(joints, formulas[1:], strict=True):
        turns += [joint, formula]
    return _side(turns)


def _is_chain(links: list[Node]) -> bool:
    """Whether each link begins where the one before it ends, or leaves that out."""
    if not all(link.label.removeprefix("+!") in _LINKS for link in links):
        return False
    for before, link in pairwise(links):
        left = link.operands[1 if link.label[:2] == "+!" else 0]
        if left not in (before.operands[-1], BLANK):
            return False
    return True


def _side(turns: list[Node]) -> Node:
    if len(turns) == 1:
        return turns[0]
    if len(turns) == 3:
        label = "+!" if turns[1].parts else turns[1].label
        return operator(label, *([turns[1]] if turns[1].parts else []), turns[0], turns[2])
    return operator("chain", *turns)


def _cases(operands: list[Node]) -> Node:
    cells = operands
    if len(operands) == 1 and operands[0].label.startswith("M!M-"):
        cells = [cell for row in operands[0].operands for cell in row.operands]
    kept = [cell for cell in cells if cell not in (BLANK, Node("V!otherwise"))]
    return operator("O!cases", *kept)


# Reading the collections


def shared() -> Path:
    return Path(os.environ.get("PORISM_SHARED", "../shared"))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def topic_formulas(year: int) -> Iterator[Reference]:
    """The topics' formulas of a year; 2020's LaTeX was escaped once more than the others'."""
    folder = shared() / "data" / "topics" / "formulas"
    version = {2020: "2.0", 2021: "1.1"}[year]
    latex = _rows(folder / f"Topics_{year}_Formulas_latex_V{version}.tsv.gz")
    source = {row["id"]: row["formula"] for row in latex}
    for row in _rows(folder / f"Topics_{year}_Formulas_opt_V{version}.tsv.gz"):
        text = source[row["id"]]
        content = row.get("formula") or row.get("opt") or ""
        yield Reference(row["id"], html.unescape(text) if year == 2020 else text, content)


def wikipedia_formulas() -> Iterator[Reference]:
    path = shared() / "data" / "ntcir12" / "wikipedia_38_articles_formulas.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            name, latex, _, content = line.rstrip("\n").split("\t")
            yield Reference(name, latex, content)


# Comparing


_BROKEN = re.compile(r"<cerror>|<merror|<mtext>\s*[\\{]|<ci>&amp;</ci>|[\x80-\x9f]|Ã|â")
_MISSING = re.compile(
    r"<cerror>\s*<csymbol cd=\"ambiguous\">\s*missing-subexpression\s*</csymbol>\s*</cerror>"
)


def is_broken(content: str) -> bool:
    """Whether LaTeXML could not parse the formula, or got its commands or letters broken."""
    return bool(_BROKEN.search(_MISSING.sub("", content))) or not content.strip()


def difference(ours: Node, theirs: Node) -> tuple[str, str]:
    """The labels at the first place, from the top and the left, where two trees part."""
    while True:
        if ours.label != theirs.label:
            return ours.label, theirs.label
        if len(ours.operands) != len(theirs.operands):
            counts = len(ours.operands), len(theirs.operands)
            return f"{ours.label} of {counts[0]}", f"{theirs.label} of {counts[1]}"
        pairs = zip(ours.operands, theirs.operands, strict=True)
        ours, theirs = next(pair for pair in pairs if pair[0] != pair[1])


class Tally:
    """Counts of one collection."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.total = self.broken = self.equal = self.equal_broken = 0
        self.differences: Counter[tuple[str, str]] = Counter()
        self.differing: list[tuple[Reference, Node, Node]] = []

    def add(self, reference: Reference) -> None:
        ours = _root(operator_tree(parse_latex(reference.latex).tree))
        theirs = _root(read_content(reference.content).tree)
        self.total += 1
        broken = is_broken(reference.content)
        self.broken += broken
        if ours == theirs:
            self.equal += 1
            self.equal_broken += broken
        elif not broken:
            self.differences[difference(ours, theirs)] += 1
            self.differing.append((reference, ours, theirs))

    def __str__(self) -> str:
        sound = self.total - self.broken
        share = (self.equal - self.equal_broken) / sound
        return (
            f"{self.name:<10} {self.total:5} formulas, {self.broken:4} with a broken reference; "
            f"equal {share:6.1%} of the {sound} sound, {self.equal / self.total:6.1%} of all"
        )


def _root(tree: Tree) -> Node:
    return folded(tree.row[0]) if tree.row else BLANK


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--show", type=int, default=0, help="differing formulas to print")
    options.add_argument("--only", default="", help="2020, 2021 or Wikipedia")
    arguments = options.parse_args()
    if not shared().is_dir():
        sys.exit(f"no data at {shared()}: set PORISM_SHARED")
    differences: Counter[tuple[str, str]] = Counter()
    for name, references in (
        ("2020", topic_formulas(2020)),
        ("2021", topic_formulas(2021)),
        ("Wikipedia", wikipedia_formulas()),
    ):
        if arguments.only in ("", name):
            tally = Tally(name)
            for reference in references:
                tally.add(reference)
            print(tally)
            differences += tally.differences
            for reference, ours, theirs in tally.differing[: arguments.show]:
                print(f"\n{reference.name}  {reference.latex.strip()}")
                print(f"  ours   {Tree('opt', (ours,))}\n  theirs {Tree('opt', (theirs,))}")
    print("\nCommonest differences: ours, LaTeXML's")
    for (ours_label, theirs_label), count in differences.most_common(20):
        print(f"{count:5}  {ours_label}  |  {theirs_label}")


if __name__ == "__main__":
    main()
