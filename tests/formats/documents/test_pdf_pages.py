"""PDF files as documents, page by page."""

from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.documents.pdf_pages import read_pdf
from porism.formats.dumps.rows import FilePart


def pdf(pages: list[str], title: str = "", trailer: str = "") -> bytes:
    """A minimal PDF with one line of text on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        content = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET" if text else ""
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) >>")
    out = "%PDF-1.4\n"
    offsets: list[int] = []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {trailer} >>"
    return f"{out}\nstartxref\n{start}\n%%EOF".encode("latin-1")


def test_each_page_with_text_is_a_document_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "groups.pdf"
    path.write_bytes(pdf(["A group costs $5.", "", "An ideal."], title="On Groups"))
    first, last = read_pdf(path, "notes/groups.pdf")
    assert (first.name, first.title) == ("notes/groups.pdf#page=1", "On Groups, page 1")
    assert first.body == "<p>A group costs &#36;5.</p>\n"
    assert last.part == FilePart("notes/groups.pdf", ("On Groups",), "page=3", "PDF page 3")
    assert last.line == 3


def test_a_pdf_without_a_title_has_its_file_name(tmp_path: Path) -> None:
    path = tmp_path / "groups.pdf"
    path.write_bytes(pdf(["A group."]))
    (row,) = read_pdf(path, "groups.pdf")
    assert row.title == "groups, page 1"


ENCRYPTED = (
    "/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
    f"/O <{'11' * 32}> /U <{'22' * 32}> >>"
)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (pdf(["secret"], trailer=ENCRYPTED), "an encrypted PDF"),
        (b"%PDF-1.4 broken", "not a PDF that can be read"),
        (b"", "not a PDF that can be read"),
        (pdf(["", ""]), "a PDF without text"),
    ],
    ids=["encrypted", "broken", "empty", "scan"],
)
def test_other_files_are_refused_with_the_reason(data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=why):
        list(read_pdf(path, "a.pdf"))
