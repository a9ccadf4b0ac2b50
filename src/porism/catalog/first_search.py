"""The first search: it loads compiled code and models, or compiles the code once for a machine.

Compiling takes ten seconds. So it is done by a process of its own while a collection is indexed:
it indexes and searches a few posts, which compiles what searches of any collection need.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.compiler import code_folder_of, is_stored
from porism.embed import is_installed
from porism.errors import PorismError
from porism.inverted.search.segment_search import search_best
from porism.locking import ProcessLock
from porism.model import Task
from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
from porism.rank.results import search_results
from porism.searchindex.builder import IndexOptions
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.indexing import VectorChoice, index_collection

POSTS = """<posts>
<row Id="1" PostTypeId="1" Title="A sum of $x$" Tags="&lt;sums&gt;"
  Body="What is &lt;span class='math-container'&gt;$x + 1$&lt;/span&gt;, a sum?"/>
<row Id="2" PostTypeId="2" ParentId="1" Score="1"
  Body="The sum &lt;span class='math-container'&gt;$x + 1$&lt;/span&gt; is a number."/>
<row Id="3" PostTypeId="2" ParentId="1" Score="2"
  Body="It is &lt;span class='math-container'&gt;$\\frac{x + 1}{1}$&lt;/span&gt;, a sum of two."/>
</posts>
"""


def search_once(search_index: SearchIndex) -> None:
    """Search so that the next search does not wait for compiled code and models to load.

    One word is unknown, so that the words of the collection are read, too.
    """
    for task, typed in (
        (Task.ANSWERS, typed_answer_topic("a misspeled sum $x+1$")),
        (Task.FORMULAS, typed_formula_topic("x+1")),
    ):
        name = catalog.default_system_name(task, search_index)
        maker = catalog.system(name).maker(task)
        if maker is not None and not search_index.missing(maker.needs):
            _, ranker = catalog.typed_search(task, search_index)
            search_results(search_index, ranker, typed, 1)


def compile_search() -> None:
    """Compile what indexing and searching by the default systems need; what is stored is loaded."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dump").mkdir()
        (folder / "dump" / "Posts.xml").write_text(POSTS, encoding="utf-8")
        ingest(folder / "dump", folder / "collection", IngestOptions(jobs=1))
        with open_collection(folder / "collection") as collection:
            index_collection(
                collection,
                folder / "index",
                catalog.index_plan(catalog.LARGE_SYSTEMS),
                VectorChoice(is_installed()),
                IndexOptions(jobs=1),
                lambda progress: None,
            )
        with open_index(folder / "index", folder / "collection") as search_index:
            search_once(search_index)


def compiled_code_folder() -> Path | None:
    """Where the code of searches is stored; None if there is no folder for it."""
    return code_folder_of(search_best)


@contextmanager
def search_compiled_meanwhile() -> Iterator[Callable[[], None]]:
    """Run ``compile_search`` in another process, if this machine has not stored its code yet.

    The context gets a function that waits for it. The process ends with the context.
    """
    if is_stored(search_best) or compiled_code_folder() is None:
        yield lambda: None
        return
    # Spawned, not forked: this process may have threads.
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_compile_alone, daemon=True)
    process.start()
    try:
        yield process.join
    finally:
        process.terminate()
        process.join()


def _compile_alone() -> None:
    """Compile unless another process does, and then wait for that one."""
    folder = compiled_code_folder()
    assert folder is not None  # else this process would not have been started
    while not is_stored(search_best):
        try:
            lock = ProcessLock(folder / "compiling.lock", "another process compiles")
        except PorismError:
            continue  # after the lock's own timeout
        with lock:
            compile_search()
            return
