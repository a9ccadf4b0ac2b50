"""Pages from templates, in which everything is escaped unless it is marked as HTML."""

from __future__ import annotations

from functools import cache

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from porism import __version__


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("porism.web"),
        autoescape=True,
        undefined=StrictUndefined,  # an unknown name is an error, not empty text
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(request: Request, name: str, status: int = 200, **values: object) -> HTMLResponse:
    """Render a template, which also gets the request and our version."""
    html = rendered(name, request=request, version=__version__, **values)
    return HTMLResponse(html, status_code=status)


def rendered(name: str, **values: object) -> Markup:
    """Render a template that may be a part of a page."""
    return Markup(_environment().get_template(name).render(**values))
