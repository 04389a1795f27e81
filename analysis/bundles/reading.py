"""What every part of a bundle is made from: a project, the choices, the names people get in it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, TypeVar

from django.core.files.storage import default_storage
from django.db.models import Count, Max, Model, Q, QuerySet, Sum

from analysis.bundles.requests import BUNDLED, BundleRequest
from analysis.exports.columns import CSV
from analysis.exports.filters import Filters
from analysis.exports.layouts import known_protocol
from analysis.exports.reading import Reading
from analysis.exports.requests import EXPORTED
from analysis.models import Report
from analysis.protocols.registry import are_named
from annotator.images.decoding import SUFFIXES
from annotator.models import Adjudication, Annotation, Assignment, Batch, Event, Image, Membership, Project
from annotator.models.work import DEFAULT_PROTOCOL

CHUNK: Final = 500
# Acts that change nothing of what a bundle holds.
HARMLESS: Final = (BUNDLED, EXPORTED, "job_cancelled")

Row = TypeVar("Row", bound=Model)


class Source:
    """A project as a bundle reads it. Batches that are being prepared are not part of it."""

    def __init__(self, project: Project, request: BundleRequest, done: Callable[[int], None]) -> None:
        self.project = project
        self.request = request
        self.done = done
        self.name: Callable[[str], str] = Reading(project, Filters(), CSV, hidden=request.hidden).name

    @cached_property
    def protocols(self) -> list[str]:
        """The protocols of the batches, in order; raises ExportRefused for one that nobody knows."""
        found = sorted(set(self.batches.order_by().values_list("protocol", flat=True)))
        return [known_protocol(slug) for slug in found or [DEFAULT_PROTOCOL]]

    @property
    def is_named(self) -> bool:
        """Whether files say which protocol they are about."""
        return are_named(self.protocols)

    def named(self, protocol: str, name: str) -> str:
        """The name of a table or folder that is about a protocol: `presence-scores`."""
        return f"{protocol}-{name}" if self.is_named else name

    def titled(self, protocol: str, title: str) -> str:
        """The title of something that is about a protocol."""
        return f"{title} ({protocol})" if self.is_named else title

    @property
    def batches(self) -> QuerySet[Batch]:
        """The batches, in the order they were made."""
        return self.project.batches.exclude(status=Batch.Status.PREPARING).order_by("pk")

    @property
    def images(self) -> QuerySet[Image]:
        """The images, in the order they were stored."""
        return self.project.images.order_by("pk")

    @property
    def assignments(self) -> QuerySet[Assignment]:
        """The assignments, in the order they were stored."""
        held = Assignment.objects.filter(batch__in=self.batches.order_by(), image__goes_at=None)
        return held.order_by("pk")

    @property
    def annotations(self) -> QuerySet[Annotation]:
        """The annotations, in the order they were stored, drafts included."""
        return Annotation.objects.filter(assignment__in=self.assignments.order_by()).order_by("pk")

    @property
    def adjudications(self) -> QuerySet[Adjudication]:
        """What was settled, withdrawn values included, in the order of the images and of protocols."""
        return Adjudication.objects.filter(image__in=self.images.order_by()).order_by("image_id", "protocol")

    @property
    def people(self) -> QuerySet[Membership]:
        """Who annotates, ever had something to annotate, or settled an image; nobody else is in the data."""
        held = Assignment.objects.filter(batch__project=self.project).order_by().values("annotator")
        annotators = Q(role=Membership.Role.ANNOTATOR)
        decided = Q(pk__in=self.adjudications.order_by().values("decided_by"))
        return self.project.memberships.filter(annotators | Q(pk__in=held) | decided).order_by("pk")

    @cached_property
    def lost(self) -> frozenset[int]:
        """The images whose file is not in the storage; none where pictures are not wanted."""
        if not self.request.pictures:
            return frozenset()
        rows = in_chunks(self.images, "pk", "file")
        return frozenset(pk for pk, file in rows if not default_storage.exists(file))

    def place_of(self, pk: int, sha256: str, form: str) -> str | None:
        """Return where a picture lies in the bundle; None where only its hash is in it."""
        if not self.request.pictures or pk in self.lost:
            return None
        return f"images/{sha256}.{SUFFIXES[form]}"

    def fingerprint(self) -> tuple[Any, ...]:
        """Return what differs once anything of the project has changed that a bundle holds."""
        project = Project.objects.get(pk=self.project.pk)
        events = Event.objects.filter(project=project).exclude(verb__in=HARMLESS)
        reports = Report.objects.filter(project=project, status=Report.Status.DONE)
        counted = self.annotations.order_by().aggregate(Count("pk"), Sum("version"), Max("saved_at"))
        given = self.assignments.order_by().aggregate(Count("pk"), Sum("position"))
        return (
            project.name,
            str(project.weights),
            *counted.values(),
            *given.values(),
            self.images.count(),
            events.order_by("-pk").values_list("pk", flat=True).first(),
            reports.order_by("-pk").values_list("pk", flat=True).first(),
        )


def in_chunks(rows: QuerySet[Row], *fields: Any) -> Iterator[tuple[Any, ...]]:
    """Yield fields of rows in the order of the query, a chunk in memory at a time.

    Every query is read to its end: one that is still open keeps SQLite from storing how far we are.
    """
    numbers = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=CHUNK))
    objects: Any = rows.model._default_manager
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        found = {row[0]: row[1:] for row in objects.filter(pk__in=list(chunk)).values_list("pk", *fields)}
        yield from (found[number] for number in chunk if number in found)
