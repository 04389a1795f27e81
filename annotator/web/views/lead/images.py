"""Image pages for leads: the gallery, and one image with its annotations side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotator.annotations.adjudication import adjudications_of, annotations_of, is_outdated
from annotator.data_sets.settings import settings_of
from annotator.gallery.comparing import compare
from annotator.gallery.rows import COUNTED, sorts_of
from annotator.gallery.small_grids import SmallCell, small_grids
from annotator.models import Adjudication, Annotation, Image, ImageSummary
from annotator.models.counting import is_work
from annotator.models.data_sets import REAL
from annotator.people.access import project_as_lead
from annotator.protocols.registry import adjudication_for
from annotator.protocols.registry import page_of as protocol_page
from annotator.records.image_deletion import goes_with
from annotator.web.views.annotation_details import details_of
from annotator.web.views.gallery_requests import Asked, asked_of, choices_of
from annotator.web.views.pages import SignedIn, page_of, safe_page
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol
from scoring.causes import WORDS

IMAGES_SHOWN: Final = 60
ANNOTATIONS_SHOWN: Final = 12
PEEKED: Final = 2
"""At most this many annotations of an image are shown over a gallery."""

Tile = tuple[Image, ImageSummary | None, Sequence[SmallCell]]


@safe_page
def project_images(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a project's images: filtered, in order, a page at a time."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    asked = asked_of(request, project, chosen)
    count = asked.gallery.count()
    ids, before, after = _page(asked, count) if count else ([], False, False)
    tiles = _tiles(asked, ids)
    context = {
        "project": project,
        "section": "images",
        "chosen": chosen,
        "asked": asked,
        "tiles": tiles,
        "count": min(count, COUNTED),
        "more": count > COUNTED,
        "before": tiles[0][0] if before else None,
        "after": tiles[-1][0] if after else None,
        "sorts": [
            (asked.query(sort=name), title, name == asked.gallery.sort)
            for name, title in sorts_of(chosen.protocol).items()
        ],
        "places": -2 if chosen.protocol.headline.values else 2,
        "stylesheet": protocol_page(chosen.slug).form.stylesheet,
        "comparison": _compared(request, asked, tiles),
        "choices": choices_of(asked) if "add" in request.GET else None,
    }
    return render(request, "annotator/images/images.html", context)


def _page(asked: Asked, count: int) -> tuple[list[int], bool, bool]:
    """Return the ids of a page, and whether there is a page before it and one after it."""
    gallery, place = asked.gallery, asked.place
    backwards = asked.backwards
    if place is None:
        ids = gallery.first(min(IMAGES_SHOWN + 1, count))
    elif backwards:
        ids = gallery.before(place.pk, IMAGES_SHOWN + 1)
        if len(ids) <= IMAGES_SHOWN:  # the first page, which is always full
            place, backwards, ids = None, False, gallery.first(IMAGES_SHOWN + 1)
    else:
        ids = gallery.after(place.pk, IMAGES_SHOWN + 1)
    further = len(ids) > IMAGES_SHOWN
    ids = ids[-IMAGES_SHOWN:] if backwards else ids[:IMAGES_SHOWN]
    before, after = (further, True) if backwards else (place is not None, further)
    return ids, bool(ids) and before, bool(ids) and after


def _tiles(asked: Asked, ids: Sequence[int]) -> list[Tile]:
    """Return the images of a page, each with its summary, if anybody has annotated it, and marked cells."""
    images, summaries = Image.objects.in_bulk(ids), asked.gallery.summaries(list(ids))
    grids = small_grids({pk: vars(summary) for pk, summary in summaries.items()}, asked.gallery.protocol)
    return [(images[pk], summaries.get(pk), grids.get(pk, ())) for pk in ids if pk in images]


def _compared(request: HttpRequest, asked: Asked, tiles: Sequence[Tile]) -> dict[str, Any] | None:
    if asked.view != "compare":
        return None
    given = request.GET.get("compare", "") or asked.gallery.filter.one("prompt")
    prompt = given or (tiles[0][0].prompt if tiles else "")
    return compare(asked.gallery.project, asked.gallery.protocol, prompt) if prompt else None


@safe_page
def image_marks(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the marks of one image in small, over a gallery: adjudicated, or of its first annotators."""
    project = project_as_lead(request.user, slug)
    image = get_object_or_404(project.images, public_id=public_id)
    chosen = chosen_protocol(request, project)
    form, code = protocol_page(chosen.slug).form, request.GET.get("annotator", "")
    adjudicated = adjudications_of(image).get(chosen.slug)
    row = adjudicated if adjudicated and adjudicated.is_adjudicated and not code else None
    annotations = _work_on(image, chosen).filter(status=Annotation.Status.SUBMITTED)
    shown = annotations.filter(assignment__annotator__code=code) if code else annotations
    context = {
        "image": image,
        "chosen": chosen,
        "adjudicated": row,
        "template": form.result_path,
        "result": form.result(row.payload) if row else None,
        "readings": [] if row else [details_of(annotation) for annotation in shown[:PEEKED]],
        # The decimals of a score, for `floatformat`: a count has them only where needed.
        "places": -2 if chosen.protocol.headline.values else 2,
        "others": 0 if row else max(0, shown.count() - PEEKED),
    }
    return render(request, "annotator/images/image_marks.html", context)


def _work_on(image: Image, chosen: ChosenProtocol) -> Any:
    """Return the annotations that count, by annotator."""
    work = Annotation.objects.filter(
        is_work("assignment__"), assignment__image=image, assignment__batch__protocol=chosen.slug
    ).select_related("assignment__batch", "assignment__annotator")
    return work.order_by("assignment__annotator__code", F("submitted_at").desc(nulls_last=True))


@safe_page
def image_detail(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Show one image with all its annotations side by side, between its neighbours in the gallery."""
    project = project_as_lead(request.user, slug)
    image = get_object_or_404(project.images, public_id=public_id)
    chosen = chosen_protocol(request, project)
    asked = asked_of(request, project, chosen, also=("page",))
    adjudicated = adjudications_of(image).get(chosen.slug)
    page = page_of(request, _work_on(image, chosen), ANNOTATIONS_SHOWN)
    context = {
        "project": project,
        "section": "images",
        "image": image,
        "with": goes_with(image),
        "chosen": chosen,
        "asked": asked,
        "beside": _beside(asked, image),
        "scores": image.summaries.filter(protocol=chosen.slug, code="").first(),
        "page": page,
        "readings": [details_of(annotation) for annotation in page],
        "dotted": adjudication_for(chosen.slug).dotted(page),
        "stylesheet": protocol_page(chosen.slug).form.stylesheet,
        "assigned": image.assignments.filter(is_work(), batch__protocol=chosen.slug).count(),
        "adjudicated": adjudicated if adjudicated and adjudicated.is_adjudicated else None,
        **_decided(image, adjudicated),
        **_consolidated(image, chosen.slug),
    }
    return render(request, "annotator/images/image_detail.html", context)


def _consolidated(image: Image, slug: str) -> dict[str, Any]:
    """Return what became of an image's annotations, if its protocol consolidates them.

    `fixed` is the score of a real image, which no annotation changes.
    """
    outcome_of = protocol_page(slug).outcome
    answers = annotations_of(image, slug) if outcome_of else []
    if outcome_of is None or not answers:
        return {}
    settings = settings_of(image.project)
    outcome = outcome_of([answer.payload for answer in answers], settings.invalid_from)
    fixed = settings.real_score if image.attributes.get("source") == REAL else None
    return {"outcome": outcome, "fixed": fixed, "score": outcome.score if fixed is None else fixed}


def _beside(asked: Asked, image: Image) -> dict[str, Image | None]:
    """Return the images before and after one in the gallery it was opened from."""
    pks = dict(zip(("previous", "next"), asked.gallery.beside(image.pk), strict=True))
    found = Image.objects.only("public_id").in_bulk([pk for pk in pks.values() if pk is not None])
    return {name: found.get(pk) for name, pk in pks.items()}


def _decided(image: Image, row: Adjudication | None) -> dict[str, Any]:
    """Return the decision on an image, if any: its grid, the title, causes and note of each differing
    component, and whether annotations have changed since."""
    if row is None:
        return {"decision": None}
    form, titles = protocol_page(row.protocol).form, adjudication_for(row.protocol).titles
    return {
        "decision": row,
        "result": form.result(row.payload),
        "template": form.result_path,
        "causes": row.causes
        and [
            (
                titles.get(component, component),
                ", ".join(WORDS[cause].title for cause in chosen["causes"]),
                chosen.get("note", ""),
            )
            for component, chosen in row.causes.items()
        ],
        "outdated": row.is_adjudicated and is_outdated(row, annotations_of(image, row.protocol)),
    }
