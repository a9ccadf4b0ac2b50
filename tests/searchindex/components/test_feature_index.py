"""Features with payloads by formula: the last one written counts, filters and ties are kept."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.inverted import Filter, Index, IndexFormatError
from porism.searchindex.components import feature_index
from porism.searchindex.components.feature_index import (
    FeatureComponent,
    FeatureIndex,
    FeaturePart,
    FeatureSpec,
    Mask,
    ScoredRows,
    best_rows,
    posting_spans,
)
from porism.structure.feature_rows import FeatureRow, feature_rows
from porism.structure.packed_features import PackedFeatures

SPEC = FeatureSpec(PackedFeatures.LAYOUT_PAIRS)
Written = list[tuple[dict[str, dict[int, int]], set[str]]]


class AllowedIds:
    """As much of an inverted index as a search for features needs."""

    def __init__(self, doc_ids: set[str], passing: set[str]) -> None:
        self._ids, self._passing = doc_ids, passing
        self.documents = len(doc_ids)

    def count(self, within: Filter | None) -> int:
        return len(self._passing if within else self._ids)

    def allowed(self, doc_ids: list[str], within: Filter | None) -> np.ndarray:
        wanted = self._passing if within else self._ids
        return np.array([doc_id in wanted for doc_id in doc_ids], bool)

    def doc_ids(self, within: Filter | None) -> list[str]:
        return sorted(self._passing if within else self._ids)


def written(folder: Path, commits: Written) -> FeatureComponent:
    component = FeatureComponent(SPEC)
    for added, deleted in commits:
        writer = component.writer(folder, 1 << 20)
        writer.delete(sorted(deleted))
        rows = [FeatureRow((len(row),), list(row.items())).numbers() for row in added.values()]
        payload = feature_rows([np.array(row, np.uint64) for row in rows], 1)
        writer.add(list(added), payload)
        component = writer.flush()
        writer.close()
    return component


def rows_left(commits: Written) -> dict[str, dict[int, int]]:
    left: dict[str, dict[int, int]] = {}
    for added, deleted in commits:
        left = {doc_id: row for doc_id, row in left.items() if doc_id not in deleted} | added
    return left


def payload_scores(feature: int) -> feature_index.ScorePart:
    def score(part: FeaturePart, allowed: Mask, k: int) -> ScoredRows:
        firsts, lasts = posting_spans(part, np.array([feature], np.uint64))
        span = slice(firsts[0], lasts[0])
        rows = part.rows[span].astype(np.int64)
        kept = allowed[rows] != 0
        return best_rows(part.payloads[span][kept].astype(float), rows[kept], k)

    return score


ROWS = st.dictionaries(st.integers(0, 5), st.integers(1, 4), max_size=4)
COMMITS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("abcdefgh"), ROWS, max_size=5),
        st.sets(st.sampled_from("abcdefgh"), max_size=2),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(COMMITS, st.integers(1, 5), st.sets(st.sampled_from("abcdefgh")))
def test_searches_find_what_was_written_last(
    tmp_path_factory: pytest.TempPathFactory, commits: Written, k: int, passing: set[str]
) -> None:
    folder = tmp_path_factory.mktemp("features")
    opened = FeatureIndex(folder, written(folder, commits))
    left = rows_left(commits)
    assert opened.documents == len(left)
    for within in (None, Filter((("tag",),))):
        ids = set(left) if within is None else passing & set(left)
        index = cast(Index, AllowedIds(set(left), passing & set(left)))
        for feature in range(6):
            expected = sorted(
                ((float(left[each][feature]), each) for each in ids if feature in left[each]),
                reverse=True,
            )
            assert opened.best(k, index, within, payload_scores(feature)) == expected[:k]
    numbers, rows = opened.rows_of(sorted("abcdefgh"))
    for doc_id, number, row in zip("abcdefgh", numbers, rows, strict=True):
        assert (number >= 0) == (doc_id in left)
        if number >= 0:
            assert opened.parts[number].values[row].tolist() == [len(left[doc_id])]


def test_small_parts_are_merged(tmp_path: Path) -> None:
    component = written(tmp_path, [({"a": {1: 1}, "b": {1: 2}}, set())] * 9)
    assert len(component.files) < 4


def test_a_part_whose_arrays_do_not_fit_is_damaged(tmp_path: Path) -> None:
    component = written(tmp_path, [({"a": {1: 1}}, set())])
    file = component.files[0]
    arrays = tuple(
        each._replace(size=0) if each.name == "payloads" else each for each in file.arrays
    )
    damaged = FeatureComponent(SPEC, (type(file)(file.name, file.size, arrays),))
    with pytest.raises(IndexFormatError, match="differ in length"):
        FeatureIndex(tmp_path, damaged)
