"""Invitations by email: sent by a job with links that are stored nowhere; failures are named."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from annotator.models import Invitation, Job, Project
from annotator.people.invitations import invitation_with
from annotator.people.inviting_many import invite_many
from annotator.people.mailing import remind_by_mail, request_mailing
from annotator.people.secrets import new_secret
from annotator.work.jobs import run_job
from tests.factories import LEAD, make_member, make_project, user_of

pytestmark = pytest.mark.django_db

SITE = "https://anatomark.example.org"


class WhileOthersSend(EmailBackend):
    """Before the first message leaves, another job sends all that waits."""

    def send_messages(self, messages: Any) -> int:
        if Job.objects.count() == 1:
            sent(Project.objects.get())
        return super().send_messages(messages)


@pytest.fixture
def project(settings: Any) -> Project:
    settings.MAIL_FROM = settings.DEFAULT_FROM_EMAIL = "study@example.org"
    project = make_project(name="Hands")
    make_member(project, LEAD, code="lead")
    return project


def sent(project: Project) -> Job:
    actor = user_of(project.memberships.get(code="lead"))
    job = request_mailing(project=project, site=SITE, actor=actor)
    run_job(job.pk)
    job.refresh_from_db()
    return job


def test_everybody_with_an_address_gets_a_link_that_works(project: Project) -> None:
    made = invite_many(
        project=project, text="p1,p1@example.org\np2", seed=new_secret(), mail=True, actor=None
    )
    assert [one.invitation.mail for one in made] == ["waiting", ""]
    job = sent(project)
    [message] = mail.outbox
    assert (message.to, message.from_email, message.subject) == (
        ["p1@example.org"],
        "study@example.org",
        "Invitation to Hands",
    )
    found = re.search(rf"{SITE}/join/([\w-]+)/", str(message.body))
    assert found
    assert invitation_with(found[1]) == made[0].invitation
    # The link of the form is replaced by that of the message, which no row contains.
    assert invitation_with(made[0].secret) is None
    assert found[1] not in str(list(Job.objects.values())) + str(list(Invitation.objects.values()))
    assert "example.org" not in str(job.result)
    assert list(project.invitations.order_by("pk").values_list("mail", flat=True)) == ["sent", ""]
    assert sent(project).status == "done"
    assert len(mail.outbox) == 1


def test_two_jobs_send_each_link_once(project: Project, settings: Any) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.WhileOthersSend"
    invite_many(
        project=project, text="p1,p1@example.org\np2,p2@example.org", seed=new_secret(), mail=True, actor=None
    )
    sent(project)
    assert sorted(message.to[0] for message in mail.outbox) == ["p1@example.org", "p2@example.org"]
    [link] = [
        re.findall(r"/join/([\w-]+)/", str(each.body))[0] for each in mail.outbox if "p1@" in each.to[0]
    ]
    assert invitation_with(link) == project.invitations.get(code="p1")
    assert dict(project.invitations.values_list("code", "mail")) == {"p1": "sent", "p2": "sent"}


def test_a_used_invitation_keeps_no_address(project: Project) -> None:
    from annotator.people.invitations import accept_invitation, revoke_invitation
    from tests.factories import make_user

    first, second = (
        one.invitation
        for one in invite_many(
            project=project, text="p1,a@example.org\np2,b@example.org", seed=new_secret(), actor=None
        )
    )
    accept_invitation(invitation=first, user=make_user())
    revoke_invitation(invitation=second, actor=None)
    assert list(project.invitations.values_list("email", flat=True)) == ["", ""]


def test_a_project_sends_no_more_mails_a_day_than_the_limit(
    project: Project, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAILS_A_DAY = 2
    made = invite_many(
        project=project,
        text="p1,p1@example.org\np2,p2@example.org\np3,p3@example.org",
        seed=new_secret(),
        mail=True,
        actor=None,
    )
    told = "the limit of 2 emails within 24 hours is reached; send it again tomorrow"
    job = sent(project)
    assert job.result is not None
    assert job.result["words"] == (
        f"Invitations sent by email: 2 of 3. Not sent: p3 ({told}). Create a new link for each of them."
    )
    last = made[2].invitation
    last.refresh_from_db()
    assert (last.mail, last.mail_error) == ("failed", told)
    # The link that was shown still works, because no other was sent.
    assert invitation_with(made[2].secret) == last
    actor = user_of(project.memberships.get(code="lead"))
    run_job(remind_by_mail(invitation=made[0].invitation, site=SITE, actor=actor).pk)
    assert len(mail.outbox) == 2
    monkeypatch.setattr("annotator.work.quota._DAY", timedelta(0))
    run_job(remind_by_mail(invitation=last, site=SITE, actor=actor).pk)
    assert [message.to for message in mail.outbox[2:]] == [["p3@example.org"]]
