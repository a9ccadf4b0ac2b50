"""``porism open``: open a result of the last search in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand

if TYPE_CHECKING:
    from porism.collection.store import Collection
    from porism.model import Post


@click.command(
    "open",
    cls=PorismCommand,
    epilog="""
    porism open 3
    """,
)
@click.argument("number", metavar="N", type=click.IntRange(1))
def open_result(number: int) -> None:
    """Open result N of your last porism search.

    It opens in the browser, at its site if that is known. The address is printed, too, for where
    there is no browser.
    """
    # Loads the store and the parser, which --help does not need.
    from porism.cli.browser import open_in_browser
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
        address = _address(post, collection)
    click.echo(address)
    open_in_browser(address)


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
