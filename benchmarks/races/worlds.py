"""People with browsers, and what holds of a project's answers whatever happened."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Assignment, Event, Membership, Project, User
from benchmarks.races.rounds import Round
from tests.factories import make_payload

CHANGES = ("draft_saved", "submitted", "reopened", "reopened_by_lead")


def account(member: Membership) -> User:
    """The account of somebody who has one."""
    assert member.user is not None
    return member.user


def browser(who: Membership | User) -> Client:
    """A browser in which somebody is signed in."""
    client = Client(raise_request_exception=False)
    client.force_login(account(who) if isinstance(who, Membership) else who)
    return client


def tabs(who: Membership | User, count: int) -> list[Client]:
    """Several tabs of one browser, each for a thread of its own."""
    first = browser(who)
    opened = [Client(raise_request_exception=False) for _ in range(count)]
    for each in opened:
        each.cookies = first.cookies
    return opened


def asking(
    client: Client, name: str, assignment: Assignment, version: int, key: UUID | None = None, **more: Any
) -> Callable[[], object]:
    """A request of the labelling page that is still to be sent: answer_save, answer_submit, …"""
    body = {"version": version, "request_key": str(key or uuid4()), **more}
    return partial(client.post, reverse(name, args=[assignment.pk]), body, content_type="application/json")


def noted(words: str) -> dict[str, Any]:
    """A payload that says who wrote it."""
    return make_payload(note=words)


def consistent(round_: Round, project: Project) -> None:
    """What holds of all answers of a project: versions without gap or double, and status with status."""
    answers = Annotation.objects.filter(assignment__batch__project=project).select_related("assignment")
    for answer in answers:
        acts = Event.objects.filter(assignment=answer.assignment_id, verb__in=CHANGES)
        made = sorted(acts.values_list("data__version", flat=True))
        round_.holds("every version has one Event", made == list(range(1, answer.version + 1)))
        submitted = answer.status == Annotation.Status.SUBMITTED
        round_.holds(
            "what is submitted has ratings, and nothing else", submitted == (answer.ratings is not None)
        )
        if answer.assignment.status != Assignment.Status.WITHDRAWN:
            done = answer.assignment.status == Assignment.Status.DONE
            round_.holds("done is what is submitted", done == submitted)
