"""The assessment application on a port of this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.collection_fit import CollectionFits
from porism.web.assessment.settings import AssessmentSettings
from porism.web.server.listener import serve


@dataclass(frozen=True, slots=True)
class AssessmentCallbacks:
    """Who is told the address, and what the collection does not have."""

    address: Callable[[str], None]
    warning: Callable[[str], None]


def run_assessment_server(
    settings: AssessmentSettings, host: str, port: int, tell: AssessmentCallbacks
) -> None:
    """Serve until somebody ends it; the address is told when it can be reached."""
    app = create_assessment_app(settings)
    fits: CollectionFits = app.state.fits
    for line in fits.lines():
        tell.warning(line)
    serve(app, host, port, tell.address)
