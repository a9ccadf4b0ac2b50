"""Documents in JSON Lines."""

import gzip
import json
from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.documents.json_lines import read_json_lines
from porism.formats.dumps.rows import PostRow
from porism.formats.markup.formulas import find_formulas

SPAN = '<span class="math-container">'


def rows(folder: Path, *records: object) -> list[PostRow]:
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return list(read_json_lines(path, "a.jsonl"))


@pytest.mark.parametrize(
    ("key", "text", "body", "title"),
    [
        ("text", "$a < b$", "<p>$a &lt; b$</p>\n", "On $x$ &amp; y"),
        ("html", "<p onclick=x>$a$", "<p>$a$</p>\n", "On $x$ &amp; y"),
        ("markdown", "# $a$", f"<h1>{SPAN}a</span></h1>\n", f"On {SPAN}x</span> &amp; y"),
        ("latex", r"\emph{$a$}", f"<p>{SPAN}a</span></p>\n", f"On {SPAN}x</span>   y"),
        ("tex", r"$a$ % b", f"<p>{SPAN}a</span></p>\n", None),
        ("body", r"\'e $a$", f"<p>é {SPAN}a</span></p>\n", None),
        ("body", "<p>$a$</p>", "<p>$a$</p>\n", None),
    ],
)
def test_every_form_of_text(
    key: str, text: str, body: str, title: str | None, tmp_path: Path
) -> None:
    (row,) = rows(tmp_path, {"id": 7, "title": "On $x$ & y", key: text})
    assert row.body == body
    assert title is None or " ".join((row.title or "").split()) == " ".join(title.split())
    assert (row.name, row.line) == ("a.jsonl#7", 1)


def test_optional_keys_are_read(tmp_path: Path) -> None:
    first, second, third = rows(
        tmp_path,
        {"id": "a", "name": "b", "text": "x", "tags": ["p", " q", "p"], "created": "2020-01-02"},
        {"name": "b", "latex": "\\def\\a{b}x", "keywords": "p, q", "macros": "\\let\\c=d"},
        {"id": 3, "title": None, "text": "x", "msc": ["00-01"], "date": "some day"},
    )
    assert (first.name, first.tags, first.created) == ("a.jsonl#a", ("p", "q"), "2020-01-02")
    assert (second.name, second.tags) == ("a.jsonl#b", ("p", "q"))
    assert second.macros == "\\let\\c=d\n\\def\\a{b}"
    assert (third.title, third.tags, third.created) == ("", ("00-01",), None)


def test_sections_of_latex_become_headings(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, {"id": 1, "tex": "a\r\n\r\n\\section{B}c\0"})
    assert row.body == "<p>a</p>\n<h2>B</h2>\n<p>c\ufffd</p>\n"


def test_blank_lines_are_skipped_but_documents_without_text_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'\n{"id": 1, "text": " "}\n\n{"id": 2, "text": "x"}\n'))
    first, second = read_json_lines(path, "a.jsonl.gz")
    assert (first.name, first.body, first.line) == ("a.jsonl.gz#1", None, 2)
    assert (second.name, second.body, second.line) == ("a.jsonl.gz#2", "<p>x</p>\n", 4)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"nonsense", "not a line of JSON"),
        (b"[1]", "expected a JSON object"),
        (b'{"text": "x"}', 'under "id" or "name"'),
        (b'{"id": true, "text": "x"}', 'under "id" or "name"'),
        (b'{"id": " ", "text": "x"}', 'under "id" or "name"'),
        (b'{"id": 1, "title": "x"}', "found no text"),
        (b'{"id": 1, "text": 5}', 'expected a string under "text"'),
        (b'{"id": 1, "title": 5, "text": "x"}', 'expected a string under "title"'),
        (b'{"id": 1, "text": "x", "tags": 5}', 'expected a list of strings under "tags"'),
        (b'{"id": 1, "text": "\xe9"}', "UTF-8"),
        (b'{"id": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_invalid_line_is_reported_with_its_number(line: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1, "text": "x"}\n\n' + line + b"\n")
    documents = read_json_lines(path, "a.jsonl")
    assert next(documents).name == "a.jsonl#1"
    with pytest.raises(FormatError, match=why) as raised:
        next(documents)
    assert (raised.value.path, raised.value.line) == (str(path), 3)


@pytest.mark.slow
def test_planetmath_is_read_completely(shared: Path) -> None:
    path = shared / "data" / "planetmath.jsonl.gz"
    documents = list(read_json_lines(path, "planetmath.jsonl.gz"))
    assert len(documents) == 8_106
    # Two hold nothing but comments; one has lost its line ends, so its first comment takes all.
    assert sum(document.body is None for document in documents) == 3
    names = [documents[place].name.partition("#")[2] for place in (0, 9, -1)]
    assert names == ["00-01-AdHoc", "00-01-ToyTheorem", "68W40-Speedup"]
    first, last = documents[0], documents[-1]
    assert (first.title, first.tags, first.line) == ("ad hoc", ("00-01",), 1)
    assert (first.body or "").startswith("<p>The Latin phrase ad hoc translates as “toward this”")
    assert f"The speedup {SPAN}S</span> is defined as" in " ".join((last.body or "").split())
    assert len({document.name for document in documents}) == len(documents)
    spans = sum((document.body or "").count(SPAN) for document in documents)
    assert 239_000 <= spans <= 241_000
    assert sum(SPAN in (document.title or "") for document in documents) == 274
    marked = documents[::10]
    assert all(
        len(find_formulas(document.body or "")) == (document.body or "").count(SPAN)
        for document in marked
    )


def test_empty_text_is_skipped_for_another_key(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, {"id": 1, "text": "", "markdown": "x"})
    assert row.body == "<p>x</p>\n"
