"""One request a file: what it takes, what it refuses, and that nothing half-sent is kept."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from annotator.models import Job, Membership, Upload
from annotator.uploads.receiving import begin_upload
from annotator.web.views.uploads import upload_files
from tests.annotator.uploads.bringing import folder_of, path_of
from tests.annotator.uploads.disks import small_disk
from tests.factories import ANNOTATOR, LEAD, make_member, make_project, user_of

pytestmark = pytest.mark.django_db
DATA = b"one image" * 1000


@pytest.fixture(autouse=True)
def places(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.UPLOAD_RESERVE_BYTES = 0


@pytest.fixture
def upload() -> Upload:
    lead = make_member(make_project(), LEAD)
    return begin_upload(project=lead.project, actor=lead.user)


@pytest.fixture
def client(upload: Upload) -> Client:
    return signed_in(upload.project.memberships.get())


def signed_in(member: Membership, *, checked: bool = False) -> Client:
    client = Client(enforce_csrf_checks=checked)
    client.force_login(user_of(member))
    return client


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
    ("name", "fields", "status", "error"),
    [
        ("../1.png", {}, 400, "bad_name"),
        ("", {}, 400, "bad_name"),
        ("1.png", {"size": 3}, 400, "broken_off"),
        ("1.png", {"size": ""}, 400, "broken_off"),
        ("1.png", {"file": "text"}, 400, "malformed"),
        ("1.png", {"other": SimpleUploadedFile("file", b"two")}, 400, "malformed"),
    ],
)
def test_what_is_refused(
    client: Client, upload: Upload, name: str, fields: dict[str, Any], status: int, error: str
) -> None:
    answer = send(client, upload, name, **fields)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert nothing_kept(upload)


def test_another_file_of_the_same_name(client: Client, upload: Upload) -> None:
    send(client, upload, "1.png")
    answer = send(client, upload, "1.png", b"two")
    assert (answer.status_code, answer.json()["error"]) == (409, "taken")
    assert "Rename one of them" in answer.json()["message"]
    assert path_of(upload.files.get()).read_bytes() == DATA


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
def test_an_upload_that_accepts_none(
    client: Client, upload: Upload, status: str, code: int, error: str
) -> None:
    job = Job.objects.create(project=upload.project, kind="read_upload", status="running")
    Upload.objects.update(status=status, job=job)
    answer = send(client, upload, "1.png")
    assert (answer.status_code, answer.json()["error"]) == (code, error)
    assert nothing_kept(upload)


def test_others_send_nothing(client: Client, upload: Upload) -> None:
    answer = send(Client(), upload, "1.png")
    assert (answer.status_code, answer.json()["error"]) == (401, "signed_out")
    ada = signed_in(make_member(upload.project, ANNOTATOR))
    assert send(ada, upload, "1.png").status_code == 404
    assert client.get(address(upload)).status_code == 405
    assert nothing_kept(upload)


def test_requests_of_other_sites_are_refused(upload: Upload) -> None:
    member = upload.project.memberships.get()
    assert send(signed_in(member, checked=True), upload, "1.png").status_code == 403
    assert nothing_kept(upload)
    checked = signed_in(member, checked=True)
    token = checked.get("/projects/new/").cookies["anatomark_csrf"].value
    sent = {"name": "1.png", "size": len(DATA), "file": SimpleUploadedFile("file", DATA)}
    assert checked.post(address(upload), sent, headers={"X-CSRFToken": token}).status_code == 200


class TestKnown:
    def ask(self, client: Client, upload: Upload, files: Any) -> Any:
        body = json.dumps({"files": files})
        return client.post(address(upload, "known"), body, content_type="application/json")

    def test_what_is_there_and_what_is_refused(
        self, client: Client, upload: Upload, settings: Settings
    ) -> None:
        settings.MAX_UPLOAD_BYTES = 20_000
        sha256 = send(client, upload, "1.png").json()["sha256"]
        size = len(DATA)
        asked = [["1.png", size], ["1.png", 1], ["c.png", 30_000], ["../a", 1]]
        assert self.ask(client, upload, asked).json()["files"] == [
            {"sha256": sha256},
            {},
            {"refused": "It has 30,000 bytes; the limit is 20,000. Split it into parts."},
            {"refused": "This file is rejected: the name leads out of its folder (“..”)."},
        ]

    @pytest.mark.parametrize("files", ["a", [["a"]], [["a", "1"]], [[1, 1]], [["a", True]], [["a", 1]] * 201])
    def test_other_questions_are_refused(self, client: Client, upload: Upload, files: Any) -> None:
        assert self.ask(client, upload, files).status_code == 400
