"""Filters of a search: as a person states them, and as an index applies them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from porism.filters import (
    FilterValue,
    FilterValues,
    Number,
    check_filter_values,
    label_groups,
    used_filters,
    value_labels,
)
from porism.inverted import Filter
from porism.inverted.query import LABELS
from porism.searchindex.index_folder import SearchIndex


@dataclass(frozen=True, slots=True, init=False)
class PostFilter:
    """Which posts a search may return: those that pass all filters given.

    The names and the values that they take are those of ``porism.filters.FILTERS``. None, False
    and no texts at all are the same as no filter.

    >>> PostFilter(tag=("sets",), until=2015, accepted=False)
    PostFilter(values={'tag': ('sets',), 'until': 2015})
    """

    values: FilterValues

    def __init__(self, **values: FilterValue | None) -> None:
        used = {
            name: value
            for name, value in values.items()
            if value is not None and value is not False and value != ()
        }
        check_filter_values(used)
        object.__setattr__(self, "values", used)

    def narrowed(self, values: FilterValues) -> PostFilter:
        """The same with further values: more texts for a filter, and the stricter of two numbers.

        >>> PostFilter(tag=("sets",), votes=3).narrowed({"tag": ("logic",), "votes": 1})
        PostFilter(values={'tag': ('sets', 'logic'), 'votes': 3})
        """
        joined = dict(self.values)
        for spec in used_filters(values):
            old, new = joined.get(spec.name), values[spec.name]
            if isinstance(old, tuple) and isinstance(new, tuple):
                new = tuple(dict.fromkeys((*old, *new)))
            elif isinstance(old, int) and isinstance(new, int):
                is_least = isinstance(spec.takes, Number) and spec.takes.is_maximum
                new = min(old, new) if is_least else max(old, new)
            joined[spec.name] = new
        return PostFilter(**joined)

    def index_filter(self) -> Filter | None:
        """The same filter for an index; None if all posts pass."""
        groups = label_groups(self.values)
        return Filter(groups) if groups else None


NO_FILTER = PostFilter()


def filter_problems(search_index: SearchIndex, post_filter: PostFilter) -> Iterator[str]:
    """Why no post can pass the filter, if so."""
    specs = used_filters(post_filter.values)
    missing = dict.fromkeys(
        spec.kind for spec in specs if spec.kind not in search_index.manifest.labels
    )
    if missing:
        yield (
            f"this index was made before posts could be filtered by {' and '.join(missing)}; "
            "make it again with porism update"
        )
        return
    indexes = (search_index.answers, search_index.questions, search_index.formulas)
    for spec in specs:
        if spec.nothing:
            for value, labels in value_labels(spec, post_filter.values[spec.name]):
                if not any(index.frequencies(LABELS, labels).any() for index in indexes):
                    yield spec.nothing.format(value)
