"""The data directory, and the choice among the lab's files in it."""

import sys
from pathlib import Path

import pytest

from porism.ecosystem.lab_files import LabFile, data_directory
from porism.errors import PorismError

STEM = "Topics_Task1_2020"


def topics(folder: Path) -> LabFile:
    return LabFile(folder, (STEM,), f"{STEM}_V2.0.xml")


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_the_variable_names_the_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORISM_DATA", "/srv/data")
    assert data_directory() == Path("/srv/data")


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("linux", ".local/share/porism"),
        ("darwin", "Library/Application Support/porism"),
        ("win32", "AppData/Local/porism"),
    ],
)
def test_the_default_data_directory_depends_on_the_platform(
    platform: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("PORISM_DATA", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", platform)
    assert data_directory() == tmp_path / place


@pytest.mark.parametrize(
    ("platform", "variable"), [("linux", "XDG_DATA_HOME"), ("win32", "LOCALAPPDATA")]
)
def test_platform_variables_change_the_data_directory(
    platform: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PORISM_DATA", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    assert data_directory() == tmp_path / "porism"


def test_the_newest_version_wins_wherever_it_is(tmp_path: Path) -> None:
    for place in ("V2.0.xml", "a/V9.9.xml", "V1.1.xml.gz"):
        touch((tmp_path / place).with_name(f"{STEM}_{Path(place).name}"))
    newest = touch(tmp_path / "a" / "b" / f"{STEM}_V10.0.xml")
    touch(tmp_path / "Topics_Task1_2021_V99.0.xml")
    touch(tmp_path / f"{STEM}_V99.0.pdf")
    assert topics(tmp_path).path() == newest


def test_any_version_is_newer_than_none(tmp_path: Path) -> None:
    plain = touch(tmp_path / f"{STEM}.xml")
    assert topics(tmp_path).path() == plain
    versioned = touch(tmp_path / f"{STEM}_V0.1.xml")
    assert topics(tmp_path).path() == versioned


def test_of_two_copies_the_one_in_the_upper_folder_is_used(tmp_path: Path) -> None:
    touch(tmp_path / "a" / "b" / f"{STEM}_V2.0.xml")
    near = touch(tmp_path / "z" / f"{STEM}_V2.0.xml")
    assert topics(tmp_path).path() == near


def test_the_first_stem_with_a_file_is_used(tmp_path: Path) -> None:
    qrels = LabFile(tmp_path, ("qrel_official", "qrel"), "qrel_official.tsv")
    plain = touch(tmp_path / "qrel_v9.tsv")
    assert qrels.find() == plain
    official = touch(tmp_path / "qrel_official.tsv")
    assert qrels.find() == official


def test_versions_that_are_too_old_are_ignored(tmp_path: Path) -> None:
    qrels = LabFile(tmp_path, ("qrel_visual_id",), "qrel_visual_id_v3.tsv", least=(2,))
    touch(tmp_path / "qrel_visual_id_v1.tsv")
    touch(tmp_path / "qrel_visual_id.tsv")
    assert qrels.find() is None
    assert touch(tmp_path / "qrel_visual_id_v2.tsv") == qrels.find()


def test_files_that_differ_in_more_than_the_version_are_refused(tmp_path: Path) -> None:
    touch(tmp_path / "Topics_a_V1.xml")
    touch(tmp_path / "Topics_b_V2.xml")
    with pytest.raises(PorismError, match=r"found Topics_a_V1\.xml and Topics_b_V2\.xml"):
        LabFile(tmp_path, ("Topics_.+",), "Topics_a.xml").find()


def test_a_missing_file_is_named_with_its_folder(tmp_path: Path) -> None:
    assert topics(tmp_path / "none").find() is None
    with pytest.raises(PorismError, match=r"V2\.0\.xml in this folder") as caught:
        topics(tmp_path / "none").path()
    assert str(tmp_path / "none") in str(caught.value)


def test_linked_folders_are_searched_and_cycles_are_cut(tmp_path: Path) -> None:
    wanted = touch(tmp_path / "elsewhere" / f"{STEM}_V2.0.xml")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "again").symlink_to(tmp_path / "data")
    (tmp_path / "data" / "lab").symlink_to(tmp_path / "elsewhere")
    path = topics(tmp_path / "data").path()
    assert path.resolve() == wanted
