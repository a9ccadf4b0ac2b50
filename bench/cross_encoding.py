"""Throughput of a cross-encoder on one core, next to transformers on torch.

The model has the size of MiniLM (6 layers of width 384): its weights with a classifier of random
numbers, since speed does not depend on them. Pairs are questions of 2020 with answers of the mini
collection, cut at 200 tokens. PORISM_TORCH_PYTHON names a Python that has transformers; without it
only ours is measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from bench.encoding import mini_answers
from bench.mini_scores import read_year
from bench.shared_data import shared_folder
from porism.embed import open_cross_encoder
from porism.embed.packaged_encoders import MINILM
from porism.packaged_models import packaged_model
from porism.rank.neural.thread_texts import TopicText

PAIRS = 200
TOKENS = 200
ROUNDS = 3
WIDTH = 384

PEER = """
import json, sys, time
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
folder, pairs = sys.argv[1:]
torch.set_num_threads(1)
model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
tokenizer = AutoTokenizer.from_pretrained(folder)
pairs = json.load(open(pairs))

def scores(pairs):
    rows = []
    for start in range(0, len(pairs), 32):
        left, right = zip(*pairs[start : start + 32])
        batch = tokenizer(list(left), list(right), truncation="longest_first", max_length=200,
                          padding=True, return_tensors="pt")
        with torch.no_grad():
            rows += model(**batch).logits[:, 0].tolist()
    return rows

scores(pairs[:32])
start = time.process_time()
rows = scores(pairs)
print(json.dumps([time.process_time() - start, rows]))
"""


def report() -> None:
    """Print pairs per second, by processor time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers = mini_answers(folder)
        topics = read_year(shared_folder(), 1, 2020)
        questions = [TopicText.QUESTION.of(topic) for topic in topics]
        pairs = [
            (questions[at % len(questions)], answer) for at, answer in enumerate(answers[:PAIRS])
        ]
        _write_model(folder / "model")
        floats = _measure(folder / "model", "float32", pairs)
        integers = _measure(folder / "model", "int8", pairs)
        agreement = np.corrcoef(floats, integers)[0, 1]
        print(f"  correlation of the scores of both precisions: {agreement:.4f}")
        _print_peer(folder, pairs, floats)


def _write_model(folder: Path) -> None:
    source = packaged_model(MINILM)
    folder.mkdir()
    for file in ("config.json", "tokenizer.json"):
        shutil.copy(source / file, folder)
    settings = json.dumps({"model_max_length": TOKENS, "tokenizer_class": "BertTokenizerFast"})
    (folder / "tokenizer_config.json").write_text(settings, encoding="utf-8")
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config |= {"num_labels": 1, "architectures": ["BertForSequenceClassification"]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = {f"bert.{name}": each for name, each in load_file(source / MODEL).items()}
    numbers = np.random.default_rng(0)
    weights["classifier.weight"] = numbers.normal(size=(1, WIDTH)).astype(np.float32)
    weights["classifier.bias"] = np.zeros(1, dtype=np.float32)
    save_file(weights, folder / MODEL, {"format": "pt"})


MODEL = "model.safetensors"


def _measure(folder: Path, precision: str, pairs: list[tuple[str, str]]) -> NDArray[np.float32]:
    encoder = open_cross_encoder(str(folder), precision)
    scores = encoder.scores(pairs[:10])
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        scores = encoder.scores(pairs)
        times.append(time.process_time() - start)
    print(
        f"Cross-encoder of MiniLM's size, {precision}, one core, {len(pairs)} pairs of at most"
        f" {TOKENS} tokens: {len(pairs) / min(times):.1f} pairs/s (best of {ROUNDS})",
        flush=True,
    )
    return scores


def _print_peer(folder: Path, pairs: list[tuple[str, str]], floats: NDArray[np.float32]) -> None:
    python = os.environ.get("PORISM_TORCH_PYTHON")
    if not python:
        print("  no peer: PORISM_TORCH_PYTHON names no Python with transformers")
        return
    (folder / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    done = subprocess.run(
        [python, "-c", PEER, str(folder / "model"), str(folder / "pairs.json")],
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": ""},
    )
    if done.returncode:
        sys.exit(f"The Python of PORISM_TORCH_PYTHON failed:\n{done.stderr}")
    seconds, scores = json.loads(done.stdout.splitlines()[-1])
    print(f"  transformers, torch, one thread: {len(pairs) / seconds:.1f} pairs/s")
    difference = np.abs(np.array(scores) - floats)
    print(f"  difference of our float32 from its scores: median {np.median(difference):.5f}")
