"""Authentication: a token, sent once in a form and then in a cookie, never in an address or log.

The cookie holds the token itself, so nobody has to sign in again after the server restarts, and a
new token revokes the old one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import Assessor
from porism.web.assessment.forms import FormFields, submitted_form
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

COOKIE = "porism_assessor"

COOKIE_SECONDS = 60 * 60 * 24 * 120
"""A campaign takes a term; the cookie outlives it, and the token can be revoked any day."""

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"

WRONG_TOKEN_SECONDS = 1.0
"""Delay after a wrong token."""

MAX_WRONG_TOKENS, WRONG_TOKEN_MEMORY_SECONDS = 10, 300.0
"""After this many wrong tokens from one address further ones are refused at once, without saying
whether they are wrong, until none was sent for this many seconds."""

MAX_ADDRESSES = 10_000
MAX_TOKEN_LENGTH = 200

router = APIRouter(include_in_schema=False)


class SignInRequired(Exception):
    """A request without a valid token."""


def signed_in(request: Request) -> Assessor:
    """The assessor who sent a request; a dependency of every page, or called by its handler."""
    token = request.cookies.get(COOKIE, "")
    assessor = (
        store_of(request).assessor_of_token(token) if 0 < len(token) <= MAX_TOKEN_LENGTH else None
    )
    if assessor is None:
        raise SignInRequired
    request.state.assessor = assessor  # for the header of all pages
    return assessor


def admin_of(request: Request) -> Assessor:
    """The administrator who sent a request; others are refused."""
    assessor = signed_in(request)
    if not assessor.is_admin:
        raise RequestRefused(403, "This page is for administrators of the assessment.")
    return assessor


def store_of(request: Request) -> JudgmentStore:
    """The store of judgments of the application."""
    store: JudgmentStore = request.app.state.store
    return store


class WrongTokenCounter:
    """Recent wrong tokens by address."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, address: str, now: float | None = None) -> float:
        """0 if the address may try a token now, else the seconds until it may."""
        now = time.monotonic() if now is None else now
        with self._lock:
            count, since = self._sent.get(address, (0, now))
        left = since + WRONG_TOKEN_MEMORY_SECONDS - now
        return max(0.0, left) if count >= MAX_WRONG_TOKENS else 0.0

    def count(self, address: str, now: float | None = None) -> None:
        """Count a wrong token."""
        now = time.monotonic() if now is None else now
        with self._lock:
            count, since = self._sent.pop(address, (0, now))
            if now - since > WRONG_TOKEN_MEMORY_SECONDS:
                count = 0
            self._sent[address] = (count + 1, now)
            if len(self._sent) > MAX_ADDRESSES:
                self._sent.popitem(last=False)


@router.get(SIGN_IN)
def sign_in_page(request: Request) -> Response:
    """The form for the token."""
    return _form(request, to=request.query_params.get("to", "/"))


@router.post(SIGN_IN)
async def sign_in(
    request: Request, form: Annotated[FormFields, Depends(submitted_form)]
) -> Response:
    """Keep a valid token in a cookie, and redirect to the requested page."""
    wrong: WrongTokenCounter = request.app.state.wrong_tokens
    address = request.client.host if request.client else ""
    token, to = form.get("token", "").strip(), form.get("to", "/")
    assessor = None
    if 0 < len(token) <= MAX_TOKEN_LENGTH:
        assessor = await run_in_threadpool(store_of(request).assessor_of_token, token)
    # A valid token is accepted at any time: many may share the address of a proxy.
    if assessor is None and (wait := wrong.wait(address)):
        message = "Too many wrong tokens were sent from this address. Wait some minutes."
        raise RequestRefused(429, message, max(1, round(wait)))
    if assessor is None:
        wrong.count(address)
        await asyncio.sleep(WRONG_TOKEN_SECONDS)
        message = "This token is not valid here. Check it, or ask for a new one."
        return await run_in_threadpool(_form, request, to, message, 401)
    answer = RedirectResponse(_within(to), 303)
    answer.set_cookie(
        COOKIE,
        token,
        max_age=COOKIE_SECONDS,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post(SIGN_OUT)
def sign_out(request: Request) -> Response:
    """Delete the cookie of this browser."""
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _form(request: Request, to: str, message: str = "", status: int = 200) -> Response:
    return render(request, "assess_sign_in.html", status, to=_within(to), message=message)


def _within(address: str) -> str:
    r"""An address on this site, or else the home page.

    >>> [_within(address) for address in ("/judge/a/A.1?at=2", "//evil.example", "/\\evil.example")]
    ['/judge/a/A.1?at=2', '/', '/']
    """
    is_ours = address.startswith("/") and address.isprintable() and "\\" not in address
    parts = urlsplit(address) if is_ours and not address.startswith("//") else None
    return address if parts and not parts.scheme and not parts.netloc else "/"
