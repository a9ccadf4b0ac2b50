"""Who asks: a token in a form once, in a cookie from then on, and in no address or log.

The cookie has the token itself, so nobody needs to sign in again after the server was started anew,
and a new token ends what the old one could do.
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
"""A campaign of judging takes a term; the cookie outlives it, the token can be ended any day."""

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"

WRONG_TOKEN_SECONDS = 1.0
"""So long somebody waits who signs in with a wrong token."""

MAX_WRONG_TOKENS, WRONG_TOKEN_MEMORY_SECONDS = 10, 300.0
"""After so many wrong tokens of an address others are refused at once, and not said to be wrong,
until none was sent for so many seconds."""

MAX_ADDRESSES = 10_000
MAX_TOKEN_LENGTH = 200

router = APIRouter(include_in_schema=False)


class SignInRequired(Exception):
    """A request of somebody who did not sign in, or whose token is no longer good."""


def signed_in(request: Request) -> Assessor:
    """Whoever sent a request; a dependency of every page, or called by its handler."""
    token = request.cookies.get(COOKIE, "")
    found = (
        store_of(request).assessor_of_token(token) if 0 < len(token) <= MAX_TOKEN_LENGTH else None
    )
    if found is None:
        raise SignInRequired
    request.state.assessor = found  # for what all pages have at their top
    return found


def admin_of(request: Request) -> Assessor:
    """Whoever sent a request, if that is one who administers; others are refused."""
    found = signed_in(request)
    if not found.is_admin:
        raise RequestRefused(403, "This page is for those who administer the assessment.")
    return found


def store_of(request: Request) -> JudgmentStore:
    """The judgments that the application serves."""
    store: JudgmentStore = request.app.state.store
    return store


class WrongTokenCounter:
    """How many wrong tokens each address sent of late."""

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
        """Note a wrong token."""
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
    """Keep a token that is good in a cookie, and lead to the page that was asked for."""
    wrong: WrongTokenCounter = request.app.state.wrong_tokens
    address = request.client.host if request.client else ""
    token, to = form.get("token", "").strip(), form.get("to", "/")
    found = None
    if 0 < len(token) <= MAX_TOKEN_LENGTH:
        found = await run_in_threadpool(store_of(request).assessor_of_token, token)
    # A good token is taken at any time: many may share the address of a proxy.
    if found is None and (wait := wrong.wait(address)):
        told = "Too many wrong tokens were sent from this address. Wait some minutes."
        raise RequestRefused(429, told, max(1, round(wait)))
    if found is None:
        wrong.count(address)
        await asyncio.sleep(WRONG_TOKEN_SECONDS)
        told = "That is no token of this assessment. Look at it again, or ask for a new one."
        return await run_in_threadpool(_form, request, to, told, 401)
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
    """Forget who it is in this browser."""
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _form(request: Request, to: str, told: str = "", status: int = 200) -> Response:
    return render(request, "assess_sign_in.html", status, to=_within(to), told=told)


def _within(address: str) -> str:
    r"""An address on this site, or else the first page.

    >>> [_within(address) for address in ("/judge/a/A.1?at=2", "//evil.example", "/\\evil.example")]
    ['/judge/a/A.1?at=2', '/', '/']
    """
    is_ours = address.startswith("/") and address.isprintable() and "\\" not in address
    parts = urlsplit(address) if is_ours and not address.startswith("//") else None
    return address if parts and not parts.scheme and not parts.netloc else "/"
