"""What a batch came to: topics that are dropped, statistics, and files to take away."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from fastapi import APIRouter, Request
from fastapi.responses import Response

from porism.assess.judgments.final_grades import DisputeRule
from porism.assess.records import AssessmentBatch
from porism.assess.statistics_tables import statistics_tables
from porism.pages.assessed_batch import AssessedBatch, AssessmentExportSettings, assessed_batch
from porism.pages.assessment_export import (
    FILE_DESCRIPTIONS,
    export_file_names,
    unavailable_reason,
    write_export,
    write_export_file,
)
from porism.web.assessment.admin.requests import (
    ADMIN_PATH,
    Admin,
    admin_address,
    frame_context,
    requested_batch,
    whole_number,
)
from porism.web.assessment.authentication import store_of
from porism.web.assessment.collection_handle import collection_of
from porism.web.page_templates import render
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

ARCHIVE_NAME = "all.zip"
FEWEST_RELEVANT = 2
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

DISPUTE_RULE_NAMES = {
    DisputeRule.FIRST: "the choice of whoever began the topic first",
    DisputeRule.MAXIMUM: "the highest grade",
    DisputeRule.MAJORITY: "what most say, else whoever began first",
}


@router.get(f"{ADMIN_PATH}/results")
def results_page(request: Request, admin: Admin) -> Response:
    """The statistics so far, the topics that would be dropped, and links to the files."""
    batch = requested_batch(request)
    assessed = _assessed(request, batch)
    names = export_file_names(assessed)
    values = _asked_values(request)
    return render(
        request,
        "assess_admin_results.html",
        200,
        **frame_context(request, admin, batch, "results"),
        assessed=assessed,
        tables=statistics_tables(assessed.statistics),
        files=[
            (name, FILE_DESCRIPTIONS[name], admin_address(f"files/{name}", batch.name, **values))
            for name in names
        ],
        lacking=[
            (name, unavailable_reason(name, assessed))
            for name in FILE_DESCRIPTIONS
            if name not in names
        ],
        all_files=admin_address(f"files/{ARCHIVE_NAME}", batch.name, **values),
        rules=DISPUTE_RULE_NAMES,
        form=assessed.settings,
    )


@router.get(f"{ADMIN_PATH}/files/{{name}}")
def export_file(request: Request, admin: Admin, name: str) -> Response:
    """One of the files, or all of them in an archive."""
    batch = requested_batch(request)
    assessed = _assessed(request, batch)
    if name != ARCHIVE_NAME and name not in export_file_names(assessed):
        raise RequestRefused(404, f"There is no file {name[:100]} of this batch.")
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / name
        if name == ARCHIVE_NAME:
            _write_archive(path, assessed)
        else:
            write_export_file(name, path, assessed)
        data = path.read_bytes()
    is_page = name == "statistics.html"
    headers = {} if is_page else {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=_KINDS[path.suffix], headers=headers)


def _write_archive(path: Path, assessed: AssessedBatch) -> None:
    with TemporaryDirectory(prefix="porism-") as folder, ZipFile(path, "w", ZIP_DEFLATED) as made:
        for name in write_export(Path(folder), assessed):
            made.write(Path(folder) / name, name)


def _assessed(request: Request, batch: AssessmentBatch) -> AssessedBatch:
    asked = request.query_params
    rule = asked.get("rule", DisputeRule.FIRST)
    if rule not in set(DisputeRule):
        raise RequestRefused(
            422, f"There is no rule {rule[:40]!r}: expected {', '.join(DisputeRule)}."
        )
    form = AssessmentExportSettings(
        rule=DisputeRule(rule),
        fewest_relevant=whole_number(asked.get("fewest"), FEWEST_RELEVANT),
        has_names=asked.get("names") != "numbers",
    )
    return assessed_batch(store_of(request), batch, form, collection_of(request))


def _asked_values(request: Request) -> dict[str, str]:
    """What was chosen, for the addresses of files."""
    asked = request.query_params
    return {name: asked[name] for name in ("rule", "fewest", "names") if name in asked}
