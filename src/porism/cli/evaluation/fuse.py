"""``porism fuse``: make one run of several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.evaluation.run_faults import print_run_faults
from porism.cli.evaluation.scored_runs import run_names
from porism.cli.options.inputs import runs_argument
from porism.cli.options.outputs import FILE, json_option, output_option, run_name_option
from porism.cli.spool import regular_files
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.formats.runs import RunForm
    from porism.rank.ensembles.run_fusion import FuseRankings

METHODS = ("rrf", "ibc", "combsum", "combmnz")


def _weights(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[float, ...]:
    """Numbers separated by commas, finite and not negative, and not all 0."""
    if value is None:
        return ()
    try:
        numbers = tuple(float(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"found {value!r}: expected numbers as in 1,0.5,2") from None
    if not all(0 <= number < float("inf") for number in numbers) or not any(numbers):
        raise click.BadParameter(f"found {value!r}: expected numbers from 0, not all of them 0")
    return numbers


@click.command(
    cls=PorismCommand,
    epilog="""
    porism fuse bm25.tsv l8.tsv minilm.tsv -o fused.tsv
    porism fuse l8.tsv minilm.tsv --by combsum --weights 0.3,0.7 -o mixed.tsv
    porism fuse mias.tsv scm.tsv formula2vec.tsv --by ibc -o ensemble.tsv
    """,
)
@click.option(
    "--by",
    type=click.Choice(METHODS),
    default=METHODS[0],
    show_default=True,
    help="Reciprocal ranks, median ranks (MIRMU's IBC), or scores scaled to 0 to 1.",
)
@click.option(
    "--weights",
    metavar="W,W,...",
    callback=_weights,
    help="A weight for each run, in their order; not with ibc. All are 1 if not given.",
)
@click.option(
    "--k",
    "constant",
    metavar="K",
    type=click.FloatRange(0, min_open=True),
    help="The constant of rrf: a document gets 1 / (K + rank); 60 if not given.",
)
@click.option(
    "--depth",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="Documents of each ranking that count, and results per topic.",
)
@run_name_option("that of the file")
@output_option("RUN", "The fused run, in the columns of the given runs.", FILE, required=True)
@json_option
@runs_argument("RUN...", required=True)
def fuse(
    runs: tuple[Path, ...],
    by: str,
    weights: tuple[float, ...],
    constant: float | None,
    depth: int,
    run_name: str | None,
    output: Path,
    as_json: bool,
) -> None:
    """Fuse each RUN with the others, topic by topic, into one run.

    A topic that a run lacks gets nothing from it. All runs have the same columns: those of Task 1,
    of Task 2, of trec_eval, or topic, document and score.
    """
    if len(runs) < 2:
        raise click.UsageError("expected two runs or more")
    if weights and by == "ibc":
        raise click.UsageError("--weights: a median has no weights; use another --by")
    if weights and len(weights) != len(runs):
        raise click.UsageError(f"found {len(weights)} weights: expected one for each run")
    if constant is not None and by != "rrf":
        raise click.UsageError("--k is the constant of --by rrf")
    # Loads the formats and the rankers, which --help does not need.
    from porism.formats.runs import read_run, write_run
    from porism.formats.text_lines import file_stem
    from porism.model import Run
    from porism.rank.ensembles.run_fusion import fused_run

    with regular_files(runs) as files:
        form = _common_form(runs, files)
        for _ in print_run_faults(files, 2 if form == "task2" else 1):
            pass
        read = [
            Run(name, read_run(path, form).rankings)
            for name, path in zip(run_names(runs), files, strict=True)
        ]
    fused = fused_run(
        read, run_name or file_stem(output), _method(by, weights, constant, depth), depth
    )
    write_run(output, fused, form)
    results = sum(map(len, fused.rankings.values()))
    if as_json:
        record = {
            "run": fused.name,
            "by": by,
            "weights": list(weights) or [1.0] * len(runs),
            "runs": [run.name for run in read],
            "topics": len(fused.rankings),
            "results": results,
        }
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        count = "1 topic" if len(fused.rankings) == 1 else f"{len(fused.rankings):,} topics"
        click.echo(f"{output}: {results:,} results for {count}")


def _common_form(runs: tuple[Path, ...], files: tuple[Path, ...]) -> RunForm:
    """The form that all runs have."""
    from porism.formats.runs import run_form

    forms = [run_form(path) for path in files]
    for given, form in zip(runs, forms, strict=True):
        if form is not forms[0]:
            raise PorismError(
                f"{runs[0]} is {forms[0].description}, and {given} is {form.description}: expected "
                "runs with the same columns"
            )
    return forms[0]


def _method(
    by: str, weights: tuple[float, ...], constant: float | None, depth: int
) -> FuseRankings:
    from functools import partial

    from porism.rank.ensembles.median_ranks import fused_by_median
    from porism.rank.fusion import CombMnz, CombSum, ReciprocalRanks, combined_ranking

    if by == "ibc":
        return partial(fused_by_median, depth=depth)
    if by == "rrf":
        ranks = ReciprocalRanks() if constant is None else ReciprocalRanks(constant)
        return partial(combined_ranking, by=ranks, weights=weights)
    scores = CombSum() if by == "combsum" else CombMnz()
    return partial(combined_ranking, by=scores, weights=weights)
