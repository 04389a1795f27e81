"""Remove annotators from a batch and add others: propose, preview, apply."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from annotator.batches.closing import InvalidReason
from annotator.batches.completion import annotator_progress
from annotator.batches.people_changes import (
    ChangeRefused,
    ProposalChanged,
    apply_people_change,
    check_open,
    outcome_of,
    propose_people_change,
)
from annotator.batches.planning import InvalidDesign, PlanChange
from annotator.batches.releases import NotQualified
from annotator.inputs.refusal import as_form_error
from annotator.models import Batch, Plan
from annotator.people.access import batch_as_lead
from annotator.people.codes import waits_for_its_person
from annotator.people.standings import lacking
from annotator.web.forms.batch_people import PeopleForm
from annotator.web.views.lead.plan_words import balance_table
from annotator.web.views.pages import SignedIn, form_page, key_of_form


@form_page
def batch_people(request: SignedIn, pk: int) -> HttpResponse:
    """Show the form, preview the change, and apply it when confirmed."""
    batch = batch_as_lead(request.user, pk)
    if request.method != "POST":
        return _form_page(request, batch, PeopleForm(batch))
    act, key = request.POST.get("action", ""), key_of_form(request)
    if act == "confirm" and key and Plan.objects.filter(batch=batch, request_key=key).exists():
        return redirect("batch", batch.pk)  # sent twice
    form = PeopleForm(batch, request.POST)
    valid = form.is_valid()
    if act == "edit":
        return _form_page(request, batch, form)
    try:
        check_open(batch)
        if not valid:
            return _form_page(request, batch, form, status=422)
        return _go_on(request, batch, form, key if act == "confirm" else None)
    except InvalidReason as refused:
        form.add_error("reason", as_form_error(refused))
    except ChangeRefused as refused:
        form.add_error(None, as_form_error(refused))
    except InvalidDesign as refused:
        form.add_error(None, [text for texts in refused.errors.values() for text in texts])
    return _form_page(request, batch, form, status=422)


def _go_on(request: SignedIn, batch: Batch, form: PeopleForm, key: UUID | None) -> HttpResponse:
    """Propose a change, or apply the previewed one."""
    chosen = form.chosen()
    if key is None:
        return _proposal_page(request, batch, form, propose_people_change(batch=batch, **chosen))
    try:
        apply_people_change(
            batch=batch,
            **chosen,
            outcome=request.POST.get("outcome", ""),
            reason=form.cleaned_data["reason"],
            actor=request.user,
            request_key=key,
            waived=[int(pk) for pk in form.cleaned_data["waived"]],
            waiver=form.cleaned_data["waiver"],
        )
    except ProposalChanged as changed:
        messages.warning(request, f"{changed} Nothing was stored.", "changed")
        return _proposal_page(request, batch, form, changed.change, status=409)
    except NotQualified as short:
        change = propose_people_change(batch=batch, **chosen)
        return _proposal_page(request, batch, form, change, status=422, refused=short)
    messages.success(request, f"Annotators of “{batch.name}” changed.")
    return redirect("batch", batch.pk)


def _form_page(request: SignedIn, batch: Batch, form: PeopleForm, *, status: int = 200) -> HttpResponse:
    stands = {each["annotator"].pk: each for each in annotator_progress(batch)}
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "form": form,
        "people": [(person, waits_for_its_person(person), stands.get(person.pk)) for person in form.people],
        "others": [(person, waits_for_its_person(person)) for person in form.others],
        "closed": batch.status != Batch.Status.OPEN,
        "leaving": form["leaving"].value() or [],
        "joining": form["joining"].value() or [],
    }
    return render(request, "annotator/batches/batch_people.html", context, status=status)


def _proposal_page(
    request: SignedIn,
    batch: Batch,
    form: PeopleForm,
    change: PlanChange,
    *,
    status: int = 200,
    refused: NotQualified | None = None,
) -> HttpResponse:
    chosen = form.chosen()
    joining = [person.pk for person in chosen["joining"]]
    needed = batch.needs_standing and bool(joining)
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "chosen": chosen,
        "reason": form.cleaned_data["reason"],
        "change": change,
        "table": balance_table(change.balance.as_json()),
        "needs_standing": needed,
        "lacking": lacking(batch.project, batch.protocol, joining) if needed else [],
        "waived": [int(pk) for pk in form.cleaned_data["waived"]],
        "waiver": form.cleaned_data["waiver"],
        "refused": refused,
        "outcome": outcome_of(change),
        "request_key": uuid4(),
    }
    return render(request, "annotator/batches/batch_people_proposal.html", context, status=status)
