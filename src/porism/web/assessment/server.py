"""Runs the assessment application on a port of this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.collection_fit import CollectionFits
from porism.web.assessment.settings import AssessmentSettings
from porism.web.server.listener import serve


@dataclass(frozen=True, slots=True)
class AssessmentCallbacks:
    """Called with the address once it is reachable, and with warnings about the collection."""

    on_address: Callable[[str], None]
    on_warning: Callable[[str], None]


def run_assessment_server(
    settings: AssessmentSettings, host: str, port: int, callbacks: AssessmentCallbacks
) -> None:
    """Serve until stopped."""
    app = create_assessment_app(settings)
    fits: CollectionFits = app.state.fits
    for line in fits.lines():
        callbacks.on_warning(line)
    serve(app, host, port, callbacks.on_address)
