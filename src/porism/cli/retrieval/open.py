"""``porism open``: open a result of the last search in the browser or the editor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.editor import editor_option

if TYPE_CHECKING:
    from porism.collection.store import Collection
    from porism.model import Post


@click.command(
    "open",
    cls=PorismCommand,
    epilog="""
    porism open 3
    porism open 1 --editor 'code --wait'
    """,
)
@editor_option(
    "The editor for notes: a command such as code, or an address such as "
    "vscode://file/{path}:{line}; that of VISUAL or EDITOR if not given."
)
@click.argument("number", metavar="N", type=click.IntRange(1))
def open_result(number: int, editor: str | None) -> None:
    """Open result N of your last porism search.

    A post opens in the browser, at its site if that is known, and a note in the editor, at its
    line. What is opened is printed, so nothing is lost where there is no browser.
    """
    # Loads the store and the parser, which --help does not need.
    from porism.cli.browser import open_in_browser
    from porism.cli.editor import open_in_editor
    from porism.cli.retrieval.last_search import last_search
    from porism.collection.store import open_collection
    from porism.errors import PorismError

    search = last_search()
    if number > len(search.posts):
        count = len(search.posts)
        results = "1 result" if count == 1 else f"{count} results"
        raise PorismError(f"the last search had {results}; there is no result {number}")
    with open_collection(search.collection) as collection:
        post = collection.post(search.posts[number - 1])
        place = _file_and_line(post, collection)
        address = "" if place else _address(post, collection)
    if place is None:
        click.echo(address)
        open_in_browser(address)
        return
    path, line = place
    click.echo(f"{path}:{line}")
    open_in_editor(path, line, editor)


def _file_and_line(post: Post, collection: Collection) -> tuple[Path, int] | None:
    """The file of a note and its line; None for other posts, and if the file is gone."""
    if post.location is None:
        return None
    path = collection.source_file(post.location)
    return None if path is None else (path, post.location.line)


def _address(post: Post, collection: Collection) -> str:
    """The post at its site, else a page with its thread that is made for the purpose."""
    from porism.cli.output import open_output
    from porism.errors import PorismError
    from porism.pages.thread import thread_page
    from porism.user_folders import is_writable, state_folder

    url = collection.url(post)
    if url is not None:
        return url
    folder = state_folder()
    if folder is None or not is_writable(folder):
        raise PorismError(
            "there is no folder for the page of this thread; name one with XDG_STATE_HOME, or use "
            f"porism show {collection.path} thread {post.id}"
        )
    page = folder / "thread.html"
    with open_output(str(page)) as out:
        out.write(thread_page(collection.thread(post.id), collection).encode())
    return page.as_uri()
