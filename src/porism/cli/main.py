"""The command and its exit status: 0 success, 1 failure with a message, 2 misuse."""

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
from porism.cli.evaluation.fuse import fuse
from porism.cli.evaluation.validate import validate
from porism.cli.formula.convert import convert
from porism.cli.formula.show import show as show_formula
from porism.cli.lab.proximity import proximity
from porism.cli.lab.reproduce import reproduce
from porism.cli.lab.reproduce_systems import reproduce_systems
from porism.cli.lab.retrieval_times import times
from porism.cli.lab.train_embeddings import cft, nits
from porism.cli.lab.train_graph import graph
from porism.cli.lab.train_ltr import ltr
from porism.cli.lab.train_ranker import ranker
from porism.cli.lab.train_words import doc2vec, fasttext
from porism.cli.lab.tune import tune
from porism.cli.pools.link_topics import link_topics
from porism.cli.pools.pool import pool
from porism.cli.pools.pool_analysis import pool_analysis
from porism.cli.pools.topics import draw
from porism.cli.retrieval.ask import ask
from porism.cli.retrieval.check import check
from porism.cli.retrieval.index import index
from porism.cli.retrieval.open import open_result
from porism.cli.retrieval.run import run
from porism.cli.retrieval.search import search
from porism.cli.retrieval.serve import serve
from porism.cli.retrieval.systems import systems
from porism.cli.retrieval.update import update
from porism.cli.training.encoders import bi_encoder, cross_encoder
from porism.cli.training.generator import generator
from porism.errors import PorismError


class _ErrorReportingGroup(click.Group):
    """A group whose commands report errors that are not bugs as messages, not tracebacks."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        two_words = " ".join(args[:2])
        if two_words in self.commands:
            return two_words, self.commands[two_words], args[2:]
        # Two formulas that are in no collection; a collection may have that name.
        if args[:2] == ["show", "formula"] and not os.path.exists("formula"):
            return "show formula", show_formula, args[2:]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except PorismError as error:
            raise click.ClickException(str(error)) from error
        except sqlite3.DatabaseError as error:
            message = f"a database is damaged or unreadable ({error}); ingest the collection again"
            raise click.ClickException(message) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # a closed pipe: click exits quietly
                raise
            raise click.ClickException(str(error)) from error
        except RuntimeError as error:
            if "Symlink loop" in str(error):  # an OSError from Python 3.13 on
                raise click.ClickException(str(error)) from error
            raise


@click.group(
    cls=_ErrorReportingGroup,
    epilog="Start with: porism demo",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="porism")
def porism() -> None:
    """Search engine for mathematics: posts, and formulas as trees."""


@porism.group()
def formula() -> None:
    """Show and convert formulas."""


@porism.group()
def analyse() -> None:
    """Repeat analyses of the papers, and analyse pools."""


@porism.group()
def train() -> None:
    """Train models of formulas, and weights for their features."""


@porism.group()
def topics() -> None:
    """Make topics for a test collection of its questions."""


topics.add_command(draw)
topics.add_command(link_topics)
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
porism.add_command(open_result)
porism.add_command(ask)
porism.add_command(run)
porism.add_command(serve)
porism.add_command(validate)
porism.add_command(evaluate)
porism.add_command(compare)
porism.add_command(fuse)
porism.add_command(tune)
porism.add_command(reproduce)
porism.add_command(reproduce_systems)
porism.add_command(pool)
porism.add_command(assess)
train.add_command(cft)
train.add_command(nits)
train.add_command(graph)
train.add_command(ltr)
train.add_command(ranker)
train.add_command(fasttext)
train.add_command(doc2vec)
train.add_command(bi_encoder)
train.add_command(cross_encoder)
train.add_command(generator)
analyse.add_command(proximity)
analyse.add_command(times)
analyse.add_command(pool_analysis)


def main() -> None:
    """Run the command, as the shell calls it."""
    # NumPy's products here are small: threads for them would mostly wait for each other, and on a
    # busy machine take fifty times as long. Work is shared between processes instead.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A symbol that the terminal cannot print becomes a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    porism(prog_name="porism")


def _open_closed_streams() -> None:
    """Open streams that the shell closed on the null device.

    Otherwise the next file to be opened would get the descriptor, and whatever a library writes to
    standard output would go into that file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  # until the end
            os.set_inheritable(stream.fileno(), True)  # for the processes that this one starts
            setattr(sys, name, stream)
