"""Where a request comes from: the name it was sent to, and the site that made a browser send it.

A page of another site must not read what a server on this machine or network knows. It could do so
by a name of its own that leads to our address (DNS rebinding), so only names that are ours are
answered. And it must not make a visitor's browser do costly work for it, so what browsers mark as
sent by another site is refused, unless it is a person who followed a link.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address

from fastapi import Request

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:\[\]/@]+))(?::[0-9]{1,5})?")


def host_name(host: str) -> str:
    """The name or address in a ``Host`` header; empty if it is not one.

    >>> [host_name(host) for host in ("Example.org.:8000", "[::1]:80", "a/b")]
    ['example.org', '::1', '']
    """
    found = _HOST.fullmatch(host.strip().lower())
    return "" if found is None else (found[1] or found[2]).removesuffix(".")


def is_our_name(name: str, hosts: Collection[str], own_address: str) -> bool:
    """Whether a server at ``own_address`` that is known as ``hosts`` answers to a name.

    Names of this machine itself always lead here and nowhere else.

    >>> names = ("localhost", "127.3.2.1", "::1", "10.0.0.5", "search.example", "evil.example")
    >>> [is_our_name(name, {"search.example"}, "10.0.0.5") for name in names]
    [True, True, True, True, True, False]
    """
    if name == "localhost" or name in hosts:
        return True
    address = _address(name)
    if address is None:
        return bool(name) and name == own_address
    return address.is_loopback or address == _address(own_address)


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(name)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def wrong_host(request: Request, hosts: Collection[str]) -> str | None:
    """Why a request is refused by the name it was sent to; None if the name is ours."""
    said = request.headers.get("host", "")
    server = request.scope.get("server") or ("", None)
    if is_our_name(host_name(said), hosts, str(server[0]).lower()):
        return None
    return (
        f"the request was sent to the host {said[:100]!r}, which this server does not answer to; "
        "start it with --allow-host NAME to allow a name"
    )


def is_cross_site(request: Request, origins: Collection[str]) -> bool:
    """Whether another site made a browser send this, other than by a link to a page.

    Sites of ``origins`` may. What is no browser, or an old one, does not say where it comes from.
    """
    headers = request.headers
    if headers.get("sec-fetch-site") != "cross-site" or headers.get("origin") in origins:
        return False
    is_page = headers.get("sec-fetch-mode") == "navigate" and (
        headers.get("sec-fetch-dest", "document") == "document"
    )
    return not (is_page and request.method in ("GET", "HEAD"))
