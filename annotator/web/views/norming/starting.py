"""For leads: the norming sessions of a project, and a new one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from annotator.batches.assignments import InvalidBatch
from annotator.exchange.formats.names import whole_number
from annotator.models import Image, Membership, NormingSession, Project
from annotator.norming import picking, sessions
from annotator.norming.sessions import FEWEST_IMAGES, MOST_IMAGES, NormingRefused
from annotator.norming.starting import start_session
from annotator.people.access import project_as_lead
from annotator.training.references import is_comparable
from annotator.web.views.pages import SignedIn, form_page, page_of
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol

SHOWN = 20
PEOPLE_SHOWN = 200
OFFERED = 24
USUAL = 6
"""Images offered to choose from, and how many are picked unless the lead says otherwise."""
LONGEST_FIND = 120


@dataclass
class Wanted:
    """What the form asks for."""

    name: str
    picked: str
    count: int
    people: list[int] = field(default_factory=list)
    images: list[int] = field(default_factory=list)


@form_page
def norming_sessions(request: SignedIn, slug: str) -> HttpResponse:
    """List a project's sessions, newest first; by POST, start one. `?after=` names its first round."""
    project = project_as_lead(request.user, slug)
    first = _first(request, project)
    chosen = chosen_protocol(request, project)
    if first is not None:
        chosen = chosen.about(first.batch.protocol)
    able = project.memberships.filter(is_active=True, user__is_active=True, role=Membership.Role.ANNOTATOR)
    people = list(able.order_by("code")[:PEOPLE_SHOWN])
    if request.method != "POST":
        usual = _usual(project, first, people)
        usual.people += [person.pk for person in people if str(person.pk) in request.GET.getlist("person")]
        return _page(request, project, chosen, first, people, usual)
    wanted = _asked(request, project, people)
    try:
        session = start_session(
            project=project,
            name=wanted.name,
            protocol=chosen.slug,
            people=[person for person in people if person.pk in wanted.people],
            picked=wanted.picked,
            count=wanted.count,
            images=wanted.images,
            follows=first,
            actor=request.user,
        )
    except (InvalidBatch, NormingRefused) as refused:
        return _page(request, project, chosen, first, people, wanted, refused)
    messages.success(request, f"“{session.batch.name}” is in the participants’ queues.", "norming-started")
    return redirect("norming", project.slug, session.pk)


def _first(request: SignedIn, project: Project) -> NormingSession | None:
    named = request.GET.get("after")
    if named is None:
        return None
    number = whole_number(named)
    first = sessions.sessions_of(project).filter(pk=number).first() if number is not None else None
    if first is None:
        raise Http404("No such session.")
    return first


def _usual(project: Project, first: NormingSession | None, people: list[Membership]) -> Wanted:
    """Return what the form begins with: a name that does not tell annotators what the batch is for."""
    name = f"Batch {project.batches.count() + 1}"
    if first is None:
        return Wanted(name, NormingSession.Picked.APART.value, USUAL)
    there = {person.pk for person in people}
    again = [
        participant.member.pk
        for participant in sessions.participants_of(first)
        if participant.member.pk in there
    ]
    return Wanted(name, NormingSession.Picked.ALIKE.value, first.images.count(), again)


def _asked(request: SignedIn, project: Project, people: list[Membership]) -> Wanted:
    picked = request.POST.get("picked", "")
    ids = {str(image.public_id): image.pk for image in _named(project, request.POST.getlist("image"))}
    return Wanted(
        name=request.POST.get("name", ""),
        picked=picked if picked in NormingSession.Picked.values else NormingSession.Picked.CHOSEN.value,
        count=whole_number(request.POST.get("count", "")) or 0,
        people=[person.pk for person in people if str(person.pk) in request.POST.getlist("person")],
        # In the order of the page.
        images=[ids[text] for text in request.POST.getlist("image") if text in ids],
    )


def _named(project: Project, texts: list[str]) -> list[Image]:
    """Return the project's images with these public ids; others are left out."""
    ids = []
    for text in texts[: OFFERED + MOST_IMAGES]:
        with suppress(ValueError):
            ids.append(UUID(text))
    return list(project.images.filter(public_id__in=ids))


def _page(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    first: NormingSession | None,
    people: list[Membership],
    wanted: Wanted,
    refused: InvalidBatch | NormingRefused | None = None,
) -> HttpResponse:
    context = {
        "project": project,
        "section": "training",
        "chosen": chosen,
        "comparable": is_comparable(chosen.slug),
        "first": first,
        "wanted": wanted,
        "people": [(person, person.pk in wanted.people) for person in people],
        "page": page_of(request, sessions.sessions_of(project), SHOWN),
        "opened": bool(refused) or any(name in request.GET for name in ("after", "find", "person")),
        **_offered(request, project, chosen, people, wanted),
        "fewest": FEWEST_IMAGES,
        "most": MOST_IMAGES,
        "refused": refused,
    }
    return render(request, "annotator/norming/sessions.html", context, status=422 if refused else 200)


def _offered(
    request: SignedIn, project: Project, chosen: ChosenProtocol, people: list[Membership], wanted: Wanted
) -> dict[str, Any]:
    """Return the images to choose from, those chosen first; none where nothing can be compared."""
    if not is_comparable(chosen.slug):
        return {}
    find = request.GET.get("find", "")[:LONGEST_FIND]
    asked = [person for person in people if person.pk in wanted.people]
    pool = picking.with_spread(picking.pool_of(project, chosen.slug, asked), chosen.slug)
    if find and "\0" not in find:
        pool = pool.filter(
            Q(prompt__icontains=find) | Q(generator__icontains=find) | Q(source_name__icontains=find)
        )
    offered = list(pool.exclude(pk__in=wanted.images)[:OFFERED])
    ticked = list(picking.with_spread(project.images.filter(pk__in=wanted.images), chosen.slug))
    images = [*((image, True) for image in ticked), *((image, False) for image in offered)]
    return {"images": images, "find": find}
