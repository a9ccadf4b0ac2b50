"""Runs and qrels: any bytes are read, validated or refused; written files read back equal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz.properties import Property, file_of, refusals
from fuzz.strategies import mutated, noise, repeated, soup
from porism.evaluation.validation import findings
from porism.formats.answer_runs import read_answer_run
from porism.formats.qrels import read_qrels, write_qrels
from porism.formats.run_scores import read_run_scores
from porism.formats.runs import read_run, run_form, write_run

WORDS = (
    *"""
    A.1 B.2 A.301 Q0 0 1 2 3 -1 +1 1.5 1e3 1e999 nan inf NaN -inf 0x10 1_0 ١ 999999999999999999999
    run-1 run " "" ' $x$ , ; | # topic_id post_id rank score run_id 101 102 q_1 é \\t
    """.split(),
    *("\t", "\t", "\t", " ", "\n", "\n", "\r\n", "\r", "\0", "\ufeff", "\ud800", "\x1f", "\u2028"),
    "9" * 5_000,
    "A.1\t101\t1\t0.5\trun\n",
)
SAMPLES = (
    "A.1\t101\t1\t10.5\trun\nA.1\t102\t2\t9.5\trun\nA.2\t101\t1\t1\trun\n",
    "B.1\t4001\t101\t1\t10.5\trun\nB.1\t4002\t102\t2\t9\trun\n",
    "A.1 Q0 101 1 10.5 run\nA.1 Q0 102 2 9.5 run\n",
    "A.1\t0\t101\t3\nA.1\t0\t102\t0\n",
    "A.1\t101\t0.5\nA.1\t102\t0.25\n",
    'A.301\t1\t0.9\trun\t"101"\t"The answer is $x$"\nA.302\t1\t0.8\trun\t""\t"No ""such"""\n',
)


def _check_run(path: Path) -> None:
    form = run_form(path)
    run = read_run(path, form)
    again = path.with_suffix(".again")
    write_run(again, run, form)
    assert read_run(again, form).rankings == run.rankings


def _check_scores(path: Path) -> None:
    read_run_scores(path)


def _check_qrels(path: Path) -> None:
    qrels = read_qrels(path)
    again = path.with_suffix(".again")
    write_qrels(again, qrels)
    assert read_qrels(again) == qrels


def _check_validation(path: Path) -> None:
    for finding in findings(path):
        assert finding.line is None or finding.line >= 0


def _check_answers(path: Path) -> None:
    read_answer_run(path)


def check_file(check: Callable[[Path], None], text: str) -> None:
    """Check the text as a file; it may be refused."""
    data = text.encode("utf-8", "surrogatepass")
    with file_of(data, "run.tsv") as path, refusals(data):
        check(path)


PROPERTIES = tuple(
    Property(f"{name}-{kind}", strategy, partial(check_file, check))
    for name, check in (
        ("run", _check_run),
        ("scores", _check_scores),
        ("qrels", _check_qrels),
        ("validation", _check_validation),
        ("answers", _check_answers),
    )
    for kind, strategy in (
        ("text", noise() | soup(WORDS) | mutated(SAMPLES, WORDS)),
        ("repeated", repeated(WORDS)),
    )
)
