"""The soft cosine systems and Formula2Vec on the mini collection, and what similarities add.

Models are trained on the collection with the defaults. ``PORISM_BENCH_FOLDER`` may name a folder
that keeps collection, models and index between runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.link_topics import link_quality, link_topic_set
from bench.quality import system_quality
from bench.real_tokens import ingest_mini
from bench.shared_data import shared_folder
from porism.catalog import index_plan, ranker
from porism.collection.store import open_collection
from porism.model import Task
from porism.rank.ranker import Ranker
from porism.rank.soft_cosine.similarity_matrix import TermSimilarities
from porism.rank.soft_cosine.soft_ranking import SoftCosineRanker
from porism.searchindex.builder import IndexOptions
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.indexing import VectorChoice, index_collection
from porism.searchindex.manifest import is_search_index
from porism.searchindex.model_roles import ModelRole, VectorRole

NAMES = ("tfidf", "scm", "scm-2022", "formula2vec")
"""None of them reads the titles of linked questions, so topics from links need no other index."""


def report() -> None:
    """Print the scores of each system on 2020, 2021 and the topics from links."""
    shared = shared_folder()
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        folder = Path(permanent or temporary)
        with open_index(_made_index(shared, folder)) as search_index:
            for line in _table(shared, search_index):
                print(line, flush=True)


def _made_index(shared: Path, folder: Path) -> Path:
    """The index of the mini collection for these systems, with models that were trained on it."""
    folder.mkdir(parents=True, exist_ok=True)
    collection, index = folder / "mini", folder / "soft-index"
    if not collection.exists():
        ingest_mini(shared, folder)
    for kind in ("fasttext", "doc2vec"):
        if not (folder / kind).exists():
            command = ["train", kind, str(collection), "-o", str(folder / kind)]
            subprocess.run([sys.executable, "-m", "porism", *command], check=True)
    if not is_search_index(index):
        choice = VectorChoice(
            is_used=False, models={VectorRole.FORMULA2VEC: str(folder / "doc2vec")}
        )
        options = IndexOptions(models={ModelRole.FASTTEXT: str((folder / "fasttext").resolve())})
        with open_collection(collection) as opened:
            index_collection(
                opened, index, index_plan(NAMES), choice, options, lambda progress: None
            )
    return index


def _table(shared: Path, search_index: SearchIndex) -> Iterator[str]:
    links = link_topic_set(shared)
    yield "| system | nDCG' | MAP | P@10 | MAP of links | ms per topic |"
    yield "|---|---|---|---|---|---|"
    for name in NAMES:
        system = ranker(name, Task.ANSWERS, search_index)
        for label, each in _variants(name, system):
            quality = system_quality(shared, Task.ANSWERS, each)
            means = zip(*(scores.means() for scores in quality.years), strict=True)
            cells = [" / ".join(f"{value:.3f}" for value in of) for of in means]
            linked, _ = link_quality(links, each).means()
            yield f"| {label} | {' | '.join(cells)} | {linked:.3f} | {quality.milliseconds:.0f} |"


def _variants(name: str, system: Ranker) -> Iterator[tuple[str, Ranker]]:
    yield f"`{name}`", system
    if isinstance(system, SoftCosineRanker):
        nothing = TermSimilarities([], np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
        fields = tuple(replace(each, similarities=nothing) for each in system.fields)
        yield f"`{name}` without similarities", replace(system, fields=fields)
