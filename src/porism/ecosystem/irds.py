"""Collections and the ARQMath tasks by ``ir_datasets.load``, once this module is imported.

``porism/NAME`` is the collection NAME of the data directory, or one given by ``register``: its
answers and other documents. ``porism/NAME/questions`` and ``porism/NAME/formulas`` are the rest of
it, and ``porism/NAME/task1`` and ``porism/NAME/task2`` add the queries and judgments in the folders
``topics`` and ``qrels`` of the collection.

``arqmath/YEAR/task1`` and ``arqmath/YEAR/task2`` have the documents of the collection ``arqmath``
and the lab's own files, wherever below the data directory these are. Judgments of Task 2 are by
visual id, a field of the documents; by document they are in ``arqmath/YEAR/task2/formula-id``.
Nothing is fetched. The lab's datasets load also without their files: what is asked for and not
there is an error that says what to put where.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from weakref import WeakSet

from porism.collection.sample import sample_source
from porism.collection.store import open_collection
from porism.ecosystem.irds_documents import (
    ANSWERS,
    FORMULAS,
    QUESTIONS,
    CollectionDocs,
    DocumentSelection,
)
from porism.ecosystem.irds_import import ir_datasets
from porism.ecosystem.irds_topics import (
    FORMULA_QUERIES,
    QUESTION_QUERIES,
    DatasetDescription,
    FileQrels,
    FileQueries,
)
from porism.ecosystem.lab_files import LabFile, data_directory
from porism.errors import PorismError

# ir_datasets has no types: its classes, and the datasets made of them, are Any in this module.


def _based(name: str, handler: type, base: Any) -> Any:
    """The handler with what ir_datasets gives to all of its own, such as ``queries_dict``.

    The class is made by a call: in a class statement an untyped base would take the types away.
    Datasets can be pickled because it is kept under its name.
    """
    return type(name, (handler, base), {"__module__": __name__, "__doc__": handler.__doc__})


Docs = _based("Docs", CollectionDocs, ir_datasets.formats.BaseDocs)
Queries = _based("Queries", FileQueries, ir_datasets.formats.BaseQueries)
Qrels = _based("Qrels", FileQrels, ir_datasets.formats.BaseQrels)

SELECTIONS = {
    None: ANSWERS,
    "questions": QUESTIONS,
    "formulas": FORMULAS,
    "task1": ANSWERS,
    "task2": FORMULAS,
    "task3": ANSWERS,
}
TASKS = {"task1": QUESTION_QUERIES, "task2": FORMULA_QUERIES, "task3": QUESTION_QUERIES}

NEWEST = {
    ("Task1", "2020"): "V2.0",
    ("Task1", "2021"): "V1.1",
    ("Task1", "2022"): "V0.1",
    ("Task2", "2020"): "V1.1",
    ("Task2", "2021"): "V1.1",
    ("Task2", "2022"): "V0.1",
}
"""The versions of the lab's topics that are named to those who have none."""

WITHHELD = "2022"
"""The year whose judgments may be kept from those who work on a system, so nobody misses them."""

_NAME = r"\w[\w.-]*"
_registered: dict[str, Path] = {}
_taught: WeakSet[Any] = WeakSet()


def register(name: str, path: Path) -> None:
    """Make the collection at ``path`` known as ``porism/NAME``, wherever it is.

    The same again is no error; a name that already stands for another collection is refused.
    """
    if not re.fullmatch(_NAME, name):
        raise PorismError(f"found the name {name!r}: expected letters, digits, and . _ - after one")
    open_collection(path).close()
    is_loaded = any(f"{key}/".startswith(f"porism/{name}/") for key in ir_datasets.registry)
    before = _registered.get(name, data_directory() / name if is_loaded else path)
    if before.resolve() != path.resolve():
        raise PorismError(f"porism/{name} is already the collection {before}: choose another name")
    _registered[name] = path.resolve()


def register_names() -> None:
    """Let ``ir_datasets.load`` know the names of this module, as importing it has done already."""
    if ir_datasets.registry not in _taught:
        _taught.add(ir_datasets.registry)
        for pattern, dataset in (
            (rf"^porism/({_NAME})(?:/(questions|formulas|task1|task2))?$", _of_collection),
            (r"^arqmath(?:/(questions|formulas))?$", _of_lab),
            (r"^arqmath/(20(?:20|21|22))/(task1|task2)$", _of_year),
            (r"^arqmath/(20(?:20|21|22))/task2/(formula-id)$", _of_year),
            (r"^arqmath/(2022)/(task3)$", _of_year),
        ):
            ir_datasets.registry.register_pattern(pattern, dataset)


def _of_collection(key: str, names: tuple[str, str | None]) -> Any:
    name, part = names
    folder = _registered.get(name, data_directory() / name)
    open_collection(folder).close()  # a wrong name is told now, not at the first document
    docs = Docs(folder, SELECTIONS[part], f"porism/{name}")
    told = DatasetDescription(key, f"The {_what(docs)} of the Porism collection {name}.")
    if part not in TASKS:
        return ir_datasets.Dataset(docs, told)
    is_bare_sample = name == "sample" and not (folder / "topics").is_dir()
    files = sample_source() if is_bare_sample else folder
    stem = f"Topics_{part.title()}_"
    topics = LabFile(files / "topics", (f"{stem}.+",), f"{stem}{name}.xml")
    judged = LabFile(files / "qrels", (f"qrel_{part}_.+",), f"qrel_{part}_{name}.tsv")
    topics.path()
    queries = Queries(topics, TASKS[part], f"porism/{name}")
    return ir_datasets.Dataset(docs, queries, Qrels(judged) if judged.find() else None, told)


def _of_lab(key: str, names: tuple[str | None]) -> Any:
    docs = _lab_docs(SELECTIONS[names[0]])
    return ir_datasets.Dataset(docs, DatasetDescription(key, f"The {_what(docs)} of ARQMath."))


def _of_year(key: str, names: tuple[str, str]) -> Any:
    year, part = names
    task = "task2" if part == "formula-id" else part
    data = data_directory()
    asked = "Task1" if task == "task3" else task.title()  # Task 3 asks the questions of Task 1
    stem, latex = f"Topics_{asked}_{year}", f"Topics_{year}_Formulas_latex"
    docs = _lab_docs(SELECTIONS[task])
    queries = Queries(
        file=LabFile(data, (stem,), f"{stem}_{NEWEST[asked, year]}.xml"),
        kind=TASKS[task],
        namespace=f"arqmath/{year}/{task}",
        lang="en",
        formulas=LabFile(data, (latex,), f"{latex}.tsv"),
    )
    # What Task 3 judged are texts that systems wrote, which are no documents of the collection.
    judged = None if part == "task3" else _judgments(data, year, part)
    if judged is not None and year == WITHHELD and judged.find() is None:
        judged = None
    told = DatasetDescription(key, f"ARQMath {year}, {task}: {_what(docs)} for its topics.")
    return ir_datasets.Dataset(docs, queries, Qrels(judged) if judged else None, told)


def _judgments(data: Path, year: str, part: str) -> LabFile:
    """The lab's judgments over the topics that it reports, as far as there is such a file."""
    if part == "task1":
        stem = f"qrel_task1_{year}"
        return LabFile(data, (f"{stem}_official", stem), f"{stem}_official.tsv")
    if part == "formula-id":
        stem = f"qrel_task2_{year}_formula_id"
        return LabFile(data, (f"{stem}_official", stem, f"{stem}_all"), f"{stem}_official.tsv")
    # The visual ids of version 1 are a numbering of their own, which no collection has.
    stem = f"qrel_task2_{year}_visual_id"
    return LabFile(data, (stem,), f"{stem}_v3.tsv", least=(2,))


def _lab_docs(selection: DocumentSelection) -> Any:
    return Docs(data_directory() / "arqmath", selection, "arqmath", "en")


def _what(docs: Any) -> str:
    return {ANSWERS: "answers", QUESTIONS: "questions", FORMULAS: "formulas"}[docs.selection]


register_names()
