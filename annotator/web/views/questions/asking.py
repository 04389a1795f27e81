"""For annotators: ask about an image, read the answers, reply."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotator.annotations.locking import Bar, bar_shown
from annotator.annotations.position import with_places
from annotator.annotations.questions import (
    LONGEST,
    QuestionRefused,
    ask,
    mark_read,
    own_questions,
    reply,
)
from annotator.exchange.formats.names import whole_number
from annotator.models import Assignment, Membership, User
from annotator.people.access import assignment_for, membership_of, own_question
from annotator.web.views.json_endpoint import Facts, body_of, json_endpoint, key_in
from annotator.web.views.lead.deleting import project_being_deleted
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form, page_of, post_page
from annotator.web.views.questions.threads import Thread
from scoring.protocol import InvalidPayload

SHOWN = 10


@form_page
def question_ask(request: SignedIn, pk: int) -> HttpResponse:
    """Show the form for a question on one of the user's images, or send it."""
    assignment = assignment_for(request.user, pk)
    if bar_shown(assignment, None) == Bar.DELETED:
        return project_being_deleted(request, assignment.annotator)
    if request.method != "POST":
        return _form(request, assignment)
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    text = request.POST.get("text", "")
    try:
        made = ask(assignment=assignment, actor=request.user, text=text, request_key=key)
    except QuestionRefused as refused:
        return _form(request, assignment, refused, text)
    messages.success(request, "Question sent. The answer appears in your queue.", "asked")
    return redirect(f"{reverse('own_questions', args=[assignment.batch.project.slug])}#question-{made.pk}")


@json_endpoint("POST", comes_back_to="label")
def question_send(request: HttpRequest, user: User, pk: int) -> Facts:
    """Send a question from the annotation page's dialog."""
    assignment = assignment_for(user, pk)
    sent = body_of(request, ("text", "request_key"))
    try:
        made = ask(assignment=assignment, actor=user, text=sent.get("text"), request_key=key_in(sent))
    except QuestionRefused as refused:
        raise InvalidPayload({"text": [str(refused)]}) from refused
    return {"question": made.pk}


@form_page
def own_questions_page(request: SignedIn, slug: str) -> HttpResponse:
    """Show the user's own questions with their threads; a POST marks those shown as read."""
    member = membership_of(request.user, slug)
    if request.method == "POST":
        until = _moment(request.POST.get("until", ""))
        if until is None:
            return incomplete_form()
        sent = request.POST.getlist("question")[:SHOWN]
        shown = [number for text in sent if (number := whole_number(text))]
        mark_read(annotator=member, questions=shown, until=until)
        return redirect("own_questions", slug) if "HX-Request" not in request.headers else HttpResponse()
    page = page_of(request, own_questions(member), SHOWN)
    return _page(request, member, [Thread(question) for question in page], page=page)


@post_page
def question_reply(request: SignedIn, pk: int) -> HttpResponse:
    """Add the annotator's reply to one of their questions."""
    question = own_question(request.user, pk)
    key, text = key_of_form(request), request.POST.get("text", "")
    if key is None:
        return incomplete_form()
    try:
        reply(question=question, author=question.annotator, actor=request.user, text=text, request_key=key)
    except QuestionRefused as refused:
        shown = own_questions(question.annotator).filter(pk=question.pk)
        rows = [Thread(question, refused, text) for question in shown]
        return _page(request, question.annotator, rows, status=422)
    messages.success(request, "Reply sent.", "replied")
    return redirect(f"{reverse('own_questions', args=[question.project.slug])}#question-{question.pk}")


def _form(
    request: SignedIn, assignment: Assignment, refused: QuestionRefused | None = None, text: str = ""
) -> HttpResponse:
    context = {
        "project": assignment.batch.project,
        "assignment": assignment,
        "request_key": uuid4(),
        "refused": refused,
        "text": text,
        "longest": LONGEST,
    }
    return render(request, "annotator/questions/ask.html", context, status=422 if refused else 200)


def _page(
    request: SignedIn, member: Membership, threads: list[Thread], status: int = 200, **more: object
) -> HttpResponse:
    shown = Assignment.objects.filter(pk__in=[thread.question.assignment_id for thread in threads])
    places = dict(with_places(shown).values_list("pk", "place"))  # type: ignore[misc]
    for thread in threads:
        thread.question.assignment.place = places.get(thread.question.assignment_id)  # type: ignore[attr-defined]
    context = {
        "membership": member,
        "project": member.project,
        "is_lead": member.role == Membership.Role.LEAD,
        "threads": threads,
        "unread": [thread.question.pk for thread in threads if thread.question.is_unread],
        "until": timezone.now().isoformat(),
        "longest": LONGEST,
        **more,
    }
    return render(request, "annotator/questions/own.html", context, status=status)


def _moment(text: str) -> object:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and timezone.is_aware(moment) else None
