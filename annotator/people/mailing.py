"""Send invitations by email, in a job. The worker makes the link that it sends, so no link is ever stored.

Every email counts towards a limit a day, whether or not the mail server takes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from smtplib import SMTPException
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, Invitation, Job, Project, User
from annotator.people.secrets import digest_of, new_secret
from annotator.work.jobs import Steps, request_job
from annotator.work.kinds import register
from annotator.work.quota import MAILED, may_mail

SEND_INVITATIONS: Final = "send_invitations"
_LONGEST_ERROR: Final = 200
_INTERRUPTED: Final = "sending was interrupted, perhaps after the message left"
_NAMED: Final = 10
"""Failures that the result of a job names; the page of the members shows all."""


def mail_is_set_up() -> bool:
    """Return whether the site can send email."""
    return bool(settings.MAIL_FROM)


def request_mailing(*, project: Project, site: str, actor: User, request_key: UUID | None = None) -> Job:
    """Request a job that sends all waiting invitations; `site` is the site's address in the links."""
    data = {"site": site, "back": [reverse("people", args=[project.slug]), "Back to people"]}
    return request_job(
        project=project, kind=SEND_INVITATIONS, data=data, actor=actor, request_key=request_key
    )


def remind_by_mail(*, invitation: Invitation, site: str, actor: User) -> Job:
    """Request a job that sends an open invitation again, with a new link."""
    with write_transaction():
        usable = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
        usable.update(mail=Invitation.Mail.WAITING, mail_error="")
        return request_mailing(project=invitation.project, site=site, actor=actor)


def register_kind() -> None:
    """Register the job that sends invitations."""
    register(SEND_INVITATIONS, send_invitations, title="Invitations by email")


def send_invitations(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Send a new link to everybody whose email waits; a failure is kept with its invitation and named."""
    waiting = list(_waiting(job.project).values_list("pk", flat=True))
    failed: list[str] = []
    connection: BaseEmailBackend = get_connection()
    try:
        for done, pk in enumerate(waiting, start=1):
            failed += _send(job, pk, connection)
            steps(done, len(waiting))
    finally:
        connection.close()
    return {"url": reverse("people", args=[job.project.slug]), "words": _in_words(len(waiting), failed)}


def _waiting(project: Project) -> Any:
    usable = project.invitations.filter(
        mail=Invitation.Mail.WAITING, used_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    return usable.exclude(email="").order_by("pk")


def _send(job: Job, pk: int, connection: BaseEmailBackend) -> list[str]:
    """Send one invitation; return its code and the reason if that fails."""
    secret = new_secret()
    digest = digest_of(secret)
    with write_transaction():
        Project.locked(job.project.pk)
        # Stored before the message leaves: a link that somebody has always works. No longer waiting, so that
        # another job, such as a reminder's, does not send it at the same time and replace the link.
        claimed = {"secret_sha256": digest, "mail": Invitation.Mail.FAILED, "mail_error": _INTERRUPTED}
        allowed = may_mail(job.project.pk, job.requested_by)
        if not allowed:
            del claimed["secret_sha256"]
            claimed["mail_error"] = _too_many()
        if _waiting(job.project).filter(pk=pk).update(**claimed) != 1:
            return []  # used, revoked, replaced or sent in the meantime
        invitation = Invitation.objects.select_related("project").get(pk=pk)
        if not allowed:
            return [f"{invitation.code} ({_too_many()})"]
        data = {"invitation": pk, "role": invitation.role, "code": invitation.code}
        Event.objects.create(project=job.project, actor=job.requested_by, verb=MAILED, data=data)
    ours = Invitation.objects.filter(pk=pk, secret_sha256=digest)
    try:
        connection.open()
        _message(invitation, job.data["site"] + reverse("invitation", args=[secret]), connection).send()
    except (SMTPException, OSError, ValueError) as error:
        reason = _reason(error)
        ours.update(mail_error=reason)
        return [f"{invitation.code} ({reason})"]
    ours.update(mail=Invitation.Mail.SENT, mail_error="")
    return []


def _too_many() -> str:
    return f"the limit of {settings.MAILS_A_DAY:,} emails within 24 hours is reached; send it again tomorrow"


def _message(invitation: Invitation, link: str, connection: BaseEmailBackend) -> EmailMessage:
    context = {"invitation": invitation, "project": invitation.project, "link": link}
    name = " ".join(invitation.project.name.split())
    return EmailMessage(
        subject=f"Invitation to {name}",
        body=render_to_string("annotator/inviting/invitation_mail.txt", context),
        from_email=settings.MAIL_FROM,
        to=[invitation.email],
        connection=connection,
    )


def _reason(error: Exception) -> str:
    """Return the mail server's answer, without addresses, in one line."""
    answer = getattr(error, "smtp_error", b"")
    if not answer and (recipients := getattr(error, "recipients", None)):
        answer = next(iter(recipients.values()))[1]
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer)
    text = text or getattr(error, "strerror", "") or str(error) or type(error).__name__
    words = (word if "@" not in word else "the address" for word in text.split())
    return " ".join(words)[:_LONGEST_ERROR]


def _in_words(total: int, failed: Sequence[str]) -> str:
    said = f"Invitations sent by email: {total - len(failed)} of {total}."
    if failed:
        more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        said += f" Not sent: {'; '.join(failed[:_NAMED])}{more}. Create a new link for each of them."
    return said
