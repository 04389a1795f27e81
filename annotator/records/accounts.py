"""Accounts: credentials, sign out everywhere, export personal data, delete.

Annotations belong to a project and stay there under the annotator's code; identifying data are deleted with
the account. Events refer to accounts by number only.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from annotator.database.transactions import write_transaction
from annotator.models import (
    Adjudication,
    Annotation,
    Attempt,
    Event,
    Invitation,
    Membership,
    NormingComment,
    Project,
    Question,
    Recruited,
    Reference,
    Reply,
    Standing,
    User,
)
from annotator.people.codes import PersonRefused
from annotator.people.panels import forget_panel_ids
from annotator.people.preferences import preferences_of
from annotator.people.tokens import revoke_all, tokens_of
from annotator.signing_in.throttling import unlock


def keys_of(user: User) -> Iterator[dict[str, Any]]:
    """Yield the account's credentials, without secrets."""
    for factor in Authenticator.objects.filter(user=user).order_by("pk"):
        yield {
            "kind": "second_factor",
            "type": factor.type,
            "created_at": factor.created_at.isoformat(),
            "last_used_at": factor.last_used_at.isoformat() if factor.last_used_at else None,
        }
    for link in SocialAccount.objects.filter(user=user).order_by("pk"):
        yield {
            "kind": "linked_identity",
            "provider": link.provider,
            "subject": link.uid,
            "linked_at": link.date_joined.isoformat(),
            "last_used_at": link.last_login.isoformat(),
        }


def forget_keys(user: User) -> None:
    """Delete all credentials and the count of failed attempts."""
    Authenticator.objects.filter(user=user).delete()
    SocialAccount.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    unlock(user)


GONE: Final = "deleted-{}"
_CHUNK: Final = 500

Record = dict[str, Any]


def sign_out_everywhere(user: User) -> None:
    """End all sessions of an account, including the current one, and revoke its tokens."""
    with write_transaction():
        user.session_salt = secrets.token_hex(16)
        user.save(update_fields=["session_salt"])
        revoke_all(user)
        record_account("signed_out_everywhere", user, actor=user)


def record_account(verb: str, user: User, *, actor: User | None) -> None:
    """Record an Event about an account, outside any project."""
    Event.objects.create(project=None, actor=actor, verb=verb, data={"account": user.pk})


def delete_account(*, user: User, actor: User | None) -> None:
    """Remove all personal data from an account and close it, with an Event in each of its projects.

    Raises PersonRefused with the projects of which the account is the last lead.
    """
    with write_transaction():
        memberships = list(user.memberships.select_related("project").order_by("project_id"))
        for member in memberships:
            Project.locked(member.project_id)
        _refuse_last_lead(user)
        revoke_all(user)
        user.memberships.update(is_active=False)
        Event.objects.bulk_create(
            Event(
                project_id=member.project_id,
                actor=actor,
                verb="account_deleted",
                data={"membership": member.pk, "code": member.code, "account": user.pk},
            )
            for member in memberships
        )
        if not memberships:
            record_account("account_deleted", user, actor=actor)
        Invitation.objects.filter(membership__user=user).update(note="")
        forget_panel_ids(Membership.objects.filter(user=user))
        forget_keys(user)
        _blank(user)


def records_of(user: User) -> Iterator[Record]:
    """Yield all stored data about a person, one record at a time, each with its `kind`.

    The person's own work is complete. Images have only their public names, so that the generator stays as
    hidden as on the annotation page.
    """
    yield _account(user)
    for member in user.memberships.select_related("project").order_by("pk").iterator():
        yield _membership(member)
    yield from keys_of(user)
    for token in tokens_of(user):
        yield _record("token", token, "name created_at expires_at last_used_at")
    for invitation in Invitation.objects.filter(membership__user=user).order_by("pk").iterator():
        yield _record("invitation", invitation, "code note used_at", project=invitation.project_id)
    for joined in Recruited.objects.filter(membership__user=user).order_by("pk"):
        names = "participant study session agreed_at answers stopped_at"
        yield _record("recruited", joined, names, membership=joined.membership_id)
    yield from _annotations(user)
    yield from _adjudications(user)
    yield from _references(user)
    yield from _messages(user)
    yield from _standings(user)
    yield from _events(user)


def _account(user: User) -> Record:
    names = "username first_name last_name email date_joined last_login"
    return _record("account", user, names, account=user.pk) | {"preferences": preferences_of(user)}


def _membership(member: Membership) -> Record:
    # Projects the person can no longer open are included with name and code.
    named = {"project_name": member.project.name, "code": member.code} if member.is_active else {}
    facts = {"project": member.project_id, **named, "role": member.role, "active": member.is_active}
    return _record("membership", member, "created_at", **facts)


def _record(kind: str, row: object, names: str, **facts: Any) -> Record:
    """Return a record of these facts and of the row's attributes with these names; times as text."""
    values = {name: getattr(row, name) for name in names.split()}
    told = {name: _time(value) if isinstance(value, datetime) else value for name, value in values.items()}
    return {"kind": kind, **facts, **told}


def _annotations(user: User) -> Iterator[Record]:
    found = Annotation.objects.filter(assignment__annotator__user=user).order_by("pk")
    rows = found.select_related("assignment__image", "assignment__batch")
    for answer in rows.iterator(chunk_size=_CHUNK):
        yield _record(
            "annotation",
            answer,
            "status version payload capture created_at saved_at submitted_at"
            + (" guideline" if answer.guideline else ""),
            project=answer.assignment.batch.project_id,
            batch=answer.assignment.batch_id,
            image=str(answer.assignment.image.public_id),
        )


def _adjudications(user: User) -> Iterator[Record]:
    found = Adjudication.objects.filter(decided_by__user=user).select_related("image").order_by("pk")
    for row in found.iterator(chunk_size=_CHUNK):
        about = {"project": row.image.project_id, "image": str(row.image.public_id)}
        yield _record("adjudication", row, "status version payload causes note decided_at", **about)


def _references(user: User) -> Iterator[Record]:
    found = Reference.objects.filter(made_by__user=user).select_related("image").order_by("pk")
    for row in found.iterator(chunk_size=_CHUNK):
        about = {"project": row.image.project_id, "image": str(row.image.public_id)}
        yield _record("reference", row, "protocol status version payload rationales made_at", **about)


def _messages(user: User) -> Iterator[Record]:
    """Yield what the person has written to others: questions, replies, answers, comments."""
    asked = Question.objects.filter(annotator__user=user).select_related("assignment__image").order_by("pk")
    for question in asked.iterator(chunk_size=_CHUNK):
        about = {"question": question.pk, "project": question.project_id}
        image = str(question.assignment.image.public_id)
        record = _record(question.kind, question, "reason text state", **about, image=image)
        yield record | {"created_at": _time(question.asked_at), "read_at": _time(question.read_at)}
    said = Reply.objects.filter(author__user=user).select_related("question").order_by("pk")
    for row in said.iterator(chunk_size=_CHUNK):
        about = {"question": row.question_id, "project": row.question.project_id}
        yield _record("answer" if row.by_lead else "reply", row, "text created_at", **about)
    discussed = NormingComment.objects.filter(author__user=user).select_related("normed__session")
    for one in discussed.order_by("pk").iterator(chunk_size=_CHUNK):
        about = {"project": one.normed.session.project_id, "session": one.normed.session_id}
        yield _record("norming_comment", one, "component text created_at", **about)


def _standings(user: User) -> Iterator[Record]:
    """Yield the person's attempts at qualifications, without the references, and their standings."""
    made = Attempt.objects.filter(annotator__user=user).select_related("qualification__batch").order_by("pk")
    for attempt in made.iterator(chunk_size=_CHUNK):
        batch = attempt.qualification.batch
        about = {"project": batch.project_id, "batch": batch.pk}
        yield _record("attempt", attempt, "number began_at ended_at next_at passed result", **about)
    held = Standing.objects.filter(membership__user=user).select_related("membership").order_by("pk")
    for row in held.iterator(chunk_size=_CHUNK):
        names = "protocol state guideline evidence reason changed_at"
        yield _record("standing", row, names, project=row.membership.project_id)


def _events(user: User) -> Iterator[Record]:
    # Without data of events about other people.
    rows = Event.objects.filter(actor=user).order_by("pk")
    wanted = ("project_id", "assignment_id", "verb", "created_at")
    for project, assignment, verb, moment in rows.values_list(*wanted).iterator(chunk_size=_CHUNK):
        yield {
            "kind": "event",
            "project": project,
            "assignment": assignment,
            "verb": verb,
            "created_at": _time(moment),
        }


def _refuse_last_lead(user: User) -> None:
    leads = Membership.objects.filter(
        role=Membership.Role.LEAD, is_active=True, user__is_active=True, project__goes_at=None
    )
    others = leads.exclude(user=user).values("project")
    alone = leads.filter(user=user).exclude(project__in=others).order_by("project__name")
    names = list(alone.values_list("project__name", flat=True))
    if names:
        listed = ", ".join(f"“{name}”" for name in names)
        told = f"You are the last lead of {listed}. Give another member the role lead first."
        raise PersonRefused(told, code="last-lead")


def _blank(user: User) -> None:
    user.username = GONE.format(user.pk)
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.preferences = {}
    user.set_unusable_password()
    user.groups.clear()
    user.user_permissions.clear()
    user.save()


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
