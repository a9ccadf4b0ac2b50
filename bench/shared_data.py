"""The folder of real data, and readers of its files."""

import csv
import gzip
import os
from collections.abc import Iterator
from pathlib import Path

csv.field_size_limit(1 << 30)


def shared_folder() -> Path:
    """The folder of real data: PORISM_SHARED, or ``../shared`` next to the project."""
    folder = Path(os.environ.get("PORISM_SHARED", "../shared"))
    if not (folder / "data").is_dir():
        raise SystemExit(f"No real data in {folder}: set PORISM_SHARED to the folder that has it.")
    return folder


def real_formulas(shared: Path) -> list[str]:
    """The 302,905 distinct LaTeX formulas from posts, books and encyclopedias."""
    with gzip.open(shared / "data/formulas/latex-real.txt.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def post_formulas(shared: Path) -> list[str]:
    """Those of them that are from Math Stack Exchange, which come first in the file."""
    return real_formulas(shared)[:POST_FORMULAS]


POST_FORMULAS = 44_063
"""The lines of Math Stack Exchange, as the table of sources beside the file says."""


def table(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a gzipped TSV file, by column name."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def mini_formulas(shared: Path, representation: str) -> dict[str, str]:
    """The formulas of the mini collection by id, in one representation, ``latex`` or ``slt``."""
    path = shared / f"data/arqmath-mini/{representation}_representation_v3/1.tsv.gz"
    return {row["id"]: row["formula"] for row in table(path)}


def topic_formulas(shared: Path) -> set[str]:
    """The distinct LaTeX formulas of all topics of the three years."""
    files = (shared / "data/topics/formulas").glob("*latex*.tsv.gz")
    return {row["formula"] for path in files for row in table(path)}
