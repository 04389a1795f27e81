"""Settling one image: its picture, the cells that differ, and what a lead decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from analysis.settling import Order, order_of
from annotator.access import project_as_lead
from annotator.adjudications import (
    AdjudicationConflict,
    AdjudicationRefused,
    AnswersChanged,
    adjudicate,
    adjudication_of,
    answers_of,
    is_outdated,
    seen,
    withdraw_adjudication,
)
from annotator.annotations import InvalidPayload
from annotator.forms.settling import SettlingForm
from annotator.imports.names import whole_number
from annotator.models import Image, Project, User
from annotator.templatetags.anatomark import score
from scoring.anatomy.taxonomy import BODY_PART_TITLES

WITHDRAW = "withdraw"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def image_settle(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one image to settle; a POST settles it, changes or withdraws its value, and goes on."""
    project = project_as_lead(request.user, slug)
    image = get_object_or_404(project.images, public_id=public_id)
    if request.method != "POST":
        return _page(request, project, image)
    if request.POST.get("action") == WITHDRAW:
        return _withdraw(request, project, image)
    return _settle(request, project, image)


def _settle(request: HttpRequest, project: Project, image: Image) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    form = SettlingForm(answers_of(image), data=request.POST)
    payload = form.payload()
    if form.errors:
        return _page(request, project, image, form, status=422)
    try:
        row = adjudicate(
            image=image,
            actor=request.user,
            payload=payload,
            replaces=_number(request.POST, "version"),
            settled_from=_seen(str(request.POST.get("seen", ""))),
            request_key=_key(request.POST),
            note=form.note,
        )
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return _page(request, project, image, form, status=422)
    except AdjudicationRefused as refusal:
        form.refuse({"": [str(refusal)]})
        return _page(request, project, image, form, status=409)
    except AdjudicationConflict as conflict:
        form.refuse({"": [_told(conflict)]})
        return _page(request, project, image, form, status=409)
    messages.success(request, f"Settled: {image.prompt}, {image.generator}, {score(row.score)}.")
    return redirect(_onwards(request, project, image))


def _withdraw(request: HttpRequest, project: Project, image: Image) -> HttpResponse:
    assert isinstance(request.user, User)
    try:
        withdraw_adjudication(
            image=image,
            actor=request.user,
            replaces=_number(request.POST, "version"),
            request_key=_key(request.POST),
        )
    except AdjudicationRefused as refusal:
        messages.warning(request, str(refusal), refusal.code)
    except AdjudicationConflict as conflict:
        messages.warning(request, _told(conflict), conflict.code)
    else:
        messages.success(request, "Withdrawn: the mean of the annotations counts again.", "withdrawn")
    return redirect(_address(project, image, _report(request)))


def _told(conflict: AdjudicationConflict) -> str:
    """What happened meanwhile, and what to do about it."""
    row = conflict.current
    if isinstance(conflict, AnswersChanged):
        return (
            "Not stored: an annotation of this image has changed since the page was opened. The annotations "
            "are shown as they are now, with what you had ticked and typed. Look again, then settle."
        )
    if row is None:
        return "Nothing was changed: nothing is settled for this image."
    did = f"settled it at {score(row.score)}" if row.is_settled else "withdrew the value"
    return (
        f"Not stored: in the meantime {row.decided_by.code} {did} ({row.decided_at:%d %B, %H:%M} UTC). "
        "What you ticked and typed is still here: settle again to replace it, or leave it."
    )


def _page(
    request: HttpRequest,
    project: Project,
    image: Image,
    refused: SettlingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    answers, stored = answers_of(image), adjudication_of(image)
    order = order_of(project, _report(request))
    # Anew, also for what was refused: an annotation, or what is stored, may have changed since it was sent.
    form = SettlingForm(
        answers,
        stored=stored.payload if stored else None,
        data=None if refused is None else request.POST,
        errors=None if refused is None else refused.errors,
    )
    onwards = order.next_after(image)
    context = {
        "project": project,
        "section": "agreement",
        "image": image,
        "form": form,
        "refused": refused is not None,
        "differing": form.differing(),
        "agreeing": form.agreeing(),
        "parts": list(BODY_PART_TITLES.values()),
        "faults": [*form.errors.get("", []), *form.errors.get("note", [])],
        "note": stored.note if stored and refused is None else form.note,
        "stored": stored,
        "outdated": stored is not None and stored.is_settled and is_outdated(stored, answers),
        "possible": len(answers) > 1,
        "version": stored.version if stored else 0,
        "seen": ",".join(f"{pk}:{version}" for pk, version in seen(answers)),
        "request_key": uuid4(),
        "withdraw_key": uuid4(),
        "order": order,
        "place": order.place_of(image),
        "skip": _address(project, onwards, order.report) if onwards else "",
        "address": _address(project, image, order.report),
        "list": _list(project, order),
        "first_wrong": next((cell for cell in form.differing() if cell.errors), None),
    }
    return render(request, "analysis/settle.html", context, status=status)


def _onwards(request: HttpRequest, project: Project, image: Image) -> str:
    """Where to go after an image is settled: the next one, or the list where all are."""
    order = order_of(project, _report(request))
    if order.place_of(image) is None:
        return reverse("image_detail", args=[project.slug, image.public_id])
    onwards = order.next_after(image)
    if onwards is not None:
        return _address(project, onwards, order.report)
    messages.info(request, f"All {order.total:,} images of the list are settled.", "all-settled")
    return _list(project, order)


def _list(project: Project, order: Order) -> str:
    return reverse("report_disagreements", args=[project.slug, order.report]) if order.report else ""


def _address(project: Project, image: Image, report: int | None) -> str:
    place = reverse("image_settle", args=[project.slug, image.public_id])
    return f"{place}?report={report}" if report else place


def _report(request: HttpRequest) -> int | None:
    return whole_number(request.GET.get("report", ""))


def _number(data: Mapping[str, Any], name: str) -> int:
    """A version; what is none fits none."""
    found = whole_number(str(data.get(name, "")))
    return -1 if found is None else found


def _key(data: Mapping[str, Any]) -> UUID:
    """The request's key; one that cannot be read is a new request."""
    try:
        return UUID(str(data.get("request_key", "")))
    except ValueError:
        return uuid4()


def _seen(text: str) -> list[tuple[int, int]]:
    """Read `id:version` pairs; what cannot be read was not seen."""
    pairs = [pair.partition(":") for pair in text.split(",")]
    read = [(whole_number(pk), whole_number(version)) for pk, _, version in pairs]
    return [(pk, version) for pk, version in read if pk is not None and version is not None]
