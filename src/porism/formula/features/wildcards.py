"""Features to index besides L8 tuples and Tangent-S pairs, so that wildcards match them.

A wildcard ``?x`` of a query becomes ``*`` in its features. An index that should answer such queries
has, for every feature with a symbol, also the feature with ``*`` in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from porism.formula.features.tangent_layout import TERMINAL, WILDCARD


def wildcard_synonyms(tokens: Iterable[str]) -> Iterator[str]:
    """The features with wildcards that ``tokens`` of a formula match, in their order.

    ``(*,s2,p)`` and ``(s1,*,p)`` for pairs, ``(*,[edges])`` for compounds, ``{*,...}`` for
    duplicates, once for the two forms of each; with a location if the token has one. Wildcards
    match neither terminals nor pairs of two wildcards.

    >>> list(wildcard_synonyms(["(V!x,+,n)", "(V!y,!0)", "(V!x,[a,n],-)", "{V!x,nn}", "{?V,nn}"]))
    ['(*,+,n)', '(V!x,*,n)', '(*,[a,n],-)', '{*,nn}']
    """
    for token in tokens:
        name, _, rest = token[1:].partition(",")
        if token[0] == "{":
            if name[0] == "?" and len(name) > 1:
                yield f"{{{WILDCARD},{rest}"
        elif rest[0] == "[":
            yield f"({WILDCARD},{rest}"
        elif not rest.startswith(TERMINAL):
            yield f"({WILDCARD},{rest}"
            yield f"({name},{WILDCARD}{rest[rest.index(',') :]}"
