"""Features in general: names, paths, items, Tangent-S pairs, and a golden file.

``pytest tests/formula/test_features.py --update-golden`` updates the golden file.
"""

import json
from collections import Counter
from pathlib import Path as File

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formula.features import (
    Normalisation,
    feature_items,
    feature_text,
    l8,
    leaf_paths,
    symbol_pairs,
    tangent_l,
    wildcard_synonyms,
)
from porism.formula.features.tangent_layout import (
    SYMBOL_NAMES,
    Path,
    extended_path,
    fork,
    path_text,
)
from porism.formula.tree import Node, Tree, parse_tree
from tests.formula.layout_trees import LABELS, layouts, operators, relabelled

GOLDEN = File(__file__).parent / "golden" / "features.jsonl"

LAYOUTS = [
    "[V!x]",
    "[V!x[+[N!3[+[V!x]],a[V!x]]],a[N!2]]",
    "[V!f[M!()1x1[=[∑[O!divide,o[V!x,a[V!n]],u[V!n[!]]],o[V!∞],u[V!n[=[N!0]]]]],w[V!x]]]",
    "[V!x[∈[M!&lsqb;)1x2,w[N!0[&comma;],e[N!1]]]]]",
    "[M!()2x2,w[V!a,e[V!b,e[V!c,e[V!d]]]]]",
    "[O!root[≤[?a[*[T!some text]]]],c[N!3],w[V!x[-[?a]]]]",
]
OPERATORS = [
    "[V!x]",
    "[U!eq,0[V!y],1[U!plus,0[O!SUP,0[V!x],1[N!2]],1[O!minus,0[U!times,0[N!3],1[V!x]]]]]",
    "[O!in,0[V!x],1[O!interval(O-O),0[N!0],1[O!divide,0[?a],1[O!root,0[N!2]]]]]",
]


def test_signs_that_mean_the_same_share_features() -> None:
    for one, other in (("⩽", "≤"), ("⟶", "→"), ("V!⌀", "V!∅")):
        first, second = (Tree("slt", (Node("V!x"), Node(sign))) for sign in (one, other))
        assert l8(first) == l8(second)
        assert tangent_l(first) == tangent_l(second)
        assert str(first) != str(second)
    repeated, mixed = (parse_tree(f"[V!a[≤[V!b[{sign}[V!c]]]]]") for sign in ("≤", "⩽"))
    for flag in (Normalisation(), Normalisation(inequality_equivalence=True)):
        assert tangent_l(repeated, flag) == tangent_l(mixed, flag)
    assert l8(repeated) == l8(mixed)


steps = st.lists(st.sampled_from("nabwe"), max_size=30)


def runs(edges: list[str]) -> Path:
    """A path made step by step."""
    path: Path = ()
    for edge in edges:
        path = extended_path(path, edge)
    return path


@given(steps, steps, steps)
def test_fork_is_the_common_prefix_of_paths(
    common: list[str], first: list[str], second: list[str]
) -> None:
    shared, *rests = fork(runs(common + first), runs(common + second))
    assert sum(count for _, count in shared) >= len(common)
    for rest, whole in zip(rests, (common + first, common + second), strict=True):
        edges = [edge for edge, count in (*shared, *rest) for _ in range(count)]
        assert edges == whole
    assert not (rests[0] and rests[1] and rests[0][0][0] == rests[1][0][0])


@pytest.mark.parametrize(
    ("edges", "string"), [("", "-"), ("nna", "nna"), ("nnnnn", "nnnnn"), ("nnnnaan", "4n2a1n")]
)
def test_long_paths_are_run_length_encoded(edges: str, string: str) -> None:
    assert path_text(runs(list(edges))) == string


@given(st.text(max_size=8), st.text(max_size=8))
def test_different_labels_have_different_names(one: str, other: str) -> None:
    for label in (one, other):
        assert not set(",/[] \t\n") & set(SYMBOL_NAMES[label])
    wild = [label[:1] == "?" and len(label) > 1 for label in (one, other)]
    spaced = any(char.isspace() and char != " " for char in one + other)
    if one != other and not any(wild) and not spaced:
        assert SYMBOL_NAMES[one] != SYMBOL_NAMES[other]


@given(layouts())
def test_items_of_layout_features_give_their_text(tree: Tree) -> None:
    tokens = [*l8(tree), *tangent_l(tree), *symbol_pairs(tree), *wildcard_synonyms(l8(tree))]
    assert [feature_text(feature_items(token)) for token in tokens] == tokens
    assert len({*map(feature_items, tokens)}) == len({*tokens})


@given(operators())
def test_items_of_paths_give_their_text(tree: Tree) -> None:
    assert [feature_text(feature_items(token)) for token in leaf_paths(tree)] == leaf_paths(tree)


def test_equal_items_are_one_object() -> None:
    first, second = (feature_items("(V!longname,V!other,n)")[1] for _ in range(2))
    assert first is second


PAIRS = {
    "": [],
    "[V!x,a[N!2]]": ["(V!x,N!2,a)", "(V!x,!0,n)", "(N!2,!0,n)"],
    "[V!x[+[V!y]],a[N!2]]": [
        *("(V!x,N!2,a)", "(V!x,+,n)", "(+,V!y,n)", "(V!x,V!y,nn)"),
    ],
    "[?a[V!b[?c]]]": ["(*,V!b,n)", "(V!b,*,n)"],
}


@pytest.mark.parametrize("text", PAIRS)
def test_pairs_worked_example(text: str) -> None:
    assert symbol_pairs(parse_tree(text)) == PAIRS[text]


def test_pairs_reach_as_far_as_the_window() -> None:
    tree = Tree("slt", tuple(Node(f"V!{letter}") for letter in "abcdefgh"))
    assert "(V!a,V!e,nnnn)" in symbol_pairs(tree)
    assert not [token for token in symbol_pairs(tree) if token.startswith("(V!a,V!f,")]
    assert "(V!a,V!h,7n)" in symbol_pairs(tree, window=7)
    assert len(symbol_pairs(tree, window=1)) == 7


@given(layouts([*LABELS, "?a", "?b"]))
def test_pairs_match_wildcards(query: Tree) -> None:
    tokens = symbol_pairs(relabelled(query, {"?a": "V!u", "?b": "V!v"}))
    assert not Counter(symbol_pairs(query)) - Counter([*tokens, *wildcard_synonyms(tokens)])


def test_pairs_of_a_long_row_are_bounded() -> None:
    assert len(symbol_pairs(Tree("slt", (Node("V!x"),) * 50_000))) < 4 * 50_000


def _golden() -> str:
    lines: list[dict[str, object]] = []
    for text in LAYOUTS:
        tree = parse_tree(text)
        features = {"l8": l8(tree), "tangent-l": tangent_l(tree), "pairs": symbol_pairs(tree)}
        lines.append({"slt": text, **features})
    for text in OPERATORS:
        lines.append({"opt": text, "paths": leaf_paths(parse_tree(text, "opt"))})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def test_golden_file(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden", default=False):
        GOLDEN.write_text(_golden(), encoding="utf-8")
    assert _golden() == GOLDEN.read_text(encoding="utf-8")
