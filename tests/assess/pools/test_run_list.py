"""The list of runs."""

from pathlib import Path

import pytest

from porism.assess.pools.depths import PoolDepths
from porism.assess.pools.run_list import ListedRun, read_run_list
from porism.assess.records import PooledRun, RunKind
from porism.errors import FormatError, PorismError

HEAD = "file\tteam\tkind\tmode\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two runs."""
    (tmp_path / "runs").mkdir()
    for name in ("a.tsv", "b.tsv.gz"):
        (tmp_path / "runs" / name).write_text("A.1\t7\t1\t2.5\tx\n", encoding="utf-8")
    return tmp_path


def listed(folder: Path, text: str) -> tuple[ListedRun, ...]:
    path = folder / "runs.tsv"
    path.write_text(text, encoding="utf-8")
    return read_run_list(path)


def test_paths_are_relative_to_the_list_and_name_the_runs(folder: Path) -> None:
    text = (
        f"{HEAD}runs/a.tsv\tours\tPrimary\tautomatic\n\nruns/b.tsv.gz\ttheirs\tbaseline\tmanual\n"
    )
    assert listed(folder, text) == (
        ListedRun("a", folder / "runs/a.tsv", "ours", RunKind.PRIMARY, False),
        ListedRun("b", folder / "runs/b.tsv.gz", "theirs", RunKind.BASELINE, True),
    )


def test_optional_columns_may_be_in_any_order(folder: Path) -> None:
    text = "mode\ttask\tname\tdepth\tkind\tteam\tfile\nmanual\t2\tX\t7\talternate\tt\truns/a.tsv\n"
    (run,) = listed(folder, text)
    assert (run.name, run.task, run.depth, run.is_manual) == ("X", 2, 7, True)


def test_empty_optional_columns_are_ignored(folder: Path) -> None:
    (run,) = listed(
        folder, "name\tfile\tteam\tkind\tmode\ttask\tdepth\n\truns/a.tsv\tt\tprimary\tmanual\t\t\n"
    )
    assert (run.name, run.task, run.depth) == ("a", None, None)


def test_a_name_without_file_is_the_file(folder: Path) -> None:
    (run,) = listed(folder, "name\tteam\tkind\tmode\nruns/a.tsv\tt\tprimary\tautomatic\n")
    assert (run.name, run.path) == ("a", folder / "runs/a.tsv")


ROW = "runs/a.tsv\tt\tprimary\tautomatic\n"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (f"{HEAD}runs/c.tsv\tt\tprimary\tautomatic\n", 2, "there is no file"),
        (f"{HEAD}runs\tt\tprimary\tautomatic\n", 2, "there is no file"),
        (f"{HEAD}{ROW}runs/b.tsv.gz\tt\tsecondary\tautomatic\n", 3, "the kind 'secondary'"),
        (f"{HEAD}runs/a.tsv\tt\tprimary\tauto\n", 2, "the mode 'auto'"),
        (f"{HEAD}\tt\tprimary\tautomatic\n", 2, "found no file"),
        (f"{HEAD}runs/a.tsv\t\tprimary\tautomatic\n", 2, "found no team"),
        (f"{HEAD}{ROW}{ROW}", 3, "a second run called a"),
        (f"{HEAD}runs/a.tsv\tt\tprimary\n", 2, "found 3 cells"),
        (HEAD, 1, "has no runs"),
        ("", 1, "the file is empty"),
        ("file\tteam\tkind\n", 1, "without mode"),
        ("team\tkind\tmode\n", 1, "without file"),
        ("file\tteam\tkind\tmode\tcolour\n", 1, "with the unknown colour"),
        ("file\tfile\tteam\tkind\tmode\n", 1, "each once"),
        ("name\t" + HEAD + "thread\t" + ROW, 2, "which is reserved"),
        ("name\t" + HEAD + "x\t" + ROW + "y\t" + ROW, 3, "the file of x again"),
        ("task\t" + HEAD + "4\t" + ROW, 2, "the task '4'"),
        ("depth\t" + HEAD + "-1\t" + ROW, 2, "the depth '-1'"),
        ("depth\t" + HEAD + "10000001\t" + ROW, 2, "the depth '10000001'"),
    ],
)
def test_errors_name_the_line(folder: Path, text: str, line: int, why: str) -> None:
    with pytest.raises(FormatError) as caught:
        listed(folder, text)
    assert caught.value.line == line
    assert why in caught.value.why


RUN = ListedRun("a", Path("a"), "t", RunKind.ALTERNATE, True)


def test_a_listed_run_becomes_a_pooled_run() -> None:
    depths = PoolDepths(primary=50, alternate=20, manual=30)
    assert RUN.pooled(1, depths) == PooledRun("a", "t", RunKind.ALTERNATE, True, 1, 30)
    assert RUN.pooled(3, PoolDepths()).depth == 1
    own = ListedRun("a", Path("a"), "t", RunKind.ALTERNATE, True, depth=0)
    assert own.pooled(1, depths).depth == 0


def test_a_kind_without_depth_is_refused() -> None:
    with pytest.raises(PorismError, match="no depth is given for alternate runs"):
        RUN.pooled(1, PoolDepths(primary=50))
