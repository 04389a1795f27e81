"""The annotator's way from a sheet filled in offline to submitted answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import save_draft
from annotator.exchange import import_jobs
from annotator.exchange.completed_sheet_jobs import STORE_OWN
from annotator.exchange.import_jobs import READ_OWN
from annotator.models import Annotation, Assignment, Batch, Event, Image, Job, Membership, Project
from annotator.web.forms import import_annotations as forms
from annotator.work.jobs import run_job
from tests.analysis.factories import make_submitted
from tests.annotator.exchange.test_queue_sheet import HANDS, LIMBS, Queue
from tests.factories import make_assignment, make_member, make_project
from tests.support.codes import codes, numbers

pytestmark = pytest.mark.django_db

ADDRESS = "/projects/pilot/queue/sheets/"


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> None:
    """A folder of its own, in which no worker was seen."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.VAR_DIR = tmp_path


@pytest.fixture
def queue(tmp_path: Path, client: Client) -> Queue:
    """A queue of three images, its sheet taken, its annotator signed in."""
    queue = Queue(tmp_path)
    queue.take()
    assert queue.person.user
    client.force_login(queue.person.user)
    return queue


def bring(client: Client, contents: bytes, name: str = "queue.xlsx", key: str = "") -> HttpResponse:
    form = {"file": SimpleUploadedFile(name, contents), "request_key": key or str(uuid4())}
    return client.post(ADDRESS, form)  # type: ignore[return-value]


def read(client: Client, path: Path) -> Job:
    """The sheet, read by a worker."""
    assert bring(client, path.read_bytes(), path.name).status_code == 302
    job = Job.objects.filter(kind=READ_OWN).latest("pk")
    assert run_job(job.pk)
    job.refresh_from_db()
    return job


def accept(client: Client, reading: Job, key: str = "") -> Job:
    """The import that follows, done by a worker."""
    answer = client.post(f"{ADDRESS}{reading.pk}/", {"request_key": key or str(uuid4())})
    assert answer["Location"] == f"{ADDRESS}{reading.pk}/"
    job = Job.objects.filter(kind=STORE_OWN).latest("pk")
    run_job(job.pk)
    job.refresh_from_db()
    return job


def facts_of(reading: Job) -> dict[str, Any]:
    assert reading.result, reading.error
    facts: dict[str, Any] = reading.result["reading"]
    return facts


def told(notes: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    return [(note["row"], note["column"], note["reason"]) for note in notes]


def test_a_sheet_is_looked_at_and_then_submitted_once(client: Client, queue: Queue) -> None:
    assert f'href="{ADDRESS}"' in client.get("/projects/pilot/queue/").content.decode()
    path = queue.fill({2: {LIMBS: "1/4c", HANDS: "2/2b"}, 3: {"No errors": "yes"}})
    reading = read(client, path)
    facts = facts_of(reading)
    assert facts["ready"] == [
        {"row": 2, "image": "place 1", "cells": [[LIMBS, "1/4c"], [HANDS, "2/2b"]]},
        {"row": 3, "image": "place 2", "cells": []},
    ]
    assert (facts["before_count"], facts["refused"]) == (0, [])
    assert [note["reason"] for note in facts["warnings"]] == ["empty rows: 1. They stay in the queue"]
    page = client.get(f"{ADDRESS}{reading.pk}/").content.decode()
    assert numbers(page, "submit") == ["2"]
    assert queue.said() == [None, None, None]
    storing = accept(client, reading)
    assert queue.said() == [["missing.limbs 1/4c", "extra.hands 2/2b"], [], None]
    assert accept(client, reading) == storing
    assert Event.objects.filter(verb="submitted").count() == 2
    submitted = Event.objects.filter(verb="submitted").latest("pk")
    assert (submitted.actor, submitted.data["version"]) == (queue.person.user, 1)
    page = client.get(f"{ADDRESS}{reading.pk}/").content.decode()
    assert "Images submitted: 2. Already submitted: 0. Rejected rows: 0." in page
    assert "submit" not in codes(page)


def test_the_same_sheet_again_has_nothing_new(client: Client, queue: Queue) -> None:
    path = queue.fill({2: {LIMBS: "1/4c"}})
    accept(client, read(client, path))
    again = read(client, path)
    facts = facts_of(again)
    assert (facts["ready"], facts["before"], facts["refused"]) == ([], [2], [])
    page = client.get(f"{ADDRESS}{again.pk}/").content.decode()
    assert codes(page) == ["nothing-new"]
    assert (accept(client, again).result or {})["before"] == 1
    assert Event.objects.filter(verb="submitted").count() == 1


def test_what_is_newer_here_is_told_and_stays(client: Client, queue: Queue) -> None:
    path = queue.fill({2: {LIMBS: "1/4c"}, 3: {LIMBS: "1/4c"}, 4: {LIMBS: "1/4c"}})
    make_submitted(queue.person, [("extra.face", "1/2a")], assignment=queue.assignments[0])
    reading = read(client, path)
    meanwhile = "a different annotation of this image was submitted in the meantime; it was not overwritten"
    draft = "this image has a draft, which was not overwritten; submit or clear it first"
    assert told(facts_of(reading)["refused"]) == [(2, "Assignment", meanwhile)]
    assert queue.person.user
    payload = {
        "marks": [{"type": "extra", "part": "face", "affected": 1, "total": 1, "severity": "a"}],
        "no_errors": False,
    }
    save_draft(
        assignment=queue.assignments[1],
        actor=queue.person.user,
        payload=payload,
        replaces=0,
        request_key=uuid4(),
    )
    storing = accept(client, reading)
    assert told((storing.result or {})["refused"]) == [
        (2, "Assignment", meanwhile),
        (3, "Assignment", draft),
    ]
    assert queue.said() == [["extra.face 1/2a"], None, ["missing.limbs 1/4c"]]


def test_an_answer_taken_back_and_cleared_is_submitted_by_the_same_row(client: Client, queue: Queue) -> None:
    path = queue.fill({2: {LIMBS: "1/4c"}})
    accept(client, read(client, path))
    assert queue.person.user
    how = {"assignment": queue.assignments[0], "actor": queue.person.user}
    reopen_annotation(**how, replaces=1, request_key=uuid4())  # type: ignore[arg-type]
    empty = {"marks": [], "no_errors": False}
    save_draft(**how, payload=empty, replaces=2, request_key=uuid4())  # type: ignore[arg-type]
    assert queue.said() == [None, None, None]
    assert (accept(client, read(client, path)).result or {})["submitted"] == 1
    assert queue.said() == [["missing.limbs 1/4c"], None, None]
    assert Annotation.objects.get().version == 4


def test_a_cell_that_cannot_be_read_is_named_and_the_good_rows_go_in(client: Client, queue: Queue) -> None:
    path = queue.fill({2: {LIMBS: "14c", HANDS: "1/2"}, 3: {LIMBS: "1/4c"}, 4: {"No errors": "perhaps"}})
    reading = read(client, path)
    facts = facts_of(reading)
    assert [one["row"] for one in facts["ready"]] == [3]
    assert told(facts["refused"]) == [
        (
            2,
            f"{LIMBS}, {HANDS}",
            "“14c”: no total: expected affected/total and a severity, such as 1/4b. Did you mean 1/4c? "
            "“1/2”: no severity: a, b or c is missing after the total.",
        ),
        (4, "No errors", "“perhaps” is not “yes”"),
    ]
    accept(client, reading)
    assert queue.said() == [None, ["missing.limbs 1/4c"], None]


def test_of_long_texts_the_beginning_is_kept_for_the_page(
    client: Client, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small workbook could keep 190 MB, which every look at the page loads."""
    long = "1/4c" + " " * 32_000
    facts = facts_of(
        read(client, queue.fill({2: {LIMBS: long}, 3: {LIMBS: "x" * 32_000, HANDS: long + ",y"}}))
    )
    assert facts["ready"] == [
        {"row": 2, "image": "place 1", "cells": [[LIMBS, "1/4c" + " " * 196 + "…"]]},
    ]
    [(row, column, reason)] = told(facts["refused"])
    assert (row, column) == (3, f"{LIMBS}, {HANDS}")
    assert reason.startswith(f"“{'x' * 200}…”: ")
    assert len(reason) <= 1_001

    monkeypatch.setattr(import_jobs, "MOST_CHARACTERS", 300)
    reading = read(client, queue.fill({3: {LIMBS: "1/4b", HANDS: ""}, 4: {LIMBS: "1/4a"}}))
    facts = facts_of(reading)
    assert ([one["row"] for one in facts["ready"]], facts["ready_count"]) == ([2], 3)
    page = client.get(f"{ADDRESS}{reading.pk}/").content.decode()
    assert "not-all-ready" in codes(page)
    assert numbers(page, "submit") == ["3"]
    accept(client, reading)
    assert queue.said() == [["missing.limbs 1/4c"], ["missing.limbs 1/4b"], ["missing.limbs 1/4a"]]


def close(queue: Queue) -> None:
    Batch.objects.filter(pk=queue.batch.pk).update(status="closed")


def withdraw(queue: Queue) -> None:
    Assignment.objects.filter(pk=queue.assignments[0].pk).update(status="withdrawn", position=None)


def delete_image(queue: Queue) -> None:
    Image.everything.filter(pk=queue.assignments[0].image_id).update(goes_at=timezone.now())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (close, "the batch “round 1” is closed"),
        (withdraw, "this image was reassigned"),
        (delete_image, "this image is being deleted"),
    ],
)
@pytest.mark.parametrize("late", [False, True], ids=["before reading", "after reading"])
@pytest.mark.few(2)
def test_what_a_save_would_be_refused_is_refused(
    client: Client, queue: Queue, change: Any, reason: str, late: bool
) -> None:
    path = queue.fill({2: {LIMBS: "1/4c"}})
    if not late:
        change(queue)
    reading = read(client, path)
    if late:
        change(queue)
        notes = (accept(client, reading).result or {})["refused"]
    else:
        notes = facts_of(reading)["refused"]
    assert told(notes) == [(2, "Assignment", reason)]
    assert not Annotation.objects.exists()


@pytest.mark.parametrize(
    "gone",
    [
        lambda queue: Membership.objects.filter(pk=queue.person.pk).update(is_active=False),
        lambda queue: Project.objects.filter(pk=queue.project.pk).update(goes_at=timezone.now()),
    ],
    ids=["left the project", "project deleted"],
)
def test_nothing_is_stored_for_who_does_not_belong_any_more(client: Client, queue: Queue, gone: Any) -> None:
    reading = read(client, queue.fill({2: {LIMBS: "1/4c"}}))
    assert client.post(f"{ADDRESS}{reading.pk}/", {"request_key": str(uuid4())}).status_code == 302
    gone(queue)
    storing = Job.objects.get(kind=STORE_OWN)
    run_job(storing.pk)
    storing.refresh_from_db()
    assert (storing.status, "no longer a member of the project" in storing.error) == ("failed", True)
    assert not Annotation.objects.exists()
    assert client.get(f"{ADDRESS}{reading.pk}/").status_code in (404, 410)


def test_somebody_elses_sheet_is_refused_as_a_whole(client: Client, queue: Queue) -> None:
    path = queue.fill({2: {LIMBS: "1/4c"}})
    other = make_member(queue.project, code="annotator-b")
    make_assignment(other, batch=queue.batch, image=queue.assignments[0].image)
    assert other.user
    client.force_login(other.user)
    reading = read(client, path)
    assert reading.error == (
        "queue.xlsx is not your queue: none of its 1 completed rows is assigned to you in Pilot. "
        "Upload a sheet that you downloaded from your own queue."
    )
    page = client.get(f"{ADDRESS}{reading.pk}/").content.decode()
    assert "not-usable" in codes(page)
    assert client.post(f"{ADDRESS}{reading.pk}/", {"request_key": str(uuid4())}).status_code == 302
    assert not Job.objects.filter(kind=STORE_OWN).exists()


def test_a_row_of_somebody_else_among_ones_own_is_told_like_one_that_is_not_there(
    client: Client, queue: Queue
) -> None:
    other = make_assignment(make_member(queue.project, code="annotator-b"), batch=queue.batch)
    foreign = f"pilot/{other.pk}/{other.image.public_id}"
    nowhere = f"pilot/{other.pk + 99}/{other.image.public_id}"
    path = queue.fill(
        {
            2: {LIMBS: "1/4c"},
            3: {LIMBS: "1/4c", "Assignment": foreign},
            4: {LIMBS: "1/4c", "Assignment": nowhere},
        }
    )
    facts = facts_of(read(client, path))
    assert [one["row"] for one in facts["ready"]] == [2]
    reasons = [reason for _, _, reason in told(facts["refused"])]
    alike = {
        reason.replace(f"“{called[:60]}”", "")
        for reason, called in zip(reasons, (foreign, nowhere), strict=True)
    }
    assert len(alike) == 1
    assert not any("“" in reason for reason in alike)


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"PK\x03\x04 no workbook", r"is damaged or not an XLSX file"),
        (b"a,b\n1,2\n", r"lacks the columns"),
        (b"\x00\x01", r"contains a NUL byte"),
        (b"[]", r"is not a JSON export of Label Studio"),
    ],
    ids=["damaged", "another table", "binary", "JSON"],
)
@pytest.mark.few(1)
def test_a_file_that_is_no_sheet_is_refused_with_a_reason(
    client: Client, queue: Queue, tmp_path: Path, contents: bytes, said: str
) -> None:
    path = tmp_path / "wrong.xlsx"
    path.write_bytes(contents)
    reading = read(client, path)
    assert reading.status == "failed"
    assert re.search(said, reading.error), reading.error


def test_another_projects_sheet_is_refused_by_name(client: Client, queue: Queue) -> None:
    path = queue.fill({2: {LIMBS: "1/4c"}})
    other = make_member(make_project("other", name="Other"), user=queue.person.user)
    form = {"file": SimpleUploadedFile("q.xlsx", path.read_bytes()), "request_key": str(uuid4())}
    assert client.post(f"/projects/{other.project.slug}/queue/sheets/", form).status_code == 302
    job = Job.objects.get()
    run_job(job.pk)
    job.refresh_from_db()
    assert "“pilot”" in job.error
    assert "Other" in job.error


def test_files_and_forms_that_are_not_taken_say_why(
    client: Client, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = bring(client, b"")
    assert (empty.status_code, codes(empty)) == (422, ["empty"])
    none = client.post(ADDRESS, {"request_key": str(uuid4())})
    assert codes(none) == ["required"]
    monkeypatch.setattr(forms, "MOST_BYTES_OF_A_SHEET", 1024 * 1024)
    large = bring(client, b"x" * (1024 * 1024 + 1))
    assert codes(large) == ["too_large"]
    assert codes(bring(client, b"x", key="none")) == ["incomplete"]
    assert not Job.objects.exists()
    assert client.post(f"{ADDRESS}1/", {"request_key": "none"}).status_code == 404


def test_a_request_is_of_one_sheet(client: Client, queue: Queue) -> None:
    key = str(uuid4())
    bring(client, queue.fill({2: {LIMBS: "1/4c"}}).read_bytes(), key=key)
    answer = bring(client, queue.fill({2: {LIMBS: "1/4b"}}).read_bytes(), key=key)
    assert answer.status_code == 409
    assert "already used for another file" in answer.content.decode()
    assert Job.objects.count() == 1


def test_a_sheet_sent_twice_is_read_once(client: Client, queue: Queue) -> None:
    contents, key = queue.fill({2: {LIMBS: "1/4c"}}).read_bytes(), str(uuid4())
    first, second = (bring(client, contents, key=key)["Location"] for _ in range(2))
    assert first == second
    reading = Job.objects.get()
    page = client.get(first).content.decode()
    assert 'hx-trigger="every 1s"' in page
    assert codes(page) == ["no-worker"]
    assert "celery" not in page
    assert client.post(first, {"request_key": "none"}).status_code == 400
    assert client.post(first, {"request_key": str(uuid4())}).status_code == 302
    assert Job.objects.get() == reading


@pytest.mark.parametrize(
    ("limit", "most"), [("FILES_WAITING", 1), ("FILES_A_MINUTE", 1), ("FILES_KEPT_BYTES", 12)]
)
def test_too_many_sheets_are_refused_and_nothing_is_kept(
    client: Client, queue: Queue, settings: Settings, limit: str, most: int
) -> None:
    setattr(settings, limit, most)
    assert bring(client, b"x" * 10).status_code == 302
    refused = bring(client, b"x" * 10)
    assert (refused.status_code, Job.objects.count()) == (429, 1)
    assert 'name="file"' in refused.content.decode()
    assert sum(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*")) == 1
