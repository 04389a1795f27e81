"""Remove annotators from a batch and add others: propose, preview, apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotator.batches.change_facts import facts_of
from annotator.batches.closing import InvalidReason
from annotator.batches.completion import annotator_progress
from annotator.batches.people_changes import (
    ChangeRefused,
    ProposalChanged,
    apply_people_change,
    check_open,
    propose_people_change,
)
from annotator.batches.planning import Allowance, ChangeImpossible, InvalidDesign
from annotator.batches.releases import NeededStanding, NotQualified
from annotator.inputs.refusal import as_form_error
from annotator.models import Batch, Plan
from annotator.people.access import batch_as_lead
from annotator.people.codes import waits_for_its_person
from annotator.people.standings import lacking
from annotator.web.forms.batch_people import Chosen, PeopleForm
from annotator.web.views.lead.plan_words import balance_table
from annotator.web.views.pages import SignedIn, form_page, key_of_form

CANDIDATES: Final = 5
"""Annotators that a refusal offers to add."""


@form_page
def batch_people(request: SignedIn, pk: int) -> HttpResponse:
    """Show the form, preview the reassignments, and apply them when confirmed."""
    batch = batch_as_lead(request.user, pk)
    if request.method != "POST":
        return _form_page(request, batch, PeopleForm(batch))
    act, key = request.POST.get("action", ""), key_of_form(request)
    if act == "confirm" and key and Plan.objects.filter(batch=batch, request_key=key).exists():
        return redirect("batch", batch.pk)  # sent twice
    form = PeopleForm(batch, _solved(request))
    valid = form.is_valid()
    if act == "edit":
        return _form_page(request, batch, form)
    if not valid or batch.status != Batch.Status.OPEN:
        return _refused(request, batch, form)
    return _go_on(request, batch, form, key if act == "confirm" else None)


def _go_on(request: SignedIn, batch: Batch, form: PeopleForm, key: UUID | None) -> HttpResponse:
    """Propose a change, or apply the previewed one."""
    chosen, reason, allow = form.chosen(), form.cleaned_data["reason"], form.allowance()
    impossible = None
    try:
        if key is not None:
            return _apply(request, batch, form, key)
        facts = facts_of(propose_people_change(batch=batch, **chosen, allow=allow))
        return _proposal_page(request, batch, chosen, reason, allow, facts)
    except ProposalChanged as changed:
        messages.warning(request, f"{changed} Nothing was stored.", "changed")
        facts = facts_of(changed.change)
        return _proposal_page(
            request, batch, chosen, reason, allow, facts, status=409, standing=form.standing()
        )
    except NotQualified as short:
        facts = facts_of(propose_people_change(batch=batch, **chosen, allow=allow))
        return _proposal_page(
            request, batch, chosen, reason, allow, facts, status=422, standing=form.standing(), refused=short
        )
    except InvalidReason as refused:
        form.add_error("reason", as_form_error(refused))
    except ChangeRefused as refused:
        form.add_error(None, as_form_error(refused))
    except ChangeImpossible as refused:
        impossible = refused
    except InvalidDesign as refused:
        form.add_error(None, [text for texts in refused.errors.values() for text in texts])
    return _form_page(request, batch, form, impossible=impossible, status=422)


def _solved(request: SignedIn) -> QueryDict:
    """Return the form with the solution that the lead chose by a button of the refusal."""
    sent, solution = request.POST.copy(), request.POST.get("solve", "")
    if solution in {"fewer", "unlimited"}:
        sent[solution] = "on"
    elif solution:
        sent.appendlist("joining", solution)
    return sent


def _refused(request: SignedIn, batch: Batch, form: PeopleForm) -> HttpResponse:
    try:
        check_open(batch)
    except ChangeRefused as refused:
        form.add_error(None, as_form_error(refused))
    return _form_page(request, batch, form, status=422)


def _apply(request: SignedIn, batch: Batch, form: PeopleForm, key: UUID) -> HttpResponse:
    apply_people_change(
        batch=batch,
        **form.chosen(),
        allow=form.allowance(),
        outcome=request.POST.get("outcome", ""),
        reason=form.cleaned_data["reason"],
        actor=request.user,
        request_key=key,
        standing=form.standing(),
    )
    messages.success(request, f"Annotators of “{batch.name}” changed.")
    return redirect("batch", batch.pk)


def _form_page(
    request: SignedIn,
    batch: Batch,
    form: PeopleForm,
    *,
    impossible: ChangeImpossible | None = None,
    status: int = 200,
) -> HttpResponse:
    joining = form["joining"].value() or []
    stands = {each.annotator.pk: each for each in annotator_progress(batch)}
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "form": form,
        "people": [(person, waits_for_its_person(person), stands.get(person.pk)) for person in form.people],
        "others": [(person, waits_for_its_person(person)) for person in form.others],
        "closed": batch.status != Batch.Status.OPEN,
        "impossible": impossible,
        "candidates": [each for each in form.others if str(each.pk) not in joining][:CANDIDATES],
        "leaving": form["leaving"].value() or [],
        "joining": joining,
    }
    return render(request, "annotator/batches/batch_people.html", context, status=status)


def _proposal_page(
    request: SignedIn,
    batch: Batch,
    chosen: Chosen,
    reason: str,
    allow: Allowance,
    facts: Mapping[str, Any],
    *,
    status: int = 200,
    standing: NeededStanding | None = None,
    refused: NotQualified | None = None,
) -> HttpResponse:
    joining = [person.pk for person in chosen["joining"]]
    needed = batch.needs_standing and bool(joining)
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "chosen": chosen,
        "reason": reason,
        "allow": allow,
        "proposal": facts,
        "margins": _margins(facts),
        "needs_standing": needed,
        "lacking": lacking(batch.project, batch.protocol, joining) if needed else [],
        "waived": standing.waived if standing else (),
        "waiver": standing.reason if standing else "",
        "refused": refused,
        "outcome": facts["outcome"],
        "request_key": uuid4(),
    }
    return render(request, "annotator/batches/batch_people_proposal.html", context, status=status)


def _margins(facts: Mapping[str, Any]) -> list[tuple[dict[str, Any] | None, dict[str, Any]]]:
    """Return each margin of the balance before, if it was there, and after the change."""
    before = {row["title"]: row for row in balance_table(facts["before"])["margins"]}
    return [(before.get(row["title"]), row) for row in balance_table(facts["after"])["margins"]]
