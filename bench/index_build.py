"""Builds an index of synthetic documents in a separate process on one core, and measures it.

``python -m bench.index_build SOURCE INDEX DOCUMENTS`` is that process; ``built`` starts it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.plain_loop import K1, B
from bench.synthetic_tokens import Source, read_source, synthetic, token_stream
from porism.inverted import DocumentBatch, Field, FieldTokens, IndexWriter, keys
from porism.inverted.layout import read_meta

FIELD = "all"
"""Words and formulas share one field, as in published systems."""


class BuildCost(NamedTuple):
    """The cost of building. The time to generate synthetic tokens is excluded, their memory not."""

    seconds: float
    processor_seconds: float
    megabytes: float


class Sizes(NamedTuple):
    """Sizes on disk in bytes; ``postings`` is everything but dictionary and names."""

    postings: int
    dictionary: int
    names: int


def built(source: Path, index: Path, documents: int) -> BuildCost:
    """Build an index in a separate process."""
    command = [sys.executable, "-m", "bench.index_build", str(source), str(index), str(documents)]
    one_thread = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, **one_thread})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {done.returncode}")
    return BuildCost(**json.loads(done.stdout))


def sizes(index: Path) -> Sizes:
    """The sizes of the parts of an index, by the names of its arrays."""
    arrays = [array for file in read_meta(index).files for array in file.arrays]
    names = sum(array.size for array in arrays if array.name.startswith("id_"))
    dictionary = sum(
        array.size
        for array in arrays
        if array.name.startswith("token_") or array.name.endswith("_keys")
    )
    return Sizes(sum(array.size for array in arrays) - names - dictionary, dictionary, names)


def _peak_kilobytes() -> int:
    """The peak memory of this process; getrusage would include that of its parent at the fork."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    source_folder, index, count = sys.argv[1:]
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    source = read_source(Path(source_folder))
    with TemporaryDirectory() as small:  # compiles everything
        _build(source, Path(small) / "index", 100)
    took = _build(source, Path(index), int(count))
    peak = _peak_kilobytes() / 1024
    print(json.dumps(BuildCost(*took, peak)._asdict()))


def _build(source: Source, index: Path, documents: int) -> tuple[float, float]:
    """Build an index; returns the wall-clock and processor seconds."""
    batches = _Batches(source, documents)
    start, processor_start = time.monotonic(), time.process_time()
    with IndexWriter(index, [Field(FIELD, K1, B)]) as writer:
        for batch in batches:
            writer.add_batch(batch)
        writer.commit()
    seconds, processor = time.monotonic() - start, time.process_time() - processor_start
    return seconds - batches.seconds, processor - batches.processor_seconds


class _Batches:
    """Batches of synthetic documents, and the time to generate them.

    The strings of real terms come with the first batch; new terms have none.
    """

    def __init__(self, source: Source, documents: int) -> None:
        self.seconds = self.processor_seconds = 0.0
        self._source = source
        self._documents = documents

    def __iter__(self) -> Iterator[DocumentBatch]:
        start, processor_start = time.monotonic(), time.process_time()
        real_keys = keys(self._source.tokens)
        strings = dict(zip(real_keys.tolist(), self._source.tokens, strict=True))
        for documents in synthetic(self._source, self._documents):
            tokens = FieldTokens(*token_stream(documents, real_keys))
            doc_ids = [str(documents.first + at) for at in range(len(documents))]
            self.seconds += time.monotonic() - start
            self.processor_seconds += time.process_time() - processor_start
            yield DocumentBatch(doc_ids, {FIELD: tokens}, strings)
            start, processor_start = time.monotonic(), time.process_time()
            strings = {}


if __name__ == "__main__":
    main()
