"""Collections and indexes that many tests only read, built once for all of them.

Each is kept below ``.pytest_cache`` under a digest of everything it is made of: our source and the
input files. So the workers of a run share it, and the next run takes it again unless something has
changed. A test that writes works on a copy.
"""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.collection.store import Collection, open_collection
from porism.embed import DEFAULT_MODEL
from porism.embed.words.word_models import write_word_model
from porism.searchindex.builder import IndexOptions
from porism.searchindex.formula_vector_filling import store_formula_model
from porism.searchindex.indexing import VectorChoice, index_collection
from porism.searchindex.model_roles import ModelRole, VectorRole
from tests.embed.words.tiny_word_models import collection_fasttext
from tests.structure.tiny_model import tiny_model

SOURCE = Path(__file__).parents[1] / "src" / "porism"

ABOVE = ("answer", "assess", "cli", "ecosystem", "evaluation", "generation", "lab", "pages", "web")
"""Packages that neither a collection nor an index is made by."""


@contextmanager
def built_once(
    cache: Path, name: str, inputs: Iterable[Path], make: Callable[[Path], object]
) -> Iterator[Path]:
    """The folder that ``make`` fills; it stays until the context of the last user ends.

    Workers wait for the one that builds. What was built of other inputs, and is not in use, goes.
    """
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{name}-{_digest(inputs)}"
    with folder.with_suffix(".lock").open("w") as in_use:
        with (cache / f"{name}.building").open("w") as building:
            fcntl.flock(building, fcntl.LOCK_EX)
            if not folder.exists():
                _remove_unused(cache, name, folder)
                unfinished = folder.with_suffix(".unfinished")
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir()
                make(unfinished)
                unfinished.rename(folder)
            fcntl.flock(in_use, fcntl.LOCK_SH)
        yield folder


def _digest(inputs: Iterable[Path]) -> str:
    own = (path for path in SOURCE.rglob("*") if path.relative_to(SOURCE).parts[0] not in ABOVE)
    found = hashlib.sha256()
    for path in sorted({*own, *(each for given in inputs for each in _files(given))}):
        if path.is_file() and path.suffix not in (".pyc", ".nbc", ".nbi"):
            content = path.read_bytes()
            found.update(f"{path.name} {len(content)}\n".encode())
            found.update(content)
    return found.hexdigest()[:16]


def _files(path: Path) -> Iterable[Path]:
    return path.rglob("*") if path.is_dir() else (path,)


def _remove_unused(cache: Path, name: str, wanted: Path) -> None:
    for lock_file in cache.glob(f"{name}-*.lock"):
        folder = lock_file.with_suffix("")
        if folder != wanted:
            with lock_file.open("w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                shutil.rmtree(folder, ignore_errors=True)
                lock_file.unlink(missing_ok=True)


def sample_index_in(folder: Path) -> Path:
    """The index of the sample for all systems, in the folder of its collection.

    It has vectors, as the default is where the model is installed, which ``make test`` does; an
    error says so where it is not. Its vectors of formulas and its models are by the hashes of
    words, which need no training; sentence vectors take the place of doc2vec's.
    """
    collection = folder / "sample"
    index = collection / "index"
    ingest(sample_source(), collection, IngestOptions(jobs=1))
    with open_collection(collection) as opened:
        plan = catalog.index_plan(catalog.SYSTEMS)
        choice = VectorChoice(True, models={VectorRole.FORMULA2VEC: DEFAULT_MODEL})
        options = IndexOptions(jobs=1, models=_models(opened))
        index_collection(opened, index, plan, choice, options, lambda progress: None)
        for embedding in ("cft", "nits"):
            model = tiny_model(embedding=embedding)
            store_formula_model(opened, index, model, options, lambda progress: None)
    return index


CONCEPTS = (
    "concept\tformula\tnames\n"
    "harmonic\t\\sum_{n=1}^\\infty \\frac{1}{n}\tharmonic series|divergent series\n"
    "square\tx^2\tsquare\n"
)
"""Concepts that topics of the sample have."""


def _models(collection: Collection) -> dict[str, str]:
    """Write the models of a collection beside its index, and return where they are."""
    folder = collection.path.resolve() / "models"
    words, concepts = folder / "words", folder / "concepts.tsv"
    write_word_model(words, collection_fasttext(collection))
    concepts.write_text(CONCEPTS, encoding="utf-8")
    return {ModelRole.FASTTEXT: str(words), ModelRole.CONCEPTS: str(concepts)}
