r"""Queries as people type them, through ``/api/search``: how often the right thread is first.

``typed_queries.tsv`` has queries that we wrote for the sample and for PlanetMath, with the threads
or entries that they are for. Those for the mini collection are made of its titles by
``typed_variants``; for a formula alone, every thread is right whose question has it. PlanetMath and
the mini collection need the real data.

    python -m bench.typed_queries                    all sets
    python -m bench.typed_queries --set sample -v    also every query whose thread is not first
    python -m bench.typed_queries --set mini --titles    every title of the mini collection
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from starlette.testclient import TestClient

from bench.shared_data import shared_folder
from bench.typed_variants import VARIANTS, longest_formula, sampled
from porism.collection.store import Collection, open_collection
from porism.model import DocId, Formula, PostKind, plain_text
from porism.web.app import create_app
from porism.web.settings import SearchAppSettings

WRITTEN = Path(__file__).with_name("typed_queries.tsv")
SETS = ("sample", "planetmath", "mini")
DEPTHS = (1, 3, 10)
PER_KIND = 60
"""Queries of each kind for the mini collection."""

RESULTS = 50
"""Results of a request: several may be of one thread."""


class TypedQuery(NamedTuple):
    """A query, and the threads that are right."""

    kind: str
    text: str
    expected: frozenset[str]


def written_queries(name: str) -> list[TypedQuery]:
    """The queries that we wrote for a collection."""
    with WRITTEN.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            TypedQuery(row["kind"], row["query"], frozenset(row["expected"].split("|")))
            for row in rows
            if row["source"] == name
        ]


def title_queries(collection: Collection, per_kind: int = PER_KIND) -> list[TypedQuery]:
    """Queries made of the questions of a collection, the same ones each time."""
    posts = {post.id: post for post in collection.posts() if post.kind is PostKind.QUESTION}
    threads: dict[str, set[str]] = defaultdict(set)
    for post in collection.posts():
        for piece in (*post.title, *post.body):
            if isinstance(piece, Formula):
                threads[_formula_key(piece.latex)].add(post.parent_id or post.id)
    for post in posts.values():
        threads[_folded("".join(map(_text, post.title)))].add(post.id)
    queries: list[TypedQuery] = []
    for variant in VARIANTS:
        questions = (posts[DocId(post_id)] for post_id in sampled(tuple(posts), variant.kind))
        texts = ((post, post.body if variant.is_body else post.title) for post in questions)
        made = (
            (typed, text, post) for post, text in texts if (typed := variant.make(text)) is not None
        )
        for typed, text, post in islice(made, per_kind):
            right = threads[_folded("".join(map(_text, post.title)))]
            if variant.is_body or variant.kind.startswith("lone"):
                right = right | threads[_formula_key(longest_formula(text))]
            queries.append(TypedQuery(variant.kind, typed, frozenset(right)))
    return queries


def all_titles(collection: Collection) -> list[TypedQuery]:
    """The title of each question, verbatim."""
    threads: dict[str, set[str]] = defaultdict(set)
    titles: dict[str, str] = {}
    for post in collection.posts():
        if post.kind is PostKind.QUESTION:
            text = plain_text(post.title)
            threads[_folded(text)].add(post.id)
            titles[post.id] = text
    return [
        TypedQuery("every title", text, frozenset(threads[_folded(text)]))
        for text in titles.values()
    ]


def _text(piece: str | Formula) -> str:
    return piece if isinstance(piece, str) else piece.latex


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _formula_key(latex: str) -> str:
    """What makes formulas the same; with a sign that no title begins with."""
    plain = latex.replace("\\displaystyle", "").replace("\\,", "").replace("\\left", "")
    return "$" + "".join(plain.replace("\\right", "").replace("{", "").replace("}", "").split())


@contextmanager
def served(index: Path) -> Iterator[TestClient]:
    """The application for an index, without limits of rate."""
    app = create_app(SearchAppSettings(index, requests_a_second=0))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def rank_of(client: TestClient, query: TypedQuery) -> int | None:
    """The rank of the first right thread among the threads found; None if it is not found."""
    response = client.get("/api/search", params={"q": query.text, "k": RESULTS})
    if response.status_code != 200:
        return None
    # The id of an entry of a file of many has the name of the file before it.
    threads = dict.fromkeys(
        each["thread_id"].rpartition("#")[2] for each in response.json()["results"]
    )
    ranks = (rank for rank, each in enumerate(threads, start=1) if each in query.expected)
    return next(ranks, None)


def ranks_of(
    client: TestClient, queries: Sequence[TypedQuery], is_verbose: bool
) -> Mapping[str, list[int | None]]:
    """The ranks by kind of query."""
    ranks: dict[str, list[int | None]] = defaultdict(list)
    for query in queries:
        rank = rank_of(client, query)
        ranks[query.kind].append(rank)
        if is_verbose and rank != 1:
            print(f"    {query.kind:<13} {rank or '-':>3}  {query.text}")
    return ranks


def report(
    names: Sequence[str] = SETS,
    per_kind: int = PER_KIND,
    is_verbose: bool = False,
    only_titles: bool = False,
) -> None:
    """Print the share of queries whose right thread is among the first 1, 3 and 10.

    With ``only_titles`` the queries for the mini collection are all its titles.
    """
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        folder = Path(permanent or temporary)
        for name in names:
            index = indexed(name, folder)
            with open_collection(index.parent) as collection, served(index) as client:
                if name != "mini":
                    queries = written_queries(name)
                elif only_titles:
                    queries = all_titles(collection)
                else:
                    queries = title_queries(collection, per_kind)
                print(f"\n{name}: {len(queries)} queries; right thread among the first")
                print(f"  {'kind':<13} {'queries':>7}  " + "  ".join(f"{d:>5}" for d in DEPTHS))
                _print_table(ranks_of(client, queries, is_verbose))


def _print_table(ranks: Mapping[str, list[int | None]]) -> None:
    everything = [rank for each in ranks.values() for rank in each]
    for kind, listed in (*ranks.items(), ("all", everything)):
        shares = (
            sum(rank is not None and rank <= depth for rank in listed) / len(listed)
            for depth in DEPTHS
        )
        print(f"  {kind:<13} {len(listed):>7}  " + "  ".join(f"{each:5.1%}" for each in shares))


def indexed(name: str, folder: Path) -> Path:
    """The index of a collection, made on first use."""
    collection = folder / f"typed-{name}"
    index = collection / "index"
    if not index.exists():
        shared = Path() if name == "sample" else shared_folder()
        source = {
            "sample": "sample",
            "planetmath": shared / "data/planetmath.jsonl.gz",
            "mini": shared / "data/arqmath-mini",
        }[name]
        run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
        porism = (sys.executable, "-m", "porism")
        run((*porism, "ingest", str(source), "-o", str(collection), "--skip-bad"))
        run((*porism, "index", str(collection), "--systems", "porism"))
    return index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--set", choices=SETS, action="append", help="a set; all if not given")
    parser.add_argument("--per-kind", type=int, default=PER_KIND, help="queries of a kind for mini")
    parser.add_argument("--titles", action="store_true", help="all titles, nothing else, for mini")
    parser.add_argument("-v", "--verbose", action="store_true", help="print failed queries")
    given = parser.parse_args()
    report(given.set or SETS, given.per_kind, given.verbose, given.titles)


if __name__ == "__main__":
    main()
