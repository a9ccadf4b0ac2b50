"""Formula files, titles and months of the ARQMath distribution."""

import gzip
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import FormatError, PorismError
from porism.formats.dumps.arqmath import (
    FormulaRepresentation,
    is_arqmath,
    read_formulas,
    read_linked_titles,
    read_months,
    representation_files,
    write_formulas,
    write_linked_titles,
    write_months,
)
from porism.formats.dumps.rows import FormulaRow


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def file_names(source: Path, representation: str = "latex") -> list[str]:
    base = source if source.is_dir() else source.parent
    return [str(path.relative_to(base)) for path in representation_files(source, representation)]


def test_files_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    put(tmp_path, *(f"latex_representation_v3/{number}.tsv" for number in (10, 2, 1)))
    put(tmp_path, "latex_representation_v3/README.txt", "latex_representation_v3/3.tsv.gz")
    assert file_names(tmp_path) == [
        f"latex_representation_v3/{name}" for name in ("1.tsv", "2.tsv", "3.tsv.gz", "10.tsv")
    ]
    assert file_names(tmp_path / "latex_representation_v3")[0] == "1.tsv"
    assert file_names(tmp_path, "slt") == []
    assert file_names(tmp_path / "latex_representation_v3", "slt") == []


def test_plain_file_is_preferred_to_gzip(tmp_path: Path) -> None:
    put(tmp_path, "opt_representation_v2/1.tsv.gz", "opt_representation_v2/1.tsv")
    assert file_names(tmp_path, "opt") == ["opt_representation_v2/1.tsv"]


def test_newest_version_is_used(tmp_path: Path) -> None:
    put(tmp_path, "slt_representation/1.tsv")
    assert file_names(tmp_path, "slt") == ["slt_representation/1.tsv"]
    put(tmp_path, "slt_representation_v9/1.tsv", "slt_representation_v10/1.tsv")
    assert file_names(tmp_path, "slt") == ["slt_representation_v10/1.tsv"]


def test_subfolders_are_searched(tmp_path: Path) -> None:
    put(tmp_path, "Formulas/latex_representation_v2/1.tsv")
    assert file_names(tmp_path) == ["Formulas/latex_representation_v2/1.tsv"]


def test_single_file(tmp_path: Path) -> None:
    put(tmp_path, "latex_representation_v3.tsv.gz", "formulas.tsv", "Topics_Formulas_slt_V1.tsv")
    assert file_names(tmp_path) == ["latex_representation_v3.tsv.gz"]
    assert file_names(tmp_path / "formulas.tsv", "opt") == ["formulas.tsv"]
    slt = tmp_path / "Topics_Formulas_slt_V1.tsv"
    assert (file_names(slt, "slt"), file_names(slt, "latex")) == ([slt.name], [])


def test_missing_source_and_unknown_representation_are_reported(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="does not exist"):
        representation_files(tmp_path / "none", FormulaRepresentation.LATEX)
    with pytest.raises(ValueError, match="png"):
        representation_files(tmp_path, "png")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["latex_representation_v3/1.tsv"], True),
        (["Posts.V1.3.xml"], True),
        (["Posts.xml", "Tags.xml"], False),
        (["notes.md"], False),
    ],
)
def test_distribution_is_recognised_by_file_names(
    tmp_path: Path, names: list[str], expected: bool
) -> None:
    put(tmp_path, *names)
    assert is_arqmath(tmp_path) is expected


def formulas(folder: Path, *lines: str) -> list[FormulaRow]:
    path = folder / "1.tsv"
    path.write_text("".join(f"{line}\r\n" for line in lines), encoding="utf-8", newline="")
    return list(read_formulas(path))


V1 = "id\tpost_id\tthread_id\ttype\tformula"
V2 = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula"
V3 = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula"


def test_every_version_is_read_by_its_header(tmp_path: Path) -> None:
    assert formulas(tmp_path, V1, "1\t2\t3\ttitle\tx^2") == [
        FormulaRow("1", "2", "3", "title", "x^2", line=2)
    ]
    assert formulas(tmp_path, V2, "1\t2\t3\tanswer\t7\tx") == [
        FormulaRow("1", "2", "3", "answer", "x", visual_id="7", line=2)
    ]
    assert formulas(
        tmp_path, V3, "1\t2\t3\tcomment\t4\t5\t6\tv\tx", "2\t2\t3\tanswer\t\t\t\t\t"
    ) == [
        FormulaRow("1", "2", "3", "comment", "x", "4", "5", "6", "v", 2),
        FormulaRow("2", "2", "3", "answer", "", line=3),
    ]


@pytest.mark.parametrize("name", ["formula", "latex", "slt", "opt"])
def test_formula_column_has_many_names_and_topics_have_no_posts(tmp_path: Path, name: str) -> None:
    header = f"id\ttopic_id\tthread_id\ttype\t{name}"
    assert formulas(tmp_path, header, 'q_1\tA.1\t9\ttitle\t"<mi a=""b""/>\n"') == [
        FormulaRow("q_1", "A.1", "9", "title", '<mi a="b"/>\n', line=2)
    ]


def test_missing_columns_are_reported(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected one named post_id or topic_id") as caught:
        formulas(tmp_path, "id\tthread_id\ttype\tformula")
    assert caught.value.line == 1
    with pytest.raises(FormatError, match="expected one named formula or latex or slt or opt"):
        formulas(tmp_path, "id\tpost_id\tthread_id\ttype\tpicture")
    with pytest.raises(FormatError, match="found 4 cells: expected 5") as caught:
        formulas(tmp_path, V1, "1\t2\t3\ttitle\tx", "1\t2\t3\ttitle")
    assert caught.value.line == 3
    with pytest.raises(FormatError, match="found a NUL") as caught:
        formulas(tmp_path, V1, "1\t2\t3\ttitle\tx", "1\t2\t3\ttitle\t\0")
    assert caught.value.line == 3


def test_consumed_counts_the_bytes_read(tmp_path: Path) -> None:
    path = tmp_path / "1.tsv.gz"
    write_formulas(path, [FormulaRow("1", "2", "3", "title", "x")] * 1000)
    consumed: list[int] = []
    assert len(list(read_formulas(path, consumed.append))) == 1000
    assert consumed[-1] == path.stat().st_size


def test_titles_and_months(tmp_path: Path) -> None:
    titles = [(5, "How?"), (128, '<span class="math-container">x</span>\ty\n')]
    write_linked_titles(tmp_path / "titles.tsv", titles)
    assert (tmp_path / "titles.tsv").read_bytes() == (
        b'post_id\ttitle\r\n5\tHow?\r\n128\t"<span class=""math-container"">x</span>\ty\n"\r\n'
    )
    assert list(read_linked_titles(tmp_path / "titles.tsv")) == titles
    months = [(154, "2010-07"), (255, "2018-12")]
    write_months(tmp_path / "months.tsv", months)
    assert (tmp_path / "months.tsv").read_bytes() == (
        b"question_id\tcreation_month\n154\t2010-07\n255\t2018-12\n"
    )
    assert list(read_months(tmp_path / "months.tsv")) == months


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("x\t2010-07", "found question_id 'x': expected a whole number"),
        ("1\t2010-13", "found the month '2010-13': expected one such as 2010-07"),
        ("1\tJuly 2010", "found the month 'July 2010'"),
    ],
)
def test_invalid_months_are_reported(tmp_path: Path, row: str, why: str) -> None:
    path = tmp_path / "months.tsv"
    path.write_text(f"question_id\tcreation_month\n1\t2010-07\n{row}\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(read_months(path))
    assert why in caught.value.why
    assert caught.value.line == 3


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
FORMULA = st.builds(FormulaRow, *[CELL] * 9, line=st.just(0))


@given(st.lists(FORMULA, max_size=5))
def test_formulas_read_back_as_written(rows: list[FormulaRow]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "1.tsv")
        write_formulas(path, rows)
        assert [row._replace(line=0) for row in read_formulas(path)] == rows


@given(st.lists(st.tuples(st.integers(0, 10**18 - 1), CELL), max_size=5))
def test_titles_read_back_as_written(titles: list[tuple[int, str]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "titles.tsv")
        write_linked_titles(path, titles)
        assert list(read_linked_titles(path)) == titles


def test_mini_collection_formulas(shared: Path) -> None:
    folder = shared / "data" / "arqmath-mini"
    (path,) = representation_files(folder, "latex")
    rows = list(read_formulas(path))
    assert len(rows) == 76_275
    assert rows[0] == FormulaRow(
        "1552",
        "9253",
        "154",
        "answer",
        r"\mathbb{N},\mathbb{Z},\mathbb{Q},\mathbb{R}",
        old_visual_id="695948",
        visual_id="695948",
        line=2,
    )
    assert rows[9].line == 11
    assert rows[-1] == FormulaRow(
        "28299327",
        "3055993",
        "3055952",
        "answer",
        r"\dfrac{1}{1-x^{k}}",
        old_visual_id="2270536",
        visual_id="2270536",
        line=76_276,
    )
    assert Counter(row.type for row in rows) == {
        "answer": 41_148,
        "question": 19_052,
        "comment": 14_145,
        "title": 1_930,
    }
    assert len({row.visual_id for row in rows}) == 37_987
    assert is_arqmath(folder)
    assert representation_files(folder, "opt") == ()


@pytest.mark.parametrize("representation", ["latex", "slt"])
def test_mini_collection_formulas_are_written_back_byte_for_byte(
    shared: Path, tmp_path: Path, representation: str
) -> None:
    (path,) = representation_files(shared / "data" / "arqmath-mini", representation)
    write_formulas(tmp_path / "1.tsv", read_formulas(path))
    assert (tmp_path / "1.tsv").read_bytes() == gzip.decompress(path.read_bytes())


def test_mini_collection_titles_and_months_are_written_back_byte_for_byte(
    shared: Path, tmp_path: Path
) -> None:
    folder = shared / "data" / "arqmath-mini"
    source = folder / "linked_question_titles.tsv.gz"
    titles = list(read_linked_titles(source))
    assert len(titles) == 6_463
    write_linked_titles(tmp_path / "titles.tsv", titles)
    assert (tmp_path / "titles.tsv").read_bytes() == gzip.decompress(source.read_bytes())
    source = folder / "question_months.tsv.gz"
    months = list(read_months(source))
    assert (len(months), months[0], months[-1]) == (1_651, (154, "2010-07"), (3_055_952, "2018-12"))
    write_months(tmp_path / "months.tsv", months)
    assert (tmp_path / "months.tsv").read_bytes() == gzip.decompress(source.read_bytes())


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("Topics_2020_Formulas_latex_V2.0", 1_008),
        ("Topics_2020_Formulas_opt_V2.0", 1_007),
        ("Topics_2020_Formulas_slt_V2.0", 1_007),
        ("Topics_2021_Formulas_latex_V1.1", 843),
        ("Topics_2021_Formulas_opt_V1.1", 843),
        ("Topics_2021_Formulas_slt_V1.1", 843),
        ("Topics_2022_Formulas_latex_V0.1", 1_050),
    ],
)
def test_formulas_of_real_topics(shared: Path, name: str, count: int) -> None:
    rows = list(read_formulas(shared / "data" / "topics" / "formulas" / f"{name}.tsv.gz"))
    assert len(rows) == count
    assert (rows[0].id, rows[0].post_id[:2]) == ("q_1", "A.")
