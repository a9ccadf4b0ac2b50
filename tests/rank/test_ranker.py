"""The best of scored documents are those of ``model.ranked``."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from porism.model import DocId, Hit, ranked
from porism.rank.ranker import best_hits

scores = st.sampled_from([0.0, -0.0, 1.0, -2.0, 1 + 1e-9, 0.5]) | st.floats(-9, 9)


@given(st.dictionaries(st.text("ab1", max_size=3), scores), st.integers(-1, 12), st.booleans())
def test_the_best_hits_are_the_first_of_the_ranking(
    documents: dict[str, float], k: int, has_posts: bool
) -> None:
    doc_ids = [DocId(name) for name in documents]
    posts = [DocId(f"post of {name}") if has_posts else None for name in doc_ids]
    values = list(documents.values())
    expected = ranked(map(Hit, doc_ids, values, posts))[: max(0, k)]
    assert best_hits(doc_ids, np.array(values), k, posts if has_posts else None) == expected
