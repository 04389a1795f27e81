"""Exports: small ones are returned directly, large ones run as a job. For leads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.db.models import Q
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from ninja import Body, Query
from ninja.responses import Status
from pydantic import BaseModel, BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from analysis.api import schemas
from analysis.api.annotations import Sent
from analysis.api.batches import Purpose
from analysis.api.jobs import job_facts
from analysis.api.paging import PLAIN, page_of
from analysis.api.protocols import (
    ASKED,
    LONGEST,
    About,
    Naming,
    PagingAbout,
    protocol_asked_for,
    require_known,
)
from analysis.api.refusals import ApiRefused, Invalid, Missing
from analysis.api.routing import Routes
from analysis.api.security import person
from analysis.data.ratings_table import shown_from
from analysis.exports.export_jobs import EXPORT, file_of, in_days, request_export
from analysis.exports.filters import WORK, Filters, left_out
from analysis.exports.formats.formats import FORMATS
from analysis.exports.registry import every_layout, layouts_of
from analysis.exports.requests import ExportRequest, annotations_read, record_export, require_possible
from analysis.web.views.exports import AT_ONCE, streamed
from analysis.web.views.files import kept_file
from annotator.database.transactions import write_transaction
from annotator.models import Job, Project
from annotator.people.access import job_as_lead, project_as_lead
from scoring.prompts import LONGEST_PROMPT

router = Routes("Exports")

MOST_NAMES: Final = 500
KINDS: Final = [form.content_type.split(";")[0] for form in FORMATS.values()]


def _day(given: object) -> object:
    """Accept a date in ISO 8601 form only; Python would accept other forms too."""
    if isinstance(given, str) and not re.fullmatch(r"\d{4}-\d\d-\d\d", given, re.ASCII):
        raise ValueError("write the date as 2026-03-31")
    if not isinstance(given, str | None):
        raise ValueError("the date must be a string")
    return given


class KnownLayout:
    """The slug of a layout of any protocol."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check a value."""
        return core_schema.no_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(
        self, found: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """List the known layouts when the document is built."""
        return {**handler(found), "enum": every_layout()}

    @staticmethod
    def _known(value: str) -> str:
        known = every_layout()
        if value not in known:
            raise PydanticCustomError("layout", "Input should be one of {known}", {"known": ", ".join(known)})
        return value


Day = Annotated[date | None, BeforeValidator(_day)]
Names = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_PROMPT, pattern=PLAIN)]], Field(max_length=MOST_NAMES)
]
DRAFTS: Final = "Include drafts and reopened annotations; for `scores`, `marks`, `severities` and `ratings`."
HEADER: Final = "Column names: as in the published study, or tidy, such as `missing_torso`."
PSEUDONYMS: Final = "Pseudonyms instead of annotators' codes."


class Narrowed(BaseModel):
    """Filters for the annotations in a file."""

    batch: Names = Field([], description="Names of the batches to include; default all.")
    generator: Names = Field([], description="Generators to include; default all.")
    prompt: Names = Field([], description="Prompts to include; default all.")
    annotator: Names = Field([], description="Codes of the annotators to include; default all.")
    since: Day = Field(None, description="First date of submission, in UTC.")
    until: Day = Field(None, description="Last date of submission, in UTC, inclusive.")
    purpose: Purpose = Field(
        WORK, description="Purpose of the annotations; default `work`, the ones that count."
    )


class ExportChoice(Narrowed, About):
    """The content of a file; by default all submitted annotations."""

    drafts: bool = Field(False, description=DRAFTS)
    pseudonyms: bool = Field(False, description=PSEUDONYMS)
    header: Literal["published", "tidy"] = Field("published", description=HEADER)


class _Ordered(Sent):
    layout: Annotated[str, KnownLayout()]
    protocol: str | None = Field(None, max_length=LONGEST, pattern=PLAIN, description=ASKED)
    format: Literal["csv", "xlsx", "jsonl", "parquet", "script"] = "csv"


class ExportOrder(Narrowed, _Ordered):
    """A file for a worker to prepare."""

    drafts: Annotated[bool, Field(strict=True, description=DRAFTS)] = False
    pseudonyms: Annotated[bool, Field(strict=True, description=PSEUDONYMS)] = False
    header: Literal["published", "tidy"] = Field("published", description=HEADER)
    request_key: UUID | None = Field(None, description="Idempotency key; repeating it returns the first job.")


@router.sending(
    "/projects/{slug:slug}/exports/{slug:layout}.{slug:form}",
    "export",
    "The file.",
    ("text/csv", "application/jsonl", "text/plain"),
    *(409, 413),
)
def read_export(
    request: HttpRequest, slug: str, layout: str, form: str, asked: Query[ExportChoice]
) -> StreamingHttpResponse:
    """Download a small export as `csv` or `jsonl`, or a layout's `script`.

    A file holds the annotations of one protocol in one of its layouts; docs/reference/data-formats.md
    describes every column. The headers `Anatomark-Protocol` and `Anatomark-Left-Out` name the protocol and
    what is left out, `Anatomark-Empty` says why `pairs` has no rows. An export that reads more than 20,000
    annotations returns 413; use POST /projects/{slug}/exports for it.
    """
    user = person(request)
    project = project_as_lead(user, slug)
    protocol = protocol_asked_for(project, asked.protocol)
    _require_layout(protocol, layout)
    if form not in FORMATS:
        raise Missing("Unknown format.")
    if FORMATS[form].by_worker:
        raise Invalid({"form": [f"{form} files run as a job: POST to /projects/{slug}/exports."]})
    wanted = _wanted(project, protocol, layout, form, asked)
    if (count := annotations_read(project, wanted)) > AT_ONCE:
        words = f"{count:,} annotations exceed the limit of {AT_ONCE:,} for a direct download."
        raise ApiRefused(413, "too_large", f"{words} POST to /projects/{slug}/exports to request a job.")
    with write_transaction():
        record_export(project=project, request=wanted, actor=user)
    return streamed(project, wanted, _left_out_headers(project, wanted))


@router.reading("/projects/{slug:slug}/exports", schemas.Jobs, "exports")
def list_exports(request: HttpRequest, slug: str, asked: Query[PagingAbout]) -> schemas.Jobs:
    """List export jobs, newest first."""
    project = project_as_lead(person(request), slug)
    require_known(project, asked.protocol)
    found = project.jobs.filter(_about(asked.protocol), kind=EXPORT).select_related("project")
    naming = Naming(project)
    return page_of(schemas.Jobs, found, asked, lambda row: job_facts(row, naming), order=["-pk"])


@router.changing("/projects/{slug:slug}/exports", schemas.Job, "export-request", status=202)
def request_file(request: HttpRequest, slug: str, sent: Body[ExportOrder]) -> Status[schemas.Job]:
    """Request an export of any size and format. GET /jobs/{job} returns its progress."""
    user = person(request)
    project = project_as_lead(user, slug)
    protocol = protocol_asked_for(project, sent.protocol)
    _require_layout(protocol, sent.layout)
    wanted = _wanted(project, protocol, sent.layout, sent.format, sent)
    job = request_export(project=project, request=wanted, actor=user, request_key=sent.request_key)
    return Status(202, job_facts(job))


@router.sending("/exports/{int:job}/file", "export-file", "The file.", KINDS)
def read_file(request: HttpRequest, job: int) -> FileResponse:
    """Download the file of an export job. It is kept for 7 days, or as long as the project sets."""
    found = job_as_lead(person(request), job)
    if found.kind != EXPORT or found.status != Job.Status.DONE:
        raise Missing("This job has no file yet.")
    name = file_of(found)
    if name is None:
        raise Missing(f"The file has expired after {in_days(found.project)}. Request the export again.")
    wanted = ExportRequest.from_json(found.data["request"])
    shown = wanted.file_name(found.project, found.created_at.date())
    return kept_file(name, shown=shown, content_type=wanted.in_format.content_type)


def _require_layout(protocol: str, layout: str) -> None:
    known = layouts_of(protocol)
    if layout not in known:
        raise Missing(f"Unknown layout. Layouts of the protocol {protocol}: {', '.join(known)}.")


def _about(protocol: str | None) -> Q:
    """Return the filter for the export jobs of a protocol."""
    return Q(data__request__protocol=protocol) if protocol else Q()


def _left_out_headers(project: Project, wanted: ExportRequest) -> dict[str, str]:
    """Return the headers naming a file's protocol and what it leaves out, as far as known in advance."""
    if wanted.in_layout.of_report:
        return {"Anatomark-Protocol": wanted.protocol}
    source = shown_from(project, wanted.protocol)
    counts = left_out(project, wanted.in_layout.chosen(wanted.filters), source)
    told = {"Anatomark-Protocol": wanted.protocol}
    if source != wanted.protocol:
        told["Anatomark-Shown-From"] = source
    if counts:
        told["Anatomark-Left-Out"] = ", ".join(f"{name}={count}" for name, count in counts.items())
    return told


def _wanted(
    project: Project, protocol: str, layout: str, form: str, said: ExportChoice | ExportOrder
) -> ExportRequest:
    """Return the request. Raise Invalid, or ExportRefused for an export that is currently impossible."""
    filters = _filters(project, said)
    wanted = ExportRequest(layout, form, filters, said.pseudonyms, protocol, said.header)
    if problems := wanted.problems():
        raise Invalid({name: [words] for name, words in problems.items()})
    require_possible(project, wanted)
    return wanted


def _filters(project: Project, said: ExportChoice | ExportOrder) -> Filters:
    """Return the filters; raise Invalid for a name unknown in the project."""
    if said.since and said.until and said.since > said.until:
        raise Invalid({"until": ["The last date is before the first."]})
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
        purpose=said.purpose,
    )


def _known(field: str, names: Sequence[str], known: dict[str, Any]) -> tuple[Any, ...]:
    if missing := [name for name in names if name not in known]:
        raise Invalid({field: [f"This project has no {field} “{name}”." for name in missing[:20]]})
    return tuple(known[name] for name in names)
