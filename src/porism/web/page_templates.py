"""Pages made of templates, in which everything is escaped unless it says that it is HTML."""

from __future__ import annotations

from functools import cache

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from porism import __version__


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("porism.web"),
        autoescape=True,
        undefined=StrictUndefined,  # a name that is not there is a fault, not an empty place
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(request: Request, name: str, status: int = 200, **values: object) -> HTMLResponse:
    """A page of a template, which also knows the request and our version."""
    template = _environment().get_template(name)
    return HTMLResponse(
        template.render(request=request, version=__version__, **values), status_code=status
    )
