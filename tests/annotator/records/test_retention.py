"""What the site keeps no longer, and that it is said."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from analysis.exports.files import FOLDER
from analysis.exports.requests import expires_at
from analysis.tasks import sweep_exports
from annotator.models import Annotation, Event, Job, Membership, Project
from annotator.people.inviting_many import invite_many
from annotator.people.members import deactivate_person, reactivate_person
from annotator.people.secrets import new_secret
from annotator.records.retention import carry_out
from tests.annotator.acting import submit
from tests.factories import LEAD, make_assignment, make_member, make_project

pytestmark = pytest.mark.django_db

LATER = timedelta(days=31)


@pytest.fixture
def project() -> Project:
    project = make_project("kept")
    make_member(project, LEAD, code="lead")
    return project


def test_the_site_keeps_people_until_it_says_otherwise(project: Project) -> None:
    gone = make_member(project, code="ada")
    deactivate_person(membership=gone, actor=None)
    carry_out(timezone.now() + timedelta(days=3650))
    assert Membership.objects.get(pk=gone.pk).user_id is not None


def test_who_left_is_parted_from_the_account_and_the_science_stays(project: Project, settings: Any) -> None:
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    answer = submit(make_assignment(ada))
    settings.PERSONAL_DATA_DAYS = 30
    deactivate_person(membership=ada, actor=None)
    carry_out(timezone.now() + timedelta(days=29))
    assert Membership.objects.get(pk=ada.pk).user_id == ada.user_id
    carry_out(timezone.now() + LATER)
    carry_out(timezone.now() + LATER)
    assert Membership.objects.get(pk=ada.pk).user_id is None
    assert Membership.objects.get(pk=bob.pk).user_id == bob.user_id
    assert Annotation.objects.get() == answer
    said = Event.objects.get(verb="person_unlinked")
    assert said.data == {"membership": ada.pk, "code": "ada", "days": 30}


def test_who_came_back_stays(project: Project, settings: Any) -> None:
    ada = make_member(project, code="ada")
    settings.PERSONAL_DATA_DAYS = 30
    deactivate_person(membership=ada, actor=None)
    reactivate_person(membership=ada, actor=None)
    carry_out(timezone.now() + LATER)
    assert Membership.objects.get(pk=ada.pk).user_id == ada.user_id


def test_export_files_go_when_the_site_says(project: Project, tmp_path: Any, settings: Any) -> None:
    settings.MEDIA_ROOT, settings.EXPORT_DAYS = tmp_path, 2
    name = default_storage.save(f"{FOLDER}/{project.pk}/1.csv", ContentFile(b"a"))
    job = Job(project=project, kind="export", status="done", finished_at=timezone.now())
    ends = expires_at(job)
    assert ends is not None
    assert ends - timezone.now() < timedelta(days=2, seconds=1)
    sweep_exports()
    assert default_storage.exists(name)
    with pytest.MonkeyPatch.context() as patch:
        moment = timezone.now() + timedelta(days=3)
        patch.setattr("analysis.exports.files.timezone.now", lambda: moment)
        sweep_exports()
    assert not default_storage.exists(name)


def test_who_tried_to_sign_in_is_forgotten(settings: Any) -> None:
    if not apps.is_installed("axes"):
        pytest.skip("sign-ins are not counted here")
    attempts: Any = apps.get_model("axes", "AccessAttempt")
    facts = {"ip_address": "192.0.2.1", "user_agent": "", "path_info": "", "failures_since_start": 1}
    old = attempts.objects.create(username="old", get_data="", post_data="", http_accept="", **facts)
    new = attempts.objects.create(username="new", get_data="", post_data="", http_accept="", **facts)
    attempts.objects.filter(pk=old.pk).update(attempt_time=timezone.now() - timedelta(days=31))
    Session.objects.create(session_key="over", session_data="", expire_date=timezone.now() - timedelta(1))
    carry_out()
    carry_out()
    assert list(attempts.objects.all()) == [new]
    assert not Session.objects.exists()
    said = Event.objects.get()
    assert (said.verb, said.project, said.data) == ("sign_in_records_removed", None, {"records": 1})


def test_addresses_go_some_time_after_an_invitation_expired(project: Project) -> None:
    [made] = invite_many(project=project, text="p9,p9@example.org", seed=new_secret(), days=7, actor=None)
    expired = made.invitation.expires_at
    carry_out(expired + timedelta(days=29))
    assert project.invitations.filter(email="p9@example.org").exists()
    carry_out(expired + timedelta(days=31))
    assert not project.invitations.exclude(email="").exists()
    event = Event.objects.get(verb="invitation_addresses_removed")
    assert event.data == {"invitations": 1, "days": 30}
