"""For leads: release a qualification batch."""

from __future__ import annotations

import secrets
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotator.batches.assignments import InvalidBatch
from annotator.models import Batch, Membership, Project
from annotator.people.access import project_as_lead
from annotator.training.qualification_batches import (
    MOST_ATTEMPTS,
    MOST_HOURS,
    MOST_IMAGES,
    USUAL_ATTEMPTS,
    USUAL_HOURS,
    default_rule,
    release_qualification,
)
from annotator.training.references import active_references, is_comparable
from annotator.web.views.pages import SignedIn, form_page
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol
from annotator.web.views.training.references import PEOPLE_SHOWN
from scoring.qualification_rules import ENOUGH_IMAGES

REFERENCES_SHOWN: Final = 200
_SEEDS: Final = 1_000_000
_LARGEST: Final = 10**9


@form_page
def qualification_new(request: SignedIn, slug: str) -> HttpResponse:
    """Choose images, annotators and the rule of a qualification batch, and release it."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    there = list(active_references(project, chosen.slug)[:REFERENCES_SHOWN])
    active = project.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR)
    people = list(active.order_by("code")[:PEOPLE_SHOWN])
    refused: InvalidBatch | None = None
    if request.method == "POST":
        typed = request.POST.dict()
        picked, asked = request.POST.getlist("reference"), request.POST.getlist("person")
        try:
            batch = _release(
                request, project, chosen, [person for person in people if str(person.pk) in asked]
            )
        except InvalidBatch as said:
            refused = said
        else:
            messages.success(request, f"“{batch.name}” is in the annotators’ queues.", "released")
            return redirect("batch", batch.pk)
    else:
        picked = [str(reference.pk) for reference in there]
        asked = [str(person.pk) for person in people if person.user_id]
        typed = _proposed(project, chosen, len(there))
    context = {
        "project": project,
        "section": "training",
        "chosen": chosen,
        "comparable": is_comparable(chosen.slug),
        "terms": [(term, typed.get(f"rule.{term.name}", "")) for term in chosen.protocol.rule_terms],
        "references": [(reference, str(reference.pk) in picked) for reference in there],
        "people": [(person, str(person.pk) in asked) for person in people],
        "typed": typed,
        "enough": ENOUGH_IMAGES,
        "most": {"images": MOST_IMAGES, "attempts": MOST_ATTEMPTS, "hours": MOST_HOURS},
        "refused": refused,
    }
    return render(
        request, "annotator/training/qualification_new.html", context, status=422 if refused else 200
    )


def _proposed(project: Project, chosen: ChosenProtocol, references: int) -> dict[str, str]:
    rule = {f"rule.{name}": text for name, text in default_rule(chosen.slug).items()}
    return {
        "name": f"Qualification {project.batches.count() + 1}",
        "images": str(max(1, min(ENOUGH_IMAGES, references))),
        "attempts": str(USUAL_ATTEMPTS),
        "waiting_hours": str(USUAL_HOURS),
        "seed": str(secrets.randbelow(_SEEDS)),
        **rule,
    }


def _release(request: SignedIn, project: Project, chosen: ChosenProtocol, people: list[Membership]) -> Batch:
    sent = request.POST
    rule = {term.name: sent.get(f"rule.{term.name}", "") for term in chosen.protocol.rule_terms}
    named = [pk for pk in sent.getlist("reference") if pk.isascii() and pk.isdigit() and len(pk) < 19]
    return release_qualification(
        project=project,
        name=sent.get("name", ""),
        protocol=chosen.slug,
        references=[int(pk) for pk in named],
        people=people,
        rule=rule,
        images=_number(sent, "images", "images per attempt"),
        attempts=_number(sent, "attempts", "attempts"),
        waiting_hours=_number(sent, "waiting_hours", "hours between attempts"),
        seed=_number(sent, "seed", "a seed"),
        actor=request.user,
    )


def _number(sent: QueryDict, name: str, title: str) -> int:
    """Return a whole number typed into a field; raises InvalidBatch."""
    text: Any = sent.get(name, "").strip()
    if not (text.isascii() and text.isdigit() and int(text[:11]) <= _LARGEST and len(text) < 11):
        raise InvalidBatch(f"Enter {title} as a whole number, not “{text[:20]}”.", "number")
    return int(text)
