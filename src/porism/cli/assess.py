"""``porism assess``: a pool becomes judgments, and these become qrels."""

import click

from porism.cli.assess_agreement import agreement
from porism.cli.assess_assessor import assessor
from porism.cli.assess_assign import assign
from porism.cli.assess_disagreements import disagreements
from porism.cli.assess_export import export
from porism.cli.assess_round import training
from porism.cli.assess_serve import serve
from porism.cli.assess_statistics import statistics
from porism.cli.assess_status import status
from porism.cli.assess_turkle import turkle_in


@click.group()
def assess() -> None:
    """Have pools judged in the browser, and make qrels of the judgments."""


for command in (
    serve,
    assessor,
    training,
    assign,
    status,
    agreement,
    disagreements,
    statistics,
    export,
    turkle_in,
):
    assess.add_command(command)
