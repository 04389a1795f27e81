"""One person brings so many files and bytes; two that come at once are counted one after the other."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from analysis.bundles.bundle_jobs import request_bundle
from analysis.bundles.source import BundleRequest
from analysis.exports.requests import ExportRequest, request_export
from annotator.annotations.versioned_changes import StaleVersion
from annotator.exchange.import_jobs import request_reading, request_storing, rows_kind
from annotator.models import Event, Job, Project, User
from annotator.uploads.upload_jobs import READ
from annotator.work.jobs import READ_FILE, RUN_JOB
from annotator.work.quota import QuotaRefused
from tests.annotator.acting import HANDS, save
from tests.annotator.racing import race
from tests.factories import make_assignment, make_member, make_project, make_user
from tests.support.messages import ids_sent_to

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.MEDIA_ROOT = tmp_path
    ids_sent_to(monkeypatch, READ_FILE)
    return tmp_path


def bring(project: Project, actor: User | None, size: int = 10, **more: Any) -> Job:
    return request_reading(project=project, name="a.csv", contents=b"x" * size, actor=actor, **more)


def kept(folder: Path) -> int:
    return sum(path.is_file() for path in folder.rglob("*"))


def test_files_that_wait_are_limited_for_each_person(settings: Any, folder: Path) -> None:
    settings.FILES_WAITING = 2
    project, ada, bob = make_project(), make_user(), make_user()
    first = bring(project, ada, kind=rows_kind("faces"))
    bring(make_project(), ada)
    with pytest.raises(QuotaRefused) as refused:
        bring(project, ada)
    assert (refused.value.code, kept(folder)) == ("too_many_waiting", 2)
    bring(project, bob)
    for _ in range(3):
        bring(project, None)  # a command
    Job.objects.filter(pk=first.pk).update(status="failed")
    bring(project, ada)
    # Pictures and what is stored wait with them.
    with pytest.raises(QuotaRefused):
        request_storing(reading=first, actor=ada)
    Job.objects.filter(requested_by=ada).update(kind=READ)
    with pytest.raises(QuotaRefused):
        bring(project, ada)


def test_the_same_request_again_is_the_same_file_and_is_never_refused(settings: Any, folder: Path) -> None:
    settings.FILES_WAITING = 1
    project, ada, key = make_project(), make_user(), uuid4()
    first = bring(project, ada, request_key=key)
    assert bring(project, ada, request_key=key) == first
    assert kept(folder) == 1


def test_of_many_at_once_no_more_than_the_limit_come_in(settings: Any, folder: Path) -> None:
    settings.FILES_WAITING = 3
    project, ada = make_project(), make_user()
    outcomes = race([partial(bring, project, ada)] * 8)
    taken = [outcome for outcome in outcomes if isinstance(outcome, Job)]
    codes = {outcome.code for outcome in outcomes if isinstance(outcome, QuotaRefused)}
    assert (len(taken), codes) == (3, {"too_many_waiting"})
    assert Job.objects.count() == kept(folder) == 3


def test_of_many_refused_saves_at_once_the_log_keeps_no_more_than_the_limit(settings: Any) -> None:
    settings.REFUSED_KEPT = 3
    member = make_member(make_project())
    held = [make_assignment(member) for _ in range(8)]
    outcomes = race([partial(save, one, HANDS, 7) for one in held])
    assert [type(outcome) for outcome in outcomes] == [StaleVersion] * 8
    assert sum(outcome.kept for outcome in outcomes if isinstance(outcome, StaleVersion)) == 3
    assert Event.objects.filter(verb="refused").count() == 3


def test_waiting_exports_are_limited_for_each_person(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EXPORTS_WAITING = 3
    ids_sent_to(monkeypatch, RUN_JOB)
    project, ada, key = make_project(), make_user(), uuid4()
    first = request_export(project=project, request=ExportRequest("marks"), actor=ada, request_key=key)

    def order(person: User | None = ada, **more: Any) -> Job:
        return request_export(project=make_project(), request=ExportRequest("marks"), actor=person, **more)

    outcomes = race([order] * 6)
    assert sum(isinstance(outcome, Job) for outcome in outcomes) == 2
    assert {outcome.code for outcome in outcomes if isinstance(outcome, QuotaRefused)} == {"too_many_waiting"}
    again = request_export(project=project, request=ExportRequest("marks"), actor=ada, request_key=key)
    assert again == first
    order(make_user())
    order(None)  # a command
    request_bundle(project=project, request=BundleRequest(), actor=ada)
    Job.objects.filter(pk=first.pk).update(status="failed")
    order()
