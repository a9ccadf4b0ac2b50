"""Encoding throughput on two cores, next to sentence-transformers on torch.

torch is too large for the extra ``bench``: PORISM_TORCH_PYTHON names a Python that has
sentence-transformers, such as that of a virtual environment made for this. Without it only ours is
measured.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.shared_data import shared_folder
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.embed import open_encoder
from porism.embed.packaged_encoders import MINILM
from porism.model import PostKind, plain_text
from porism.packaged_models import packaged_model
from porism.parallel import map_in_order
from porism.searchindex.text_encoders import shared_encoder

TEXTS = 300
JOBS = 2
CHUNK = 64
ROUNDS = 3

PEER = """
import json, resource, sys, time
import numpy, torch
from sentence_transformers import SentenceTransformer, models
folder, texts, output, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
network = models.Transformer(folder, max_seq_length=256)
pooling = models.Pooling(network.get_word_embedding_dimension())
model = SentenceTransformer(modules=[network, pooling, models.Normalize()], device="cpu")
texts = json.load(open(texts))
model.encode(texts[:32])
before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
vectors = model.encode(texts, batch_size=32)
seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
numpy.save(output, vectors)
used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([seconds, used]))
"""


class Timing(NamedTuple):
    """Seconds by the clock and of processor time, and the vectors."""

    clock: float
    processor: float
    vectors: NDArray[np.float32]


def report() -> None:
    """Print texts per second of both, by turns, and how close the vectors are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = mini_answers(folder)
        tokens = sum(_lengths(texts))
        print(
            f"MiniLM, {len(texts)} answers of the mini collection, {tokens:,} tokens after cutting"
        )
        peer = os.environ.get("PORISM_TORCH_PYTHON")
        ours, theirs = [], []
        open_encoder("minilm")  # exported before the clock starts
        for _ in range(ROUNDS):
            ours.append(_ours(texts))
            if peer:
                theirs.append(_theirs(peer, texts, folder))
    _print(f"ours, int8, {JOBS} processes with their start", ours)
    floats = open_encoder("minilm", "float32").encode(texts[:200])
    print(f"  least cosine of 200 with float32: {_least_cosine(ours[0].vectors[:200], floats):.4f}")
    if not peer:
        print("  no peer: PORISM_TORCH_PYTHON names no Python with sentence-transformers")
        return
    _print(f"sentence-transformers, torch, {JOBS} threads, model already loaded", theirs)
    clock, processor = (
        min(each[at] for each in theirs) / min(each[at] for each in ours) for at in (0, 1)
    )
    print(f"  ours is {clock:.2f} times as fast by the clock, {processor:.2f} by processor time")
    same = _least_cosine(floats, theirs[0].vectors[:200])
    print(f"  least cosine of our float32 with theirs: {same:.6f}")


def mini_answers(folder: Path) -> list[str]:
    """Answers from all over the mini collection, which is ingested into a folder."""
    ingest(shared_folder() / "data/arqmath-mini", folder / "mini", IngestOptions(jobs=JOBS))
    with open_collection(folder / "mini") as collection:
        texts = [
            plain_text(post.body) for post in collection.posts() if post.kind is PostKind.ANSWER
        ]
    return texts[:: len(texts) // TEXTS][:TEXTS]


def _lengths(texts: list[str]) -> list[int]:
    encoder = open_encoder("minilm")
    return [len(encoder.token_spans(text, encoder.max_tokens)) for text in texts]


def _ours(texts: list[str]) -> Timing:
    before, start = _processor_time(), time.perf_counter()
    chunks = [texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)]
    encoded = list(map_in_order(_encoded, chunks, JOBS))
    seconds = time.perf_counter() - start
    return Timing(seconds, _processor_time() - before, np.vstack(encoded))


def _encoded(texts: list[str]) -> NDArray[np.float32]:
    """The vectors of a chunk; runs in another process, as the filling of an index does."""
    return shared_encoder("minilm").encode(texts)


def _theirs(python: str, texts: list[str], folder: Path) -> Timing:
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    arguments = [str(packaged_model(MINILM)), str(folder / "texts.json"), str(folder / "peer.npy")]
    done = subprocess.run(
        [python, "-c", PEER, *arguments, str(JOBS)],
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": ""},
    )
    if done.returncode:
        sys.exit(f"The Python of PORISM_TORCH_PYTHON failed:\n{done.stderr}")
    seconds, used = json.loads(done.stdout.splitlines()[-1])
    return Timing(seconds, used, np.load(folder / "peer.npy"))


def _processor_time() -> float:
    """Of this process and of those that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _print(label: str, timings: list[Timing]) -> None:
    clock = min(timing.clock for timing in timings)
    processor = min(timing.processor for timing in timings)
    count = len(timings[0].vectors)
    print(
        f"  {label}: {count / clock:.1f} texts/s, {processor / count * 1000:.1f} ms of processor"
        f" time per text (best of {len(timings)})"
    )


def _least_cosine(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """Of rows with the same number; empty texts are left out."""
    cosines = (left * right).sum(axis=1)
    return float(cosines[np.linalg.norm(left, axis=1) > 0].min())
