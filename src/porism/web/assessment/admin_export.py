"""What a batch came to: topics that are dropped, statistics, and files to take away."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from fastapi import APIRouter, Request
from fastapi.responses import Response

from porism.assess.final_grades import Rule
from porism.assess.records import Batch
from porism.assess.statistics_tables import statistics_tables
from porism.pages.assessed import Assessed, ExportForm, assessed_batch
from porism.pages.assessment_export import (
    TOLD,
    file_names,
    why_not,
    write_export,
    write_export_file,
)
from porism.web.assessment.admin_parts import ADMIN, Admin, address, asked_batch, common, whole
from porism.web.assessment.shown_collection import collection_of
from porism.web.assessment.signing_in import store_of
from porism.web.problems import Refused
from porism.web.templating import render

router = APIRouter(include_in_schema=False)

ALL = "all.zip"
FEWEST = 2
"""So many relevant documents a topic needs, as in the lab's first year."""

_KINDS = {
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".tex": "application/x-tex",
    ".zip": "application/zip",
}

RULES = {
    Rule.FIRST: "the choice of whoever began the topic first",
    Rule.MAXIMUM: "the highest grade",
    Rule.MAJORITY: "what most say, else whoever began first",
}


@router.get(f"{ADMIN}/results")
def results(request: Request, admin: Admin) -> Response:
    """The statistics so far, the topics that would be dropped, and links to the files."""
    batch = asked_batch(request)
    assessed = _assessed(request, batch)
    names = file_names(assessed)
    values = _asked_values(request)
    return render(
        request,
        "assess_admin_results.html",
        200,
        **common(request, admin, batch, "results"),
        assessed=assessed,
        tables=statistics_tables(assessed.statistics),
        files=[
            (name, TOLD[name], address(f"files/{name}", batch.name, **values)) for name in names
        ],
        lacking=[(name, why_not(name, assessed)) for name in TOLD if name not in names],
        all_files=address(f"files/{ALL}", batch.name, **values),
        rules=RULES,
        form=assessed.form,
    )


@router.get(f"{ADMIN}/files/{{name}}")
def export_file(request: Request, admin: Admin, name: str) -> Response:
    """One of the files, or all of them in an archive."""
    batch = asked_batch(request)
    assessed = _assessed(request, batch)
    if name != ALL and name not in file_names(assessed):
        raise Refused(404, f"There is no file {name[:100]} of this batch.")
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / name
        if name == ALL:
            _write_archive(path, assessed)
        else:
            write_export_file(name, path, assessed)
        data = path.read_bytes()
    is_page = name == "statistics.html"
    headers = {} if is_page else {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=_KINDS[path.suffix], headers=headers)


def _write_archive(path: Path, assessed: Assessed) -> None:
    with TemporaryDirectory(prefix="porism-") as folder, ZipFile(path, "w", ZIP_DEFLATED) as made:
        for name in write_export(Path(folder), assessed):
            made.write(Path(folder) / name, name)


def _assessed(request: Request, batch: Batch) -> Assessed:
    asked = request.query_params
    rule = asked.get("rule", Rule.FIRST)
    if rule not in set(Rule):
        raise Refused(422, f"There is no rule {rule[:40]!r}: expected {', '.join(Rule)}.")
    form = ExportForm(
        rule=Rule(rule),
        fewest_relevant=whole(asked.get("fewest"), FEWEST),
        has_names=asked.get("names") != "numbers",
    )
    return assessed_batch(store_of(request), batch, form, collection_of(request))


def _asked_values(request: Request) -> dict[str, str]:
    """What was chosen, for the addresses of files."""
    asked = request.query_params
    return {name: asked[name] for name in ("rule", "fewest", "names") if name in asked}
