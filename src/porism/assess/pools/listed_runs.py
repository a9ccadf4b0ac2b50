"""The runs of a list, read one by one, and the visual ids of their formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from porism.assess.pools.depths import PoolDepths
from porism.assess.pools.pooling import InstanceLookup, PooledInstance
from porism.assess.pools.run_list import ListedRun
from porism.assess.records import PooledRun
from porism.errors import FormatError, PorismError
from porism.formats.answer_runs import read_answer_run
from porism.formats.formula_ids import read_formula_ids
from porism.formats.qrels import read_visual_ids
from porism.formats.runs import RunForm, read_hits, read_run, run_form
from porism.model import AnswerRun, DocId, Run

_OTHERS = {1: RunForm.TASK2, 2: RunForm.TASK1}
_FORMS = {1: RunForm.TASK1, 2: RunForm.TASK2}


def runs_of_task(
    listed: Sequence[ListedRun], task: int, default_task: int
) -> tuple[ListedRun, ...]:
    """The runs of a task; a run without a task is of the default one."""
    return tuple(run for run in listed if (run.task or default_task) == task)


def read_listed_runs(
    listed: Sequence[ListedRun], task: int, depths: PoolDepths
) -> Iterator[tuple[PooledRun, Run]]:
    """The rankings of Task 1 or 2; a file in the format of the other task is refused."""
    for each in listed:
        run = read_run(each.path, _form(each.path, task))
        yield each.pooled(task, depths), run


def _form(path: Path, task: int) -> RunForm:
    form = run_form(path, _FORMS[task])
    if form is _OTHERS[task]:
        why = f"found {form.description}: expected a run of Task {task}"
        raise FormatError(str(path), 1, f"{why}; set the column task of the list")
    return form


def read_listed_answers(
    listed: Sequence[ListedRun], depths: PoolDepths
) -> Iterator[tuple[PooledRun, AnswerRun]]:
    """The answers of Task 3."""
    for each in listed:
        yield each.pooled(3, depths), read_answer_run(each.path)


def read_instances(path: Path, listed: Sequence[ListedRun]) -> InstanceLookup:
    """The visual ids that a file has for the formulas of runs.

    The runs are read first for their formula ids: the lab's files have tens of millions of
    formulas, and only those of the runs are kept. The lab's list of the visual ids of 2020 is
    refused: it has their layout trees but no formula ids.
    """
    if _is_visual_id_list(path):
        raise FormatError(
            str(path),
            1,
            "found visual ids with layout trees and LaTeX, as in the lab's list of 2020 (v1), "
            "without formula ids: expected its formula files, or two columns, formula id and "
            "visual id",
        )
    wanted = {line.hit.doc_id for run in listed for line in read_hits(run.path, _form(run.path, 2))}
    known: dict[DocId, PooledInstance] = {
        ids.formula_id: PooledInstance(ids.visual_id)
        for ids in read_formula_ids(path)
        if ids.formula_id in wanted
    }
    if not known:
        raise PorismError(
            f"{path} has no visual id for any of the {len(wanted):,} formulas of the runs: "
            "expected the formula files of the same version of the collection"
        )
    return known.get


def _is_visual_id_list(path: Path) -> bool:
    """Whether a file starts like the lab's list of the visual ids of 2020."""
    if not path.is_file():
        return False
    try:
        first = next(read_visual_ids(path), None)
    except FormatError:
        return False
    return first is not None and (not first.slt or first.slt.startswith("["))
