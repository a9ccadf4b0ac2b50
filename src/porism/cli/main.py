"""The command and how it ends: 0 done, 1 failed with a message, 2 misused."""

import errno
import io
import os
import sqlite3
import sys

import click

from porism import __version__
from porism.cli.assessment.assess import assess
from porism.cli.collection.export import export
from porism.cli.collection.ingest import ingest
from porism.cli.collection.show import show
from porism.cli.collection.stats import stats
from porism.cli.demo import demo
from porism.cli.evaluation.compare import compare
from porism.cli.evaluation.evaluate import evaluate
from porism.cli.evaluation.validate import validate
from porism.cli.formula.convert import convert
from porism.cli.formula.show import show as show_formula
from porism.cli.lab.proximity import proximity
from porism.cli.lab.reproduce import reproduce
from porism.cli.lab.retrieval_times import times
from porism.cli.lab.tune import tune
from porism.cli.pools.pool import pool
from porism.cli.pools.pool_analysis import pool_analysis
from porism.cli.pools.topics import draw
from porism.cli.retrieval.check import check
from porism.cli.retrieval.index import index
from porism.cli.retrieval.run import run
from porism.cli.retrieval.search import search
from porism.cli.retrieval.serve import serve
from porism.cli.retrieval.systems import systems
from porism.cli.retrieval.update import update
from porism.errors import PorismError


class _ErrorReportingGroup(click.Group):
    """A group whose commands end with a message, not a traceback, on what is not our own fault."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except PorismError as error:
            raise click.ClickException(str(error)) from error
        except sqlite3.DatabaseError as error:
            told = f"a database is damaged or cannot be read ({error}); make the collection again"
            raise click.ClickException(told) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has seen enough: click ends quietly
                raise
            raise click.ClickException(str(error)) from error
        except RuntimeError as error:
            if "Symlink loop" in str(error):  # an OSError from Python 3.13 on
                raise click.ClickException(str(error)) from error
            raise


@click.group(
    cls=_ErrorReportingGroup,
    epilog="Begin with: porism demo",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="porism")
def porism() -> None:
    """Search that understands mathematics: collections of posts, and formulas as trees."""


@porism.group()
def formula() -> None:
    """Look into formulas and convert them."""


@porism.group()
def analyse() -> None:
    """Print the papers' analyses, with our numbers beside theirs, and what pools are made of."""


@porism.group()
def topics() -> None:
    """Draw topics for a test collection."""


topics.add_command(draw)
formula.add_command(show_formula)
formula.add_command(convert)
porism.add_command(demo)
porism.add_command(ingest)
porism.add_command(export)
porism.add_command(show)
porism.add_command(stats)
porism.add_command(index)
porism.add_command(update)
porism.add_command(check)
porism.add_command(systems)
porism.add_command(search)
porism.add_command(run)
porism.add_command(serve)
porism.add_command(validate)
porism.add_command(evaluate)
porism.add_command(compare)
porism.add_command(tune)
porism.add_command(reproduce)
porism.add_command(pool)
porism.add_command(assess)
analyse.add_command(proximity)
analyse.add_command(times)
analyse.add_command(pool_analysis)


def main() -> None:
    """Run the command, as the shell calls it."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a symbol shows a question mark instead of a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    porism(prog_name="porism")


def _open_closed_streams() -> None:
    """Let a stream that the shell has closed be one that is empty and takes everything.

    Else there is no object for it, and the next file to be opened would get its number: whatever
    a library writes to standard output would then go into that file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  # until the end
            os.set_inheritable(stream.fileno(), True)  # for the processes that this one starts
            setattr(sys, name, stream)
