"""Link topics by vectors of a trained bi-encoder, beside those of the model it started from.

Run as ``python -m bench.trained_encoder COLLECTION FOLDER MODEL``: FOLDER keeps the indexes between
runs, and MODEL is what ``porism train bi-encoder COLLECTION --without-links LINKS`` wrote, with the
links of ``FOLDER/link-topics``. Both indexes are without these links.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.link_topics import (
    JOBS,
    LinkScores,
    link_quality,
    link_topic_set,
    run_porism,
    unlinked_index,
)
from bench.mini_scores import chance
from bench.shared_data import shared_folder
from porism.catalog import ranker
from porism.lab.topic_sets import TopicSet
from porism.model import Task
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.manifest import is_search_index

SYSTEMS = ("minilm", "porism")


def trained_encoder_table(
    topics: TopicSet, untrained: SearchIndex, trained: SearchIndex
) -> Iterator[str]:
    """The lines of a table of systems, by the vectors of each index."""
    yield "| system | vectors | MAP | P@10 | p of MAP |"
    yield "|---|---|---|---|---|"
    for name in SYSTEMS:
        before, after = (_quality(topics, each, name) for each in (untrained, trained))
        p = chance(after.average_precision, before.average_precision)
        for label, scores, cell in (("untrained", before, " "), ("trained", after, f"{p:.3f}")):
            precision, early = scores.means()
            yield f"| `{name}` | {label} | {precision:.3f} | {early:.3f} | {cell} |"


def _quality(topics: TopicSet, index: SearchIndex, name: str) -> LinkScores:
    return link_quality(topics, ranker(name, Task.ANSWERS, index))


def main(collection: Path, folder: Path, model: Path) -> None:
    """Build the indexes that are not there yet, and print the table."""
    trained = folder / f"unlinked-{model.name}"
    with unlinked_index(collection, folder) as untrained:
        if not is_search_index(trained):
            links = folder / "link-topics" / "links.tsv"
            run_porism(
                "index", collection, "-o", trained, "--without-links", links, "--jobs", JOBS,
                "--systems", ",".join(SYSTEMS), "--model", model, "--vectors",
            )  # fmt: skip
        with open_index(trained) as opened:
            for line in trained_encoder_table(link_topic_set(shared_folder()), untrained, opened):
                print(line, flush=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
