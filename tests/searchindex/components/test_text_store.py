"""Texts of posts: titles by their characters and words in order, after builds and updates."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis import Document, DocumentPart, Unit, linear_text
from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.inverted import IndexFormatError
from porism.inverted.keys import KeyCache
from porism.model import Content, DocId, Formula, PostKind
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.components import text_store
from porism.searchindex.components.text_store import (
    BREAK,
    PostTexts,
    TextStore,
    words_in_order,
)
from porism.searchindex.files import check_index
from porism.searchindex.formula_table import open_formula_table, write_empty_table
from porism.searchindex.index_folder import open_index
from porism.searchindex.tokeniser import DocumentTokeniser
from tests.collection.small_site import POSTS, ingested_site, write_site

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.fixture(scope="module")
def tokeniser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentTokeniser]:
    folder = tmp_path_factory.mktemp("tokeniser")
    write_empty_table(folder, ())
    with open_collection(ingested_site(folder)) as collection:
        yield DocumentTokeniser(collection, open_formula_table(folder, ()), KeyCache())


def question(doc_id: str, title: str, body: str) -> Document:
    parts: dict[DocumentPart, Content] = {
        DocumentPart.TITLE: (title,),
        DocumentPart.QUESTION: (body,),
    }
    return Document(DocId(doc_id), parts, (f"kind:{PostKind.QUESTION}",))


def written(
    folder: Path, tokeniser: DocumentTokeniser, *updates: Mapping[str, Document]
) -> TextStore:
    component = TextStore(Unit.QUESTIONS)
    for documents in updates:
        writer = component.writer(folder, 0)
        analyzed = [component.analyze(each, tokeniser) for each in documents.values()]
        writer.add(list(documents), component.payload(analyzed, tokeniser))
        component = writer.flush()
        writer.close()
    return component


def read(store: PostTexts, doc_ids: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The title and the words of each text."""
    titles, words = store.of(doc_ids)
    rows = np.split(words.numbers, words.starts[1:-1])
    return [(title, row.tolist()) for title, row in zip(titles, rows, strict=True)]


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.tuples(texts, texts)), min_size=1))
def test_the_last_texts_that_were_written_are_read(
    tmp_path_factory: pytest.TempPathFactory,
    tokeniser: DocumentTokeniser,
    updates: list[dict[str, tuple[str, str]]],
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    documents = [{name: question(name, *each) for name, each in part.items()} for part in updates]
    component = written(folder, tokeniser, *documents)
    expected: dict[str, tuple[str, str]] = {}
    for part in updates:
        expected |= part
    assert read(component.open(folder), [*expected, "unknown"]) == [
        *(
            (
                linear_text(title),
                [*words_in_order((title,)), BREAK, BREAK, *words_in_order((body,))],
            )
            for title, body in expected.values()
        ),
        ("", []),
    ]
    assert TextStore.from_record(component.record(), folder) == component


def test_a_long_text_is_stored_up_to_a_limit(
    tmp_path: Path, tokeniser: DocumentTokeniser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_store, "MOST_WORDS", 5)
    document = question("a", "two sums", "one two three four five")
    component = written(tmp_path, tokeniser, {"a": document})
    ((title, words),) = read(component.open(tmp_path), ["a"])
    assert title == "twosums"
    assert words == [*words_in_order(("two sums",)), BREAK, BREAK, *words_in_order(("one",))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\frac{1}{n}", "1/n"),
        (r"\sin(x)", r"\sin x"),
        (r"\ln x", r"\log x"),
        (r"\int x\,\mathrm{d}x", r"\int x dx"),
        (r"\dfrac12", r"\tfrac{1}{2}"),
    ],
)
def test_formulas_equal_but_for_notation_are_one_word(one: str, other: str) -> None:
    assert words_in_order((Formula("", one),)) == words_in_order((Formula("", other),))


def test_accents_and_forms_of_words_are_lost() -> None:
    assert words_in_order(("Hölder's inequalities",)) == words_in_order(("holder inequality",))


def test_an_index_has_the_texts_of_posts_and_updates_them(tmp_path: Path) -> None:
    index = tmp_path / "index"
    with open_collection(ingested_site(tmp_path)) as collection:
        build_index(collection, index, index_plan(["l8"]), IndexOptions(), lambda progress: None)
    with open_index(index) as opened:
        ((title, words),) = read(opened.texts(Unit.ANSWERS), ["3"])
        assert (title, words[2:]) == ("", words_in_order(("Yes, by squaring",)))
        assert opened.texts(Unit.QUESTIONS).of(["1"]).titles == ["isx2positive"]
    changed = [
        {**row, "Title": "Is a square positive?"} if row["Id"] == 1 else row for row in POSTS
    ]
    ingest(write_site(tmp_path / "new", changed), tmp_path / "collection", IngestOptions(jobs=1))
    with open_collection(tmp_path / "collection") as collection:
        update_index(collection, index, IndexOptions(), lambda progress: None)
    with open_index(index) as opened:
        titles = opened.texts(Unit.QUESTIONS).of(["1", "4"]).titles
        assert titles == ["isasquarepositive", "whatisx2"]
        assert opened.vocabulary.counts["square"] >= 2
    assert not check_index(index, lambda progress: None).damages


@pytest.mark.parametrize("name", ["texts-questions", "word-counts-questions"])
def test_damage_is_reported(tmp_path: Path, name: str) -> None:
    index = tmp_path / "index"
    with open_collection(ingested_site(tmp_path)) as collection:
        build_index(collection, index, index_plan(["l8"]), IndexOptions(), lambda progress: None)
    (path,) = (index / "generation-1" / name).iterdir()
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    (message,) = check_index(index, lambda progress: None).damages
    assert path.name in message
    path.write_bytes(data[:-8])
    with pytest.raises(IndexFormatError), open_index(index) as opened:
        opened.texts(Unit.QUESTIONS).of(["1"])
