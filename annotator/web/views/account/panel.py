"""What people from a panel see before they have an account, and when they end early."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotator.models import Invitation, User
from annotator.people.access import membership_of
from annotator.people.panels import is_screened_out, may_stop, questions_of, stop_taking_part
from annotator.protocols.rating_form.form import ItemsForm, form_class
from annotator.signing_in import newcomers
from annotator.web.views.pages import post_page
from scoring.protocol import InvalidPayload
from scoring.rating_form.definition import FormDefinition
from scoring.rating_form.protocol import Rules


def before_joining(request: HttpRequest, link: Invitation) -> HttpResponse | None:
    """Return the page that comes before the account: consent, then questions; None if nothing is left."""
    state = newcomers.panel_state(request)
    if "ended" in state:
        return redirect("recruitment_ended")
    step = request.POST.get("step", "") if request.POST.get("invitation") == str(link.pk) else ""
    if link.consent and "agreed_at" not in state:
        if step == "agree":
            return _go_on(request, agreed_at=timezone.now().isoformat())
        return _end(request, link.pk, "declined") if step == "decline" else _page(request, link)
    questions = questions_of(link)
    if questions is None or "answers" in state:
        return None
    asked = form_class(questions)(request.POST if step == "answer" else None, stored={})
    answers = _answers(questions, asked) if step == "answer" else None
    if answers is None:
        return _page(request, link, asked)
    if is_screened_out(link, answers):
        return _end(request, link.pk, "screened-out")
    return _go_on(request, answers=answers)


def _answers(questions: FormDefinition, asked: ItemsForm) -> dict[str, Any] | None:
    """Return the checked answers; None if one is wrong or missing, which the form then says."""
    if not asked.is_valid():
        return None
    # Optional questions may all be left open, which no annotation may.
    payload, needed = asked.payload(), any(item.required and item.when is None for item in questions.items)
    try:
        checked = Rules(questions).clean(payload, complete=needed or bool(payload["answers"]))
    except InvalidPayload as refused:
        asked.refuse(refused.errors)
        return None
    return dict(checked.answers)


@require_safe
@never_cache
def recruitment_ended(request: HttpRequest) -> HttpResponse:
    """Show how taking part ended, with the code for the panel."""
    state = newcomers.panel_state(request)
    how, link = state.get("ended"), Invitation.objects.filter(pk=state.get("link", 0)).first()
    if how is None or link is None:
        raise Http404("Nothing has ended.")
    code = link.stopped_code if how == "stopped" else link.screened_out_code
    return render(request, "annotator/inviting/ended.html", {"how": how, "code": code})


@post_page
def recruitment_stop(request: HttpRequest, slug: str) -> HttpResponse:
    """End taking part at the annotator's own wish."""
    member = membership_of(request.user, slug)
    if not may_stop(member):
        raise Http404("Not recruited by a link.")
    assert isinstance(request.user, User)  # signed in
    stop_taking_part(member, request.user)
    return _end(request, member.recruitment_id, "stopped")


def _go_on(request: HttpRequest, **said: object) -> HttpResponse:
    request.session[newcomers.PANEL_KEY] = {**newcomers.panel_state(request), **said}
    return redirect("invitation_accept")


def _end(request: HttpRequest, link: int | None, how: str) -> HttpResponse:
    request.session[newcomers.PANEL_KEY] = {"link": link, "ended": how}
    return redirect("recruitment_ended")


def _page(request: HttpRequest, link: Invitation, asked: ItemsForm | None = None) -> HttpResponse:
    about = {"link": link, "project": link.project, "form": asked, "request_key": uuid4()}
    status = 422 if asked is not None and asked.errors else 200
    return render(request, "annotator/inviting/before_joining.html", about, status=status)
