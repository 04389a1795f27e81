"""Uploads: one request a file, of which nothing half-sent is kept; and what their pages show, ask and do."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from annotator.models import Event, Job, Upload
from annotator.uploads.receiving import begin_upload
from annotator.web.views.uploads import upload_files
from annotator.work.jobs import run_job
from annotator.work.waiting import NO_WORKER
from tests.annotator.uploads.bringing import bring, folder_of, path_of, picture
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes, numbers
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
DATA = b"one image" * 1000


@pytest.fixture(autouse=True)
def places(media: Path, settings: Settings) -> None:
    settings.UPLOAD_RESERVE_BYTES = 0


@pytest.fixture
def upload() -> Upload:
    lead = make_member(make_project(), LEAD)
    return begin_upload(project=lead.project, actor=lead.user)


@pytest.fixture
def client(upload: Upload) -> Client:
    return signed_in(upload.project.memberships.get())


def address(upload: Upload, part: str = "files") -> str:
    return f"/uploads/{upload.public_id}/{part}/"


def send(client: Client, upload: Upload, name: str, data: bytes = DATA, **fields: Any) -> Any:
    sent = {"name": name, "size": len(data), "file": SimpleUploadedFile("file", data), **fields}
    return client.post(address(upload), sent)


def nothing_kept(upload: Upload) -> bool:
    files = [path for path in folder_of(upload.public_id).rglob("*") if path.is_file()]
    return not files and not upload.files.exists()


def test_a_file_arrives_whole(client: Client, upload: Upload) -> None:
    digest = hashlib.sha256(DATA).hexdigest()
    for _ in range(2):  # sent again, after an answer that was lost
        answer = send(client, upload, "g/p/1.png")
        assert (answer.status_code, answer.json()) == (200, {"sha256": digest})
    file = upload.files.get()
    assert (file.name, file.size, file.sha256, file.state) == ("g/p/1.png", len(DATA), digest, "received")
    assert path_of(file).read_bytes() == DATA
    assert len([path for path in folder_of(upload.public_id).rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("lost", [1, 200, 5000])
def test_a_body_that_breaks_off_leaves_nothing(client: Client, upload: Upload, lost: int) -> None:
    """The rest of a multipart body that ends early still parses."""
    head = (
        b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n1.png\r\n'
        b'--b\r\nContent-Disposition: form-data; name="size"\r\n\r\n%d\r\n'
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n' % len(DATA)
    )
    kind = "multipart/form-data; boundary=b"
    answer = client.post(address(upload), head + DATA[:-lost], content_type=kind)
    assert (answer.status_code, answer.json()["error"]) == (400, "broken_off")
    assert nothing_kept(upload)
    assert client.post(address(upload), head + DATA + b"\r\n--b--\r\n", content_type=kind).status_code == 200


@pytest.mark.parametrize(
    ("name", "fields", "error"),
    [
        ("../1.png", {}, "bad_name"),
        ("", {}, "bad_name"),
        ("1.png", {"size": 3}, "broken_off"),
        ("1.png", {"size": ""}, "broken_off"),
        ("1.png", {"file": "text"}, "malformed"),
        ("1.png", {"other": SimpleUploadedFile("file", b"two")}, "malformed"),
    ],
)
def test_what_is_refused(
    client: Client, upload: Upload, name: str, fields: dict[str, Any], error: str
) -> None:
    answer = send(client, upload, name, **fields)
    assert (answer.status_code, answer.json()["error"]) == (400, error)
    assert nothing_kept(upload)


def test_a_file_that_is_too_large(client: Client, upload: Upload, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    for data in (DATA, bytes(200_000)):  # while it arrives, and before
        answer = send(client, upload, "1.png", data)
        assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    assert nothing_kept(upload)


def test_a_disk_without_room(client: Client, upload: Upload, settings: Settings) -> None:
    settings.UPLOAD_RESERVE_BYTES = 2**62
    answer = send(client, upload, "1.png")
    assert (answer.status_code, answer.json()["error"]) == (507, "no_room")
    assert "0 are free for uploads" in answer.json()["message"]


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of its own, of `size` bytes (as mount says it); skips, by name, who may not mount."""
    place.mkdir(parents=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"no right to mount a small disk: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_fills_up_while_a_file_arrives(
    client: Client, upload: Upload, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_files, "require_room", lambda _: None)
    with small_disk(tmp_path / "disk", "100k") as disk:
        settings.MEDIA_ROOT = disk
        answer = send(client, upload, "1.png", bytes(1_000_000))
        assert (answer.status_code, answer.json()["error"]) == (507, "no_room")
        assert "disk is full" in answer.json()["message"]
        assert nothing_kept(upload)


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [("discarded", 410, "closed"), ("stored", 410, "closed"), ("reading", 409, "busy")],
)
def test_an_upload_accepts_none(client: Client, upload: Upload, status: str, code: int, error: str) -> None:
    job = Job.objects.create(project=upload.project, kind="read_upload", status="running")
    Upload.objects.update(status=status, job=job)
    answer = send(client, upload, "1.png")
    assert (answer.status_code, answer.json()["error"]) == (code, error)
    assert nothing_kept(upload)


def test_requests_of_other_sites_are_refused(client: Client, upload: Upload) -> None:
    client.handler.enforce_csrf_checks = True
    assert send(client, upload, "1.png").status_code == 403
    assert nothing_kept(upload)
    token = client.get("/projects/new/").cookies["anatomark_csrf"].value
    sent = {"name": "1.png", "size": len(DATA), "file": SimpleUploadedFile("file", DATA)}
    assert client.post(address(upload), sent, headers={"X-CSRFToken": token}).status_code == 200


def test_what_is_there_or_refused(client: Client, upload: Upload, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = 20_000
    sha256 = send(client, upload, "1.png").json()["sha256"]
    asked = [["1.png", len(DATA)], ["1.png", 1], ["c.png", 30_000], ["../a", 1]]
    assert post_json(client, address(upload, "known"), {"files": asked}).json()["files"] == [
        {"sha256": sha256},
        {},
        {"refused": "It has 30,000 bytes; the limit is 20,000. Split it into parts."},
        {"refused": "This file is rejected: the name leads out of its folder (“..”)."},
    ]


UPLOADS = "/projects/pilot/uploads/"


def pictures(*names: str) -> dict[str, bytes]:
    return {name: picture(place) for place, name in enumerate(names)}


def work() -> None:
    for job in Job.objects.filter(status="queued"):
        assert run_job(job.pk)


def read(client: Client, upload: Upload) -> Upload:
    """An upload as it is once a worker has read it."""
    assert act(client, upload, "read").status_code == 302
    work()
    upload.refresh_from_db()
    assert upload.status == "ready"
    return upload


def page_of(upload: Upload, part: str = "") -> str:
    return f"/projects/{upload.project.slug}/uploads/{upload.public_id}/{part}"


def act(client: Client, upload: Upload, action: str, **fields: Any) -> Any:
    sent = {"action": action, "request_key": str(uuid4()), **fields}
    return client.post(page_of(upload), sent)


def post_json(client: Client, address: str, body: Any) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def test_a_script_is_told_where_files_go(study: Study, as_lead: Client) -> None:
    key = str(uuid4())
    told = [post_json(as_lead, UPLOADS, {"request_key": key}).json() for _ in range(2)]
    upload = Upload.objects.get()
    assert told[0] == told[1]
    assert told[0] == {
        "page": page_of(upload),
        "files": f"/uploads/{upload.public_id}/files/",
        "known": f"/uploads/{upload.public_id}/known/",
    }
    assert Event.objects.filter(verb="upload_begun").count() == 1


def test_too_many_open_uploads(study: Study, as_lead: Client, settings: Settings) -> None:
    settings.UPLOADS_OPEN = 1
    answers = [post_json(as_lead, UPLOADS, {"request_key": str(uuid4())}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 413]
    assert answers[1].json()["error"] == "too_many"


def test_a_pattern_is_used_or_refused(study: Study, as_lead: Client) -> None:
    upload = read(as_lead, bring(study.project, pictures("p/a/1.png", "q/a/2.png", "q/a/3.png")))
    refused = act(as_lead, upload, "name", pattern="{a")
    assert (refused.status_code, "brace" in codes(refused)) == (422, True)
    assert re.search(r'<details[^>]* open><summary data-code="read-otherwise">', refused.content.decode())
    long = act(as_lead, upload, "name", generator="x" * 121)
    assert (long.status_code, "generator-long" in codes(long)) == (409, True)
    act(as_lead, upload, "name", pattern="{prompt}/{generator}/{number}")
    work()
    assert set(upload.files.values_list("generator", "prompt")) == {("a", "p"), ("a", "q")}


def test_what_cannot_be_done_now_is_said(study: Study, as_lead: Client) -> None:
    upload = bring(study.project, pictures("a_1.png"))
    answer = act(as_lead, upload, "store")
    assert (answer.status_code, "status" in codes(answer)) == (409, True)
    act(as_lead, upload, "read")
    busy = act(as_lead, upload, "name", pattern="{number}")
    assert (busy.status_code, "busy" in codes(busy)) == (409, True)


def test_a_worker_that_is_stopped_leaves_the_upload_open(study: Study, as_lead: Client) -> None:
    upload = bring(study.project, pictures("a_1.png"))
    act(as_lead, upload, "read")
    assert NO_WORKER in as_lead.get(page_of(upload, "progress/"), {"step": "working"}).content.decode()
    act(as_lead, upload, "stop")
    page = as_lead.get(page_of(upload))
    assert "stopped" in codes(page)
    assert numbers(page, "read-more") == ["1"]
    read(as_lead, upload)
