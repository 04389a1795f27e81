"""The images with the largest disagreements, for display, and the order in which to adjudicate them.

Under protocols that decide each image by its annotations, an expert adjudicates those in dispute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from analysis.models import Report
from analysis.reports.stored import excerpt_of, finished
from annotator.annotations.adjudication import annotations_of, hidden_place, is_outdated
from annotator.models import Adjudication, Annotation, Assignment, Image, ImageSummary, Project
from annotator.models.counting import is_work
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.registry import adjudication_for
from scoring.protocol import Payload
from scoring.service import PROTOCOLS, get_protocol

Entry = Mapping[str, Any]
DECIDED: Final = tuple(slug for slug, protocol in PROTOCOLS.items() if protocol.decide)
_OPEN: Final = Assignment.objects.filter(
    is_work(),
    image=OuterRef("image"),
    batch__protocol=OuterRef("protocol"),
    status=Assignment.Status.OPEN,
)
_IN_DOUBT: Final = Q(apart=True) | Q(flagged=True) | Q(score=None)


def disputed(protocols: Collection[str] = DECIDED, *, adjudicated: bool = False) -> QuerySet[ImageSummary]:
    """Return the images on which annotators differ, or which one has flagged, and nobody owes an answer.

    Those that an expert has adjudicated are left out unless `adjudicated`.
    """
    rows = ImageSummary.objects.filter(
        _IN_DOUBT, ~Exists(_OPEN), protocol__in=protocols, code="", answers__gt=1
    )
    return (rows if adjudicated else rows.filter(adjudicated=False)).order_by("pk")


def disagreements_of(
    report: Report,
    placed: Sequence[tuple[int, Entry]],
    adjudicated: Mapping[int, Adjudication],
    *,
    hidden: bool = False,
) -> list[Entry]:
    """Return entries of a report's list with rank, image, annotations and adjudication, for the page.

    `people` are the two annotators, with their score and, if it still exists, annotation. `changed` means
    that an annotation has changed since the report: in `rows`, only the cells that differed then are known.
    `outdated` means that one has changed since the adjudication. `hidden` leaves out codes and orders the
    annotators as when adjudicating with hidden codes. Two queries, and one for each adjudicated image.
    """
    entries = [entry for _, entry in placed]
    images = Image.objects.filter(project=report.project_id).in_bulk([entry["image"] for entry in entries])
    of_project = Annotation.objects.filter(assignment__batch__project=report.project_id)
    answers = of_project.select_related("assignment__batch").in_bulk(
        [pk for entry in entries for pk in entry["annotations"]]
    )
    form = adjudication_for(report.protocol)
    disagreements: list[Entry] = []
    for place, listed in placed:
        image, decided = images.get(listed["image"]), adjudicated.get(listed["image"])
        entry = _hidden(listed, image) if hidden and image else listed
        two = [answers.get(pk) for pk in entry["annotations"]]
        there = [answer for answer in two if answer]
        changed = len(there) < len(two) or any(_since(answer, report) for answer in there)
        payloads = [] if changed else [_shown(answer, report.protocol) for answer in there]
        people = [
            {"code": "" if hidden else code, "score": score, "annotation": answer and answer.pk}
            for code, score, answer in zip(entry["annotators"], entry["scores"], two, strict=True)
        ]
        outdated = decided and image and is_outdated(decided, annotations_of(image, decided.protocol))
        shown = {"place": place, "entry": entry, "image": image, "people": people, "changed": changed}
        rows = _rows(entry, payloads, form)
        disagreements.append({**shown, "rows": rows, "adjudicated": decided, "outdated": outdated})
    return disagreements


def _hidden(entry: Entry, image: Image) -> Entry:
    """Return an entry with its annotators in the order that hides codes."""
    codes = entry["annotators"]
    order = sorted(range(len(codes)), key=lambda place: hidden_place(image, codes[place]))
    lists = {
        name: [entry[name][place] for place in order] for name in ("annotators", "scores", "annotations")
    }
    cells = [{**cell, "marks": [cell["marks"][place] for place in order]} for cell in entry["cells"]]
    return {**entry, **lists, "cells": cells}


def _shown(answer: Annotation, protocol: str) -> Payload:
    """Return the payload of an annotation, converted to the report's protocol."""
    source = answer.assignment.batch.protocol
    return answer.payload if source == protocol else get_protocol(protocol).shown_as[source](answer.payload)


def _since(answer: Annotation, report: Report) -> bool:
    """Return whether the annotation has changed since the report."""
    if answer.status != Annotation.Status.SUBMITTED:
        return True
    return report.started_at is not None and answer.saved_at > report.started_at


def _rows(entry: Entry, payloads: Sequence[Payload], form: type[AdjudicationForm]) -> list[Entry]:
    """Return the rows of the grid, such as a body part with a cell for each error type."""
    differing = {cell["cell"]: cell["marks"] for cell in entry["cells"]}
    text_of = form([]).text_of

    def cells(keys: Sequence[str]) -> list[Entry]:
        return [_cell(differing.get(key), [text_of(answer, key) for answer in payloads]) for key in keys]

    return [{"title": title, "cells": cells(keys)} for title, keys in form.rows]


def _cell(differing: Sequence[str] | None, texts: Sequence[str]) -> Entry:
    """Return a cell of both annotations as text; for changed ones, only what differed then."""
    # A protocol whose report compares no cells, such as ratings, has cells that differ beside the report.
    if differing is None and not any(texts):
        return {"kind": "empty"}
    kind = "agrees" if differing is None and len(set(texts)) == 1 else "differs"
    # The space lets a long cell break between two marks.
    first, second = (text.replace(",", ", ") for text in texts or differing or ())
    return {"kind": kind, "first": first, "second": second}


@dataclass(frozen=True)
class Order:
    """Images of a report, largest disagreement first; those in `adjudicated` have an adjudicated value."""

    report: int | None = None
    images: Sequence[int] = ()
    adjudicated: frozenset[int] = frozenset()

    @property
    def total(self) -> int:
        """Return the number of images to adjudicate."""
        return len(self.images)

    @property
    def done(self) -> int:
        """Return the number of adjudicated images."""
        return len(self.adjudicated)

    def place_of(self, image: Image) -> int | None:
        """Return the rank of an image, counted from 1; None if it is not listed."""
        return self.images.index(image.pk) + 1 if image.pk in self.images else None

    def next_after(self, image: Image) -> Image | None:
        """Return the next image to adjudicate, wrapping around; None if all are done."""
        place = self.place_of(image) or 0
        ahead = [*self.images[place:], *self.images[: max(0, place - 1)]]
        waiting = [pk for pk in ahead if pk not in self.adjudicated and pk != image.pk]
        there = Image.objects.in_bulk(waiting)
        return next((there[pk] for pk in waiting if pk in there), None)


def order_of(
    project: Project, report: int | None, protocol: str, among: Collection[int] | None = None
) -> Order:
    """Return the order of this finished agreement report, or of the newest one; if given, `among` images.

    Under a protocol that decides, these are the images for an expert, in the order of their first annotation.
    """
    if protocol in DECIDED:
        rows = disputed([protocol], adjudicated=True).filter(project=project).values_list("image", flat=True)
        images = [image for image in rows if among is None or image in among]
        return Order(None, images, frozenset(adjudicated_among(images, protocol)))
    reports = finished(project, Report.Kind.AGREEMENT, protocol)
    wanted = reports.filter(pk=report) if report is not None else reports.none()
    first = wanted.first() or reports.first()
    if first is None:
        return Order()
    images = [image for image in images_apart(first) if among is None or image in among]
    return Order(first.pk, images, frozenset(adjudicated_among(images, protocol)))


def open_elsewhere(project: Project, report: Report | None = None) -> list[tuple[Report, int]]:
    """Return the newest agreement reports with open disagreements that a report does not list, and how many.

    Without a report, of all of them; three queries.
    """
    elsewhere = []
    for other, entries in open_disagreements([project]):
        same = report is not None and report.protocol == other.protocol
        known = set(images_apart(report)) if report is not None and same else set()
        if count := sum(entry["image"] not in known for entry in entries):
            elsewhere.append((other, count))
    return elsewhere


def open_disagreements(projects: Sequence[Project]) -> Iterator[tuple[Report, list[Entry]]]:
    """Yield the newest agreement report of each project and protocol, with its entries to adjudicate.

    Those of deleted and of adjudicated images are left out. Three queries.
    """
    done = Report.objects.filter(
        project__in=projects,
        kind=Report.Kind.AGREEMENT,
        status=Report.Status.DONE,
    ).order_by()
    newest = done.values("project", "protocol").annotate(newest=Max("pk")).values("newest")
    reports = Report.objects.filter(pk__in=newest).order_by("project", "protocol").defer("result")
    listed = [
        (report, excerpt_of(report)["disagreements"])
        for report in reports
        if (protocol := PROTOCOLS.get(report.protocol)) and protocol.adjudicated and not protocol.decide
    ]
    images = {entry["image"] for _, entries in listed for entry in entries}
    there = set(Image.objects.filter(pk__in=images).values_list("pk", flat=True))
    rows = Adjudication.objects.filter(image__in=images, status=Adjudication.Status.ADJUDICATED)
    adjudicated = set(rows.values_list("image", "protocol"))
    for report, entries in listed:
        waiting = there - {image for image, protocol in adjudicated if protocol == report.protocol}
        yield report, [entry for entry in entries if entry["image"] in waiting]


def images_apart(report: Report) -> list[int]:
    """Return the images that an agreement report counts as disagreements, the largest first."""
    return [entry["image"] for entry in excerpt_of(report).get("disagreements", ())]


def adjudicated_among(images: Sequence[int], protocol: str) -> dict[int, Adjudication]:
    """Return the adjudicated values that count under a protocol, by image."""
    rows = Adjudication.objects.filter(
        image__in=images, protocol=protocol, status=Adjudication.Status.ADJUDICATED
    )
    return {row.image_id: row for row in rows.select_related("decided_by")}
