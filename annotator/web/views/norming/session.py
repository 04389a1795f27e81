"""One norming session: for leads in every state, for participants from the moment it is revealed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.exchange.formats.names import whole_number
from annotator.models import Membership, NormedImage, NormingSession
from annotator.norming import sessions
from annotator.norming.discussing import ValueChanged, agree, comment, grid_of
from annotator.norming.revealing import close_session, compare_rounds, reveal
from annotator.norming.sessions import NormingRefused
from annotator.people.access import LARGEST_KEY, membership_of
from annotator.people.preferences import preferences_of
from annotator.web.views.pages import SignedIn, form_page, key_of_form, post_page, safe_page
from scoring.protocol import InvalidPayload
from scoring.service import get_protocol

UNCHANGED = 204


@form_page
def norming(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show a session, `?image=` one of its images; by POST, store the agreed value of that image."""
    session, member = session_for(request, slug, pk)
    if request.method == "POST" and session.is_revealed:
        return _agree(request, session, member)
    return render(request, "annotator/norming/session.html", context_of(request, session, member))


@safe_page
def norming_live(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Return what changes while people discuss, or nothing if it is as the page has `seen` it."""
    session, member = session_for(request, slug, pk)
    context = context_of(request, session, member)
    if request.GET.get("seen") == context["stamp"]:
        return HttpResponse(status=UNCHANGED)
    if request.GET.get("stage") == NormingSession.State.ANSWERING and session.revealed_at is not None:
        # The page is replaced; so far, nobody could have entered anything in it.
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "annotator/norming/live.html", context)


@post_page
def norming_comment(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Store a comment; a script gets the discussion and an empty form back, others the page."""
    session, member = session_for(request, slug, pk)
    if not session.is_revealed:
        return redirect("norming", slug, pk)
    normed = shown(request, session)
    refused, scripted = None, request.headers.get("HX-Request") == "true"
    try:
        comment(
            normed=normed,
            author=member,
            text=request.POST.get("text", ""),
            component=request.POST.get("component", ""),
            request_key=key_of_form(request) or uuid4(),
        )
    except NormingRefused as said:
        refused = said
    if not scripted and refused is None:
        return redirect(f"{_address(session, normed)}#comments")
    session.refresh_from_db()
    context = context_of(request, session, member)
    if refused is not None:
        context |= {"comment_refused": refused, "typed": request.POST}
    template = "annotator/norming/commented.html" if scripted else "annotator/norming/session.html"
    return render(request, template, context, status=422 if refused else 200)


@post_page
def norming_state(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Reveal or close a session, or request the comparison of its rounds."""
    session, member = session_for(request, slug, pk)
    if member.role != Membership.Role.LEAD:
        raise Http404("No such session.")
    act = request.POST.get("action", "")
    try:
        if act == "reveal":
            if reveal(session=session, actor=request.user):
                messages.success(request, "Annotations revealed. The discussion can begin.", "revealed")
        elif act == "close":
            kept = [number for text in request.POST.getlist("reference") if (number := whole_number(text))]
            if close_session(session=session, references=kept, actor=request.user):
                made = f"{len(kept)} reference{'' if len(kept) == 1 else 's'} made"
                messages.success(request, f"Session closed, {made}.", "closed")
            else:
                messages.info(request, "This session is already closed.", "closed-before")
        elif act == "compare" and session.follows is not None and session.is_revealed:
            compare_rounds(session, request.user)
            messages.success(
                request, "The comparison is under way. Reload the page in a moment.", "comparing"
            )
        else:
            raise NormingRefused("Nothing was changed: this is not possible now. Reload the page.", "no-act")
    except NormingRefused as refused:
        messages.error(request, str(refused), refused.code)
    return redirect("norming", slug, pk)


def _agree(request: SignedIn, session: NormingSession, member: Membership) -> HttpResponse:
    normed = shown(request, session)
    answers = list(sessions.answers_of(session).filter(assignment__image=normed.image_id))
    grid = grid_of(normed, session.batch.protocol, answers, data=request.POST)
    form, fault, status = grid["form"], "", 422
    payload = form.payload()
    if not form.errors:
        try:
            agree(
                normed=normed,
                actor=request.user,
                payload=payload,
                replaces=whole_number(request.POST.get("version", "")) or 0,
            )
        except InvalidPayload as refused:
            form.refuse(refused.errors)
        except NormingRefused as refused:
            fault = str(refused)
            status = 409 if isinstance(refused, ValueChanged) else 422
        else:
            messages.success(request, f"Agreed value of image {normed.place} saved.", "agreed")
            return redirect(_address(session, normed))
    session.refresh_from_db()
    context = context_of(request, session, member, data=request.POST)
    context["form"].errors.update(form.errors)
    wrong = "" if fault or "" in form.errors else "Not saved. Correct the marked cells below and try again."
    context["faults"] = [*filter(None, [fault, wrong]), *form.errors.get("", [])]
    return render(request, "annotator/norming/session.html", context, status=status)


def _address(session: NormingSession, normed: NormedImage) -> str:
    return f"{reverse('norming', args=[session.project.slug, session.pk])}?image={normed.place}"


def session_for(request: SignedIn, slug: str, pk: int) -> tuple[NormingSession, Membership]:
    """Return a session and the member who asks; raises Http404, for participants until it is revealed."""
    member = membership_of(request.user, slug)
    rows = NormingSession.objects.filter(project=member.project_id, pk=min(pk, LARGEST_KEY))
    session = rows.select_related("batch", "project", "follows__batch").first()
    if session is None or not sessions.may_read(session, member):
        raise Http404("No such session.")
    return session, member


def context_of(
    request: SignedIn,
    session: NormingSession,
    member: Membership,
    *,
    data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what the page shows; the number of queries does not depend on images, people or comments."""
    images = list(session.images.select_related("image", "decided_by"))
    is_lead = member.role == Membership.Role.LEAD
    context: dict[str, Any] = {
        "project": session.project,
        "section": "training" if is_lead else "",
        "session": session,
        "protocol": get_protocol(session.batch.protocol),
        "is_lead": is_lead,
        "participants": sessions.participants_of(session),
        "images": images,
        "stage": "open" if session.is_open else str(session.state),
    }
    if not session.is_revealed:
        done = sum(person.done for person in context["participants"])
        return context | {"stamp": f"{session.state}.{done}"}
    normed = _among(request, images)
    if normed is not None:
        normed.session = session
        answers = list(sessions.answers_of(session).filter(assignment__image=normed.image_id))
        comments = list(normed.comments.select_related("author"))
        last = comments[-1].pk if comments else 0
        grid = grid_of(normed, session.batch.protocol, answers, comments, data)
        context |= {
            "normed": normed,
            "grid": grid,
            "form": grid["form"],
            "single_keys": preferences_of(request.user)["single_keys"],
            "comments": comments,
            "stamp": f"{session.state}.{normed.version}.{last}",
            "request_key": uuid4(),
        }
    return context | {
        "agreed": sum(image.agreed is not None for image in images),
        "second": NormingSession.objects.filter(follows=session).select_related("batch").first(),
    }


def shown(request: SignedIn, session: NormingSession) -> NormedImage:
    """Return the image of a revealed session that the request is about; raises Http404 without any."""
    images = list(session.images.select_related("image", "decided_by"))
    normed = _among(request, images)
    if normed is None:
        raise Http404("No such image.")
    normed.session = session
    return normed


def _among(request: SignedIn, images: list[NormedImage]) -> NormedImage | None:
    """Return the image that `?image=` names by its place, or else the first."""
    asked = whole_number(request.GET.get("image", ""))
    return next((image for image in images if image.place == asked), images[0] if images else None)
