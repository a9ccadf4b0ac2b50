"""How well formulas without dollars are read in real titles, and what it costs.

The titles of the mini collection have their formulas marked. Without them a title is prose, in
which a detected formula is mostly wrong, though authors forget dollars too. Typed without dollars,
as LaTeX, in Unicode or in plain text, each formula should be detected with its exact ends and read
as the tree that it has. Letters and numbers alone are words, and left out.
``python -m bench.query_interpretation --show N`` prints examples of what failed.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from bench.shared_data import shared_folder
from porism.errors import LatexError
from porism.formats.dumps.stack_exchange import read_posts
from porism.formats.markup import content
from porism.formula.fonts import unstyled
from porism.formula.latex import parse_latex
from porism.formula.latex.symbol_writer import symbol_latex
from porism.formula.symbols import SUBSCRIPTS, SUPERSCRIPTS
from porism.formula.tree import Edge, Node, Row
from porism.model import Content, Formula
from porism.query.interpretation import interpret
from porism.query.parts import Interpretation, PartKind

PLACEHOLDER = "something"
"""Replaces each formula, so that titles without formulas stay sentences."""


class Inexpressible(Exception):
    """A formula that nobody would type in this syntax."""


def report(show: int = 0) -> None:
    """Print precision, recall and speed."""
    path = shared_folder() / "data/arqmath-mini/Posts.V1.3.xml.gz"
    titles = [content(post.title) for post in read_posts(path) if post.title]
    prose = ["".join(_prose(piece) for piece in title) for title in titles]
    print(f"Queries of {len(titles):,} titles of the mini collection")
    detected = [interpret(text) for text in prose]
    _print_prose(detected, show)
    print("  syntax     formulas  detected  exact ends  same tree")
    for name, writer in WRITERS.items():
        _print_recall(name, titles, writer, show)
    _print_speed(prose)


def _prose(piece: str | Formula) -> str:
    return piece if isinstance(piece, str) else PLACEHOLDER


def _print_prose(detected: Sequence[Interpretation], show: int) -> None:
    kinds = Counter(
        part.syntax.value if part.syntax else part.kind.value
        for each in detected
        for part in each.parts
        if part.kind is not PartKind.WORDS
    )
    changed = sum(bool(each.formulas) for each in detected)
    print(f"  prose with a formula: {changed:,}; parts: {dict(kinds.most_common())}")
    examples = (each for each in detected if each.formulas)
    for each, _ in zip(examples, range(show), strict=False):
        print(f"    {[part.source for part in each.formulas]} in {each.text}")


def _print_recall(
    name: str, titles: Sequence[Content], writer: Callable[[str], str], show: int
) -> None:
    formulas = touched = exact = same = 0
    for title in titles:
        text, places = _typed(title, writer)
        parts = list(_placed(interpret(text))) if places else []
        for start, end, latex in places:
            formulas += 1
            touched += any(first < end and start < last for first, last, _ in parts)
            value = next((each for first, last, each in parts if (first, last) == (start, end)), "")
            exact += bool(value)
            is_same = bool(value) and _is_same(value, latex)
            same += is_same
            if not is_same and show > 0:
                show -= 1
                sources = [text[first:last] for first, last, _ in parts]
                print(f"    {text[start:end]!r} read as {value!r} in {sources}")
    shares = "  ".join(f"{100 * each / max(1, formulas):7.1f} %" for each in (touched, exact, same))
    print(f"  {name:10} {formulas:8,} {shares}")


def _placed(interpretation: Interpretation) -> Iterator[tuple[int, int, str]]:
    at = 0
    for part in interpretation.parts:
        if part.kind is PartKind.FORMULA:
            yield at, at + len(part.source), part.value
        at += len(part.source)


def _typed(title: Content, writer: Callable[[str], str]) -> tuple[str, list[tuple[int, int, str]]]:
    """The title as it is typed, and the places of its formulas; a placeholder for the others."""
    text = ""
    places: list[tuple[int, int, str]] = []
    for piece in title:
        if isinstance(piece, str):
            text += piece
            continue
        try:
            typed = writer(piece.latex).strip(" .,?")
        except (Inexpressible, LatexError):
            typed = ""
        if not typed or _TRIVIAL.fullmatch(typed):
            text += typed or PLACEHOLDER
            continue
        places.append((len(text), len(text) + len(typed), piece.latex))
        text += typed
    return text, places


_TRIVIAL = re.compile(r"-?(?:[A-Za-z]|\d[\d.,]*|pi|alpha|beta|epsilon|infinity)|\W")


def _is_same(value: str, latex: str) -> bool:
    """Whether two formulas have the same layout, or differ only in what plain text cannot say."""
    trees = [parse_latex(each.strip(" .,?")).tree for each in (value, latex)]
    if str(trees[0]) == str(trees[1]):
        return True
    try:
        first, second = (_written(tree.row, is_unicode=False) for tree in trees)
    except Inexpressible:
        return False
    return first.replace(" ", "") == second.replace(" ", "")


# How people type formulas -----------------------------------------------------------------------


def _as_latex(latex: str) -> str:
    return latex


def _as_unicode(latex: str) -> str:
    return _written(parse_latex(latex).tree.row, is_unicode=True)


def _as_plain(latex: str) -> str:
    return _written(parse_latex(latex).tree.row, is_unicode=False)


WRITERS: dict[str, Callable[[str], str]] = {
    "latex": _as_latex,
    "unicode": _as_unicode,
    "plain": _as_plain,
}

_PLAIN = {
    "≤": " <= ", "⩽": " <= ", "≥": " >= ", "⩾": " >= ", "≠": " != ", "→": " -> ", "⇒": " => ",
    "⟹": " => ", "⇔": " <=> ", "V!∞": "infinity", "∑": "sum", "∫": "int", "∏": "prod", "⋅": "*",
    "∈": " in ", "V!…": "...", "V!⋯": "...", "±": "+-", "=": " = ", "<": " < ", ">": " > ",
    "lim": "lim", "mod": " mod ", "&comma;": ", ", "∪": " cup ", "∩": " cap ", "⊂": " subset ",
}  # fmt: skip
_UNICODE = {"=": " = ", "<": " < ", ">": " > ", "mod": " mod ", "&comma;": ", ", "lim": "lim"}
_ASCII = re.compile(r"[A-Za-z]+|[0-9.]+|[-+*/!,:;|()\[\]{}]|′")
_GREEK = re.compile(r"\\([A-Za-z]+)")
_FENCED = re.compile(r"M!(.)(.)1x(\d+)")


def _written(row: Row, is_unicode: bool) -> str:
    text = ""
    is_name = False
    for node in row:
        piece = _node(node, is_unicode)
        begins_name = re.match(r"[A-Za-z]{2}", piece) is not None
        if text[-1:].isalpha() and piece[:1].isalpha() and (is_name or begins_name):
            text += " "
        elif is_name and node.label == "O!divide":
            piece = f"({piece})"
        elif node.label in _BIG and node.parts:
            piece += " "
        is_name = begins_name and not node.parts
        text += piece
    return text.replace("  ", " ")


_BIG = frozenset(("∑", "∫", "∏", "lim", "∬", "∮", "⋃", "⋂", "⨁"))


def _node(node: Node, is_unicode: bool) -> str:
    parts = dict(node.parts)
    text = _base(node.label, parts, is_unicode)
    for edges, sign, small in (
        ((Edge.BELOW, Edge.UNDER), "_", SUBSCRIPTS),
        ((Edge.ABOVE, Edge.OVER), "^", SUPERSCRIPTS),
    ):
        for edge in edges:
            script = parts.pop(edge, None)
            if script is not None:
                text += _script(_written(script, is_unicode), sign, small if is_unicode else {})
    if parts:
        raise Inexpressible(node.label)
    return text


def _base(label: str, parts: dict[Edge, Row], is_unicode: bool) -> str:
    if label == "O!divide":
        over = _grouped(_written(parts.pop(Edge.OVER), is_unicode))
        return f"{over}/{_grouped(_written(parts.pop(Edge.UNDER), is_unicode))}"
    if label == "O!root" and Edge.PRE_ABOVE not in parts:
        inner = _written(parts.pop(Edge.WITHIN), is_unicode)
        return f"√{_grouped(inner)}" if is_unicode else f"sqrt({inner})"
    fenced = _FENCED.fullmatch(label)
    if fenced is not None:
        cells = [parts.pop(Edge.WITHIN, ())]
        while len(cells) < int(fenced[3]):  # each cell is attached to the first node before it
            if not cells[-1]:
                raise Inexpressible(label)
            first, *others = cells[-1]
            following = dict(first.parts).get(Edge.ELEMENT, ())
            kept = tuple(part for part in first.parts if part[0] is not Edge.ELEMENT)
            cells[-1] = (Node(first.label, kept), *others)
            cells.append(following)
        return fenced[1] + "".join(_written(cell, is_unicode) for cell in cells) + fenced[2]
    return _symbol(label, is_unicode)


def _symbol(label: str, is_unicode: bool) -> str:
    table = _UNICODE if is_unicode else _PLAIN
    if label in table:
        return table[label]
    text = label[2:] if label[1:2] == "!" else label
    if label[:2] in ("O!", "M!", "T!", "?"):
        raise Inexpressible(label)
    if _ASCII.fullmatch(text):
        return text.replace("′", "'")
    if is_unicode:
        return text
    letter, style = unstyled(text)
    if style and letter.isascii():
        return letter
    name = _GREEK.fullmatch(symbol_latex(label))
    if name is None or not label.startswith("V!"):
        raise Inexpressible(label)
    return name[1]


def _script(text: str, sign: str, small: dict[str, str]) -> str:
    back = {plain: char for char, plain in small.items()}
    if text and all(char in back for char in text):
        return "".join(back[char] for char in text)
    return text if text.strip("'") == "" else sign + _grouped(text.strip())


def _grouped(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"[^\W_]|[0-9.]+|[a-z]{2,}", text) else f"({text})"


# Speed ------------------------------------------------------------------------------------------


def _print_speed(prose: Sequence[str]) -> None:
    short = [text[:100] for text in prose if len(text) >= 80][:200]
    longest = " ".join(prose)[:10_000]
    formulas = " and ".join(["x^2 + y^2 = (a+b)/c"] * 500)[:10_000]
    print(
        f"  interpretation of about 100 characters: median {_milliseconds(short):.2f} ms; "
        f"of 10,000: prose {_milliseconds([longest]):.1f} ms, "
        f"formulas {_milliseconds([formulas]):.1f} ms"
    )


def _milliseconds(texts: Sequence[str]) -> float:
    times = []
    for text in texts:
        start = time.perf_counter()
        interpret(text)
        times.append(1000 * (time.perf_counter() - start))
    return median(times)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.query_interpretation")
    options.add_argument("--show", type=int, default=0, help="examples to print of each table row")
    report(options.parse_args(sys.argv[1:]).show)


if __name__ == "__main__":
    main()
