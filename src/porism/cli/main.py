"""The command and its exit status: 0 success, 1 failure with a message, 2 misuse."""

import errno
import gc
import io
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module

import click

from porism import __version__
from porism.errors import PorismError


class _Commands(MutableMapping[str, click.Command]):
    """The commands of a group by name, each imported when it is first used.

    Importing all takes longer than a search; only the help of the group needs all.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(places)
        self._commands: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._commands:
            module, _, variable = self._places[name].partition(":")
            self._commands[name] = getattr(import_module(f"porism.cli.{module}"), variable)
        return self._commands[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._places[name] = ""
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._commands.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


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
            return "show formula", _FORMULA["show"], args[2:]
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


_FORMULA = _Commands({"show": "formula.show:show", "convert": "formula.convert:convert"})

_ANALYSE = _Commands(
    {
        "proximity": "lab.proximity:proximity",
        "times": "lab.retrieval_times:times",
        "pool": "pools.pool_analysis:pool_analysis",
    }
)

_TRAIN = _Commands(
    {
        "cft": "lab.train_embeddings:cft",
        "nits": "lab.train_embeddings:nits",
        "graph": "lab.train_graph:graph",
        "ltr": "lab.train_ltr:ltr",
        "ranker": "lab.train_ranker:ranker",
        "fasttext": "lab.train_words:fasttext",
        "doc2vec": "lab.train_words:doc2vec",
        "bi-encoder": "training.encoders:bi_encoder",
        "cross-encoder": "training.encoders:cross_encoder",
        "generator": "training.generator:generator",
    }
)

_TOPICS = _Commands({"draw": "pools.topics:draw", "links": "pools.link_topics:link_topics"})

_PORISM = _Commands(
    {
        "demo": "demo:demo",
        "ingest": "collection.ingest:ingest",
        "export": "collection.export:export",
        "show": "collection.show:show",
        "stats": "collection.stats:stats",
        "index": "retrieval.index:index",
        "update": "retrieval.update:update",
        "check": "retrieval.check:check",
        "compile": "retrieval.compile:compile_",
        "systems": "retrieval.systems:systems",
        "search": "retrieval.search:search",
        "open": "retrieval.open:open_result",
        "ask": "retrieval.ask:ask",
        "run": "retrieval.run:run",
        "serve": "retrieval.serve:serve",
        "validate": "evaluation.validate:validate",
        "evaluate": "evaluation.evaluate:evaluate",
        "compare": "evaluation.compare:compare",
        "fuse": "evaluation.fuse:fuse",
        "tune": "lab.tune:tune",
        "reproduce": "lab.reproduce:reproduce",
        "reproduce systems": "lab.reproduce_systems:reproduce_systems",
        "pool": "pools.pool:pool",
        "assess": "assessment.assess:assess",
    }
)


@click.group(
    cls=_ErrorReportingGroup,
    commands=_PORISM,
    epilog="Start with: porism demo",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="porism")
def porism() -> None:
    """Search engine for mathematics: posts, and formulas as trees."""


@porism.group(commands=_FORMULA)
def formula() -> None:
    """Show and convert formulas."""


@porism.group(commands=_ANALYSE)
def analyse() -> None:
    """Repeat analyses of the papers, and analyse pools."""


@porism.group(commands=_TRAIN)
def train() -> None:
    """Train models of formulas, and weights for their features."""


@porism.group(commands=_TOPICS)
def topics() -> None:
    """Make topics for a test collection of its questions."""


def main() -> None:
    """Run the command, as the shell calls it."""
    # NumPy's products here are small: threads for them would mostly wait for each other, and on a
    # busy machine take fifty times as long. Work is shared between processes instead.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports make a hundred thousand objects and hardly any garbage; Python would look for it a
    # hundred times, which takes 25 ms.
    gc.set_threshold(100_000)
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
