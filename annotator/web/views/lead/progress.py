"""The progress of a batch: a matrix of images by annotators, and each annotator's remaining work."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from annotator.batches.completion import annotator_progress
from annotator.batches.progress import STATES, Wanted, images_of, matrix_rows
from annotator.models import Membership
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
    wanted = _wanted(request.GET, annotators)
    page = page_of(request, images_of(batch, wanted), IMAGES_SHOWN)
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
        "wanted": wanted,
        "filtered": wanted != Wanted(),
        "states": STATES,
    }
    return render(request, "annotator/batches/progress.html", context)


def _wanted(asked: QueryDict, annotators: list[Membership]) -> Wanted:
    """Read the filters from the query string; unknown values are ignored."""
    state = asked.get("state", "")
    by_code: dict[Any, int] = {annotator.code: annotator.pk for annotator in annotators}
    return Wanted(
        state=state if state in STATES else "",
        annotator=by_code.get(asked.get("annotator")),
    )
