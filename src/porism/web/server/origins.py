"""Checks of the host that a request was sent to and the site that sent it.

A page of another site must not read from a server on this machine or network. With a host name of
its own that resolves to our address (DNS rebinding) it could, so only known host names are
accepted. Nor may it cause work through a visitor's browser, so requests that browsers mark as
cross-site are refused, except for links that a person follows.
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
    match = _HOST.fullmatch(host.strip().lower())
    return "" if match is None else (match[1] or match[2]).removesuffix(".")


def is_our_name(name: str, hosts: Collection[str], own_address: str) -> bool:
    """Whether a server at ``own_address`` with the names ``hosts`` answers to a name.

    Loopback names are always accepted.

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
    """The message for a request to an unknown host name; None if the name is known."""
    host = request.headers.get("host", "")
    server = request.scope.get("server") or ("", None)
    if is_our_name(host_name(host), hosts, str(server[0]).lower()):
        return None
    return (
        f"the request was sent to the host {host[:100]!r}, which this server does not answer to; "
        "start it with --allow-host NAME to allow a name"
    )


def is_cross_site(request: Request, origins: Collection[str]) -> bool:
    """Whether another site, not in ``origins``, sent this by other means than a link to a page.

    Old browsers and other clients do not say where a request comes from, and are not refused.
    """
    headers = request.headers
    if headers.get("sec-fetch-site") != "cross-site" or headers.get("origin") in origins:
        return False
    is_page = headers.get("sec-fetch-mode") == "navigate" and (
        headers.get("sec-fetch-dest", "document") == "document"
    )
    return not (is_page and request.method in ("GET", "HEAD"))
