"""Scores of rankings on the mini collection by topic, as computed by shared/tools/mini_eval.py.

That script's own functions restrict the judgments, so the means equal those that it prints.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from porism.evaluation.comparison import randomization_p
from porism.evaluation.measures import RELEVANT
from porism.evaluation.records import ByTopic
from porism.evaluation.scoring import RunScorer
from porism.formats.topics import read_topics
from porism.model import Ranking, Topic

YEARS = (2020, 2021)
"""The years for development; the judgments of 2022 are reserved for testing."""

Grades = dict[str, dict[str, int]]

_QRELS = {1: "qrel_task1_{}_official.tsv", 2: "qrel_task2_{}_visual_id_v3.tsv"}


@dataclass(frozen=True)
class Scores:
    """The scores of a run by topic: nDCG' over judged documents, the others over all."""

    ndcg_primed: ByTopic
    average_precision: ByTopic
    precision: ByTopic

    def means(self) -> tuple[float, float, float]:
        """nDCG', MAP and P@10."""
        values = (self.ndcg_primed, self.average_precision, self.precision)
        return fmean(values[0].values()), fmean(values[1].values()), fmean(values[2].values())


def read_year(shared: Path, task: int, year: int) -> list[Topic]:
    """The topics of a task and year, with their formulas as the year's TSV has them."""
    folder = shared / "data/topics"
    (file,) = folder.glob(f"task{task}/Topics_Task{task}_{year}_*.xml")
    (formulas,) = folder.glob(f"formulas/Topics_{year}_Formulas_latex_*.tsv.gz")
    return list(read_topics(file, formulas))


@cache
def judged(shared: Path, task: int, year: int) -> Grades:
    """The judgments of documents in the mini collection, for topics that distinguish systems."""
    yardstick = _yardstick(shared)
    present = yardstick.answers() if task == 1 else set(visual_ids(shared).values())
    grades: Grades = yardstick.qrels(shared / "data/qrels" / _QRELS[task].format(year), present)
    return grades


@cache
def visual_ids(shared: Path) -> dict[str, str]:
    """The visual id of each formula of a post, by the formula's id."""
    ids: dict[str, str] = _yardstick(shared).visual_ids()
    return ids


@cache
def _yardstick(shared: Path) -> Any:  # Any: an external script
    spec = importlib.util.spec_from_file_location("mini_eval", shared / "tools/mini_eval.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scores(
    grades: Grades, rankings: Mapping[str, Ranking], visual_ids: Mapping[str, str]
) -> Scores:
    """The scores of rankings; formulas are mapped to ``visual_ids``, keeping the best score.

    Unjudged topics are ignored; judged topics without a ranking count 0.
    """
    run: dict[str, dict[str, float]] = {topic: {} for topic in grades}
    for topic, hits in run.items():
        for hit in rankings.get(topic, ()):
            doc_id = visual_ids.get(hit.doc_id) if visual_ids else hit.doc_id
            if doc_id is not None:
                hits[doc_id] = max(hit.score, hits.get(doc_id, hit.score))
    # Topics without relevant documents cannot distinguish systems by binary measures.
    useful = {topic: known for topic, known in grades.items() if max(known.values()) >= RELEVANT}
    graded = RunScorer(grades, ["nDCG'"]).scores(run).by_topic
    binary = RunScorer(useful, ["MAP", "P@10"]).scores(run).by_topic
    return Scores(graded["nDCG'"], binary["MAP"], binary["P@10"])


def chance(ours: ByTopic, theirs: ByTopic) -> float:
    """The p value of the difference of means, by a randomization test."""
    return randomization_p([ours[topic] - theirs[topic] for topic in theirs])
