"""Remove annotators from a batch and add others: propose, preview, apply."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotator.batches.assignments import InvalidBatch
from annotator.batches.people_changes import (
    ChangeRefused,
    ProposalChanged,
    apply_people_change,
    check_open,
    outcome_of,
    people_of_batch,
    propose_people_change,
)
from annotator.batches.planning import InvalidDesign, PlanChange
from annotator.batches.progress import annotator_progress
from annotator.inputs.plain_text import LONGEST_REASON, InvalidReason
from annotator.inputs.refusal import as_form_error
from annotator.models import Batch, Membership, Plan
from annotator.people.access import batch_as_lead
from annotator.people.codes import waits_for_its_person
from annotator.people.places import with_invitations
from annotator.web.forms.batches import LABELLING
from annotator.web.views.lead.plan_words import balance_table
from annotator.web.views.pages import SignedIn, form_page, key_of_form

NOBODY = "Choose at least one annotator to remove or add."


class PeopleForm(forms.Form):
    """The annotators to remove and to add, and the reason."""

    leaving = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": "One of these is not in this batch."}
    )
    joining = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": "One of these cannot be added."}
    )
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Enter a reason."},
        widget=forms.TextInput(),
    )

    def __init__(self, batch: Batch, data: QueryDict | None = None) -> None:
        self.people = people_of_batch(batch)
        inside = [person.pk for person in self.people]
        active = batch.project.memberships.filter(role__in=LABELLING, is_active=True)
        self.others = list(with_invitations(active.exclude(pk__in=inside)).order_by("role", "code"))
        super().__init__(data, use_required_attribute=False)
        for name, members in (("leaving", self.people), ("joining", self.others)):
            field = self.fields[name]
            assert isinstance(field, forms.MultipleChoiceField)
            field.choices = [(str(member.pk), member.code) for member in members]

    def clean(self) -> dict[str, Any]:
        """Refuse an empty change."""
        said: dict[str, Any] = self.cleaned_data
        if not self.errors.keys() & {"leaving", "joining"} and not (said["leaving"] or said["joining"]):
            self.add_error("leaving", NOBODY)
        return said

    def chosen(self) -> dict[str, list[Membership]]:
        """Return the annotators to remove and to add from a valid form."""
        said = self.cleaned_data
        return {
            "leaving": [each for each in self.people if str(each.pk) in said["leaving"]],
            "joining": [each for each in self.others if str(each.pk) in said["joining"]],
        }


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
    except (ChangeRefused, InvalidBatch) as refused:
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
        )
    except ProposalChanged as changed:
        messages.warning(request, f"{changed} Nothing was stored.", "changed")
        return _proposal_page(request, batch, form, changed.change, status=409)
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
) -> HttpResponse:
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "chosen": form.chosen(),
        "reason": form.cleaned_data["reason"],
        "change": change,
        "table": balance_table(change.balance),
        "outcome": outcome_of(change),
        "request_key": uuid4(),
    }
    return render(request, "annotator/batches/batch_people_proposal.html", context, status=status)
