"""Plain text as documents, and encodings of all text files."""

from pathlib import Path

import pytest

from porism.errors import FormatError, PorismError
from porism.formats.documents.plain_text import plain_text_html, read_plain_text
from porism.formats.documents.source_text import clean_text, file_text, guessed_encoding, iso_date


def test_blank_lines_separate_paragraphs_and_formulas_stay_between_dollars() -> None:
    assert plain_text_html("\n a $x<y$\nb\n \t\n\n\nc & d\n").body == (
        "<p>a $x&lt;y$\nb</p>\n<p>c &amp; d</p>\n"
    )


def test_title_is_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a note.txt"
    path.write_text("text", encoding="utf-8")
    (row,) = read_plain_text(path, "notes/a note.txt")
    assert (row.title, row.body, row.name) == ("a note", "<p>text</p>\n", "notes/a note.txt")
    path.write_text(" \n", encoding="utf-8")
    assert list(read_plain_text(path, "notes/a note.txt")) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf8_and_marked_utf16_are_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("α\r\nβ\rγ".encode(encoding))
    assert file_text(path) == "α\nβ\nγ"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Let é be an element of the naïve set.", "latin-1"),
        ("Let “G” be a group — and $x$ an element of it", "cp1252"),
        ("Теорема Ферма доказана Уайлсом в девяносто пятом году", "cp1251"),
        ("数学の定理は美しいものである。証明を読んでください。", "shift_jis"),
    ],
)
def test_other_encodings_are_guessed(text: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    assert file_text(path) == text
    guess = guessed_encoding(path)
    assert guess is not None
    assert text.encode(guess) == text.encode(encoding)
    path.write_text(text, encoding="utf-8")
    assert guessed_encoding(path) is None


@pytest.mark.parametrize(
    ("data", "line", "byte"),
    [
        (b"a\nb\n\xe9t\xe9\0", 3, "byte 0xe9"),
        (b"\xff\xfea", 1, "byte 0x61"),
    ],
)
def test_binary_data_are_rejected_with_the_position(
    data: bytes, line: int, byte: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(FormatError) as raised:
        file_text(path)
    assert (raised.value.path, raised.value.line) == (str(path), line)
    assert byte in raised.value.why
    assert "save the file as UTF-8" in raised.value.why


def test_file_that_is_too_large_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("12345", encoding="utf-8")
    assert file_text(path, max_bytes=5) == "12345"
    with pytest.raises(FormatError, match="too large for one document"):
        file_text(path, max_bytes=4)


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="cannot be read: No such file"):
        file_text(tmp_path / "none.txt")


def test_invalid_characters_are_replaced() -> None:
    assert clean_text("a\0b\x1b\ud800\uffff\tc\fd") == "a\ufffdb\ufffd\ufffd\ufffd\tc d"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2020-01-02", "2020-01-02"),
        (" 2020-01-02T10:11:12.123Z", "2020-01-02T10:11:12.123"),
        ("2020-02-31", None),
        ("January 2020", None),
        ("", None),
    ],
)
def test_dates(text: str, date: str | None) -> None:
    assert iso_date(text) == date
