"""For leads: the norming sessions of a project, and a new one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from annotator.batches.assignments import InvalidBatch
from annotator.exchange.formats.names import whole_number
from annotator.models import Membership, NormingSession, Project
from annotator.norming import sessions
from annotator.norming.sessions import FEWEST_IMAGES, MOST_IMAGES, NormingRefused
from annotator.norming.starting import pool_of, start_session, with_spread
from annotator.people.access import project_as_lead
from annotator.training.references import is_comparable
from annotator.web.views.pages import SignedIn, form_page, page_of
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol

SHOWN = 20
PEOPLE_SHOWN = 200
OFFERED = 24
USUAL = 6
"""Images offered to choose from, and how many are ticked unless the lead says otherwise."""
LONGEST_FIND = 120


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
        return _page(request, project, chosen, first, people)
    try:
        session = start_session(
            project=project,
            name=request.POST.get("name", ""),
            protocol=chosen.slug,
            people=[person for person in people if str(person.pk) in request.POST.getlist("person")],
            images=_numbers(request, "image"),
            follows=first,
            actor=request.user,
        )
    except (InvalidBatch, NormingRefused) as refused:
        return _page(request, project, chosen, first, people, refused)
    messages.success(request, f"“{session.batch.name}” is in the participants’ queues.", "norming-started")
    return redirect("norming", project.slug, session.pk)


def _first(request: SignedIn, project: Project) -> NormingSession | None:
    named = request.GET.get("after")
    if named is None:
        return None
    first = sessions.sessions_of(project).filter(pk=whole_number(named) or 0).first()
    if first is None:
        raise Http404("No such session.")
    return first


def _numbers(request: SignedIn, name: str) -> list[int]:
    """Return the ids that a form sent, in the order of the page; a few more than can be used."""
    sent = request.POST.getlist(name)[: OFFERED + MOST_IMAGES]
    return [number for text in sent if (number := whole_number(text))]


def _page(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    first: NormingSession | None,
    people: list[Membership],
    refused: InvalidBatch | NormingRefused | None = None,
) -> HttpResponse:
    """Show the sessions and the form: as proposed, or as it was sent and refused."""
    if refused:
        name, ticked = request.POST.get("name", ""), set(request.POST.getlist("person"))
    else:
        # A name that does not tell annotators what the batch is for.
        name = f"Batch {project.batches.count() + 1}"
        again = sessions.participants_of(first) if first else []
        ticked = {*request.GET.getlist("person"), *(str(person.pk) for person in again)}
    asked = [person for person in people if str(person.pk) in ticked]
    offers = is_comparable(chosen.slug) and first is None
    context = {
        "project": project,
        "section": "training",
        "chosen": chosen,
        "comparable": is_comparable(chosen.slug),
        "first": first,
        "typed_name": name,
        "people": [(person, person in asked) for person in people],
        "page": page_of(request, sessions.sessions_of(project), SHOWN),
        "opened": bool(refused) or any(name in request.GET for name in ("after", "find", "person")),
        # Until somebody is chosen, images that everybody can norm.
        **(_offered(request, project, chosen, asked or people, _numbers(request, "image")) if offers else {}),
        "fewest": FEWEST_IMAGES,
        "most": MOST_IMAGES,
        "refused": refused,
    }
    return render(request, "annotator/norming/sessions.html", context, status=422 if refused else 200)


def _offered(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    people: Collection[Membership],
    sent: list[int],
) -> dict[str, Any]:
    """Return the images to choose from: usable ones of those sent, then those furthest apart, some ticked."""
    find = request.GET.get("find", "")[:LONGEST_FIND]
    pool = with_spread(pool_of(project, chosen.slug, people), chosen.slug)
    ticked = list(pool.filter(pk__in=sent))
    if find and "\0" not in find:
        pool = pool.filter(
            Q(prompt__icontains=find) | Q(generator__icontains=find) | Q(source_name__icontains=find)
        )
    offered = list(pool.exclude(pk__in=sent)[:OFFERED])
    usual = 0 if request.method == "POST" or find else USUAL
    proposed = [(image, place < usual) for place, image in enumerate(offered)]
    return {"images": [*((image, True) for image in ticked), *proposed], "find": find}
