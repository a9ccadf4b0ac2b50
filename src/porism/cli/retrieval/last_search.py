"""The results of this user's last search in a terminal, so that one can be opened by its number."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from porism.errors import PorismError
from porism.formats.partial_outputs import partial_file
from porism.model import DocId
from porism.rank.results import SearchResult
from porism.user_folders import is_writable, state_folder

_FILE = "last-search.json"


@dataclass(frozen=True, slots=True)
class LastSearch:
    """The collection that was searched, and the posts of the results in their order."""

    collection: Path
    posts: tuple[DocId, ...]


def remember_results(collection: Path, results: Sequence[SearchResult]) -> None:
    """Remember results for this user; where there is no home to write to, nothing is."""
    folder = state_folder()
    if folder is None or not is_writable(folder):
        return
    record = {
        "collection": str(collection.resolve()),
        "posts": [result.post_id for result in results],
    }
    with partial_file(folder / _FILE) as partial:
        partial.write_text(json.dumps(record), encoding="utf-8", errors="surrogateescape")
        partial.chmod(0o600)  # what people search for is their own business
        partial.replace(folder / _FILE)


def last_search() -> LastSearch:
    """The results of the last search; an error says that there are none."""
    folder = state_folder()
    path = folder / _FILE if folder is not None else None
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape") if path else ""
        record = json.loads(text or "null")
        posts = tuple(DocId(str(post)) for post in record["posts"])
        return LastSearch(Path(record["collection"]), posts)
    except FileNotFoundError:
        raise PorismError("no search is remembered; search with porism search first") from None
    except (ValueError, TypeError, KeyError) as error:
        raise PorismError(f"{path}: is not a remembered search; search again") from error
