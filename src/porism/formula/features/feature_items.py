"""Features as tuples of their items instead of strings, to count them by item or by kind."""

from __future__ import annotations

from sys import intern

Items = tuple[str, ...]


def feature_items(token: str) -> Items:
    """The items of a feature, beginning with its bracket; equal items of all tuples are one object.

    The first item is the kind of the feature: ``(`` for pairs, terminals and compounds, ``{`` for
    repetitions, ``/`` for paths. ``feature_text`` is the inverse.

    >>> feature_items("(V!x,[a,n],nn)"), feature_items("{V!x,nn}"), feature_items("/VAR/ADD")
    (('(', 'V!x', '[a,n]', 'nn'), ('{', 'V!x', 'nn'), ('/', 'VAR', 'ADD'))
    """
    kind = token[0]
    if kind == "/":
        items = token[1:].split("/")
    elif ",[" in token:  # no name has a comma or a bracket, see tangent_layout.SYMBOL_NAMES
        name, _, rest = token[1:-1].partition(",[")
        edges, _, location = rest.partition("]")
        items = [name, f"[{edges}]", *location.split(",")[1:]]
    else:
        items = token[1:-1].split(",")
    return (intern(kind), *map(intern, items))


def feature_text(items: Items) -> str:
    """The string of a feature with these items.

    >>> feature_text(feature_items("(V!x,[a,n],nn)"))
    '(V!x,[a,n],nn)'
    """
    if items[0] == "/":
        return "/" + "/".join(items[1:])
    return items[0] + ",".join(items[1:]) + (")" if items[0] == "(" else "}")
