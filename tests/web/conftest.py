"""The sample served, once for all tests that only look at it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from porism.cli.main import porism


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the sample for all systems, in the folder of its collection."""
    collection = tmp_path_factory.mktemp("served") / "sample"
    for arguments in (["ingest", "sample", "-o", str(collection)], ["index", str(collection)]):
        done = CliRunner().invoke(porism, [*arguments, "--jobs", "1"])
        assert done.exit_code == 0, done.stderr
    return collection / "index"


@pytest.fixture(scope="session")
def client(sample_index: Path) -> Iterator[TestClient]:
    """The application over the sample, without a limit on requests."""
    from porism.web.app import create_app
    from porism.web.settings import Settings

    app = create_app(Settings(sample_index, requests_a_second=0))
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened
