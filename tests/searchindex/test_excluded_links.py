"""Indexes built as if links were unknown: nothing of them is in any document."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from porism.analysis import Document, DocumentPart
from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.questions import question_links
from porism.collection.sample import sample_source
from porism.collection.store import Collection, open_collection
from porism.model import DocId
from porism.searchindex.builder import IndexOptions, IndexReport, build_index, update_index
from porism.searchindex.collection_state.excluded_links import (
    NO_LINKS,
    ExcludedLinks,
    excluded_links,
    read_excluded_links,
)
from porism.searchindex.files import check_index
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import generation_folder, read_manifest, write_manifest
from porism.searchindex.thread_documents import thread_documents

LINKED_TITLES = (DocumentPart.DUPLICATE_TITLES, DocumentPart.RELATED_TITLES)
NAMES = ("l8", "tangent-l")


def links_between_questions(collection: Collection) -> ExcludedLinks:
    return excluded_links((link.post_id, link.related_id) for link in question_links(collection))


def indexed(
    collection: Path, folder: Path, links: ExcludedLinks = NO_LINKS, jobs: int = 1
) -> IndexReport:
    with open_collection(collection) as opened:
        options = IndexOptions(jobs, excluded_links=links)
        return build_index(opened, folder, index_plan(NAMES), options, lambda progress: None)


def updated(collection: Path, folder: Path) -> IndexReport:
    with open_collection(collection) as opened:
        return update_index(opened, folder, IndexOptions(), lambda progress: None)


def fingerprint(folder: Path) -> str:
    with open_index(folder) as opened:
        return opened.fingerprint


def stored_links(folder: Path) -> ExcludedLinks:
    manifest = read_manifest(folder)
    return read_excluded_links(
        generation_folder(folder, manifest.generation), manifest.excluded_links
    )


def source_of_sample(folder: Path) -> Path:
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    return Path(shutil.copytree(sample_source(), folder, ignore=ignored))


@pytest.fixture(scope="module")
def unlinked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection of the sample without links."""
    folder = tmp_path_factory.mktemp("unlinked")
    links = source_of_sample(folder / "source") / "PostLinks.xml"
    links.write_text(re.sub(r"\s*<row .*", "", links.read_text("utf-8")), "utf-8")
    ingest(folder / "source", folder / "collection", IngestOptions(jobs=1))
    return folder / "collection"


def test_pairs_have_no_direction() -> None:
    links = excluded_links(
        (DocId(one), DocId(other)) for one, other in (("9", "10"), ("10", "9"), ("9", "2"))
    )
    assert links.by_question == {"9": {"10", "2"}, "10": {"9"}, "2": {"9"}}
    assert list(links.pairs()) == [("10", "9"), ("2", "9")]
    assert len(links) == 2
    assert links.of(["2", "5"]) == {"2": {"9"}}
    assert not NO_LINKS


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_index_without_links_equals_that_of_a_collection_without_them(
    sample_collection: Path, unlinked: Path, tmp_path: Path, jobs: int
) -> None:
    with open_collection(sample_collection) as opened:
        links = links_between_questions(opened)
    indexed(sample_collection, tmp_path / "without", links, jobs)
    indexed(unlinked, tmp_path / "unlinked")
    assert fingerprint(tmp_path / "without") == fingerprint(tmp_path / "unlinked")
    indexed(sample_collection, tmp_path / "with")
    assert fingerprint(tmp_path / "with") != fingerprint(tmp_path / "unlinked")


def test_an_update_leaves_the_same_links_out(tmp_path: Path) -> None:
    source = source_of_sample(tmp_path / "source")
    collection, index = tmp_path / "collection", tmp_path / "index"
    ingest(source, collection, IngestOptions(jobs=1))
    with open_collection(collection) as opened:
        links = links_between_questions(opened)
    indexed(collection, index, links)
    assert updated(collection, index).written == 0
    posts = source / "Posts.xml"
    text = posts.read_text("utf-8")
    posts.write_text(re.sub(r'Title="', 'Title="Zeppelin ', text), "utf-8")
    ingest(source, collection, IngestOptions(jobs=1))
    assert updated(collection, index).written > 100
    assert stored_links(index) == links
    indexed(collection, tmp_path / "rebuilt", links)
    with open_index(index) as one, open_index(tmp_path / "rebuilt") as other:
        assert one.answers.fields == other.answers.fields
    assert updated(collection, index).written == 0
    assert not check_index(index, lambda progress: None).damages


def test_an_update_that_rebuilds_leaves_the_same_links_out(
    sample_collection: Path, tmp_path: Path
) -> None:
    with open_collection(sample_collection) as opened:
        links = links_between_questions(opened)
    index = tmp_path / "index"
    indexed(sample_collection, index, links)
    before = fingerprint(index)
    write_manifest(index, replace(read_manifest(index), labels=("kind",)))
    updated(sample_collection, index)
    assert read_manifest(index).generation == 2
    assert stored_links(index) == links
    assert fingerprint(index) == before


def test_a_new_build_forgets_the_links(sample_collection: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    indexed(sample_collection, index, excluded_links([(DocId("126"), DocId("111"))]))
    assert len(stored_links(index)) == 1
    indexed(sample_collection, index)
    assert read_manifest(index).excluded_links is None
    assert stored_links(index) == NO_LINKS


def test_damage_of_the_stored_links_is_noticed(sample_collection: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    indexed(sample_collection, index, excluded_links([(DocId("126"), DocId("111"))]))
    path = index / "generation-1" / "excluded-links"
    path.write_bytes(path.read_bytes().replace(b"111", b"112"))
    (damage,) = check_index(index, lambda progress: None).damages
    assert "excluded-links" in damage


def _documents(collection: Collection, links: ExcludedLinks) -> Iterator[tuple[str, Document]]:
    """The documents of the questions that have excluded links, each with its question."""
    for question in sorted(links.by_question):
        excluded = links.by_question[question]
        for document in thread_documents(collection.thread(question), excluded):
            yield question, document


def test_no_document_has_the_title_of_an_excluded_link(mini_collection: Path) -> None:
    with open_collection(mini_collection) as mini:
        links = links_between_questions(mini)
        titles = {question: mini.linked_title(question) for question in links.by_question}

        def leaks(left_out: ExcludedLinks) -> int:
            every = ExcludedLinks({question: frozenset() for question in links.by_question})
            return sum(
                titles[other] == content[start : start + len(titles[other])]
                for question, document in _documents(mini, left_out or every)
                for other in links.by_question[question]
                for part in LINKED_TITLES
                for content in [document.parts.get(part, ())]
                for start in range(len(content))
            )

        assert leaks(links) == 0
        assert leaks(NO_LINKS) >= 1_108


def test_the_mini_collection_without_links_has_the_documents_of_the_shared_links(
    mini_collection: Path, shared: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    shutil.copytree(shared / "data" / "arqmath-mini", source)
    name = "PostLinks.V1.3.xml.gz"
    (source / name).unlink()
    shutil.copy(shared / "data" / "link-topics" / name, source / name)
    ingest(source, tmp_path / "unlinked", IngestOptions(jobs=2))
    with (
        open_collection(mini_collection) as mini,
        open_collection(tmp_path / "unlinked") as unlinked,
    ):
        links = links_between_questions(mini)
        assert len(links) == 248
        documents = {document.id: document for _, document in _documents(mini, links)}
        no_links = ExcludedLinks({question: frozenset() for question in links.by_question})
        assert documents == {each.id: each for _, each in _documents(unlinked, no_links)}
