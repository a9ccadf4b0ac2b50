"""Rankings on the mini collection scored as shared/tools/mini_eval.py scores them, topic by topic.

The yardstick's own functions restrict the judgments, so that means here are those it prints.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from porism.evaluate.comparison import randomization_p
from porism.evaluate.measures import RELEVANT
from porism.evaluate.records import ByTopic
from porism.evaluate.scoring import RunScorer
from porism.formats.topics import read_topics
from porism.model import Ranking, Topic

YEARS = (2020, 2021)
"""The years whose judgments are at hand; those of 2022 are kept for the test."""

Grades = dict[str, dict[str, int]]

_QRELS = {1: "qrel_task1_{}_official.tsv", 2: "qrel_task2_{}_visual_id_v3.tsv"}


@dataclass(frozen=True)
class Scores:
    """What a run is worth, by topic: nDCG' of judged documents, the rest of the whole ranking."""

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
    """The judgments of documents that the mini collection has, of topics that tell apart."""
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
def _yardstick(shared: Path) -> Any:  # Any: a script that is not ours
    spec = importlib.util.spec_from_file_location("mini_eval", shared / "tools/mini_eval.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scores(grades: Grades, rankings: Mapping[str, Ranking], looks: Mapping[str, str]) -> Scores:
    """The scores of rankings; of formulas, ``looks`` has visual ids, and the best of each counts.

    Topics that were not judged are left out, those that were and have no ranking count as 0.
    """
    run: dict[str, dict[str, float]] = {topic: {} for topic in grades}
    for topic, hits in run.items():
        for hit in rankings.get(topic, ()):
            found = looks.get(hit.doc_id) if looks else hit.doc_id
            if found is not None:
                hits[found] = max(hit.score, hits.get(found, hit.score))
    # What has nothing relevant cannot tell systems apart by measures that know yes and no only.
    useful = {topic: known for topic, known in grades.items() if max(known.values()) >= RELEVANT}
    graded = RunScorer(grades, ["nDCG'"]).scores(run).by_topic
    binary = RunScorer(useful, ["MAP", "P@10"]).scores(run).by_topic
    return Scores(graded["nDCG'"], binary["MAP"], binary["P@10"])


def chance(ours: ByTopic, theirs: ByTopic) -> float:
    """How probable a difference of means as large as this one would be if it were chance."""
    return randomization_p([ours[topic] - theirs[topic] for topic in theirs])
