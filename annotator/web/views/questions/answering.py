"""For leads: questions and flags in one list, answered in place."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render

from annotator.annotations.questions import (
    LONGEST,
    MOST_COUNTED,
    InvalidText,
    QuestionRefused,
    answer,
    open_count,
    questions_of,
    resolve,
)
from annotator.exchange.formats.names import whole_number
from annotator.models import Project, Question
from annotator.people.access import membership_of, project_as_lead, question_as_lead
from annotator.web.views.pages import SignedIn, incomplete_form, key_of_form, page_of, post_page, safe_page
from annotator.web.views.questions.threads import Thread

SHOWN = 10
FILTERS: Final = (("open", "Open"), ("answered", "Answered"), ("resolved", "Resolved"), ("all", "All"))


@safe_page
def questions(request: SignedIn, slug: str) -> HttpResponse:
    """List a project's questions and flags: the open ones, or those of another state."""
    project = project_as_lead(request.user, slug)
    asked = request.GET.get("state", "")
    state = asked if asked in dict(FILTERS) else "open"
    page = page_of(request, questions_of(project, "" if state == "all" else state), SHOWN)
    context = _shared(project) | {
        "page": page,
        "threads": [Thread(question) for question in page],
        "state": state,
        "states": FILTERS,
    }
    return render(request, "annotator/questions/questions.html", context)


@post_page
def question(request: SignedIn, pk: int) -> HttpResponse:
    """Carry out the action of a thread's form: answer or resolve."""
    asked = question_as_lead(request.user, pk)
    act, key = request.POST.get("action", ""), key_of_form(request)
    if act not in ("answer", "resolve"):
        return HttpResponseBadRequest("The form names no action.", content_type="text/plain")
    version = whole_number(request.POST.get("version", ""))
    if key is None or version is None:
        return incomplete_form()
    text = request.POST.get("text", "")
    decided: dict[str, Any] = {
        "question": asked,
        "actor": request.user,
        "replaces": version,
        "request_key": key,
    }
    try:
        if act == "answer":
            answer(author=membership_of(request.user, asked.project.slug), text=text, **decided)
        else:
            resolve(**decided)
    except QuestionRefused as refused:
        status = 422 if isinstance(refused, InvalidText) else 409
        return _refused(request, asked, refused, text, status)
    messages.success(request, "Answer sent." if act == "answer" else "Question resolved.")
    return redirect("questions", asked.project.slug)


def _refused(
    request: SignedIn, found: Question, refused: QuestionRefused, text: str, status: int
) -> HttpResponse:
    """Return one thread as it is stored now, with what was typed."""
    stored = questions_of(found.project).filter(pk=found.pk)
    context = _shared(found.project) | {
        "page": page_of(request, stored, SHOWN),
        "threads": [Thread(stored.get(), refused, text)],
        "states": FILTERS,
    }
    return render(request, "annotator/questions/questions.html", context, status=status)


def _shared(project: Project) -> dict[str, Any]:
    waiting = open_count(project)
    shown = str(waiting) if waiting < MOST_COUNTED else f"{MOST_COUNTED - 1}+"
    return {"project": project, "section": "review", "open_count": shown, "longest": LONGEST}
