"""Choose who, besides the leads, adjudicates the images of a batch."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.exchange.formats.names import whole_number
from annotator.models import Batch, Membership, User
from annotator.people.access import batch_as_lead
from annotator.people.adjudicators import RightRefused, adjudicators_of, give_right, withdraw_right

GIVE, WITHDRAW = "give", "withdraw"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def batch_adjudicators(request: HttpRequest, pk: int) -> HttpResponse:
    """List a batch's adjudicators; a POST gives one reviewer the right, changes or withdraws it."""
    batch = batch_as_lead(request.user, pk)
    if request.method != "POST":
        return _page(request, batch)
    assert isinstance(request.user, User)  # signed in
    named = whole_number(request.POST.get("member", ""))
    member = None if named is None else batch.project.memberships.filter(pk=named).first()
    if member is None:
        return _page(request, batch, RightRefused("Choose a reviewer of this project.", "nobody"), status=409)
    try:
        if request.POST.get("action") == WITHDRAW:
            withdraw_right(batch=batch, member=member, actor=request.user)
            messages.success(request, f"{member.code} no longer adjudicates in this batch.", "withdrawn")
        else:
            hidden = bool(request.POST.get("codes_hidden"))
            give_right(batch=batch, member=member, codes_hidden=hidden, actor=request.user)
            messages.success(
                request,
                f"{member.code} can adjudicate in this batch; annotators’ codes are "
                f"{'hidden' if hidden else 'shown'}.",
                "given",
            )
    except RightRefused as refused:
        return _page(request, batch, refused, status=409)
    return redirect("batch_adjudicators", pk=batch.pk)


def _page(
    request: HttpRequest, batch: Batch, refused: RightRefused | None = None, status: int = 200
) -> HttpResponse:
    rights = list(adjudicators_of(batch))
    reviewers = batch.project.memberships.filter(role=Membership.Role.REVIEWER, is_active=True)
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "rights": [(right, _rests(right.member)) for right in rights],
        "others": reviewers.exclude(pk__in=[right.member_id for right in rights]).order_by("code"),
        "refused": refused,
    }
    return render(request, "annotator/batches/batch_adjudicators.html", context, status=status)


def _rests(member: Membership) -> bool:
    """Return whether a right has no effect because its member is not an active reviewer."""
    return not member.is_active or member.role != Membership.Role.REVIEWER
