"""Image pages for leads: the list, and one image with its annotations side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotator.annotations.adjudication import adjudications_of, annotations_of, is_outdated
from annotator.annotations.adjudication_history import Decision, decisions_of
from annotator.models import Adjudication, Annotation, Image
from annotator.models.counting import is_work
from annotator.people.access import project_as_lead
from annotator.projects import overview
from annotator.protocols.registry import page_of as protocol_page
from annotator.web.views.annotation_details import details_of
from annotator.web.views.paging import page_of
from annotator.web.views.protocol_choice import chosen_protocol

IMAGES_SHOWN = 48
ANNOTATIONS_SHOWN = 12
CHOICES_SHOWN = 200
FILTERS = (("generator", "Generator"), ("prompt", "Prompt"), ("prompt_group", "Prompt group"))
SORTS = (("", "Generator, prompt, number"), ("high", "Highest mean score"), ("low", "Lowest mean score"))


@dataclass(frozen=True)
class ImageFilter:
    """One filter of the list: the value chosen and the values available."""

    name: str
    title: str
    chosen: str
    values: list[str]


@require_safe
@login_required
def project_images(request: HttpRequest, slug: str) -> HttpResponse:
    """List a project's images, filtered and sorted."""
    project = project_as_lead(request.user, slug)
    choices = [
        ImageFilter(
            name,
            title,
            request.GET.get(name, "").replace("\0", ""),
            overview.distinct_values(project, name, CHOICES_SHOWN),
        )
        for name, title in FILTERS
    ]
    sort, chosen = request.GET.get("sort", ""), chosen_protocol(request, project)
    filters = {choice.name: choice.chosen for choice in choices if choice.chosen}
    page = page_of(request, _sorted(project.images.filter(**filters), sort, chosen.slug), IMAGES_SHOWN)
    context = {
        "project": project,
        "section": "images",
        "page": page,
        "images": _listed(list(page), chosen.slug),
        "chosen": chosen,
        "choices": [choice for choice in choices if choice.values],
        "filtered": bool(filters),
        "sort": sort,
        "sorts": SORTS,
    }
    return render(request, "annotator/images.html", context)


@require_safe
@login_required
def image_detail(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one image with all its annotations side by side."""
    project = project_as_lead(request.user, slug)
    image = get_object_or_404(project.images, public_id=public_id)
    chosen = chosen_protocol(request, project)
    annotations = Annotation.objects.filter(
        is_work("assignment__"), assignment__image=image, assignment__batch__protocol=chosen.slug
    ).select_related("assignment__batch", "assignment__annotator")
    settled = adjudications_of(image).get(chosen.slug)
    decided = _decided(image, settled)
    page = page_of(request, overview.by_annotator(annotations), ANNOTATIONS_SHOWN)
    readings = [details_of(annotation) for annotation in page]
    context = {
        "project": project,
        "section": "images",
        "image": image,
        "chosen": chosen,
        "scores": overview.scores_of([image.pk], chosen.slug).get(image.pk),
        "page": page,
        "readings": readings,
        "stylesheets": sorted({reading.stylesheet for reading in [*readings, *decided["decisions"]]}),
        "assigned": image.assignments.filter(is_work(), batch__protocol=chosen.slug).count(),
        "settled": settled if settled and settled.is_settled else None,
        **decided,
    }
    return render(request, "annotator/image_detail.html", context)


@dataclass(frozen=True)
class ShownDecision:
    """A decision on an image with its grid."""

    decision: Decision
    result: Any
    template: str
    stylesheet: str


def _decided(image: Image, row: Adjudication | None) -> dict[str, Any]:
    """Return the decisions on an image, newest first, and whether annotations have changed since."""
    if row is None:
        return {"decisions": [], "outdated": False}
    form = protocol_page(row.protocol).form
    decisions = [
        ShownDecision(each, form.result(each.payload), form.result_path, form.stylesheet)
        for each in decisions_of(row)
    ]
    outdated = row.is_settled and is_outdated(row, annotations_of(image, row.protocol))
    return {"decisions": decisions, "outdated": outdated}


def _sorted(images: QuerySet[Image], sort: str, protocol: str) -> QuerySet[Image, int]:
    if sort in {"high", "low"}:
        return overview.by_mean_score(images, protocol, highest_first=sort == "high")
    return images.order_by("generator", "prompt", "number", "pk").values_list("pk", flat=True)


def _listed(
    ids: list[int], protocol: str
) -> list[tuple[Image, overview.ImageScores | None, Adjudication | None]]:
    """Return the images with their scores and adjudications, in three queries."""
    images, scores = Image.objects.in_bulk(ids), overview.scores_of(ids, protocol)
    rows = Adjudication.objects.filter(image__in=ids, protocol=protocol, status=Adjudication.Status.SETTLED)
    adjudicated = {row.image_id: row for row in rows}
    return [(images[pk], scores.get(pk), adjudicated.get(pk)) for pk in ids]
