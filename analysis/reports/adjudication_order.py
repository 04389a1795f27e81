"""The order in which to adjudicate images, largest disagreement first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.models import Report
from analysis.reports.lifecycle import finished
from annotator.models import Adjudication, Image, Project


@dataclass(frozen=True)
class Order:
    """Images of a report, largest disagreement first; those in `settled` have an adjudicated value."""

    report: int | None = None
    images: Sequence[int] = ()
    settled: frozenset[int] = frozenset()

    @property
    def total(self) -> int:
        """Return the number of images to adjudicate."""
        return len(self.images)

    @property
    def done(self) -> int:
        """Return the number of adjudicated images."""
        return len(self.settled)

    def place_of(self, image: Image) -> int | None:
        """Return the rank of an image, counted from 1; None if it is not listed."""
        return self.images.index(image.pk) + 1 if image.pk in self.images else None

    def next_after(self, image: Image) -> Image | None:
        """Return the next image to adjudicate, wrapping around; None if all are done."""
        place = self.place_of(image) or 0
        ahead = [*self.images[place:], *self.images[: max(0, place - 1)]]
        waiting = [pk for pk in ahead if pk not in self.settled and pk != image.pk]
        there = Image.objects.in_bulk(waiting)
        return next((there[pk] for pk in waiting if pk in there), None)


def order_of(project: Project, report: int | None, protocol: str) -> Order:
    """Return the order of this finished agreement report, or of the newest one."""
    found = finished(project, Report.Kind.AGREEMENT, protocol)
    wanted = found.filter(pk=report) if report is not None else found.none()
    rows = ("pk", "result__disagreements__rows")
    first = wanted.values_list(*rows).first() or found.values_list(*rows).first()
    if first is None:
        return Order()
    images = [entry["image"] for entry in first[1] or ()]
    return Order(first[0], images, frozenset(adjudicated_among(images, protocol)))


def protocol_of_report(project: Project, report: int) -> str:
    """Return the protocol of a report of the project; empty if there is no such report."""
    found = Report.objects.filter(project=project, pk=report).values_list("protocol", flat=True)
    return found.first() or ""


def adjudicated_among(images: Sequence[int], protocol: str) -> dict[int, Adjudication]:
    """Return the adjudicated values that count under a protocol, by image."""
    found = Adjudication.objects.filter(
        image__in=images, protocol=protocol, status=Adjudication.Status.SETTLED
    )
    return {row.image_id: row for row in found.select_related("decided_by")}
