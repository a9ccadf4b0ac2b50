"""Results of a batch: dropped topics, statistics, and files to download."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from fastapi import APIRouter, Request
from fastapi.responses import Response

from porism.assess.judgments.final_grades import DisputeRule
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
"""Relevant documents that a topic needs, as in the lab's first year."""

_MEDIA_TYPES = {
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".tex": "application/x-tex",
    ".zip": "application/zip",
}

DISPUTE_RULE_NAMES = {
    DisputeRule.FIRST: "the choice of whoever started the topic first",
    DisputeRule.MAXIMUM: "the highest grade",
    DisputeRule.MAJORITY: "the majority's choice, else that of whoever started first",
}


@router.get(f"{ADMIN_PATH}/results")
def results_page(request: Request, admin: Admin) -> Response:
    """The statistics so far, the topics that would be dropped, and links to the files."""
    batch = requested_batch(request)
    settings = _settings(request)
    assessed = assessed_batch(store_of(request), batch, settings, collection_of(request))
    names = export_file_names(assessed)
    values = _setting_values(request)
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
        unavailable=[
            (name, unavailable_reason(name, assessed))
            for name in FILE_DESCRIPTIONS
            if name not in names
        ],
        all_files=admin_address(f"files/{ARCHIVE_NAME}", batch.name, **values),
        rules=DISPUTE_RULE_NAMES,
        settings=settings,
    )


@router.get(f"{ADMIN_PATH}/files/{{name}}")
def export_file(request: Request, admin: Admin, name: str) -> Response:
    """One of the files, or all of them in an archive."""
    batch = requested_batch(request)
    assessed = assessed_batch(store_of(request), batch, _settings(request), collection_of(request))
    if name != ARCHIVE_NAME and name not in export_file_names(assessed):
        raise RequestRefused(404, f"This batch has no file {name[:100]}.")
    with TemporaryDirectory(prefix="porism-") as folder:
        path = Path(folder) / name
        if name == ARCHIVE_NAME:
            _write_archive(path, assessed)
        else:
            write_export_file(name, path, assessed)
        data = path.read_bytes()
    is_page = name == "statistics.html"
    headers = {} if is_page else {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=_MEDIA_TYPES[path.suffix], headers=headers)


def _write_archive(path: Path, assessed: AssessedBatch) -> None:
    with TemporaryDirectory(prefix="porism-") as folder, ZipFile(path, "w", ZIP_DEFLATED) as zipped:
        for name in write_export(Path(folder), assessed):
            zipped.write(Path(folder) / name, name)


def _settings(request: Request) -> AssessmentExportSettings:
    query = request.query_params
    rule = query.get("rule", DisputeRule.FIRST)
    if rule not in set(DisputeRule):
        raise RequestRefused(422, f"Unknown rule {rule[:40]!r}: expected {', '.join(DisputeRule)}.")
    return AssessmentExportSettings(
        rule=DisputeRule(rule),
        fewest_relevant=whole_number(query.get("fewest"), FEWEST_RELEVANT),
        has_names=query.get("names") != "numbers",
    )


def _setting_values(request: Request) -> dict[str, str]:
    """The settings in the address of the page, for the addresses of files."""
    query = request.query_params
    return {name: query[name] for name in ("rule", "fewest", "names") if name in query}
