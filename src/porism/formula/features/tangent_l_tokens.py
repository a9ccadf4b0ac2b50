"""The tokens of Tangent-L as MathDowsers used it in 2021 (S4 sections 2.1 and 2.3).

Basic tokens:

    (V!x,+,n)      pair: two adjacent symbols and the edge from the first to the second
    (V!y,!0)       terminal: a symbol on which nothing hangs
    (V!x,[a,n])    compound: a symbol on which two or more things hang, with their edges

Repetition tokens, which begin with a brace so that a ranking can weigh them apart:

    {V!x,nna}      a symbol that occurs again below itself (to the right counts as below)
    {V!x,a,nn}     two occurrences on different branches, seen from where the branches part

and each again with its location as last item: the path from the formula's first symbol to the
token's first symbol, for repetitions to where the branches part. Paths of more than five steps
are written in run lengths. The comma between cells is not a symbol; the edge ``e`` says as much.
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
"""How many occurrences of a symbol, the first in reading order, are paired as repetitions.

S4 pairs all, which for a row of 50,000 equal symbols would be a thousand million tokens.
"""

_ANY = "?" + WILDCARD
"""The label of a wildcard, whatever its name."""


def tangent_l(tree: Tree, flags: Normalisation = NO_NORMALISATION) -> list[str]:
    """Tangent-L's tokens of a layout tree, as a bag in a fixed order.

    Wildcards of a query stand as ``*``; they make no terminals, and no pairs among themselves.

    >>> from porism.formula.tree import parse_tree
    >>> tangent_l(parse_tree("[V!x,a[N!2]]"))
    ['(V!x,N!2,a)', '(V!x,N!2,a,-)', '(N!2,!0)', '(N!2,!0,a)']
    """
    rule = normalisation_rules(flags)
    found = symbols(tree, rule.unwritten)
    paths = symbol_paths(found)
    return [*_basic(found, paths, rule), *_repetitions(found, paths, rule)]


def tangent_l_basic(tree: Tree, flags: Normalisation = NO_NORMALISATION) -> list[str]:
    """The tokens of Tangent-L as it was in 2020: those of ``tangent_l`` without repetitions."""
    rule = normalisation_rules(flags)
    found = symbols(tree, rule.unwritten)
    return list(_basic(found, symbol_paths(found), rule))


def _basic(found: list[LayoutSymbol], paths: list[Path], rule: NormalisationRules) -> Iterator[str]:
    locations = [path_text(path) for path in paths]
    yield from _pairs(found, locations, rule)
    yield from _terminals_and_compounds(found, locations, rule)


def tangent_l_synonyms(tree: Tree, flags: Normalisation = NO_NORMALISATION) -> list[str]:
    """The tokens to index beside ``tangent_l``, so that queries with wildcards find them.

    Each pair with either symbol replaced by ``*``, each compound and each repetition with its
    only one. Terminals are not found by wildcards, nor are pairs of two wildcards. The symbol is
    replaced before the flags are heeded, as in a query it would be.
    """
    rule = normalisation_rules(flags)
    found = symbols(tree, rule.unwritten)
    paths = symbol_paths(found)
    locations = [path_text(path) for path in paths]
    tokens: list[str] = []
    for place, (label, parent, edge) in enumerate(found):
        if edge:
            left = found[parent].label
            for first, second in ((_ANY, label), (left, _ANY)):
                tokens += _pair(first, second, edge, (locations[parent], locations[place]), rule)
    wild = [symbol._replace(label=_ANY) for symbol in found]
    tokens += _terminals_and_compounds(wild, locations, rule)
    tokens += (
        f"{{{WILDCARD}{token[token.index(',') :]}" for token in _repetitions(found, paths, rule)
    )
    return tokens


def _located(token: str, location: str) -> tuple[str, str]:
    """A token without its closing bracket, completed without and with its location."""
    close = "}" if token[0] == "{" else ")"
    return token + close, f"{token},{location}{close}"


def _pairs(
    found: list[LayoutSymbol], locations: list[str], rule: NormalisationRules
) -> Iterator[str]:
    for place, (label, parent, edge) in enumerate(found):
        if edge:
            ends = (locations[parent], locations[place])
            yield from _pair(found[parent].label, label, edge, ends, rule)


def _pair(
    first: str, second: str, edge: str, ends: tuple[str, str], rule: NormalisationRules
) -> tuple[str, ...]:
    """A pair, turned round if a flag says so; neighbours in a row are all that is turned.

    It is located where its first symbol stands, or, if it is a pair that may be turned, where
    the operator stands that turns it: else A + B and B + A would share no located pair.
    """
    if is_wildcard(first) and is_wildcard(second):
        return ()
    location = ends[0]
    if edge == NEXT:
        if first not in rule.central and second in rule.central:
            location = ends[1]
        if second in rule.unordered:
            swap = first not in rule.unordered or second < first
        else:
            swap = first not in rule.unordered and (
                first in rule.reversed or second in rule.reversed
            )
        if swap:
            first, second = second, first
    canonical = rule.canonical
    one, other = (SYMBOL_NAMES[canonical.get(label, label)] for label in (first, second))
    return _located(f"({one},{other},{edge}", location)


def _terminals_and_compounds(
    found: list[LayoutSymbol], locations: list[str], rule: NormalisationRules
) -> Iterator[str]:
    edges: list[list[str]] = [[] for _ in found]
    for _, parent, edge in found:
        if edge:
            edges[parent].append(edge)
    for (label, _, _), location, below in zip(found, locations, edges, strict=True):
        name = SYMBOL_NAMES[rule.canonical.get(label, label)]
        if len(below) > 1:
            yield from _located(f"({name},[{','.join(below)}]", location)
        elif not below and name != WILDCARD:
            yield from _located(f"({name},{TERMINAL}", location)


def _repetitions(
    found: list[LayoutSymbol], paths: list[Path], rule: NormalisationRules
) -> Iterator[str]:
    occurrences: dict[str, list[Path]] = {}
    for (label, _, _), path in zip(found, paths, strict=True):
        occurrences.setdefault(rule.canonical.get(label, label), []).append(path)
    for label, where in occurrences.items():
        for first, second in combinations(where[:MAX_REPEATS], 2):
            common, *rests = fork(first, second)
            steps = ",".join(path_text(rest) for rest in rests if rest)
            yield from _located(f"{{{SYMBOL_NAMES[label]},{steps}", path_text(common))
