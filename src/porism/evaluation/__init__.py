"""Scores of runs by judgments, as in the ARQMath labs.

Functions accept runs and judgments in any form (files, dicts of dicts, rows of ir-measures, our own
records) and return plain records. Comparison of runs needs SciPy and has its own module,
``porism.evaluation.comparison``; ``porism.evaluation.validation`` finds faults in run files.
"""

from porism.evaluation.categories import Category, GroupScores, breakdown, groups
from porism.evaluation.formulas import ByVisualId, RunIds, by_visual_id
from porism.evaluation.inputs import ScoredRun, as_qrels, as_run, as_scored
from porism.evaluation.measures import DEFAULT_MEASURES, UNPRIMED_MEASURES, Measure, parse_measure
from porism.evaluation.records import Evaluation, RunScores
from porism.evaluation.scoring import RunScorer, evaluate, restricted_qrels
from porism.evaluation.short_answers.manual_measures import (
    evaluate_answers,
    evaluate_first_results,
)

__all__ = [
    "DEFAULT_MEASURES",
    "UNPRIMED_MEASURES",
    "ByVisualId",
    "Category",
    "Evaluation",
    "GroupScores",
    "Measure",
    "RunIds",
    "RunScorer",
    "RunScores",
    "ScoredRun",
    "as_qrels",
    "as_run",
    "as_scored",
    "breakdown",
    "by_visual_id",
    "evaluate",
    "evaluate_answers",
    "evaluate_first_results",
    "groups",
    "parse_measure",
    "restricted_qrels",
]
