"""Opens notes in the editor of the person who serves them, on this machine."""

from __future__ import annotations

import ipaddress
import subprocess
import threading
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from fastapi.responses import RedirectResponse, Response

from porism.editors import editor_address, editor_command, is_address
from porism.web.current_index import index_of_request
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

NoteId = Annotated[str, PathParameter(max_length=300)]


@router.get("/open/{post_id:path}")
def open_by_address(request: Request, post_id: NoteId) -> Response:
    """Lead to the address at which the editor opens a note."""
    editor = _editor(request, is_command=False)
    return RedirectResponse(editor_address(editor, *_place(request, post_id)), 302)


@router.post("/open/{post_id:path}")
def open_by_command(request: Request, post_id: NoteId) -> Response:
    """Start the editor with a note, for a client on this machine; the page stays."""
    editor = _editor(request, is_command=True)
    client = request.client.host if request.client else ""
    if not _is_loopback(client):
        raise RequestRefused(403, "the editor opens only for a browser on the server's machine")
    command = editor_command(editor, *_place(request, post_id))
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        raise RequestRefused(
            500, f"the editor {command[0]!r} cannot be started ({error.strerror})"
        ) from error
    threading.Thread(target=process.wait, daemon=True).start()  # takes note of its end
    return Response(status_code=204)


def _editor(request: Request, is_command: bool) -> str:
    editor: str | None = request.app.state.settings.editor
    if editor is None or is_address(editor) == is_command:
        raise RequestRefused(404, "the server opens no notes in an editor this way; see --editor")
    return editor


def _is_loopback(client: str) -> bool:
    try:
        return ipaddress.ip_address(client).is_loopback
    except ValueError:  # a name, as in tests without a network
        return client == "localhost"


def _place(request: Request, post_id: str) -> tuple[Path, int]:
    """The file of a note, and its line."""
    collection = index_of_request(request).collection
    post = collection.post(post_id) if collection.find_number(post_id) is not None else None
    path = collection.source_file(post.location) if post and post.location else None
    if post is None or post.location is None or path is None:
        raise RequestRefused(404, f"there is no file of {post_id[:100]}")
    return path, post.location.line
