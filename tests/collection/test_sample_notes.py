"""The sample notes: every link in them leads somewhere, and every formula is understood."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from porism.collection.document_links import linked_document
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import named_source
from porism.collection.store import open_collection


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    report = ingest(named_source("sample-notes"), folder, IngestOptions(jobs=1))
    assert (report.problems, report.skipped, report.guessed, report.other_files) == (0, 0, 0, {})
    return folder


def test_every_link_leads_to_a_document(notes: Path) -> None:
    with open_collection(notes) as collection:
        links = [
            (target, linked_document(collection, unquote(target), post.location))
            for post in collection.posts()
            for target in re.findall(r'href="document:([^"]*)"', collection.markup(post.id).body)
        ]
    assert len(links) > 8
    assert all(linked for _, linked in links), links


def test_a_theorem_of_the_paper_has_its_number_and_place(notes: Path) -> None:
    with open_collection(notes) as collection:
        post = collection.post("notes/paper/main.tex#thm-squares")
        assert post.title == ("Theorem 2.1 (Fermat)",)
        assert post.location is not None
        assert post.location.label == "Theorem 2.1"
        file = collection.source_file(post.location)
    assert file is not None
    line = file.read_text().splitlines()[post.location.line - 1]
    assert line.startswith(r"\begin{theorem}[Fermat]")
