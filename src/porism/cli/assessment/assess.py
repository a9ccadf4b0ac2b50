"""``porism assess``: from a pool to judgments to qrels."""

import click

from porism.cli.assessment.agreement import agreement
from porism.cli.assessment.assessor import assessor
from porism.cli.assessment.assign import assign
from porism.cli.assessment.disagreements import disagreements
from porism.cli.assessment.export import export
from porism.cli.assessment.serve import serve
from porism.cli.assessment.statistics import statistics
from porism.cli.assessment.status import status
from porism.cli.assessment.training_round import training
from porism.cli.assessment.turkle import turkle_in


@click.group()
def assess() -> None:
    """Judge pools in the browser, and make qrels from the judgments."""


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
