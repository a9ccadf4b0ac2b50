"""Collections and the ARQMath tasks in ``ir_datasets.load``, once this module is imported.

``porism/NAME`` has the answers and documents of the collection NAME in the data directory, or of
one given to ``register``. ``porism/NAME/questions`` and ``porism/NAME/formulas`` have the rest of
it, and ``porism/NAME/task1`` and ``porism/NAME/task2`` add queries and judgments from the folders
``topics`` and ``qrels`` of the collection.

``arqmath/YEAR/task1`` and ``arqmath/YEAR/task2`` have the documents of the collection ``arqmath``
and the lab's files, from anywhere in the data directory. Judgments of Task 2 are by visual id, a
field of the documents; ``arqmath/YEAR/task2/formula-id`` has them by document. Nothing is
downloaded. The lab's datasets load without their files; using a missing file is an error that
names it.
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
    """The handler with the methods that ir_datasets gives its own, such as ``queries_dict``.

    The class is created by a call, since an untyped base in a class statement would lose the types.
    It must be assigned to its name, so that datasets can be pickled.
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
"""The versions of the lab's topics named in error messages."""

WITHHELD = "2022"
"""The year whose judgments may be withheld from developers, and so may be missing."""

_NAME = r"\w[\w.-]*"
_registered: dict[str, Path] = {}
_known_registries: WeakSet[Any] = WeakSet()


def register(name: str, path: Path) -> None:
    """Register the collection at ``path`` as ``porism/NAME``.

    Registering it again is no error; a name in use for another collection is refused.
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
    """Register the names of this module with ir_datasets, as importing it does."""
    if ir_datasets.registry not in _known_registries:
        _known_registries.add(ir_datasets.registry)
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
    open_collection(folder).close()  # report a wrong name now, not at the first document
    docs = Docs(folder, SELECTIONS[part], f"porism/{name}")
    about = DatasetDescription(key, f"The {_what(docs)} of the Porism collection {name}.")
    if part not in TASKS:
        return ir_datasets.Dataset(docs, about)
    is_bare_sample = name == "sample" and not (folder / "topics").is_dir()
    files = sample_source() if is_bare_sample else folder
    stem = f"Topics_{part.title()}_"
    topics = LabFile(files / "topics", (f"{stem}.+",), f"{stem}{name}.xml")
    judged = LabFile(files / "qrels", (f"qrel_{part}_.+",), f"qrel_{part}_{name}.tsv")
    topics.path()
    queries = Queries(topics, TASKS[part], f"porism/{name}")
    return ir_datasets.Dataset(docs, queries, Qrels(judged) if judged.find() else None, about)


def _of_lab(key: str, names: tuple[str | None]) -> Any:
    docs = _lab_docs(SELECTIONS[names[0]])
    return ir_datasets.Dataset(docs, DatasetDescription(key, f"The {_what(docs)} of ARQMath."))


def _of_year(key: str, names: tuple[str, str]) -> Any:
    year, part = names
    task = "task2" if part == "formula-id" else part
    data = data_directory()
    topics_of = "Task1" if task == "task3" else task.title()  # Task 3 has the topics of Task 1
    stem, latex = f"Topics_{topics_of}_{year}", f"Topics_{year}_Formulas_latex"
    docs = _lab_docs(SELECTIONS[task])
    queries = Queries(
        file=LabFile(data, (stem,), f"{stem}_{NEWEST[topics_of, year]}.xml"),
        kind=TASKS[task],
        namespace=f"arqmath/{year}/{task}",
        lang="en",
        formulas=LabFile(data, (latex,), f"{latex}.tsv"),
    )
    # Task 3 judged texts written by systems, which are not documents of the collection.
    judged = None if part == "task3" else _judgments(data, year, part)
    if judged is not None and year == WITHHELD and judged.find() is None:
        judged = None
    about = DatasetDescription(key, f"ARQMath {year}, {task}: {_what(docs)} for its topics.")
    return ir_datasets.Dataset(docs, queries, Qrels(judged) if judged else None, about)


def _judgments(data: Path, year: str, part: str) -> LabFile:
    """The lab's judgments, restricted to the topics that it reports if there is such a file."""
    if part == "task1":
        stem = f"qrel_task1_{year}"
        return LabFile(data, (f"{stem}_official", stem), f"{stem}_official.tsv")
    if part == "formula-id":
        stem = f"qrel_task2_{year}_formula_id"
        return LabFile(data, (f"{stem}_official", stem, f"{stem}_all"), f"{stem}_official.tsv")
    # No collection has the visual ids of version 1.
    stem = f"qrel_task2_{year}_visual_id"
    return LabFile(data, (stem,), f"{stem}_v3.tsv", least=(2,))


def _lab_docs(selection: DocumentSelection) -> Any:
    return Docs(data_directory() / "arqmath", selection, "arqmath", "en")


def _what(docs: Any) -> str:
    return {ANSWERS: "answers", QUESTIONS: "questions", FORMULAS: "formulas"}[docs.selection]


register_names()
