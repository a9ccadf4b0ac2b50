"""What is indexed of a document is what its recipes say, however it is put together."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from porism.analysis import Notation, Part, Recipe, document_tokens, query_tokens
from porism.catalog import SYSTEMS, plan
from porism.collection.ingest import Options, ingest
from porism.collection.sample import sample_source
from porism.collection.schema import number_of
from porism.collection.store import Collection, open_collection
from porism.index import keys
from porism.indexing.formula_table import stored_tokens, write_empty_table, write_formula_table
from porism.indexing.library import Plan, joined
from porism.indexing.threads import thread_documents
from porism.indexing.tokenising import ThreadChunk, thread_batch
from porism.model import Formula
from porism.text import PLAIN

REPEATED = Recipe("thrice", chain=PLAIN, notations=(Notation.L8,), repeated=((Part.TITLE, 3),))
PLANNED = joined([plan(SYSTEMS), Plan((REPEATED,))])
THREADS = ["101", "137", "501"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("tokenising") / "sample"
    ingest(sample_source(), folder, Options(jobs=1))
    return open_collection(folder)


@pytest.mark.parametrize("has_table", [True, False])
def test_a_batch_has_the_tokens_of_each_document(
    collection: Collection, tmp_path: Path, has_table: bool
) -> None:
    if has_table:
        for _ in write_formula_table(collection, tmp_path, PLANNED.notations, jobs=1):
            pass
    else:
        write_empty_table(tmp_path, PLANNED.notations)
    batch = thread_batch(ThreadChunk(collection.path, tmp_path, PLANNED, THREADS)).batch
    threads = (collection.thread(thread_id) for thread_id in THREADS)
    documents = [each for thread in threads for each in thread_documents(thread)]
    assert batch.doc_ids == [document.id for document in documents]

    def tokens_of(formula: Formula, notation: Notation) -> list[str]:
        if notation is Notation.VISUAL:
            return [f"@{formula.visual_id}"] if formula.visual_id else []
        number = number_of(formula.latex, formula.macros)
        stored = stored_tokens(collection, number, notation)
        return query_tokens(notation, formula.latex).tokens if stored is None else stored

    for recipe in PLANNED.answers:
        indexed = batch.fields[recipe.name]
        streams = np.split(indexed.keys, indexed.starts[1:-1])
        for document, stream in zip(documents, streams, strict=True):
            expected = keys(document_tokens(recipe, document, tokens_of))
            assert Counter(stream.tolist()) == Counter(expected.tolist()), recipe.name
