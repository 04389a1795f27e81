"""The progress of a batch: a matrix of images by annotators, and each annotator's remaining work."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from annotator.batches.completion import SAMPLE, annotator_progress, outlook
from annotator.batches.progress import SORTS, STATES, Wanted, images_of, matrix_rows
from annotator.models import Membership
from annotator.people.access import batch_as_lead
from annotator.projects import overview
from annotator.web.views.pages import page_of, safe_page

IMAGES_SHOWN = 50
CHOICES_SHOWN = 200


@safe_page
def batch_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the progress of a batch by image and annotator."""
    batch = batch_as_lead(request.user, pk)
    people = annotator_progress(batch)
    annotators = [person["annotator"] for person in people]
    wanted = _wanted(request.GET, annotators)
    sort = request.GET.get("sort", "")
    page = page_of(request, images_of(batch, wanted, sort), IMAGES_SHOWN)
    context = {
        "project": batch.project,
        "batch": batch,
        "section": "batches",
        "people": people,
        "outlook": outlook(people),
        "sample": SAMPLE,
        "annotators": annotators,
        # Reversing thousands of addresses takes longer than all queries.
        "annotation_root": reverse("annotation", args=[0]).removesuffix("0/"),
        "page": page,
        "rows": matrix_rows(batch, list(page), annotators),
        "wanted": wanted,
        "filtered": wanted != Wanted(),
        "states": STATES,
        "sort": sort,
        "sorts": SORTS,
        "generators": overview.distinct_values(batch.project, "generator", CHOICES_SHOWN),
        "prompts": overview.distinct_values(batch.project, "prompt", CHOICES_SHOWN),
    }
    return render(request, "annotator/batches/progress.html", context)


def _wanted(asked: QueryDict, annotators: list[Membership]) -> Wanted:
    """Read the filters from the query string; unknown values are ignored."""
    state = asked.get("state", "")
    by_code: dict[Any, int] = {annotator.code: annotator.pk for annotator in annotators}
    return Wanted(
        state=state if state in STATES else "",
        annotator=by_code.get(asked.get("annotator")),
        generator=asked.get("generator", "").replace("\0", ""),
        prompt=asked.get("prompt", "").replace("\0", ""),
        double="double" in asked,
    )
