"""L8 tuples: worked examples, a plain implementation to compare with, wildcards, and bounds."""

import time
from collections import Counter
from itertools import combinations, groupby, takewhile

import pytest
from hypothesis import given

from porism.formula.features import l8, wildcard_synonyms
from porism.formula.features.l8_tuples import ANCHORS, MAX_PATH, MAX_REPEATS
from porism.formula.features.tangent_layout import SYMBOL_NAMES, symbols
from porism.formula.tree import Edge, Node, Tree, parse_tree
from tests.formula.layout_trees import LABELS, layouts, relabelled

EXAMPLES = {
    "": "",
    "[V!x]": "(V!x,!0) (V!x,!0,-)",
    # The example of mathtuples' README, y_i^n = n + x^n. After the equals sign paths begin anew,
    # so the n that follows it is at the origin, and the last n three steps from it.
    "[V!y[=[V!n[+[V!x,a[V!n]]]]],a[V!n],b[V!i]]": """
        (V!y,V!n,a) (V!y,V!n,a,-) (V!n,!0) (V!n,!0,a) (V!y,V!i,b) (V!y,V!i,b,-) (V!i,!0) (V!i,!0,b)
        (V!y,=,n) (V!y,=,n,-) (V!y,[a,b,n]) (V!y,[a,b,n],-)
        (=,V!n,n) (=,V!n,n,n) (V!n,+,n) (V!n,+,n,-) (+,V!x,n) (+,V!x,n,n)
        (V!x,V!n,a) (V!x,V!n,a,nn) (V!n,!0) (V!n,!0,nna)
        {V!n,a} {V!n,a,-} {?V,a} {?V,a,-}
        {V!n,a,nna} {V!n,a,nna,-} {?V,a,nna} {?V,a,nna,-}
        {V!n,nna} {V!n,nna,-} {?V,nna} {?V,nna,-}
    """,
    # An interval: the comma is no symbol, the cells are neighbours by e.
    "[V!x[∈[M!()1x2,w[N!0[&comma;],e[N!1]]]]]": """
        (V!x,∈,n) (V!x,∈,n,-) (∈,M!()1x2,n) (∈,M!()1x2,n,n) (M!()1x2,N!0,w) (M!()1x2,N!0,w,nn)
        (N!0,N!1,e) (N!0,N!1,e,nnw) (N!1,!0) (N!1,!0,nnwe)
    """,
    # A cell of several symbols has both edges; the last of the cell is a terminal.
    "[M!{1x2,w[V!a[V!b],e[V!c]]]": """
        (M!{1x2,V!a,w) (M!{1x2,V!a,w,-) (V!a,V!b,n) (V!a,V!b,n,w) (V!a,V!c,e) (V!a,V!c,e,w)
        (V!a,[n,e]) (V!a,[n,e],w) (V!b,!0) (V!b,!0,wn) (V!c,!0) (V!c,!0,we)
    """,
    # Six steps are still located, in run lengths; seven are not.
    "[V!a[V!b[V!c[V!d[V!e[V!f[V!g,a[V!h]]]]]]]]": """
        (V!a,V!b,n) (V!a,V!b,n,-) (V!b,V!c,n) (V!b,V!c,n,n) (V!c,V!d,n) (V!c,V!d,n,nn)
        (V!d,V!e,n) (V!d,V!e,n,nnn) (V!e,V!f,n) (V!e,V!f,n,nnnn) (V!f,V!g,n) (V!f,V!g,n,nnnnn)
        (V!g,V!h,a) (V!g,V!h,a,6n) (V!h,!0)
    """,
    # Case is kept, and what is not a letter is spelled out.
    "[V!X[*[&comma;[T!a b]]]]": """
        (V!X,&ast;,n) (V!X,&ast;,n,-) (&ast;,&comma;,n) (&ast;,&comma;,n,n)
        (&comma;,T!a&sp;b,n) (&comma;,T!a&sp;b,n,nn) (T!a&sp;b,!0) (T!a&sp;b,!0,nnn)
    """,
    # A wildcard: no terminal, no pair with another one, and its repetition is of no known type.
    "[?a[+[?a[?b]]]]": "(*,+,n) (*,+,n,-) (+,*,n) (+,*,n,n) {*,nn} {*,nn,-}",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_worked_example(text: str) -> None:
    assert Counter(l8(parse_tree(text))) == Counter(EXAMPLES[text].split())


def _spelled(path: str) -> str:
    if len(path) > 5:
        return "".join(f"{len(list(run))}{edge}" for edge, run in groupby(path))
    return path or "-"


def _equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _plain(tree: Tree) -> Counter[str]:
    """The definition, one symbol after another, with no care for speed; no wildcards."""
    layout = symbols(tree)
    paths: list[str] = []
    edges: list[list[str]] = [[] for _ in layout]
    bodies: list[tuple[str, str]] = []
    for label, parent, edge in layout:
        anchored = edge and SYMBOL_NAMES[layout[parent].label] in ANCHORS
        paths.append("" if not edge or anchored else paths[parent] + edge)
        if edge:
            edges[parent].append(edge)
            bodies.append(
                (
                    f"({SYMBOL_NAMES[layout[parent].label]},{SYMBOL_NAMES[label]},{edge}",
                    paths[parent],
                )
            )
    for (label, _, _), path, out in zip(layout, paths, edges, strict=True):
        if len(out) != 1:
            bodies.append(
                (f"({SYMBOL_NAMES[label]},{'[' + ','.join(out) + ']' if out else '!0'}", path)
            )
    for label in {symbol.label for symbol in layout}:
        where = [path for symbol, path in zip(layout, paths, strict=True) if symbol.label == label]
        kind = label.split("!")[0] if "!" in label[1:] else "O"
        for pair in combinations(where[:MAX_REPEATS], 2):
            common = "".join(one for one, _ in takewhile(_equal, zip(*pair, strict=False)))
            rests = [_spelled(path[len(common) :]) for path in pair if path != common]
            for name in (SYMBOL_NAMES[label], "?" + kind):
                bodies.append((f"{{{name},{','.join(rests) or '-'}", common))
    tokens: Counter[str] = Counter()
    for body, path in bodies:
        close = "}" if body[0] == "{" else ")"
        tokens[body + close] += 1
        if 1 + len(path) < 8:
            tokens[f"{body},{_spelled(path)}{close}"] += 1
    return tokens


@given(layouts())
def test_l8_equals_the_plain_implementation(tree: Tree) -> None:
    assert Counter(l8(tree)) == _plain(tree)


@given(layouts())
def test_same_tree_gives_same_tuples_in_same_order(tree: Tree) -> None:
    assert l8(tree) == l8(parse_tree(str(tree)))


@given(layouts())
def test_renaming_a_letter_changes_only_tuples_that_name_it(tree: Tree) -> None:
    renamed = l8(relabelled(tree, {"V!x": "V!new"}))
    assert [token.replace("V!new", "V!x") for token in renamed] == l8(tree)


@given(layouts([*LABELS, "?a", "?b"]))
def test_formula_matches_its_wildcard_query(query: Tree) -> None:
    formula = relabelled(query, {"?a": "V!u", "?b": "V!v"})
    tokens = l8(formula)
    assert not Counter(l8(query)) - Counter([*tokens, *wildcard_synonyms(tokens)])


def test_commas_in_a_row_are_symbols() -> None:
    assert "(V!a,&comma;,n)" in l8(parse_tree("[V!a[&comma;[V!b]]]"))


@pytest.mark.parametrize("label", ["V!x", "="])
def test_long_row_of_one_symbol_is_bounded(label: str) -> None:
    start = time.process_time()
    tokens = l8(Tree("slt", (Node(label),) * 50_000))
    assert time.process_time() - start < 5
    assert len(tokens) < 3 * 50_000


def test_many_cells_are_bounded() -> None:
    cells = tuple((Edge.ELEMENT, (Node(f"N!{place}"),)) for place in range(50_000))
    tokens = l8(Tree("slt", (Node("M!1x50001", ((Edge.WITHIN, (Node("N!x"),)), *cells)),)))
    assert tokens[-1] == "(N!49999,!0)"
    assert max(map(len, tokens)) < 40


def test_symbols_far_from_the_origin_have_no_duplicates() -> None:
    far = (Node("V!y"), *[Node(f"N!{place}") for place in range(MAX_PATH)], Node("V!y"))
    assert not [token for token in l8(Tree("slt", far)) if token[0] == "{"]
    assert "{V!y,100n}" in l8(Tree("slt", far[:-2] + far[-1:]))
