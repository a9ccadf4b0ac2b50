"""Agreement of our operator trees with LaTeXML's: topics of 2020 and 2021, and Wikipedia formulas.

Each formula's LaTeX is converted to an operator tree and compared with LaTeXML's Content MathML of
the same formula; both are normalised by ``folded``, which only merges notations of one meaning.
Broken references of LaTeXML are counted separately: parse failures (``cerror``), unknown commands,
and broken entities or letters.
"""

import argparse
import gzip
import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.operator_folding import folded
from bench.shared_data import shared_folder, table
from porism.formula.latex import parse_latex
from porism.formula.mathml.content_reader import read_content
from porism.formula.operators import operator_tree
from porism.formula.tree import BLANK, Node, Tree


class Reference(NamedTuple):
    """A formula of the collection: its LaTeX, and LaTeXML's Content MathML of it."""

    name: str
    latex: str
    content: str


# Reading the collections


def topic_formulas(shared: Path, year: int) -> Iterator[Reference]:
    """The topics' formulas of a year; the LaTeX of 2020 is escaped once more than the others."""
    folder = shared / "data/topics/formulas"
    version = {2020: "2.0", 2021: "1.1"}[year]
    latex = table(folder / f"Topics_{year}_Formulas_latex_V{version}.tsv.gz")
    source = {row["id"]: row["formula"] for row in latex}
    for row in table(folder / f"Topics_{year}_Formulas_opt_V{version}.tsv.gz"):
        text = source[row["id"]]
        content = row.get("formula") or row.get("opt") or ""
        yield Reference(row["id"], html.unescape(text) if year == 2020 else text, content)


def wikipedia_formulas(shared: Path) -> Iterator[Reference]:
    path = shared / "data/ntcir12/wikipedia_38_articles_formulas.tsv.gz"
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
    """Whether LaTeXML failed to parse the formula or received broken commands or letters."""
    return bool(_BROKEN.search(_MISSING.sub("", content))) or not content.strip()


def difference(ours: Node, theirs: Node) -> tuple[str, str]:
    """The labels at the first position, from top and left, where two trees differ."""
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


def tallies(shared: Path) -> Iterator[Tally]:
    """The counts of each collection."""
    for name, references in (
        ("2020", topic_formulas(shared, 2020)),
        ("2021", topic_formulas(shared, 2021)),
        ("Wikipedia", wikipedia_formulas(shared)),
    ):
        tally = Tally(name)
        for reference in references:
            tally.add(reference)
        yield tally


def report(examples: int = 0) -> None:
    """Print the shares, and some differing formulas of each collection with both trees."""
    print("Operator trees equal to LaTeXML's, after the same folding of both")
    differences: Counter[tuple[str, str]] = Counter()
    for tally in tallies(shared_folder()):
        print(f"  {tally}")
        differences += tally.differences
        for reference, ours, theirs in tally.differing[:examples]:
            print(f"\n{reference.name}  {reference.latex.strip()}")
            print(f"  ours   {Tree('opt', (ours,))}\n  theirs {Tree('opt', (theirs,))}")
    common = differences.most_common(8)
    print("  most common differences, ours and LaTeXML's: ", end="")
    print(", ".join(f"{ours} / {theirs} ({count})" for (ours, theirs), count in common))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--show", type=int, default=0, help="differing formulas to print")
    report(options.parse_args().show)
