"""For leads: who is qualified, on what evidence; exempt somebody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.batches.assignments import InvalidBatch
from annotator.models import Attempt, Membership, Project, Standing, User
from annotator.people.access import project_as_lead
from annotator.people.standings import (
    LONGEST_REASON,
    StandingRefused,
    standings_of,
    waive,
)
from annotator.training.qualification_attempts import conclude_complete
from annotator.training.references import is_comparable
from annotator.training.results import ShownResult, shown_result
from annotator.web.views.pages import SignedIn, form_page, page_of
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol
from annotator.web.views.training.qualifications import qualification_form, release

PEOPLE_SHOWN: Final = 50


@dataclass(frozen=True)
class StandingRow:
    """One annotator: the standing, the latest attempt and its result, if there are any."""

    member: Membership
    standing: Standing
    attempt: Attempt | None
    result: ShownResult | None


@form_page
def standings(request: SignedIn, slug: str) -> HttpResponse:
    """List the standings; by POST, exempt somebody or release a qualification."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    if request.method != "POST":
        return _page(request, project, chosen)
    if request.POST.get("action") == "qualify":
        return _qualify(request, project, chosen)
    try:
        _waive(request, project, chosen, request.user)
    except StandingRefused as refused:
        return _page(request, project, chosen, refused=refused, status=422)
    return redirect(f"{reverse('standings', args=[project.slug])}?protocol={chosen.slug}")


def _qualify(request: SignedIn, project: Project, chosen: ChosenProtocol) -> HttpResponse:
    try:
        batch = release(request, project, chosen)
    except InvalidBatch as refused:
        return _page(request, project, chosen, not_released=refused, status=422)
    messages.success(request, f"“{batch.name}” is in the annotators’ queues.", "released")
    return redirect("batch", batch.pk)


def _waive(request: SignedIn, project: Project, chosen: ChosenProtocol, actor: User) -> None:
    named = request.POST.get("person", "")
    known = named.isascii() and named.isdigit() and len(named) < 19
    member = project.memberships.filter(pk=int(named), is_active=True).first() if known else None
    if member is None:
        raise StandingRefused("This person is no longer active in the project. Reload the page.", "nobody")
    if not is_comparable(chosen.slug):
        raise StandingRefused("This protocol has no qualification.", "not-comparable")
    made = waive(
        project=project,
        protocol=chosen.slug,
        members=[member.pk],
        reason=request.POST.get("reason", ""),
        actor=actor,
    )
    if made:
        messages.success(request, f"{member.code} is exempt from the qualification.", "waived")
    else:
        messages.info(request, f"{member.code} needs no exemption.", "not-waived")


def _page(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    *,
    refused: StandingRefused | None = None,
    not_released: InvalidBatch | None = None,
    status: int = 200,
) -> HttpResponse:
    conclude_complete(Attempt.objects.filter(qualification__batch__project=project))
    people = project.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR).order_by("code")
    page = page_of(request, people, PEOPLE_SHOWN)
    held = standings_of(project, chosen.slug, page)
    latest = _latest(chosen, list(page))
    rows = [_row(member, held[member.pk], latest.get(member.pk)) for member in page]
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
        "refused": refused,
        "typed": request.POST if refused else {},
        **qualification_form(request, project, chosen, not_released),
    }
    return render(request, "annotator/training/standings.html", context, status=status)


def _row(member: Membership, standing: Standing, attempt: Attempt | None) -> StandingRow:
    return StandingRow(member, standing, attempt, shown_result(attempt) if attempt else None)


def _latest(chosen: ChosenProtocol, members: list[Membership]) -> dict[int, Attempt]:
    made = Attempt.objects.filter(annotator__in=members, qualification__batch__protocol=chosen.slug)
    return {
        attempt.annotator_id: attempt
        for attempt in made.select_related("qualification__batch").order_by("pk")
    }
