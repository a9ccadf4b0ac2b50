"""Read-only judgment files can be inspected and exported."""

import os
from pathlib import Path

import pytest

import porism
from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import Assessor, BatchKind, Candidate, Choice, NewJudgment, Pool
from porism.model import DocId, Topic, TopicId
from tests.other_user import make_read_only, needs_rights, public_folder, run_porism

SOURCE = Path(porism.__file__).parent.parent
TOPIC = TopicId("A.1")
POOL = Pool(
    1,
    (Topic(TOPIC, ("One",), ("What?",)),),
    tuple(Candidate(TOPIC, DocId(f"{number}")) for number in (1, 2)),
)


def judged(path: Path) -> JudgmentStore:
    """A file with one judgment."""
    store = JudgmentStore(path)
    store.add_batch("pool", BatchKind.OFFICIAL, POOL)
    store.add_assessor("ann")
    store.assign("pool", TOPIC, "ann")
    store.record(Assessor("ann"), NewJudgment("1", "pool", TOPIC, DocId("1"), Choice.HIGH, 1.0))
    return store


@needs_rights
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_judgments_that_cannot_be_written_are_reported_and_exported(is_open: bool) -> None:
    """While another process has the file open, the judgment is in its write-ahead log alone."""
    with public_folder() as folder, public_folder() as out:
        os.chmod(out, 0o777)
        store = judged(folder / "judgments.db")
        if not is_open:
            store.close()
        assert (folder / "judgments.db-wal").exists() == is_open
        make_read_only(folder)
        database = ("--db", str(folder / "judgments.db"))
        status = run_porism("assess", "status", *database, source=SOURCE, folder=folder)
        export = run_porism(
            *("assess", "export", *database, "--fewest", "0", "-o", str(out / "export")),
            source=SOURCE,
            folder=folder,
        )
        added = run_porism("assess", "assessor", "bob", *database, source=SOURCE, folder=folder)
        store.close()
        assert status.returncode == 0, status.stderr
        assert "ann" in status.stdout
        assert export.returncode == 0, export.stderr
        assert (out / "export" / "qrels.tsv").read_text() == "A.1\t0\t1\t3\n"
        assert added.returncode == 1
        assert "Traceback" not in added.stderr
        assert "readonly" in added.stderr
