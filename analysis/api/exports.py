"""Exports: a small one is the answer itself, a large one a job. For leads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.utils import timezone
from ninja import Body, Query, Router
from ninja.responses import Status
from pydantic import BeforeValidator, Field

from analysis.api import schemas
from analysis.api.answers import Sent
from analysis.api.images import PLAIN
from analysis.api.jobs import job_facts
from analysis.api.paging import Paging, Parameters, page_of
from analysis.api.refusals import Error, Invalid, Missing, Refused
from analysis.api.routing import CHANGING, READING
from analysis.api.security import person
from analysis.exports.filters import Filters
from analysis.exports.formats import FORMATS
from analysis.exports.jobs import EXPORT, file_of, in_days, request_export
from analysis.exports.layouts import LAYOUTS
from analysis.exports.requests import ExportRequest, answers_read, record_export, require_possible
from analysis.views.exports import AT_ONCE
from analysis.views.files import kept_file
from annotator.access import job_as_lead, project_as_lead
from annotator.models import Job, Project
from annotator.transactions import write_transaction

router = Router(tags=["Exports"])

MOST_NAMES: Final = 500


def _day(given: object) -> object:
    """Let a day through as ISO 8601 writes it, and nothing that Python would also take for one."""
    if isinstance(given, str) and not re.fullmatch(r"\d{4}-\d\d-\d\d", given, re.ASCII):
        raise ValueError("a day is written 2026-03-31")
    if not isinstance(given, str | None):
        raise ValueError("a day is a text")
    return given


Day = Annotated[date | None, BeforeValidator(_day)]
Names = Annotated[list[Annotated[str, Field(max_length=400, pattern=PLAIN)]], Field(max_length=MOST_NAMES)]
NAMED: Final = {
    "batch": "Names of batches; any that is named comes in, and without one all.",
    "generator": "Generators, likewise.",
    "prompt": "Prompts, likewise.",
    "annotator": "Codes of annotators, likewise.",
    "since": "First day of submission, in UTC.",
    "until": "Last day of submission, in UTC, included.",
    "drafts": "Drafts and reopened answers too; in `scores` and `marks`.",
    "pseudonyms": "Pseudonyms instead of annotators' codes.",
}


class ExportChoice(Parameters):
    """What a file holds; without anything all that is submitted."""

    batch: Names = Field([], description=NAMED["batch"])
    generator: Names = Field([], description=NAMED["generator"])
    prompt: Names = Field([], description=NAMED["prompt"])
    annotator: Names = Field([], description=NAMED["annotator"])
    since: Day = Field(None, description=NAMED["since"])
    until: Day = Field(None, description=NAMED["until"])
    drafts: bool = Field(False, description=NAMED["drafts"])
    pseudonyms: bool = Field(False, description=NAMED["pseudonyms"])


class ExportOrder(Sent):
    """A file that a worker is to make."""

    layout: Literal["sheet", "scores", "marks", "images", "agreement", "comparison"]
    format: Literal["csv", "xlsx", "jsonl", "parquet"] = "csv"
    batch: Names = Field([], description=NAMED["batch"])
    generator: Names = Field([], description=NAMED["generator"])
    prompt: Names = Field([], description=NAMED["prompt"])
    annotator: Names = Field([], description=NAMED["annotator"])
    since: Day = Field(None, description=NAMED["since"])
    until: Day = Field(None, description=NAMED["until"])
    drafts: Annotated[bool, Field(strict=True, description=NAMED["drafts"])] = False
    pseudonyms: Annotated[bool, Field(strict=True, description=NAMED["pseudonyms"])] = False
    request_key: UUID | None = Field(None, description="Made by you: the same again finds the first job.")


FILE: Final = {
    "description": "The file.",
    "content": {
        form.content_type.split(";")[0]: {"schema": {"type": "string", "format": "binary"}}
        for form in FORMATS.values()
    },
}
AT_ONCE_FILE: Final = {
    **FILE,
    "content": {kind: FILE["content"][kind] for kind in ("text/csv", "application/jsonl")},  # type: ignore[index]
}


@router.get(
    "/projects/{slug:slug}/exports/{slug:layout}.{slug:form}",
    response={200: None, frozenset({409, 413}): Error, **READING},
    url_name="export",
    openapi_extra={"responses": {200: AT_ONCE_FILE}},
)
def read_export(
    request: HttpRequest, slug: str, layout: str, form: str, asked: Query[ExportChoice]
) -> StreamingHttpResponse:
    """Fetch an export at once, as `csv` or `jsonl`.

    Layouts: `sheet`, `scores`, `marks`, `images`, `agreement`, `comparison`; docs/data-formats.md has every
    column. A file for which more than 20,000 annotations have to be read is refused with 413, and made by a
    worker instead: POST /projects/{slug}/exports.
    """
    user = person(request)
    project = project_as_lead(user, slug)
    if layout not in LAYOUTS:
        raise Missing("No such layout.")
    if form not in FORMATS:
        raise Missing("No such format.")
    if FORMATS[form].by_worker:
        raise Invalid({"form": [f"A worker makes {form}: POST to /projects/{slug}/exports."]})
    wanted = _wanted(project, layout, form, asked)
    if (count := answers_read(project, wanted)) > AT_ONCE:
        words = f"{count:,} annotations have to be read; up to {AT_ONCE:,} come at once."
        raise Refused(
            413, "too_large", f"{words} POST to /projects/{slug}/exports, and a worker makes the file."
        )
    with write_transaction():
        record_export(project=project, request=wanted, actor=user)
    name = wanted.file_name(project, timezone.now().date())
    return StreamingHttpResponse(
        wanted.export(project),
        content_type=wanted.in_format.content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.get("/projects/{slug:slug}/exports", response={200: schemas.Jobs, **READING}, url_name="exports")
def list_exports(request: HttpRequest, slug: str, paging: Query[Paging]) -> schemas.Jobs:
    """List the exports that workers made or make, the latest first."""
    project = project_as_lead(person(request), slug)
    found = project.jobs.filter(kind=EXPORT).select_related("project")
    rows, following = page_of(found, paging, order=["-pk"])
    return schemas.Jobs(items=[job_facts(row) for row in rows], next=following)


@router.post(
    "/projects/{slug:slug}/exports", response={202: schemas.Job, **CHANGING}, url_name="export-request"
)
def request_file(request: HttpRequest, slug: str, sent: Body[ExportOrder]) -> Status[schemas.Job]:
    """Ask a worker for a file, of any size and format; GET /jobs/{job} then says how far it is."""
    user = person(request)
    project = project_as_lead(user, slug)
    wanted = _wanted(project, sent.layout, sent.format, sent)
    job = request_export(project=project, request=wanted, actor=user, request_key=sent.request_key)
    return Status(202, job_facts(job))


@router.get(
    "/exports/{int:job}/file",
    response={200: None, **READING},
    url_name="export-file",
    openapi_extra={"responses": {200: FILE}},
)
def read_file(request: HttpRequest, job: int) -> FileResponse:
    """Fetch the file that a worker made; it is kept for 7 days, or as long as the project says."""
    found = job_as_lead(person(request), job)
    if found.kind != EXPORT or found.status != Job.Status.DONE:
        raise Missing("There is no file, or not yet.")
    name = file_of(found)
    if name is None:
        raise Missing(f"The file is gone: exports are kept for {in_days(found.project)}. Make it anew.")
    wanted = ExportRequest.from_json(found.data["request"])
    shown = wanted.file_name(found.project, found.created_at.date())
    return kept_file(name, shown=shown, content_type=wanted.in_format.content_type)


def _wanted(project: Project, layout: str, form: str, said: ExportChoice | ExportOrder) -> ExportRequest:
    """Return what is asked for. Raises Invalid, and ExportRefused for what cannot be made as things stand."""
    wanted = ExportRequest(layout, form, _filters(project, said), said.pseudonyms)
    if problems := wanted.problems():
        raise Invalid({name: [words] for name, words in problems.items()})
    require_possible(project, wanted)
    return wanted


def _filters(project: Project, said: ExportChoice | ExportOrder) -> Filters:
    """Return the filters; raises Invalid for a name that the project does not know."""
    if said.since and said.until and said.since > said.until:
        raise Invalid({"until": ["This day is before the first one."]})
    batches = project.batches.filter(name__in=said.batch).values_list("name", "pk")
    people = project.memberships.filter(code__in=said.annotator).values_list("code", "pk")
    generators = project.images.filter(generator__in=said.generator).order_by().distinct()
    prompts = project.images.filter(prompt__in=said.prompt).order_by().distinct()
    known: dict[str, dict[str, Any]] = {
        "batch": dict(batches) if said.batch else {},
        "annotator": dict(people) if said.annotator else {},
        "generator": {name: name for name in generators.values_list("generator", flat=True)}
        if said.generator
        else {},
        "prompt": {name: name for name in prompts.values_list("prompt", flat=True)} if said.prompt else {},
    }
    chosen = {field: _known(field, getattr(said, field), known[field]) for field in known}
    return Filters(
        batches=chosen["batch"],
        generators=chosen["generator"],
        prompts=chosen["prompt"],
        annotators=chosen["annotator"],
        since=said.since,
        until=said.until,
        drafts=said.drafts,
    )


def _known(field: str, names: Sequence[str], known: dict[str, Any]) -> tuple[Any, ...]:
    if missing := [name for name in names if name not in known]:
        raise Invalid({field: [f"This project has no {field} “{name}”." for name in missing[:20]]})
    return tuple(known[name] for name in names)
