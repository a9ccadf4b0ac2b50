"""Archives of LaTeX sources, also hostile ones."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.documents import archives, read_document_file, read_documents
from porism.formats.dumps.rows import FileNote, FileRead, PostRow

MAIN = r"""\documentclass{article}\newtheorem{thm}{Theorem}
\begin{document}\input{parts/one}\end{document}"""
PART = "\\section{One}\n\\begin{thm}Let $x$.\\end{thm}"
FILES = {"main.tex": MAIN, "parts/one.tex": PART, "figure.png": "", "notes.tex": "draft"}


def tar(path: Path, files: dict[str, str], *others: tarfile.TarInfo) -> Path:
    """A tar archive, compressed unless its name ends in .tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        for other in others:
            archive.addfile(other)
    data = out.getvalue()
    path.write_bytes(data if path.suffix == ".tar" else gzip.compress(data))
    return path


def rows(path: Path) -> list[PostRow]:
    read = read_document_file(path, f"notes/{path.name}")
    return [row for row in read if isinstance(row, PostRow)]


def refusals(path: Path) -> dict[str, str]:
    read = read_document_file(path, "a.tar")
    return {row.name: row.reason for row in read if isinstance(row, FileNote)}


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tgz", "a.tar", "a.gz"])
def test_the_main_file_is_read_with_what_it_includes(name: str, tmp_path: Path) -> None:
    documents = rows(tar(tmp_path / name, FILES))
    assert [(row.name, row.title) for row in documents] == [
        (f"notes/{name}/main.tex#1-one", "One"),
        (f"notes/{name}/main.tex#theorem-1", "Theorem 1"),
    ]
    part = documents[1].part
    assert part is not None
    assert (part.path, documents[1].line) == (f"notes/{name}/parts/one.tex", 2)


def test_a_single_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "2101.00001.gz"
    path.write_bytes(gzip.compress(b"\\begin{document}Let $x$.\\end{document}"))
    (document,) = rows(path)
    assert document.name == "notes/2101.00001.gz/2101-00001.tex"


def link(kind: bytes, name: str = "link.tex", target: str = "/etc/passwd") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = target
    return member


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (tarfile.TarInfo("../evil.tex"), "a path out of the archive"),
        (tarfile.TarInfo("a/../../evil.tex"), "a path out of the archive"),
        (tarfile.TarInfo("/tmp/evil.tex"), "a path out of the archive"),
        (tarfile.TarInfo("C:\\evil.tex"), "a path out of the archive"),
        (tarfile.TarInfo("x" * 300 + ".tex"), "a path that is too long"),
        (tarfile.TarInfo("./main.tex"), "a path that occurred before"),
        (tarfile.TarInfo("main.tex/a.tex"), "a path through another file"),
        (link(tarfile.SYMTYPE), "a link in an archive"),
        (link(tarfile.LNKTYPE), "a link in an archive"),
        (link(tarfile.CHRTYPE), "neither a file nor a folder"),
        (link(tarfile.FIFOTYPE), "neither a file nor a folder"),
    ],
    ids=lambda each: each.replace(" ", "-") if isinstance(each, str) else "",
)
def test_unsafe_members_are_refused_and_the_others_read(
    member: tarfile.TarInfo, reason: str, tmp_path: Path
) -> None:
    path = tar(tmp_path / "a.tar", FILES, member)
    assert refusals(path) == {f"a.tar/{member.name[:200]}": f"skipped: {reason}"}
    assert len(rows(path)) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.tar"]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.tar", b"not a tar", "not a tar archive"),
        ("a.tar.gz", gzip.compress(b"x" * 2_000), "not a tar archive"),
        ("a.gz", gzip.compress(b"%PDF-1.5"), "a compressed PDF"),
        ("a.gz", gzip.compress(b"plain words"), "no LaTeX document"),
        ("a.tar", b"", "not a tar archive"),
    ],
    ids=["text", "other-gzip", "pdf", "words", "empty"],  # compressed data have the time in them
)
def test_other_files_are_refused_with_the_reason(
    name: str, data: bytes, why: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FormatError, match=why):
        rows(path)


def test_an_incomplete_archive_is_refused(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.tar.gz", FILES)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FormatError, match="a damaged archive"):
        rows(path)


def test_too_much_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED", 1024 * 1024)
    path = tar(tmp_path / "bomb.tar.gz", {**FILES, "zeros.bin": "0" * 2_000_000})
    with pytest.raises(FormatError, match="more than 1 MB unpacked"):
        rows(path)


def test_too_many_files_are_refused_and_the_first_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    path = tar(tmp_path / "a.tar", FILES)
    assert list(refusals(path).values()) == ["skipped: more than 3 files; the others were not read"]
    assert len(rows(path)) == 2


def test_a_damaged_archive_in_a_folder_is_named_and_the_others_read(tmp_path: Path) -> None:
    (tmp_path / "bad.tar.gz").write_bytes(b"x")
    tar(tmp_path / "good.tar.gz", FILES)
    note, *read = read_documents(tmp_path)
    assert isinstance(note, FileNote)
    assert "not a tar archive" in note.reason
    assert [type(row) for row in read] == [PostRow, PostRow, FileRead]
