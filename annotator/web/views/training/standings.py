"""For leads: who is qualified, on what evidence; exempt somebody, release a qualification."""

from __future__ import annotations

import secrets
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.batches.assignments import InvalidBatch
from annotator.exchange.formats.names import whole_number
from annotator.inputs.plain_text import LONGEST_REASON, InvalidReason
from annotator.models import Attempt, Batch, Project, Standing
from annotator.people.access import project_as_lead
from annotator.people.standings import (
    standings_of,
    waive,
)
from annotator.training.qualification_attempts import shown_result
from annotator.training.qualification_batches import (
    MOST_ATTEMPTS,
    MOST_IMAGES,
    USUAL_ATTEMPTS,
    default_rule,
    release_qualification,
)
from annotator.training.references import active_references, is_comparable
from annotator.web.forms.batches import LABELLING
from annotator.web.views.pages import SignedIn, form_page, page_of
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol
from annotator.web.views.training.references import annotators_of
from scoring.qualification_rules import ENOUGH_IMAGES

PEOPLE_SHOWN: Final = 50
REFERENCES_SHOWN: Final = 200
_SEEDS: Final = 1_000_000


@form_page
def standings(request: SignedIn, slug: str) -> HttpResponse:
    """List the standings; by POST, exempt somebody, or release a qualification."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    if request.method != "POST":
        return _page(request, project, chosen)
    if request.POST.get("action") == "qualify":
        return _qualify(request, project, chosen)
    try:
        _waive(request, project, chosen)
    except InvalidReason as refused:
        messages.error(request, f"Not saved. {refused}", refused.code)
    return redirect(f"{reverse('standings', args=[project.slug])}?protocol={chosen.slug}")


def _qualify(request: SignedIn, project: Project, chosen: ChosenProtocol) -> HttpResponse:
    try:
        batch = _release(request, project, chosen)
    except InvalidBatch as refused:
        return _page(request, project, chosen, refused)
    messages.success(request, f"“{batch.name}” is in the annotators’ queues.", "released")
    return redirect("batch", batch.pk)


def _waive(request: SignedIn, project: Project, chosen: ChosenProtocol) -> None:
    made = waive(
        project=project,
        protocol=chosen.slug,
        members=[whole_number(request.POST.get("person", "")) or 0],
        reason=request.POST.get("reason", ""),
        actor=request.user,
    )
    if made:
        messages.success(request, "Exempt from the qualification.", "waived")
    else:
        messages.info(request, "No exemption is needed.", "not-waived")


def _page(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    not_released: InvalidBatch | None = None,
) -> HttpResponse:
    people = project.memberships.filter(is_active=True, role__in=LABELLING).order_by("role", "code")
    page = page_of(request, people, PEOPLE_SHOWN)
    held = standings_of(chosen.slug, page)
    made = Attempt.objects.filter(annotator__in=list(page), qualification__batch__protocol=chosen.slug)
    latest = {one.annotator_id: one for one in made.select_related("qualification__batch").order_by("pk")}
    rows = [
        (member, held[member.pk], attempt, shown_result(attempt) if attempt else None)
        for member in page
        for attempt in [latest.get(member.pk)]
    ]
    context: dict[str, Any] = {
        "project": project,
        "section": "training",
        "chosen": chosen,
        "comparable": is_comparable(chosen.slug),
        "page": page,
        "rows": rows,
        "able": Standing.objects.filter(
            membership__in=people, protocol=chosen.slug, state__in=("qualified", "waived")
        ).count(),
        "longest": LONGEST_REASON,
        **_qualification(request, project, chosen, not_released),
    }
    status = 422 if not_released else 200
    return render(request, "annotator/training/standings.html", context, status=status)


def _qualification(
    request: SignedIn, project: Project, chosen: ChosenProtocol, refused: InvalidBatch | None = None
) -> dict[str, Any]:
    """Return the form of a qualification: as proposed, or as it was sent and refused."""
    there, people = list(active_references(project, chosen.slug)[:REFERENCES_SHOWN]), annotators_of(project)
    if refused:
        wanted = request.POST.dict()
        picked, asked = request.POST.getlist("reference"), request.POST.getlist("person")
    else:
        wanted = _proposed(project, chosen, len(there))
        picked = [str(reference.pk) for reference in there]
        asked = [str(person.pk) for person in people if person.user_id]
    return {
        "terms": [(term, wanted.get(f"rule.{term.name}", "")) for term in chosen.protocol.rule_terms],
        "references": [(reference, str(reference.pk) in picked) for reference in there],
        "people": [(person, str(person.pk) in asked) for person in people],
        "wanted": wanted,
        "enough": ENOUGH_IMAGES,
        "most": {"images": MOST_IMAGES, "attempts": MOST_ATTEMPTS},
        "not_released": refused,
    }


def _proposed(project: Project, chosen: ChosenProtocol, references: int) -> dict[str, str]:
    rule = {f"rule.{name}": text for name, text in default_rule(chosen.slug).items()}
    return {
        "name": f"Qualification {project.batches.count() + 1}",
        "images": str(max(1, min(ENOUGH_IMAGES, references))),
        "attempts": str(USUAL_ATTEMPTS),
        **rule,
    }


def _release(request: SignedIn, project: Project, chosen: ChosenProtocol) -> Batch:
    """Release the qualification that a form asks for; raises InvalidBatch."""
    sent = request.POST
    people = [person for person in annotators_of(project) if str(person.pk) in sent.getlist("person")]
    rule = {term.name: sent.get(f"rule.{term.name}", "") for term in chosen.protocol.rule_terms}
    return release_qualification(
        project=project,
        name=sent.get("name", ""),
        protocol=chosen.slug,
        references=[number for text in sent.getlist("reference") if (number := whole_number(text))],
        people=people,
        rule=rule,
        images=whole_number(sent.get("images", "")) or 0,
        attempts=whole_number(sent.get("attempts", "")) or 0,
        seed=secrets.randbelow(_SEEDS),
        actor=request.user,
    )
