"""The tokens of Tangent-L as MathDowsers used it in 2021 (S4 sections 2.1 and 2.3).

Basic tokens:

    (V!x,+,n)      pair: two adjacent symbols and the edge from the first to the second
    (V!y,!0)       terminal: a symbol with nothing attached to it
    (V!x,[a,n])    compound: a symbol with two or more things attached to it, with their edges

Repetition tokens, which begin with a brace so that a ranking can weight them separately:

    {V!x,nna}      a symbol that occurs again below itself (to the right counts as below)
    {V!x,a,nn}     two occurrences on different branches, by their paths from the fork

and each again with its location as last item: the path from the formula's first symbol to the
token's first symbol, for repetitions to the fork. Paths of more than five steps are run-length
encoded. The comma between cells is not a symbol, since the edge ``e`` expresses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from porism.formula.features.normalisation import (
    NO_NORMALISATION,
    Normalisation,
    NormalisationRules,
    normalisation_rules,
)
from porism.formula.features.tangent_layout import (
    SYMBOL_NAMES,
    TERMINAL,
    WILDCARD,
    LayoutSymbol,
    Path,
    fork,
    is_wildcard,
    path_text,
    symbol_paths,
    symbols,
)
from porism.formula.tree import NEXT, Tree

MAX_REPEATS = 16
"""Occurrences of a symbol that are paired as repetitions, the first in reading order.

S4 pairs all, which for a row of 50,000 equal symbols would be a billion tokens.
"""

_ANY = "?" + WILDCARD
"""The label of a wildcard, whatever its name."""


def tangent_l(tree: Tree, flags: Normalisation = NO_NORMALISATION) -> list[str]:
    """Tangent-L's tokens of a layout tree, as a bag in a fixed order.

    Wildcards of a query become ``*``; they make no terminals, and no pairs among themselves.

    >>> from porism.formula.tree import parse_tree
    >>> tangent_l(parse_tree("[V!x,a[N!2]]"))
    ['(V!x,N!2,a)', '(V!x,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    """
    rules = normalisation_rules(flags)
    layout = symbols(tree, rules.unwritten)
    paths = symbol_paths(layout)
    return [*_basic(layout, paths, rules), *_repetitions(layout, paths, rules)]


def tangent_l_basic(tree: Tree, flags: Normalisation = NO_NORMALISATION) -> list[str]:
    """The tokens of Tangent-L in 2020: those of ``tangent_l`` without repetitions."""
    rules = normalisation_rules(flags)
    layout = symbols(tree, rules.unwritten)
    return list(_basic(layout, symbol_paths(layout), rules))


def _basic(
    layout: list[LayoutSymbol], paths: list[Path], rules: NormalisationRules
) -> Iterator[str]:
    locations = [path_text(path) for path in paths]
    yield from _pairs(layout, locations, rules)
    yield from _terminals_and_compounds(layout, locations, rules)


def tangent_l_synonyms(tree: Tree, flags: Normalisation = NO_NORMALISATION) -> list[str]:
    """The tokens to index besides ``tangent_l``, so that queries with wildcards match them.

    Each pair with either symbol replaced by ``*``, each compound and each repetition with its only
    symbol replaced. Wildcards match neither terminals nor pairs of two wildcards. The symbol is
    replaced before normalisation, as in a query.
    """
    rules = normalisation_rules(flags)
    layout = symbols(tree, rules.unwritten)
    paths = symbol_paths(layout)
    locations = [path_text(path) for path in paths]
    tokens: list[str] = []
    for place, (label, parent, edge) in enumerate(layout):
        if edge:
            left = layout[parent].label
            for first, second in ((_ANY, label), (left, _ANY)):
                tokens += _pair(first, second, edge, (locations[parent], locations[place]), rules)
    wild = [symbol._replace(label=_ANY) for symbol in layout]
    tokens += _terminals_and_compounds(wild, locations, rules)
    tokens += (
        f"{{{WILDCARD}{token[token.index(',') :]}" for token in _repetitions(layout, paths, rules)
    )
    return tokens


def _located(token: str, location: str) -> tuple[str, str]:
    """A token without its closing bracket, completed without and with its location."""
    close = "}" if token[0] == "{" else ")"
    return token + close, f"{token},{location}{close}"


def _pairs(
    layout: list[LayoutSymbol], locations: list[str], rules: NormalisationRules
) -> Iterator[str]:
    for place, (label, parent, edge) in enumerate(layout):
        if edge:
            ends = (locations[parent], locations[place])
            yield from _pair(layout[parent].label, label, edge, ends, rules)


def _pair(
    first: str, second: str, edge: str, ends: tuple[str, str], rules: NormalisationRules
) -> tuple[str, ...]:
    """A pair, reversed if a rule says so; only neighbours in a row are.

    It is located at its first symbol, or, if it may be reversed, at the operator that does so:
    otherwise A + B and B + A would share no located pair.
    """
    if is_wildcard(first) and is_wildcard(second):
        return ()
    location = ends[0]
    if edge == NEXT:
        if first not in rules.central and second in rules.central:
            location = ends[1]
        if second in rules.unordered:
            swap = first not in rules.unordered or second < first
        else:
            swap = first not in rules.unordered and (
                first in rules.reversed or second in rules.reversed
            )
        if swap:
            first, second = second, first
    canonical = rules.canonical
    one, other = (SYMBOL_NAMES[canonical.get(label, label)] for label in (first, second))
    return _located(f"({one},{other},{edge}", location)


def _terminals_and_compounds(
    layout: list[LayoutSymbol], locations: list[str], rules: NormalisationRules
) -> Iterator[str]:
    edges: list[list[str]] = [[] for _ in layout]
    for _, parent, edge in layout:
        if edge:
            edges[parent].append(edge)
    for (label, _, _), location, below in zip(layout, locations, edges, strict=True):
        name = SYMBOL_NAMES[rules.canonical.get(label, label)]
        if len(below) > 1:
            yield from _located(f"({name},[{','.join(below)}]", location)
        elif not below and name != WILDCARD:
            yield from _located(f"({name},{TERMINAL}", location)


def _repetitions(
    layout: list[LayoutSymbol], paths: list[Path], rules: NormalisationRules
) -> Iterator[str]:
    occurrences: dict[str, list[Path]] = {}
    for (label, _, _), path in zip(layout, paths, strict=True):
        occurrences.setdefault(rules.canonical.get(label, label), []).append(path)
    for label, where in occurrences.items():
        for first, second in combinations(where[:MAX_REPEATS], 2):
            common, *rests = fork(first, second)
            steps = ",".join(path_text(rest) for rest in rests if rest)
            yield from _located(f"{{{SYMBOL_NAMES[label]},{steps}", path_text(common))
