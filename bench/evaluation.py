"""Evaluation compared with plain pytrec_eval, and a very long run.

The lab had 33 runs of Task 1 in 2022. The synthetic runs are as many, as long and as well judged.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import pytrec_eval

from porism.evaluation.measures import DEFAULT_MEASURES, UNPRIMED_MEASURES
from porism.evaluation.scoring import RunScorer

RUNS, TOPICS, RESULTS, JUDGED, DOCUMENTS = 33, 100, 1000, 450, 4000
MEASURES = (*DEFAULT_MEASURES, *UNPRIMED_MEASURES)
LONG_LINES = 6_000_000
"""Lines of the long run, about 200 MB."""

ByHand = dict[str, float]


def report() -> None:
    """Print the times of both for all runs, that the scores agree, and the memory of a long run."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        qrels = folder / "qrels.tsv"
        paths = [folder / f"run{number}.tsv" for number in range(RUNS)]
        _write_qrels(qrels)
        for number, path in enumerate(paths):
            _write_run(path, number)
        _side_by_side(qrels, paths)
        seconds = _timed(lambda: _command(qrels, *paths))
        print(f"porism evaluate, as a command, runs validated first: {seconds:.1f} s")
        _long_run(qrels, folder / "long.tsv")


def _side_by_side(qrels: Path, paths: list[Path]) -> None:
    """Run both by turns, so that a busy machine slows down both."""
    start = time.perf_counter()
    scorer = RunScorer(qrels, MEASURES)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    by_hand = _ByHand(qrels)
    theirs = time.perf_counter() - start
    for path in paths:
        start = time.perf_counter()
        scores = scorer.scores(path)
        middle = time.perf_counter()
        expected = by_hand.means(path)
        theirs += time.perf_counter() - middle
        ours += middle - start
        for measure, value in expected.items():
            assert abs(scores.mean(measure) - value) < 1e-9, (path.name, measure)
    print(
        f"{len(paths)} runs of {TOPICS} topics and {RESULTS:,} results, {len(MEASURES)} measures, "
        f"files to scores: {ours:.1f} s; pytrec_eval by hand {theirs:.1f} s, "
        f"{ours / theirs:.2f} times; all means agree"
    )


class _ByHand:
    """What a researcher writes: the files as dictionaries, scored with pytrec_eval."""

    def __init__(self, qrels: Path) -> None:
        self._grades: dict[str, dict[str, int]] = {}
        for line in qrels.read_text().splitlines():
            topic, _, document, grade = line.split()
            self._grades.setdefault(topic, {})[document] = int(grade)
        self._graded = pytrec_eval.RelevanceEvaluator(self._grades, {"ndcg_cut_1000"})
        binary = {"map_cut_1000", "P_10", "bpref"}
        self._binary = pytrec_eval.RelevanceEvaluator(self._grades, binary, relevance_level=2)

    def means(self, path: Path) -> ByHand:
        run: dict[str, dict[str, float]] = {}
        with path.open() as file:
            for line in file:
                topic, document, _, score, _ = line.split()
                run.setdefault(topic, {})[document] = float(score)
        primed = {
            topic: {doc: score for doc, score in scores.items() if doc in self._grades[topic]}
            for topic, scores in run.items()
        }
        values = {"'": primed, "": run}
        means: ByHand = {}
        for prime, documents in values.items():
            graded = self._graded.evaluate(documents)
            binary = self._binary.evaluate(documents)
            for name, result, key in (
                (f"nDCG{prime}", graded, "ndcg_cut_1000"),
                (f"MAP{prime}", binary, "map_cut_1000"),
                (f"P{prime}@10", binary, "P_10"),
                ("bpref", binary, "bpref"),
            ):
                means[name] = fmean(result.get(topic, {}).get(key, 0.0) for topic in self._grades)
        return means


def _long_run(qrels: Path, path: Path) -> None:
    """A file of far more lines than the lab allows, read in another process for its memory."""
    with path.open("w") as file:
        for number in range(LONG_LINES):
            topic = number * TOPICS // LONG_LINES + 1
            file.write(f"A.{topic}\td{number}\t{number % 1000 + 1}\t{-number}\tlong\n")
        for topic in range(1, TOPICS + 1):
            file.write(f"A.{topic}\td0x\t1\t1\tlong\n")
    code = (
        "import resource, sys; from porism.evaluation.scoring import RunScorer; "
        "RunScorer(sys.argv[1]).scores(sys.argv[2]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, str(qrels), str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    size = path.stat().st_size / 1e6
    print(f"A run of {size:.0f} MB: {seconds:.1f} s, {done.stdout.strip()} MB of memory")


def _command(*arguments: Path) -> None:
    qrels, *runs = map(str, arguments)
    command = [sys.executable, "-m", "porism", "evaluate", "--qrels", qrels, *runs]
    measures = ["--measures", ",".join(MEASURES)]
    subprocess.run([*command, *measures], capture_output=True, check=True)


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _write_qrels(path: Path) -> None:
    draw = random.Random(0)
    with path.open("w") as file:
        for topic in range(1, TOPICS + 1):
            judged = draw.sample(range(DOCUMENTS), JUDGED)
            grades = draw.choices((0, 1, 2, 3), (80, 10, 6, 4), k=JUDGED)
            file.writelines(
                f"A.{topic}\t0\td{document}\t{grade}\n"
                for document, grade in zip(judged, grades, strict=True)
            )
            file.write(f"A.{topic}\t0\td0x\t1\n")


def _write_run(path: Path, number: int) -> None:
    """Scores of few digits, so that ties are common."""
    draw = random.Random(number + 1)
    with path.open("w") as file:
        for topic in range(1, TOPICS + 1):
            documents = draw.sample(range(DOCUMENTS), RESULTS)
            scores = sorted((round(draw.random(), 3) for _ in documents), reverse=True)
            file.writelines(
                f"A.{topic}\td{document}\t{rank}\t{score}\trun{number}\n"
                for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
            )


if __name__ == "__main__":
    report()
