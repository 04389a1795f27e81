"""Taking people out of a batch and adding others: proposed, looked at, applied."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.access import batch_as_lead
from annotator.batch_changes import InvalidReason
from annotator.forms.batch_people import PeopleForm
from annotator.models import Batch, Plan, User
from annotator.pace import standings
from annotator.people_changes import (
    ChangeRefused,
    ProposalChanged,
    apply_people_change,
    outcome_of,
    propose_people_change,
)
from annotator.planning import Change, InvalidDesign
from annotator.views.change_words import proposal


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def batch_people(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask who leaves and who joins, show what that would move, and carry it out when confirmed."""
    batch = batch_as_lead(request.user, pk)
    if request.method != "POST":
        return _form_page(request, batch, PeopleForm(batch))
    act, key = request.POST.get("action", ""), _key(request)
    if act == "confirm" and key and Plan.objects.filter(batch=batch, request_key=key).exists():
        return redirect("batch", batch.pk)  # sent twice
    form = PeopleForm(batch, request.POST)
    valid = form.is_valid()
    if act == "edit":
        return _form_page(request, batch, form)
    if not valid:
        return _form_page(request, batch, form, status=422)
    try:
        if act == "confirm" and key:
            return _apply(request, batch, form, key)
        return _proposal_page(request, batch, form, propose_people_change(batch=batch, **form.chosen()))
    except ProposalChanged as changed:
        messages.warning(request, f"{changed} Nothing was stored.")
        return _proposal_page(request, batch, form, changed.change, status=409)
    except InvalidReason as refused:
        form.add_error("reason", str(refused))
    except ChangeRefused as refused:
        form.add_error(None, str(refused))
    except InvalidDesign as refused:
        form.add_error(None, [text for texts in refused.errors.values() for text in texts])
    return _form_page(request, batch, form, status=422)


def _apply(request: HttpRequest, batch: Batch, form: PeopleForm, key: UUID) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    apply_people_change(
        batch=batch,
        **form.chosen(),
        outcome=request.POST.get("outcome", ""),
        reason=form.cleaned_data["reason"],
        actor=request.user,
        request_key=key,
    )
    messages.success(request, f"The people of “{batch.name}” are changed.")
    return redirect("batch", batch.pk)


def _key(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("request_key", ""))
    except ValueError:
        return None


def _form_page(request: HttpRequest, batch: Batch, form: PeopleForm, *, status: int = 200) -> HttpResponse:
    stands = {each.annotator.pk: each for each in standings(batch)}
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "form": form,
        "people": [(person, stands.get(person.pk)) for person in form.people],
        "closed": batch.status != Batch.Status.OPEN,
        "leaving": form["leaving"].value() or [],
        "joining": form["joining"].value() or [],
    }
    return render(request, "annotator/batch_people.html", context, status=status)


def _proposal_page(
    request: HttpRequest, batch: Batch, form: PeopleForm, change: Change, *, status: int = 200
) -> HttpResponse:
    chosen = form.chosen()
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "chosen": chosen,
        "reason": form.cleaned_data["reason"],
        "proposal": proposal(change),
        "outcome": outcome_of(change),
        "certificate": change.certificate,
        "request_key": uuid4(),
    }
    return render(request, "annotator/batch_people_proposal.html", context, status=status)
