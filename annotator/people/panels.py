"""What a panel's link asks before somebody joins, and how taking part ends early.

Panels such as Prolific add their ids to the link. They are stored apart from annotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Invitation, Membership, Recruited, User
from annotator.people.codes import PersonRefused
from annotator.people.members import deactivate_person
from scoring.rating_form.definition import FormDefinition, definition_of

PARAMETERS: Final = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
"""Of the link's address, by the fields of `Recruited`."""
MOST_QUESTIONS: Final = 10
LONGEST_ID: Final = 80


def brought_by(query: Mapping[str, str]) -> dict[str, str]:
    """Return a panel's ids from the parameters of an address, by their fields; empty where there are none."""
    texts = {name: query.get(parameter, "")[:LONGEST_ID] for name, parameter in PARAMETERS.items()}
    return {name: text if text.isprintable() else "" for name, text in texts.items()}


def questions_of(link: Invitation) -> FormDefinition | None:
    """Return the questions that a link asks about the person; None if it asks none."""
    return definition_of(link.questions) if link.questions else None


def is_screened_out(link: Invitation, answers: Mapping[str, Any]) -> bool:
    """Tell whether an answer is the one with which nobody joins."""
    questions, (name, _, key) = questions_of(link), link.screens_out.partition("=")
    item = next((item for item in questions.items if item.name == name), None) if questions else None
    if item is None or key not in item.choices:
        return False
    wanted, given = item.choices[key][0], answers.get(name)
    return wanted in given if isinstance(given, list) else given == wanted


def admit(link: Invitation, member: Membership, entry: Recruited) -> None:
    """Store what a new member brought, which has no member yet; inside the transaction of joining.

    Raises PersonRefused without consent or answers, and for a participant who has joined the project before.
    """
    if (link.consent and entry.agreed_at is None) or (link.questions and entry.answers is None):
        raise PersonRefused("Open the link again and answer its questions first.", code="not-asked")
    known = Recruited.objects.filter(membership__project=link.project_id, participant=entry.participant)
    if entry.participant and known.exists():
        told = "You have joined this project before. Sign in with the account that you made then."
        raise PersonRefused(told, code="joined-before")
    entry.membership = member
    entry.save()


def forget_panel_ids(members: QuerySet[Membership]) -> None:
    """Remove the ids of a panel from members; their answers stay under their codes."""
    Recruited.objects.filter(membership__in=members).update(participant="", study="", session="")


def may_stop(member: Membership) -> bool:
    """Tell whether a member can end taking part: annotators who came by a recruitment link."""
    return member.recruitment_id is not None and member.role == Membership.Role.ANNOTATOR


def stop_taking_part(member: Membership, user: User) -> None:
    """End a member's part at their own wish. Their annotations stay; a lead can reassign the other images."""
    with write_transaction():
        Recruited.objects.filter(membership=member).update(stopped_at=timezone.now())
        deactivate_person(membership=member, actor=user)
