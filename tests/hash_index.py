"""The index of the sample with vectors that need no model."""

from pathlib import Path

import pytest

from porism.searchindex import text_encoders
from tests.built_once import sample_index_in
from tests.searchindex.hash_encoder import HashEncoder, installed


def hash_index_in(folder: Path) -> Path:
    """The index of the sample with vectors by ``HashEncoder`` in place of the default model."""
    with pytest.MonkeyPatch.context() as patched:
        installed(patched, HashEncoder())
        index = sample_index_in(folder)
    text_encoders._opened.cache_clear()
    return index
