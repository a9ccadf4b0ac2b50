"""A small collection, and a data directory in which ir_datasets finds it."""

from pathlib import Path

import ir_datasets
import pytest

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.ecosystem import irds
from tests.collection.dumps import answer, question, write_table
from tests.ecosystem.small_collection import copy_collection


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of two questions and three answers."""
    folder = tmp_path_factory.mktemp("made")
    rows = [
        question(1, "<p>Is $x^2 &lt; 2$?</p>", Tags="<calculus><limits>", Score=3),
        answer(2, 1, "<p>If <em>small</em>: $y = x^2$.</p>", CreationDate="2015-03-02T10:15:00"),
        answer(3, 1, "<p>No.</p>", Score=-1),
        question(4),
        answer(5, 4, "<p>As $z$ is.</p>"),
    ]
    write_table(folder / "dump", "Posts", rows)
    ingest(folder / "dump", folder / "small", IngestOptions(jobs=1))
    return folder / "small"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory, and a registry in which nothing has been loaded."""
    monkeypatch.setenv("PORISM_DATA", str(tmp_path))
    monkeypatch.setattr(ir_datasets, "registry", ir_datasets.util.Registry())
    irds.register_names()
    return tmp_path


@pytest.fixture
def small(data: Path, collection: Path) -> Path:
    """The data directory with the collection in it, as ``small``."""
    copy_collection(collection, data / "small")
    return data
