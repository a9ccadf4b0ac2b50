"""Pools drawn from files; the options of ``porism pool`` are tested with the command."""

from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.lab.pools.pool_draw import PooledRuns, PoolRequest, draw_pool
from porism.model import Topic, TopicId


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "one.tsv").write_text("A.1\tb\t1\t2\tone\nA.1\ta\t2\t1\tone\n", encoding="utf-8")
    listed = tmp_path / "runs.tsv"
    listed.write_text("file\tteam\tkind\tmode\none.tsv\tX\tprimary\tautomatic\n", encoding="utf-8")
    return listed


def test_the_request_is_recorded_in_the_settings(runs: Path) -> None:
    request = PoolRequest(1, runs, depths="primary=1", topics=Path("folder/topics.xml"), seed=7)
    pool = draw_pool(request, [Topic(TopicId("A.1"))]).pool
    assert [each.doc_id for each in pool.candidates] == ["b"]
    assert pool.seed == 7
    assert pool.settings["topics"] == "topics.xml"
    assert "primary=1" in pool.settings["depths"]
    assert pool.collection == ""


def test_each_run_is_reported_as_progress(runs: Path) -> None:
    seen = []

    def progress(read: PooledRuns) -> PooledRuns:
        for each in read:
            seen.append(each[0].name)
            yield each

    draw_pool(PoolRequest(1, runs, depths="primary=1"), progress=progress)
    assert seen == ["one"]


def test_formulas_need_visual_ids(runs: Path) -> None:
    with pytest.raises(PorismError, match="give a file of visual ids or a collection"):
        draw_pool(PoolRequest(2, runs, depths="primary=1"))
