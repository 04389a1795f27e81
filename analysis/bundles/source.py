"""The source of all parts of a bundle: project, request and names of people."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, TypeVar

from django.core.files.storage import default_storage
from django.db.models import Count, Max, Model, Q, QuerySet, Sum

from analysis.bundles.requests import BUNDLED, BundleRequest
from analysis.data.metrics import metrics_digest
from analysis.exports.columns import CSV
from analysis.exports.filters import Filters
from analysis.exports.registry import known_protocol
from analysis.exports.requests import EXPORTED
from analysis.exports.source import ExportSource, Kept, attribute_names
from analysis.models import Report
from annotator.faces.blurring import open_blurred
from annotator.images.decoding import SUFFIXES, UnreadableImage
from annotator.models import (
    Adjudication,
    Annotation,
    Assignment,
    Batch,
    Event,
    Image,
    Membership,
    Project,
)
from annotator.models.work import DEFAULT_PROTOCOL

CHUNK: Final = 500
# Events that do not change the content of a bundle.
HARMLESS: Final = (BUNDLED, EXPORTED, "job_cancelled")

Row = TypeVar("Row", bound=Model)


class BundleSource:
    """A project as a bundle reads it, without batches in preparation."""

    def __init__(self, project: Project, request: BundleRequest, done: Callable[[int], None]) -> None:
        self.project = project
        self.request = request
        self.done = done
        # What several tables are made of is read once, and the tables agree.
        self.kept: Kept = {}
        self.name: Callable[[str], str] = ExportSource(project, Filters(), CSV, hidden=request.hidden).name

    @cached_property
    def protocols(self) -> list[str]:
        """Return the protocols of the batches, in order; raise ExportRefused for an unknown one."""
        found = sorted(set(self.batches.order_by().values_list("protocol", flat=True)))
        return [known_protocol(slug) for slug in found or [DEFAULT_PROTOCOL]]

    @property
    def is_named(self) -> bool:
        """Return whether files name their protocol."""
        return len(self.protocols) > 1

    def named(self, protocol: str, name: str) -> str:
        """Return the name of a protocol's table or folder: `presence-scores`."""
        return f"{protocol}-{name}" if self.is_named else name

    def titled(self, protocol: str, title: str) -> str:
        """Return a title with the protocol, if files name it."""
        return f"{title} ({protocol})" if self.is_named else title

    @cached_property
    def attributes(self) -> list[str]:
        """Return the names of the attributes of the images."""
        return attribute_names(self.project)

    @property
    def batches(self) -> QuerySet[Batch]:
        """Return the batches in order of creation."""
        return self.project.batches.exclude(status=Batch.Status.PREPARING).order_by("pk")

    @property
    def images(self) -> QuerySet[Image]:
        """Return the images in stored order."""
        return self.project.images.order_by("pk")

    @property
    def assignments(self) -> QuerySet[Assignment]:
        """Return the assignments in stored order."""
        held = Assignment.objects.filter(batch__in=self.batches.order_by(), image__goes_at=None)
        return held.order_by("pk")

    @property
    def annotations(self) -> QuerySet[Annotation]:
        """Return the annotations in stored order, including drafts."""
        return Annotation.objects.filter(assignment__in=self.assignments.order_by()).order_by("pk")

    @property
    def adjudications(self) -> QuerySet[Adjudication]:
        """Return the adjudications by image and protocol, including withdrawn ones."""
        return Adjudication.objects.filter(image__in=self.images.order_by()).order_by("image_id", "protocol")

    @property
    def people(self) -> QuerySet[Membership]:
        """Return the members in the data: annotators, past assignees, and those who adjudicated."""
        held = Assignment.objects.filter(batch__project=self.project).order_by().values("annotator")
        annotators = Q(role=Membership.Role.ANNOTATOR)
        decided = Q(pk__in=self.adjudications.order_by().values("decided_by"))
        found = annotators | Q(pk__in=held) | decided
        return self.project.memberships.filter(found).order_by("pk")

    @property
    def is_blurred(self) -> bool:
        """Return whether images are copies with blurred faces instead of the originals."""
        return self.project.blurs_faces and not self.request.with_faces

    @cached_property
    def lost(self) -> frozenset[int]:
        """Return the images without a file: missing in storage, or without a blurred copy where faces are
        blurred, such as those whose faces nobody has decided on; none if files are not included.
        """
        if not self.request.pictures:
            return frozenset()
        if self.is_blurred:
            # Making a copy stores its state, for which no query may be open on SQLite.
            return frozenset(image.pk for image in list(self.images) if not _has_copy(image))
        rows = in_chunks(self.images, "pk", "file")
        return frozenset(pk for pk, file in rows if not default_storage.exists(file))

    def place_of(self, pk: int, sha256: str, form: str) -> str | None:
        """Return an image's path in the bundle; None if only its hash is included."""
        if not self.request.pictures or pk in self.lost:
            return None
        return f"images/{sha256}.{'webp' if self.is_blurred else SUFFIXES[form]}"

    def fingerprint(self) -> tuple[Any, ...]:
        """Return a value that changes whenever the bundle's content would."""
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
            metrics_digest(project),
            events.order_by("-pk").values_list("pk", flat=True).first(),
            reports.order_by("-pk").values_list("pk", flat=True).first(),
        )


def _has_copy(image: Image) -> bool:
    try:
        open_blurred(image, webp=True).close()
    except UnreadableImage:
        return False
    return True


def in_chunks(rows: QuerySet[Row], *fields: Any) -> Iterator[tuple[Any, ...]]:
    """Yield fields of rows in query order, with one chunk in memory at a time.

    Every query is read to its end, because an open one keeps SQLite from storing progress.
    """
    numbers = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=CHUNK))
    objects: Any = rows.model._default_manager
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        found = {row[0]: row[1:] for row in objects.filter(pk__in=list(chunk)).values_list("pk", *fields)}
        yield from (found[number] for number in chunk if number in found)
