"""Search times of Porism, tantivy and bm25s over the same synthetic documents, on one core.

All return the best 1,000 documents for the same terms. The peers do less: bm25s has no term weights
and gets the numbers of terms and documents; tantivy rounds document lengths, returns positions
instead of ids, and does not count matches. Scores differ: tantivy has only BM25.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import bm25s
import numpy as np
import tantivy

from bench.index_build import built
from bench.plain_loop import Counted, Places, PlainLoop, counted
from bench.real_tokens import WeightedTopic, answer_queries, answer_tokens, ingest_mini
from bench.search import K, answers, check, clauses, plain_loop
from bench.shared_data import shared_folder
from bench.synthetic_tokens import Source, source_of, synthetic
from bench.timing import SearchFunction, times
from porism.inverted import open_inverted_index

DOCUMENTS = 200_000
HEAP = 3_500_000_000
"""Memory for tantivy's writer: enough for one segment, which is fastest to search."""

SPELLED = 5
"""The length of a word for tantivy, including the space after it."""


def report(documents: int = DOCUMENTS) -> None:
    """Print the times of each engine and the ratios of medians."""
    shared = shared_folder()
    print(f"Search of {documents:,} synthetic answers with other engines, one core")
    with TemporaryDirectory() as name:
        folder = Path(name)
        kind = answers(documents)
        source = source_of(answer_tokens(ingest_mini(shared, folder)), kind.growth)
        source.write(folder / "source")
        built(folder / "source", folder / "index", documents)
        queries = answer_queries(shared)
        counts = counted(source, documents)
        plain = plain_loop(folder, source, counts, queries, kind.target)
        index = open_inverted_index(folder / "index")
        check(index, plain, queries)
        native = {query: clauses(query) for query in queries}
        searchers: dict[str, SearchFunction] = {
            "porism": lambda query: index.search(native[query], K),
            "plain loop": lambda query: plain.search(query, K),
            "bm25s": bm25s_search(folder, source, counts, plain, queries),
            "tantivy": tantivy_search(folder, source, counts, queries),
        }
        for query in queries:
            for search in searchers.values():
                search(query)
        measured = times(searchers, queries)
    for engine, spent in measured.items():
        ratio = spent.clock.median / measured["porism"].clock.median
        print(f"  {engine}: {spent}; {ratio:.2f} times Porism's median")


def bm25s_search(
    folder: Path, source: Source, counts: Counted, plain: PlainLoop, queries: list[WeightedTopic]
) -> SearchFunction:
    """bm25s over the plain loop's arrays, which have its own format, in memory.

    Its builder would need the tokens as lists of Python ints, 10 GB of them.
    """
    engine = bm25s.BM25(backend="numba")
    engine.scores = {
        "data": np.fromfile(folder / "impacts", np.float32),
        "indices": np.fromfile(folder / "ids", np.int32),
        "indptr": plain.starts.astype(np.int32),
        "num_docs": counts.documents,
    }
    engine.nonoccurrence_array = None
    engine.vocab_dict = {token: number for number, token in enumerate(source.tokens)}
    engine.unique_token_ids_set = set(engine.vocab_dict.values())
    numbers = {
        query: [engine.vocab_dict[token] for token in query.tokens if token in engine.vocab_dict]
        for query in queries
    }
    return lambda query: engine.retrieve(
        [numbers[query]], k=K, n_threads=1, show_progress=False, backend_selection="numba"
    )


def tantivy_search(
    folder: Path, source: Source, counts: Counted, queries: list[WeightedTopic]
) -> SearchFunction:
    """tantivy over the same tokens, spelled in letters, in one segment."""
    index_folder = folder / "tantivy"
    index_folder.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("all", tokenizer_name="blanks", index_option="freq")
    schema = builder.build()
    index = tantivy.Index(schema, str(index_folder))
    blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("blanks", blanks)
    writer = index.writer(HEAP, 1)
    for text in _texts(source, counts):
        writer.add_document(tantivy.Document(all=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    if searcher.num_docs != counts.documents or searcher.num_segments != 1:
        raise SystemExit(
            f"tantivy has {searcher.num_docs} documents in {searcher.num_segments} segments; "
            f"expected {counts.documents} in one"
        )
    words = _spelled(np.arange(len(source.tokens), dtype=np.uint32)).split()
    numbers = dict(zip(source.tokens, words, strict=True))
    native = {query: _tantivy_query(query, numbers, schema) for query in queries}
    return lambda query: searcher.search(native[query], limit=K, count=False).hits


def _texts(source: Source, counts: Counted) -> Iterator[str]:
    """Documents as words that spell the numbers of their terms, separated by spaces."""
    for documents in synthetic(source, counts.documents):
        terms = np.repeat(counts.numbers(documents.terms), documents.counts)
        text = _spelled(terms)
        lengths = np.add.reduceat(documents.counts, documents.starts[:-1])
        ends = np.cumsum(lengths) * SPELLED
        for length, end in zip((lengths * SPELLED).tolist(), ends.tolist(), strict=True):
            yield text[end - length : end]


def _spelled(terms: Places) -> str:
    """Numbers as four letters and a space each, so that arrays become text without a loop."""
    letters = np.full((len(terms), SPELLED), ord(" "), np.uint8)
    for place in range(SPELLED - 1):
        letters[:, place] = (terms >> np.uint32(6 * place)) % 64 + ord("0")
    return letters.tobytes().decode("ascii")


def _tantivy_query(
    query: WeightedTopic, numbers: dict[str, str], schema: tantivy.Schema
) -> tantivy.Query:
    return tantivy.Query.boolean_query(
        [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(
                    tantivy.Query.term_query(schema, "all", numbers[token], "freq"), weight
                ),
            )
            for token, weight in zip(query.tokens, query.weights, strict=True)
            if token in numbers
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Compare Porism's search times with other engines."
    )
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    report(parser.parse_args().documents)


if __name__ == "__main__":
    main()
