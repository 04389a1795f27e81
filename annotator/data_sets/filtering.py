"""Apply the filters to a project's images, store detections, and take excluded images back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, QuerySet
from django.urls import reverse

from annotator.data_sets.detections import Detections, check_detections
from annotator.data_sets.settings import settings_of
from annotator.database.transactions import write_transaction
from annotator.exchange.image_rows import CheckedRows, RowsKind, Stored
from annotator.exchange.import_jobs import add_kind
from annotator.models import Event, Image, Job, Project, Screening, User
from annotator.models.data_sets import REAL
from annotator.work.jobs import Steps, request_job
from annotator.work.kinds import runs
from scoring.data_sets.filters import REASONS, Detected

APPLY: Final = "apply_filters"
_CHUNK: Final = 1000


def register_kinds() -> None:
    """Register the rows of detections."""
    add_kind(DETECTIONS)


def request_filters(*, project: Project, actor: User | None, request_key: UUID | None = None) -> Job:
    """Request a job that applies the project's current filters."""
    return request_job(
        project=project, kind=APPLY, data={"back": _back(project)}, actor=actor, request_key=request_key
    )


@runs(APPLY, title="Data set filters")
def run_applying(job: Job, steps: Steps) -> dict[str, Any]:
    """Run a job without data of its own."""
    counts = store_detections(job.project, {}, actor=job.requested_by)
    steps(1, 1)
    return {
        "url": reverse("data_set_filters", args=[job.project.slug]),
        "words": f"Filters applied. {_left_out(counts)}",
        "counts": dict(counts),
    }


def store_detections(
    project: Project, found: Mapping[int, Detected], *, actor: User | None, name: str = ""
) -> Counter[str]:
    """Store detections by image and apply the current filters to all images, in one transaction.

    Images taken back stay so. Return the numbers of images by state: `excluded`, `kept`, and by reason.
    """
    with write_transaction():
        Project.locked(project.pk)
        filters = settings_of(project).filters
        there = {row.image_id: row for row in Screening.objects.filter(image__project=project)}
        changed: list[Screening] = []
        fresh: list[Screening] = []
        rows = project.images.order_by("pk").values_list("pk", "prompt", "attributes")
        for pk, prompt, attributes in rows.iterator(chunk_size=5000):
            before, detected = there.get(pk), found.get(pk)
            seen = detected or (before.detected if before else Detected())
            reasons = " ".join(filters.reasons(seen, prompt, real=attributes.get("source") == REAL))
            if before is None and not (reasons or detected):
                continue
            row = Screening(image_id=pk, **vars(seen), reasons=reasons)
            if before is None:
                fresh.append(row)
            elif (before.detected, before.reasons) != (seen, reasons):
                row.pk, row.kept = before.pk, before.kept
                changed.append(row)
        Screening.objects.bulk_create(fresh, batch_size=_CHUNK)
        columns = [*Detected.__dataclass_fields__, "reasons"]
        Screening.objects.bulk_update(changed, columns, batch_size=_CHUNK)
        counts = counts_of(project)
        if fresh or changed:
            data = {"file": name, "images": len(found), "counts": dict(counts), "filters": filters.as_json()}
            Event.objects.create(project=project, actor=actor, verb="data_set_filtered", data=data)
    return counts


def counts_of(project: Project) -> Counter[str]:
    """Return how many images are `detected`, `excluded` and `kept`, and how many are excluded by reason.

    An image with several reasons counts for each; one query.
    """
    counts: Counter[str] = Counter()
    rows = Screening.objects.filter(image__project=project).order_by()
    for reasons, kept, number in rows.values_list("reasons", "kept").annotate(number=Count("pk")):
        counts["detected"] += number
        if reasons:
            counts["kept" if kept else "excluded"] += number
        if not kept:
            counts.update(dict.fromkeys(reasons.split(), number))
    return counts


def filtered_images(project: Project, reason: str = "", *, kept: bool = False) -> QuerySet[Image]:
    """Return the images with reasons to be left out, or with this one; `kept`: those taken back."""
    rows = project.images.filter(screening__kept=kept).exclude(screening__reasons="")
    if reason in REASONS:
        rows = rows.filter(screening__reasons__contains=reason)
    return rows.select_related("screening").order_by("pk")


def take_back(project: Project, images: Iterable[UUID], *, kept: bool, actor: User | None) -> int:
    """Take excluded images back, or exclude them again; return how many changed, with one Event."""
    with write_transaction():
        Project.locked(project.pk)
        rows = Screening.objects.filter(image__project=project, image__public_id__in=list(images))
        ids = list(rows.exclude(reasons="").exclude(kept=kept).values_list("image_id", flat=True))
        Screening.objects.filter(image__in=ids).update(kept=kept)
        if ids:
            data = {"images": ids, "kept": kept}
            Event.objects.create(project=project, actor=actor, verb="data_set_taken_back", data=data)
    return len(ids)


def _back(project: Project) -> list[str]:
    return [reverse("data_set_filters", args=[project.slug]), "Back to the data set"]


def _left_out(counts: Counter[str]) -> str:
    kept = f" {counts['kept']:,} were taken back." if counts["kept"] else ""
    return f"Images left out: {counts['excluded']:,}.{kept}"


def _store_checked(
    checked: CheckedRows[Detections], project: Project, actor: User | None = None, _: object = None
) -> Stored:
    """Store a checked file completely and return what happened. Raises StudyRefused if a row is unusable."""
    if checked.refusal is not None:
        raise checked.refusal
    counts = store_detections(project, checked.found, actor=actor, name=checked.name)
    return Stored(f"Detections of {len(checked.found):,} images stored. {_left_out(counts)}")


DETECTIONS: Final = RowsKind(
    slug="detections",
    title="detections",
    columns="One row per image: persons, classes, person_confidence and moderation, each optional.",
    page="data_set_filters",
    section="images",
    check=check_detections,
    store=_store_checked,
)
