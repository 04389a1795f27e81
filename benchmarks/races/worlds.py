"""People with browsers, and the invariants of a project's annotations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.cookies import Morsel, SimpleCookie
from typing import Any
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Assignment, Event, Membership, Project, User
from benchmarks.races.rounds import Round
from tests.factories import make_payload

CHANGES = ("draft_saved", "submitted", "reopened", "reopened_by_lead")


def account(member: Membership) -> User:
    """Return a member's account."""
    assert member.user is not None
    return member.user


def browser(who: Membership | User) -> Client:
    """Return a browser with a signed-in user."""
    client = Client(raise_request_exception=False)
    client.force_login(account(who) if isinstance(who, Membership) else who)
    return client


class SharedCookies(SimpleCookie):
    """The cookies of several tabs: a thread reads them while another stores one."""

    def values(self) -> list[Morsel[str]]:  # type: ignore[override]
        """Return a snapshot, as a request sends one."""
        return list(super().values())


def tabs(who: Membership | User, count: int) -> list[Client]:
    """Return several tabs of one browser, one per thread."""
    shared = SharedCookies()
    shared.update(browser(who).cookies)
    opened = [Client(raise_request_exception=False) for _ in range(count)]
    for each in opened:
        each.cookies = shared
    return opened


def asking(
    client: Client, name: str, assignment: Assignment, version: int, key: UUID | None = None, **more: Any
) -> Callable[[], object]:
    """Return an unsent request of the labelling page: answer_save, answer_submit, …"""
    body = {"version": version, "request_key": str(key or uuid4()), **more}
    return partial(client.post, reverse(name, args=[assignment.pk]), body, content_type="application/json")


def noted(words: str) -> dict[str, Any]:
    """Return a payload that names its author."""
    return make_payload(note=words)


def consistent(round_: Round, project: Project) -> None:
    """Check a project's annotations: versions without gaps or repeats, consistent statuses."""
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
