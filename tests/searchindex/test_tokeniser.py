"""The indexed tokens of a document are those of its field specifications."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from porism.analysis import (
    Document,
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    Unit,
    document_tokens,
    unparsed_formula_tokens,
)
from porism.catalog import SYSTEMS, index_plan
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.collection.store import Collection, open_collection
from porism.hashing import text_number
from porism.inverted import key, keys
from porism.inverted.keys import KeyCache
from porism.model import DocId, Formula
from porism.searchindex.batches import ThreadChunk, thread_batches
from porism.searchindex.components import table_kinds
from porism.searchindex.components.inverted_index import BatchKeys, unit_index
from porism.searchindex.components.kinds import planned_components
from porism.searchindex.formula_table import (
    open_formula_table,
    stored_tokens,
    write_empty_table,
    write_formula_table,
)
from porism.searchindex.thread_documents import thread_documents
from porism.searchindex.tokeniser import DocumentTokeniser
from porism.text import PLAIN

WEIGHTED = FieldSpec(
    "thrice",
    analyzer=PLAIN,
    formula_tokens=(FormulaTokens.L8,),
    part_weights=((DocumentPart.TITLE, 3),),
)
COMPONENTS = planned_components((*index_plan(SYSTEMS), WEIGHTED))
INDEX = unit_index(COMPONENTS, Unit.ANSWERS)
THREADS = ["101", "137", "501"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("tokenising") / "sample"
    ingest(sample_source(), folder, IngestOptions(jobs=1))
    return open_collection(folder)


def test_a_formula_that_ingest_did_not_parse_has_no_wildcards(
    collection: Collection, tmp_path: Path
) -> None:
    l8 = (FormulaTokens.L8,)
    write_empty_table(tmp_path, l8)
    tokeniser = DocumentTokeniser(collection, open_formula_table(tmp_path, l8), KeyCache())
    title = (Formula("1", r"?n\oldsum", macros=r"\def\oldsum{+}"),)
    document = Document(DocId("1"), {DocumentPart.RELATED_TITLES: title})
    (indexed,) = tokeniser.field_keys(FieldSpec("l8", formula_tokens=l8), document)
    assert Counter(indexed) == Counter(keys(unparsed_formula_tokens(FormulaTokens.L8, "?n+")))
    assert key("(?,V!n,n)") in indexed
    assert not tokeniser.words


@pytest.mark.parametrize("has_table", [True, False])
def test_a_batch_has_the_tokens_of_each_document(
    collection: Collection, tmp_path: Path, has_table: bool
) -> None:
    if has_table:
        for _ in write_formula_table(collection, tmp_path, table_kinds(COMPONENTS), jobs=1):
            pass
    else:
        write_empty_table(tmp_path, table_kinds(COMPONENTS))
    answered: list[tuple[str, tuple[Unit, ...]]] = [(each, (Unit.ANSWERS,)) for each in THREADS]
    chunk = ThreadChunk(collection.path, tmp_path, (INDEX,), answered, {})
    batch = thread_batches(chunk)[Unit.ANSWERS]
    (payload,) = batch.payloads
    assert isinstance(payload, BatchKeys)
    threads = (collection.thread(thread_id) for thread_id in THREADS)
    documents = [each for thread in threads for each in thread_documents(thread)]
    assert batch.doc_ids == [document.id for document in documents]

    def tokens_of(formula: Formula, kind: FormulaTokens) -> list[str]:
        if kind is FormulaTokens.VISUAL:
            return [f"@{formula.visual_id}"] if formula.visual_id else []
        number = text_number(formula.latex, formula.macros)
        stored = stored_tokens(collection, number, kind)
        return (
            unparsed_formula_tokens(kind, formula.latex, formula.macros)
            if stored is None
            else stored
        )

    for spec in INDEX.specs:
        indexed = payload.fields[spec.name]
        streams = np.split(indexed.keys, indexed.starts[1:-1])
        for document, stream in zip(documents, streams, strict=True):
            expected = keys(document_tokens(spec, document, tokens_of))
            assert Counter(stream.tolist()) == Counter(expected.tolist()), spec.name
