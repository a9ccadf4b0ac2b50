"""The runs of a list, read one after the other, and the looks of the formulas that they name."""

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


def runs_of_task(listed: Sequence[ListedRun], task: int, asked: int) -> tuple[ListedRun, ...]:
    """Those that are of ``task``; what does not say its task is of the one that was asked for."""
    return tuple(run for run in listed if (run.task or asked) == task)


def read_listed_runs(
    listed: Sequence[ListedRun], task: int, depths: PoolDepths
) -> Iterator[tuple[PooledRun, Run]]:
    """The rankings of Task 1 or 2; a file in the form of the other task is refused."""
    for each in listed:
        run = read_run(each.path, _form(each.path, task))
        yield each.pooled(task, depths), run


def _form(path: Path, task: int) -> RunForm:
    form = run_form(path, _FORMS[task])
    if form is _OTHERS[task]:
        why = f"found {form.description}: expected a run of Task {task}"
        raise FormatError(str(path), 1, f"{why}; the list can say in a column called task")
    return form


def read_listed_answers(
    listed: Sequence[ListedRun], depths: PoolDepths
) -> Iterator[tuple[PooledRun, AnswerRun]]:
    """The answers of Task 3."""
    for each in listed:
        yield each.pooled(3, depths), read_answer_run(each.path)


def read_instances(path: Path, listed: Sequence[ListedRun]) -> InstanceLookup:
    """The looks that a file tells of the formulas of runs, which are gone through for their names.

    The lab's files have tens of millions of formulas, so only those are kept that are asked for.
    Its list of the visual ids of 2020 is refused: it tells what they look like, and of no formula
    which one it has.
    """
    if _is_list_of_looks(path):
        raise FormatError(
            str(path),
            1,
            "found visual ids with layout trees and LaTeX, as the lab listed those of 2020 (v1), "
            "and no ids of formulas: expected its formula files, or a map of two columns, formula "
            "id and visual id",
        )
    wanted = {line.hit.doc_id for run in listed for line in read_hits(run.path, _form(run.path, 2))}
    known: dict[DocId, PooledInstance] = {
        ids.formula_id: PooledInstance(ids.visual_id)
        for ids in read_formula_ids(path)
        if ids.formula_id in wanted
    }
    if not known:
        raise PorismError(
            f"{path} tells the visual id of none of the {len(wanted):,} formulas of the runs: "
            "expected the formula files of the same version of the collection"
        )
    return known.get


def _is_list_of_looks(path: Path) -> bool:
    """Whether a file begins as the lab's list of the visual ids of 2020 does."""
    if not path.is_file():
        return False
    try:
        first = next(read_visual_ids(path), None)
    except FormatError:
        return False
    return first is not None and (not first.slt or first.slt.startswith("["))
