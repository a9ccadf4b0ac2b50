"""The sample made searchable, once for all tests that only read it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from porism.cli.main import porism


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the sample for all systems, in the folder of its collection."""
    collection = tmp_path_factory.mktemp("searchable") / "sample"
    for arguments in (["ingest", "sample", "-o", str(collection)], ["index", str(collection)]):
        done = CliRunner().invoke(porism, [*arguments, "--jobs", "1"])
        assert done.exit_code == 0, done.stderr
    return collection / "index"
