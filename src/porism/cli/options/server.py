"""Options of commands that serve pages: address, port, and trusted hosts and proxies."""

from __future__ import annotations

import re
import sys

import click

from porism.cli.options.inputs import CommandDecorator, CommandFunction

_NAME = re.compile(r"(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[?[0-9a-f:.]*:[0-9a-f:.]*\]?")


def _host(context: click.Context, option: click.Parameter, host: str) -> str:
    """The address to listen on; an empty one would mean every address of this machine."""
    if not host.strip():
        raise click.BadParameter(
            "empty address: expected one such as 127.0.0.1, or 0.0.0.0 for all interfaces"
        )
    return host.strip()


def _names(
    context: click.Context, option: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Names as in ``Host`` headers, without ports, brackets and trailing dots."""
    return tuple(map(_name, names))


def _name(name: str) -> str:
    """A name in the form that ``Host`` headers are compared with.

    >>> _name("Search.Example.org."), _name("[2001:db8::1]")
    ('search.example.org', '2001:db8::1')
    """
    normal = name.strip().lower()
    if not _NAME.fullmatch(normal):
        raise click.BadParameter(
            f"found {name!r}: expected a host name such as search.example.org, without http:// "
            "and port"
        )
    return normal.strip("[]").removesuffix(".")


host_option = click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    callback=_host,
    help="Address to listen on; 0.0.0.0 to accept connections from other machines.",
)


def port_option(text: str = "The port; 0 for a free one.", default: int = 8000) -> CommandDecorator:
    return click.option(
        "--port",
        metavar="N",
        type=click.IntRange(0, 65535),
        default=default,
        show_default=True,
        help=text,
    )


_allow_host_option = click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    callback=_names,
    help="A host name of the server, such as search.example.org; repeatable. Requests to other "
    "names are refused, except localhost and the address in --host.",
)

_behind_proxy_option = click.option(
    "--behind-proxy",
    "is_behind_proxy",
    is_flag=True,
    help="Trust X-Forwarded-For and X-Forwarded-Proto from a proxy on this machine or in a private "
    "network.",
)


def trust_options(command: CommandFunction) -> CommandFunction:
    """Add ``--allow-host`` and ``--behind-proxy``."""
    return _allow_host_option(_behind_proxy_option(command))


def _opens_browser(context: click.Context, option: click.Parameter, is_wanted: bool | None) -> bool:
    """Whether to open a browser: by default only for somebody at a terminal."""
    return sys.stdout.isatty() if is_wanted is None else is_wanted


browser_option = click.option(
    "--browser/--no-browser",
    "opens_browser",
    default=None,
    callback=_opens_browser,
    help="Whether to open the page in a browser, if there is a display. If not given: if standard "
    "output is a terminal.",
)


def host_names(host: str, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """The host names that a server accepts: its address, and those allowed."""
    return (host.lower().strip("[]"), *hosts)
