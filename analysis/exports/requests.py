"""Export requests: validation, description and Events; their jobs, whose files are kept for a week."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from analysis.data.counting import PURPOSES
from analysis.data.ratings_table import shown_from, submitted
from analysis.exports.files import FOLDER, Export, store
from analysis.exports.filters import Filters, answers
from analysis.exports.formats import FORMATS, NOT_AS, OF_SOME, Format
from analysis.exports.layout import PUBLISHED, Layout
from analysis.exports.registry import known_protocol, layout_of
from analysis.exports.source import ExportRefused, Watch, unwatched
from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import protocols_of
from annotator.work.jobs import JobRefused, Steps, request_job
from annotator.work.kinds import runs

EXPORT: Final = "export"
EXPORTED: Final = "exported"
LISTED: Final = 3


@dataclass(frozen=True)
class ExportRequest:
    """Layout, format and header by slug, filters, pseudonyms and protocol of an export.

    A file holds the annotations of one protocol.
    """

    layout: str
    format: str = "csv"
    filters: Filters = field(default_factory=Filters)
    hidden: bool = False
    protocol: str = DEFAULT_PROTOCOL
    header: str = PUBLISHED

    @property
    def in_layout(self) -> Layout:
        """Return the layout; raise ExportRefused for an unknown protocol or layout."""
        return layout_of(known_protocol(self.protocol), self.layout)

    @property
    def in_format(self) -> Format:
        """Return the format."""
        return FORMATS[self.format]

    def export(self, project: Project, watch: Watch = unwatched) -> Export:
        """Return the export without reading anything yet."""
        return Export(
            project,
            self.in_layout.with_header(self.header),
            self.in_format,
            protocol=self.protocol,
            filters=self.filters,
            hidden=self.hidden,
            watch=watch,
        )

    def file_name(self, project: Project, day: date) -> str:
        """Return the name of the downloaded file."""
        named = f"{self.protocol}-" if self.is_named(project) else ""
        named += "" if self.filters.of_work else f"{self.filters.purpose}-"
        header = "" if self.header == PUBLISHED else f"{self.header}-"
        return f"{project.slug}-{named}{self.layout}-{header}{day:%Y-%m-%d}.{self.in_format.suffix}"

    def is_named(self, project: Project) -> bool:
        """Return whether the file name and description include the protocol."""
        return len({*protocols_of(project), self.protocol}) > 1

    def problems(self) -> dict[str, str]:
        """Return error messages for conflicting choices, by field."""
        layout, found = self.in_layout, {}
        if self.header != PUBLISHED and layout.one_header:
            found["header"] = (
                f"{layout.title} has only the published header, so that it can be imported again."
            )
        if self.format in OF_SOME and self.format not in layout.own_formats:
            found["format"] = NOT_AS.format(layout.title, OF_SOME[self.format])
        if layout.whole and self.filters != Filters():
            found["layout"] = "A data set covers the whole project. Export it without filters."
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the JSON that `from_json` reads."""
        return {
            "layout": self.layout,
            "format": self.format,
            "filters": self.filters.as_json(),
            "pseudonyms": self.hidden,
            "protocol": self.protocol,
            **({} if self.header == PUBLISHED else {"header": self.header}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ExportRequest:
        """Return the request that `as_json` wrote."""
        filters = Filters.from_json(data["filters"])
        header = data.get("header", PUBLISHED)
        return cls(data["layout"], data["format"], filters, data["pseudonyms"], data["protocol"], header)


def require_possible(project: Project) -> None:
    """Raise ExportRefused for an export that would fail while it is sent."""
    try:
        project.exact_weights  # noqa: B018  raises for weights that cannot be used
    except ValueError as error:
        raise ExportRefused(f"The severity weights are invalid: {error}.") from error


def annotations_read(project: Project, request: ExportRequest) -> int:
    """Return the number of annotations to read for the export."""
    source = shown_from(project, request.protocol)
    chosen = answers(project, request.filters, source).count()
    if request.in_layout.reads_twice:
        return 2 * chosen
    return chosen + submitted(project, source).count() if request.in_layout.reads_all else chosen


def record_export(
    *, project: Project, request: ExportRequest, actor: User | None, data: Mapping[str, Any] | None = None
) -> Event:
    """Record an Event for the export."""
    return Event.objects.create(
        project=project, actor=actor, verb=EXPORTED, data={**request.as_json(), **(data or {})}
    )


def in_words(project: Project, request: ExportRequest) -> str:
    """Return the selection as text: `batch pilot; from 1 March 2026; pseudonyms`."""
    return "; ".join(_words(project, request))


def _words(project: Project, request: ExportRequest) -> Iterator[str]:
    filters = request.filters
    batches = project.batches.filter(pk__in=filters.batches[: LISTED + 1]).values_list("name", flat=True)
    people = project.memberships.filter(pk__in=filters.annotators[: LISTED + 1])
    lists = {
        "batch": list(batches),
        "generator": list(filters.generators),
        "prompt": list(filters.prompts),
        "annotator": list(people.values_list("code", flat=True)),
    }
    for name, values in lists.items():
        if values:
            more = ", …" if len(values) > LISTED else ""
            yield f"{name} {', '.join(values[:LISTED])}{more}"
    for word, day in (("from", filters.since), ("to", filters.until)):
        if day:
            yield f"{word} {day.day} {day:%B %Y}"
    if not filters.of_work:
        yield f"only those {PURPOSES[filters.purpose]}"
    if request.hidden:
        yield "pseudonyms"
    if request.header != PUBLISHED:
        yield f"{request.header} header"
    if request.is_named(project):
        yield f"protocol {request.protocol}"


def request_export(
    *, project: Project, request: ExportRequest, actor: User | None, request_key: UUID | None = None
) -> Job:
    """Request an export and record an Event; a repeated idempotency key returns the first job."""
    data = {"request": request.as_json(), "words": in_words(project, request)}
    with write_transaction():
        job = request_job(project=project, kind=EXPORT, data=data, actor=actor, request_key=request_key)
        if not Event.objects.filter(project=project, verb=EXPORTED, data__job=job.pk).exists():
            record_export(project=project, request=request, actor=actor, data={"job": job.pk})
    return job


@runs(EXPORT, title="Export", section="exports")
def run_export(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `request`: write the file, return its name and size."""
    request = ExportRequest.from_json(job.data["request"])
    name = f"{FOLDER}/{job.project_id}/{job.pk}.{request.format}"
    try:
        export = request.export(job.project, watch=lambda done: steps(done, total))
        total = annotations_read(job.project, request)
        steps(0, total)
        size = store(name, export)
    except ExportRefused as refused:
        raise JobRefused(str(refused)) from refused
    except OSError as error:
        raise JobRefused(f"The file could not be written: {error.strerror or error}.") from error
    rows = "1 row" if export.lines == 1 else f"{export.lines:,} rows"
    return {
        "url": reverse("export_file", args=[job.project.slug, job.pk]),
        "go_on": "Download file",
        "words": " ".join([f"{rows}. The file is kept for {in_days()}.", *export.told()]),
        "file": name,
        "bytes": size,
        "rows": export.lines,
    }


def in_days() -> str:
    """Return the days that export files are kept, as text."""
    return f"{settings.EXPORT_DAYS} days"


def expires_at(job: Job) -> datetime | None:
    """Return when the file of a finished export expires."""
    kept = timedelta(days=settings.EXPORT_DAYS)
    return job.finished_at + kept if job.status == Job.Status.DONE and job.finished_at else None


def file_of(job: Job) -> str | None:
    """Return the name of an export's file in the storage; None if missing or expired."""
    end, result = expires_at(job), job.result or {}
    if end is None or end <= timezone.now() or not default_storage.exists(result.get("file", "")):
        return None
    return str(result["file"])
