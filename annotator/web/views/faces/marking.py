"""Mark the faces of images, for leads and for annotators with that right."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotator.faces.decisions import (
    FacesRefused,
    current_of,
    decide,
    images_to_draw,
    let_draw,
    look_at,
    take_back,
    waiting_proposals,
)
from annotator.faces.rectangles import MOST, InvalidRectangle
from annotator.inputs.numbers import decimal
from annotator.models import Image, Membership
from annotator.people.access import marker_of, person_as_lead
from annotator.protocols.registry import blurring_faces
from annotator.web.views.pages import SignedIn, form_page, page_of, post_page, safe_page

SHOWN: Final = 60
LOOKED_AT_ONCE: Final = 12
LOOK: Final = "look"
SPARE: Final = 3
"""Empty rows of numbers below those of the rectangles."""
NUMBERS: Final = ("x", "y", "w", "h")


@safe_page
def faces(request: SignedIn, slug: str) -> HttpResponse:
    """List the images without a decision on their faces; with `?state=look` those with proposals that nobody
    has looked at, most faces first; with `?state=all` all.
    """
    member = marker_of(request.user, slug)
    images = images_to_draw(member)
    open_ones, to_look_at = images.filter(faces=None), waiting_proposals(images)
    state = request.GET.get("state", "")
    listed = {"look": to_look_at, "all": images.order_by("pk")}.get(state, open_ones.order_by("pk"))
    page = page_of(request, listed, LOOKED_AT_ONCE if state == "look" else SHOWN)
    decided = current_of([image.pk for image in page])
    context = {
        **_common(member),
        "page": page,
        "rows": [(image, decided.get(image.pk)) for image in page],
        "state": state if state in {"look", "all"} else "open",
        "to_look_at": to_look_at.count(),
        "blurs_faces": blurring_faces(),
        "left": open_ones.count(),
        "total": images.count(),
    }
    return render(request, "annotator/faces/list.html", context)


@post_page
def faces_looked_at(request: SignedIn, slug: str) -> HttpResponse:
    """Record that the member has looked at the proposals shown, named by their keys."""
    member = marker_of(request.user, slug)
    try:
        keys = [UUID(key) for key in request.POST.getlist("key")[:LOOKED_AT_ONCE]]
    except ValueError:
        return HttpResponseBadRequest("Unknown proposal. Reload the page.", content_type="text/plain")
    try:
        looked = look_at(keys=keys, member=member)
        changed = len(keys) - looked
        again = f" {changed} changed in the meantime: look at them again." if changed else ""
        messages.success(
            request, f"Looked at {looked} image{'' if looked == 1 else 's'}.{again}", "looked-at"
        )
    except FacesRefused as refused:
        messages.error(request, str(refused), refused.code)
    return redirect(f"{reverse('faces', args=[slug])}?state=look")


@form_page
def faces_image(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Show one image to mark its faces; by POST, save the rectangles or that there is no face.

    With `plan`, the images that follow are those that the batch previewed last lacks; with `look`, the page
    returns to the proposals.
    """
    member = marker_of(request.user, slug)
    image = get_object_or_404(images_to_draw(member), public_id=public_id)
    if request.method != "POST":
        return _image_page(request, member, image)
    act = request.POST.get("action", "save")
    if act not in {"save", "none", "take-back"}:
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    typed = [] if act == "none" else _typed(request)
    try:
        if act == "take-back":
            return _take_back(request, member, image)
        rectangles = _numbers(typed)
        if act == "save" and not rectangles:
            raise FacesRefused("Draw a rectangle around each face, or choose “No face”.", "nothing-drawn")
        decide(image=image, rectangles=rectangles, member=member)
    except (FacesRefused, InvalidRectangle) as refused:
        return _image_page(request, member, image, typed=typed, refused=refused)
    return _next(request, member, image)


@post_page
def person_faces(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Let an annotator mark faces, or no longer."""
    member = person_as_lead(request.user, slug, pk)
    allowed = request.POST.get("draws_faces") == "on"
    if let_draw(member, allowed=allowed, actor=request.user):
        words = "can mark faces" if allowed else "can no longer mark faces"
        messages.success(request, f"{member.code} {words}.", "faces-right")
    return redirect("person", slug, pk)


def _next(request: SignedIn, member: Membership, image: Image) -> HttpResponse:
    """Redirect to the next image without a decision, then to the first one; at the end to the list."""
    if LOOK in request.GET:
        return redirect(f"{reverse('faces', args=[member.project.slug])}?state=look")
    waiting = images_to_draw(member).filter(faces=None).order_by("pk")
    following = waiting.filter(pk__gt=image.pk).first() or waiting.first()
    if following is None:
        return redirect("faces", member.project.slug)
    return redirect("faces_image", member.project.slug, following.public_id)


def _take_back(request: SignedIn, member: Membership, image: Image) -> HttpResponse:
    if member.role != Membership.Role.LEAD:
        raise FacesRefused("Only a lead can withdraw a decision. Replace the rectangles instead.", "no-right")
    if take_back(image=image, member=member):
        messages.success(request, "The decision on this image is withdrawn.", "withdrawn")
    return redirect("faces_image", member.project.slug, image.public_id)


def _typed(request: SignedIn) -> list[tuple[str, ...]]:
    """Return the rows of numbers as typed, without empty ones."""
    columns = [request.POST.getlist(name)[: MOST + SPARE] for name in NUMBERS]
    rows = [tuple(value.strip() for value in row) for row in zip(*columns, strict=False)]
    return [row for row in rows if any(row)]


def _numbers(typed: list[tuple[str, ...]]) -> list[tuple[float, ...]]:
    rectangles = []
    for place, row in enumerate(typed, 1):
        numbers = tuple(number for value in row if (number := decimal(value)) is not None)
        if len(numbers) < len(row):
            raise InvalidRectangle(
                f"Rectangle {place}: enter x, y, width and height as numbers of pixels.", "not-a-number"
            )
        rectangles.append(numbers)
    return rectangles


def _image_page(
    request: SignedIn,
    member: Membership,
    image: Image,
    *,
    typed: list[tuple[str, ...]] | None = None,
    refused: FacesRefused | InvalidRectangle | None = None,
) -> HttpResponse:
    decision = current_of([image.pk]).get(image.pk)
    rows: list[Any] = list(decision.rectangles if decision else []) if typed is None else list(typed)
    context = {
        **_common(member),
        "image": image,
        "decision": decision,
        "rows": [*rows, *[("",) * 4] * SPARE],
        "refused": refused,
        "left": images_to_draw(member).filter(faces=None).count(),
        "most": MOST,
    }
    return render(request, "annotator/faces/image.html", context, status=422 if refused else 200)


def _common(member: Membership) -> dict[str, Any]:
    return {
        "project": member.project,
        "membership": member,
        "section": "images",
        "is_lead": member.role == Membership.Role.LEAD,
    }
