"""The real addresses, an empty view, one that inserts a row, and one that does what a submission must."""

from __future__ import annotations

import json

from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.utils import timezone

from annotator.models import Annotation, Assignment, Event


def bare(request: HttpRequest) -> JsonResponse:
    """Respond, behind the same middleware as every page."""
    return JsonResponse({"ok": True})


def bare_insert(request: HttpRequest) -> JsonResponse:
    """Store one row in autocommit."""
    Event.objects.create(verb="bench")
    return JsonResponse({"ok": True})


def bare_loop(request: HttpRequest, pk: int) -> JsonResponse:
    """Store an annotation of its annotator and return the next image, without any promise."""
    sent = json.loads(request.body)
    mine = Assignment.objects.filter(annotator__user=request.user.pk, annotator__is_active=True)
    with transaction.atomic():
        assignment = mine.select_related("batch").get(pk=pk)
        now = timezone.now()
        made = {"payload": sent["payload"], "status": "submitted", "ratings": [], "saved_at": now}
        Annotation.objects.create(assignment=assignment, submitted_at=now, **made)
        mine.filter(pk=pk).update(status="done")
        Event.objects.create(
            project_id=assignment.batch.project_id,
            assignment=assignment,
            actor_id=request.user.pk,
            verb="submitted",
            data={"version": 1},
            request_key=sent["request_key"],
        )
    waiting = mine.filter(status="open", batch__status="open").select_related("image", "batch")
    following = waiting.order_by("batch", "position")[0]
    image = {"width": following.image.width, "height": following.image.height}
    return JsonResponse({"state": {"id": following.pk, "batch": following.batch.name, "image": image}})


urlpatterns = [
    path("bare/", bare),
    path("bare/insert/", bare_insert),
    path("bare/loop/<int:pk>/submit", bare_loop),
    path("", include("config.urls")),
]
