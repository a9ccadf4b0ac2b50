"""Fixtures of every test: the real data, and collections and indexes that are only read."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.searchindex import text_encoders
from tests.built_once import built_once, sample_index_in
from tests.hash_index import hash_index_in
from tests.searchindex import hash_encoder as hash_encoder_module
from tests.searchindex.hash_encoder import HashEncoder, installed

# Examples are the same on every machine and in every run, however long one takes. Random ones are
# for make fuzz, and what they find becomes an @example.
settings.register_profile("porism", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", database=None, deadline=None, max_examples=2_000)
settings.register_profile("quick", derandomize=True, database=None, deadline=None, max_examples=15)
settings.load_profile("porism")

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data, which is never part of the repository; skips where it is absent."""
    folder = Path(os.environ.get("PORISM_SHARED", PROJECT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no real data in {folder} (PORISM_SHARED names another folder)")
    return folder


@pytest.fixture(scope="session")
def built(pytestconfig: pytest.Config) -> Path:
    """The folder of what is built once for all runs with the same source and input files."""
    cache = pytestconfig.cache
    return cache.mkdir("built") if cache is not None else PROJECT / ".pytest_cache" / "built"


@pytest.fixture(scope="session")
def mini_collection(shared: Path, built: Path) -> Iterator[Path]:
    """The mini collection of ARQMath, to be read only."""
    source = shared / "data" / "arqmath-mini"

    def make(folder: Path) -> None:
        ingest(source, folder / "mini", IngestOptions(jobs=2))

    with built_once(built, "mini", [source], make) as folder:
        yield folder / "mini"


@pytest.fixture(scope="session")
def sample_index(built: Path) -> Iterator[Path]:
    """The index of the sample for all systems, in the folder of its collection; read only."""
    with built_once(built, "sample", [sample_source()], sample_index_in) as folder:
        yield folder / "sample" / "index"


@pytest.fixture(scope="session")
def sample_collection(sample_index: Path) -> Path:
    """The collection of the sample, to be read only."""
    return sample_index.parent


@pytest.fixture(scope="session")
def hash_index(built: Path) -> Iterator[Path]:
    """The index of the sample for all systems with vectors by ``hash_encoder``; read only."""
    inputs = [sample_source(), Path(hash_encoder_module.__file__)]
    with built_once(built, "hash-sample", inputs, hash_index_in) as folder:
        yield folder / "sample" / "index"


@pytest.fixture
def hash_encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashEncoder]:
    """The encoder that made the vectors of ``hash_index``, in place of every model."""
    yield installed(monkeypatch, HashEncoder())
    text_encoders._opened.cache_clear()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files anew, to be reviewed"
    )


SLOW = (
    "tests/web",
    "tests/searchindex",
    "tests/cli",
    "tests/test_docs.py",
    "tests/test_fuzz.py",
    "tests/test_wheel.py",
    "tests/collection/test_bad_input.py",
    "tests/collection/test_kill.py",
    "tests/evaluation/test_validation.py",
    "tests/inverted/test_errors.py",
    "tests/pages/reports/test_evaluation_report.py",
    "tests/formula/test_bad_input.py",
    "tests/formula/test_fuzz.py",
    "tests/formula/test_operators.py",
)
"""Where most tests search an index, start a server, a browser or a command, or read much."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ``make quick`` leaves out, and put those of the pages first.

    These take longest, and files that begin late should be short where several processes share
    the work.
    """
    for item in items:
        if isinstance(item, pytest.Function) and "shared" in item.fixturenames:
            item.add_marker(pytest.mark.real_data)
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        for marker in item.iter_markers("train"):
            missing = [name for name in marker.args if find_spec(name) is None]
            if missing:
                reason = f"needs {' and '.join(missing)} (make test-train installs what it needs)"
                item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=lambda item: not item.nodeid.startswith("tests/web"))


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what commands remember apart from the state of whoever runs the tests, and no display.

    Otherwise a test could open a browser on their screen.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "PAGER", "LESS"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def _no_vectors_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have indexes get vectors only where a test asks for them: encoding takes long."""
    monkeypatch.setattr("porism.searchindex.indexing.is_installed", lambda model: False)
