"""Which visual id a formula has, by every kind of file that says it."""

from pathlib import Path

import pytest

from porism.errors import FormatError, PorismError
from porism.formats.formula_ids import FormulaIds, read_formula_ids


@pytest.mark.parametrize(
    "text",
    ["1\t10\n2\t20\n", "1 10\n2 20\n", "1,10\r\n2,20\r\n", "formula_id\tvisual_id\n1\t10\n2\t20\n"],
)
def test_map_of_two_columns(tmp_path: Path, text: str) -> None:
    path = tmp_path / "map.tsv"
    path.write_text(text)
    assert list(read_formula_ids(path)) == [FormulaIds("1", "10"), FormulaIds("2", "20")]  # type: ignore[arg-type]


def test_formula_file_of_the_third_version_has_both_visual_ids(tmp_path: Path) -> None:
    header = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula"
    path = tmp_path / "1.tsv"
    path.write_text(f"{header}\n7\t1\t1\ttitle\t\t30\t31\t\tx\n")
    assert list(read_formula_ids(path)) == [FormulaIds("7", "31", "30")]  # type: ignore[arg-type]


def test_formula_file_of_the_second_version_has_one_visual_id(tmp_path: Path) -> None:
    path = tmp_path / "1.tsv"
    path.write_text("id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n7\t1\t1\ttitle\t30\tx\n")
    assert list(read_formula_ids(path)) == [FormulaIds("7", "30", "30")]  # type: ignore[arg-type]


def test_folder_of_formula_files(tmp_path: Path) -> None:
    folder = tmp_path / "latex_representation_v3"
    folder.mkdir()
    for number in (1, 2):
        lines = f"id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n{number}\t1\t1\ttitle\t5\tx\n"
        (folder / f"{number}.tsv").write_text(lines)
    ids = [row.formula_id for row in read_formula_ids(tmp_path)]
    assert ids == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\t2\n1\n", "expected a formula's id"),
        ("a b c d\n", "expected a formula's id"),
        ("id\tpost\tx\n1\t2\t3\n", "expected one named visual_id"),
        ("1\t\n", "expected a formula's id"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "map.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=why):
        list(read_formula_ids(path))


def test_missing_or_empty_source_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="does not exist"):
        list(read_formula_ids(tmp_path / "nothing"))
    with pytest.raises(PorismError, match="no formula files"):
        list(read_formula_ids(tmp_path))
