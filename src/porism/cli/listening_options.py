"""Options of the commands that serve pages: where they listen."""

import click

host_option = click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; others than this machine reach only 0.0.0.0 or its own address.",
)

port_option = click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 takes one that is free.",
)
