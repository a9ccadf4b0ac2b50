"""Results among notes: where they are, and what happens after a change."""

from pathlib import Path

from porism import api
from porism.collection.sample_notes import sample_notes
from porism.model import Location
from porism.rank.result_records import result_record
from porism.rank.results import SearchResult

SYSTEM = "bm25"


def first(index: api.OpenIndex, query: str) -> SearchResult:
    return index.search(query, system=SYSTEM)[0].source


def test_a_result_knows_its_file_headings_and_line(tmp_path: Path) -> None:
    api.ingest(sample_notes(), tmp_path)
    with api.index(tmp_path, systems=[SYSTEM]) as index:
        theorem = first(index, "fermat odd prime")
        section = first(index, "polar coordinates")
    assert theorem.location == Location(
        "notes/paper/main.tex",
        ("Sums of two squares", "Primes", "Theorem 2.1 (Fermat)"),
        "thm-squares",
        18,
        "Theorem 2.1",
    )
    assert result_record(section)["location"] == {
        "path": "notes/analysis/Gaussian integral.md",
        "headings": ["The Gaussian integral", "In polar coordinates"],
        "anchor": "in-polar-coordinates",
        "line": 11,
        "label": "",
    }


def test_a_change_is_found_after_an_update(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in "ab":
        (notes / f"{name}.md").write_text(f"# Note {name}\n\nAbout rings.")
    api.ingest(notes, tmp_path / "collection")
    api.index(tmp_path / "collection", systems=[SYSTEM]).close()
    (notes / "b.md").write_text("# Note b\n\nAbout rings.\n\n## Sheaves\n\nAbout sheaves.")
    api.ingest(notes, tmp_path / "collection")
    with api.update(tmp_path / "collection") as index:
        assert first(index, "sheaves").post_id == "notes/b.md#sheaves"
    (notes / "b.md").unlink()
    api.ingest(notes, tmp_path / "collection")
    with api.update(tmp_path / "collection") as index:
        assert not index.search("sheaves", system=SYSTEM)
        assert first(index, "rings").post_id == "notes/a.md"
