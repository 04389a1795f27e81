"""Resumable upload refused: what is no tus, what has no right, no name, no room; always in words."""

from __future__ import annotations

import random
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError

from annotator.models import Membership, Upload
from annotator.uploads import receiving
from annotator.web.views.uploads.tus import Rate
from tests.annotator.uploads.tus_client import (
    announce,
    delete,
    head,
    make_upload,
    named,
    patch,
    signed_in,
)
from tests.factories import ANNOTATOR, LEAD, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("headers", "status", "error"),
    [
        ({"Tus-Resumable": "0.2.2"}, 412, "version"),
        ({"Upload-Concat": "partial"}, 400, "not_supported"),
        ({"Upload-Defer-Length": "1"}, 400, "not_supported"),
        ({"Upload-Checksum": "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="}, 400, "not_supported"),
        ({"Upload-Metadata": ""}, 400, "malformed"),
        ({"Upload-Metadata": "filename"}, 400, "malformed"),
        ({"Upload-Metadata": "filename ***"}, 400, "malformed"),
        ({"Upload-Metadata": named(b"\xff\xfe")}, 400, "malformed"),
        ({"Upload-Metadata": f"{named('a')},{named('b')}"}, 400, "malformed"),
        ({"Upload-Metadata": f"{named('a')},f\xfc YQ=="}, 400, "malformed"),
        *(({"Upload-Length": text}, 400, "malformed") for text in ("", "-1", "+1", "1.0", "1_0", "0x1", "²")),
        ({"Upload-Length": "9" * 5000}, 400, "malformed"),
    ],
)
@pytest.mark.few(5)
def test_announcements_that_are_not_tus(headers: dict[str, str], status: int, error: str) -> None:
    client, upload = make_upload()
    answer = announce(client, upload, "1.png", 3, b"", **headers)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer["Tus-Resumable"] == "1.0.0"
    assert ("Tus-Version" in answer) is (status == 412)
    assert not upload.files.exists()


@pytest.mark.parametrize(
    ("headers", "status", "error"),
    [
        ({"Tus-Resumable": ""}, 412, "version"),
        ({"Upload-Offset": ""}, 400, "malformed"),
        ({"Upload-Offset": "-1"}, 400, "malformed"),
        ({"Content-Length": ""}, 411, "length_required"),
        ({"Content-Type": "application/octet-stream"}, 415, "content_type"),
        ({"Upload-Checksum": "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="}, 400, "not_supported"),
    ],
)
def test_patches_that_are_not_tus(headers: dict[str, str], status: int, error: str) -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 3)["Location"]
    answer = patch(client, address, 0, b"one", **headers)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert head(client, address)["Upload-Offset"] == "0"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (" ", "the name is empty"),
        ("/etc/passwd", "the name is an absolute path; only relative paths are accepted"),
        ("C:\\x.png", "the name is an absolute path; only relative paths are accepted"),
        ("a/../../x.png", "the name leads out of its folder (“..”)"),
        ("a\\..\\x.png", "the name leads out of its folder (“..”)"),
        ("a//x.png", "the name has an empty part or “.” between its slashes"),
        ("a/", "the name is a folder"),
        ("a\n.png", "the name has control characters"),
        ("a\0.png", "the name has control characters"),
        ("x" * 1001, "the name has 1,001 characters; 1,000 are allowed"),
        ("\U0001f9cd" * 700, "the name has 2,800 bytes; 2,600 are allowed"),
    ],
)
@pytest.mark.few(4)
def test_names_that_are_not_taken(name: str, words: str) -> None:
    client, upload = make_upload()
    answer = announce(client, upload, name, 3)
    assert (answer.status_code, answer.json()["error"]) == (400, "name")
    assert answer.json()["message"] == f"This file is rejected: {words}."
    assert not upload.files.exists()


@pytest.mark.parametrize(
    "name",
    [
        "médecin/Ärztin 3.jpg",
        "医師/一人/3.png",
        "طبيب/٣.png",
        "врач/3.webp",
        "x" * 1000,
        "a: b?*|<>.png",
        "..png",
        ".hidden/a..b",
        "a\u200db.png",
        "e\u0301.png",
    ],
)
@pytest.mark.few(3)
def test_names_in_any_script_stay_as_they_are(name: str) -> None:
    client, upload = make_upload()
    answer = announce(client, upload, name, 3, b"one")
    assert (answer.status_code, upload.files.get().name) == (201, name)


def test_the_longest_name_fits_into_every_index() -> None:
    """PostgreSQL refuses rows of an index beyond 2,704 bytes; what compresses badly is the hard case."""
    client, upload = make_upload()
    chance = random.Random(7)
    name = "".join(chr(chance.randrange(0x4E00, 0x9FA0)) for _ in range(866))
    assert len(name.encode()) == 2598
    assert announce(client, upload, name, 3, b"one").status_code == 201
    assert announce(client, upload, name, 3).status_code == 201
    assert upload.files.get().name == name


def test_two_spellings_of_one_name_are_two_files() -> None:
    """Told apart here, where bytes could be mixed; that they mean one image is seen when they are read."""
    client, upload = make_upload()
    assert announce(client, upload, "e\u0301.png", 3, b"one").status_code == 201
    assert announce(client, upload, "\u00e9.png", 3, b"two").status_code == 201
    assert [receiving.path_of(file).read_bytes() for file in upload.files.all()] == [b"one", b"two"]


def test_who_is_signed_out_in_the_middle_is_told_so() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9, b"one")["Location"]
    client.logout()
    answer = patch(client, address, 3, b" image")
    assert (answer.status_code, answer.json()) == (
        401,
        {
            "error": "signed_out",
            "login_url": "/accounts/login/",
            "message": "You are signed out. Uploaded parts are kept: sign in and resume.",
        },
    )
    assert head(client, address).status_code == 401
    client = signed_in(upload.project.memberships.get())
    assert head(client, address)["Upload-Offset"] == "3"


def test_who_leads_no_longer_is_told_so() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9, b"one")["Location"]
    Membership.objects.update(role=ANNOTATOR)
    answers = [
        patch(client, address, 3, b" image"),
        head(client, address),
        delete(client, address),
        announce(client, upload, "2.png", 3),
        client.options(address),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5
    assert answers[0].json()["message"] == "This upload does not exist, or you no longer lead its project."
    assert receiving.path_of(upload.files.get()).read_bytes() == b"one"


def test_another_project_s_lead_finds_nothing() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9, b"one")["Location"]
    stranger = signed_in(make_member(make_project(), LEAD))
    assert patch(stranger, address, 3, b" image").status_code == 404
    assert announce(stranger, upload, "1.png", 9).json()["error"] == "not_found"
    assert head(stranger, f"/uploads/files/{uuid4()}/").status_code == 404


def test_a_forged_request_is_refused_as_json() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9)["Location"]
    client.handler.enforce_csrf_checks = True
    refused = [patch(client, address, 0, b"one"), delete(client, address), announce(client, upload, "2", 1)]
    assert [(answer.status_code, answer.json()) for answer in refused] == [(403, {"error": "csrf"})] * 3
    client.cookies["anatomark_csrf"] = token = "a" * 32
    assert patch(client, address, 0, b"one", **{"X-CSRFToken": token}).status_code == 204


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("reading", "This upload accepts no files: reading. Start another."),
        ("storing", "This upload accepts no files: storing. Start another."),
        ("stored", "This upload accepts no files: stored. Start another."),
        ("discarded", "This upload accepts no files: discarded. Start another."),
    ],
)
def test_a_closed_upload_takes_nothing(status: str, words: str) -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9, b"one")["Location"]
    Upload.objects.update(status=status)
    for answer in (
        patch(client, address, 3, b" image"),
        announce(client, upload, "2.png", 3),
        announce(client, upload, "1.png", 9),
        delete(client, address),
    ):
        assert (answer.status_code, answer.json()) == (410, {"error": "closed", "message": words})
    assert head(client, address).status_code == 410
    assert receiving.path_of(upload.files.get()).read_bytes() == b"one"


def test_a_file_too_many_bytes_long(settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    client, upload = make_upload()
    assert announce(client, upload, "1.png", 10).status_code == 201
    answer = announce(client, upload, "2.png", 11)
    assert (answer.status_code, answer["Tus-Max-Size"]) == (413, "10")
    assert answer.json()["message"] == "“2.png” has 11 bytes; the limit is 10. Split it into parts."


def test_a_file_too_many(settings: Any) -> None:
    settings.MAX_UPLOAD_FILES = 3
    client, upload = make_upload()
    codes = [announce(client, upload, f"{number}.png", 1).status_code for number in range(5)]
    assert codes == [201, 201, 201, 413, 413]
    assert announce(client, upload, "9.png", 1).json() == {
        "error": "too_many",
        "message": "An upload holds at most 3 files. Store these, then start another upload.",
    }
    assert announce(client, upload, "0.png", 1).status_code == 201
    assert upload.files.count() == 3


def test_what_the_disk_cannot_take_is_refused_before_it_comes(settings: Any) -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9, b"one")["Location"]
    settings.UPLOAD_RESERVE_BYTES = 10**18
    for answer in (announce(client, upload, "2.png", 3_000), patch(client, address, 3, b" image")):
        assert (answer.status_code, answer.json()["error"]) == (507, "no_room")
    assert answer.json()["message"] == (
        "The server has no room for 6 bytes; 0 are free for uploads. "
        "Discard uploads that are no longer needed, or ask the administrator of the server."
    )
    assert (upload.files.count(), head(client, address)["Upload-Offset"]) == (1, "3")


def test_a_database_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    client, upload = make_upload()

    def down(**_: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(receiving, "place_file", down)
    answer = announce(client, upload, "1.png", 3)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")


def test_requests_a_minute_are_limited_for_each_person(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.UPLOAD_REQUESTS_A_MINUTE = 2
    monkeypatch.setattr("annotator.web.views.uploads.tus._RATE", Rate())
    now = 59.0
    monkeypatch.setattr("annotator.web.views.uploads.tus.time.monotonic", lambda: now)
    client, upload = make_upload()
    assert [announce(client, upload, f"{name}.png", 3).status_code for name in "ab"] == [201, 201]
    answer = announce(client, upload, "c.png", 3)
    assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (429, "too_fast", "1")
    other, hers = make_upload()
    assert announce(other, hers, "c.png", 3).status_code == 201
    now = 60.0
    assert announce(client, upload, "c.png", 3).status_code == 201


def test_uploads_that_are_open_are_limited_for_each_person(settings: Any) -> None:
    settings.UPLOADS_OPEN = 1
    client, upload = make_upload()
    Upload.objects.update(made_by=upload.project.memberships.get().user)
    address = f"/projects/{upload.project.slug}/uploads/"
    begin = {"request_key": str(uuid4())}
    answer = client.post(address, begin, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (413, "too_many")
    assert client.post(address, {**begin, "files": SimpleUploadedFile("1.png", b"x")}).status_code == 422
    Upload.objects.update(status="discarded")
    assert client.post(address, begin, content_type="application/json").status_code == 200
