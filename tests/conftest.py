"""What every test may ask for: where the real data is, and a small part of it taken in."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from porism.collection.ingest import Options, ingest

# How long an example takes says more about the machine than about the code.
settings.register_profile("porism", deadline=None)
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
def mini_collection(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The mini collection of ARQMath, taken in once for all who only read it."""
    folder = tmp_path_factory.mktemp("mini") / "collection"
    ingest(shared / "data" / "arqmath-mini", folder, Options(jobs=1))
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files anew, to be reviewed"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ask for ``shared``, so that ``-m 'not real_data'`` leaves them out."""
    for item in items:
        if isinstance(item, pytest.Function) and "shared" in item.fixturenames:
            item.add_marker(pytest.mark.real_data)
