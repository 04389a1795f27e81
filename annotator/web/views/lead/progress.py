"""The progress of a batch: a matrix of images by annotators, and each annotator's remaining work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotator.batches.progress import STATES, annotator_progress, images_of, matrix_rows
from annotator.models.counting import WorkCount
from annotator.people.access import batch_as_lead
from annotator.web.views.pages import page_of, safe_page

IMAGES_SHOWN = 50


@safe_page
def batch_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the progress of a batch by image and annotator."""
    batch = batch_as_lead(request.user, pk)
    people = annotator_progress(batch)
    annotators = [person["annotator"] for person in people]
    state = asked if (asked := request.GET.get("state", "")) in STATES else ""
    page = page_of(request, images_of(batch, state), IMAGES_SHOWN)
    context = {
        "project": batch.project,
        "batch": batch,
        "section": "batches",
        "people": people,
        "count": sum((person["count"] for person in people), WorkCount()),
        "annotators": annotators,
        # Reversing thousands of addresses takes longer than all queries.
        "annotation_root": reverse("annotation", args=[0]).removesuffix("0/"),
        "page": page,
        "rows": matrix_rows(batch, list(page), annotators),
        "state": state,
        "states": STATES,
    }
    return render(request, "annotator/batches/progress.html", context)
