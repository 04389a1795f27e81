"""Resumable upload as a script speaks it: files in pieces, found again, and refused in words."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.urls import reverse
from django.utils.http import parse_http_date

from annotator.models import Upload, UploadedFile
from annotator.uploads import receiving
from tests.annotator.uploads.tus_client import (
    BYTES,
    VERSION,
    announce,
    delete,
    head,
    make_upload,
    patch,
    signed_in,
)
from tests.factories import LEAD, make_member

pytestmark = pytest.mark.django_db

CONTENTS = os.urandom(3_000_000)


def test_a_file_comes_in_pieces() -> None:
    client, upload = make_upload()
    made = announce(client, upload, "folder/sdxl/physician/3.jpg", len(CONTENTS))
    assert (made.status_code, made["Upload-Offset"], made["Tus-Resumable"]) == (201, "0", "1.0.0")
    file = upload.files.get()
    assert made["Location"] == f"/uploads/files/{file.public_id}/"
    assert (file.name, file.size, file.state) == ("folder/sdxl/physician/3.jpg", 3_000_000, "receiving")
    for start, end in ((0, 1), (1, 1_500_000), (1_500_000, 1_500_000), (1_500_000, 3_000_000)):
        answer = patch(client, made["Location"], start, CONTENTS[start:end])
        assert (answer.status_code, answer["Upload-Offset"], answer.content) == (204, str(end), b"")
        there = head(client, made["Location"])
        assert (there.status_code, there["Upload-Offset"]) == (200, str(end))
    file.refresh_from_db()
    assert file.state == UploadedFile.State.RECEIVED
    assert receiving.path_of(file).read_bytes() == CONTENTS


def test_a_head_says_what_it_is_and_is_kept_by_nobody() -> None:
    client, upload = make_upload()
    answer = head(client, announce(client, upload, "ä.png", 5)["Location"])
    told = {name: answer[name] for name in ("Upload-Length", "Upload-Metadata", "Cache-Control")}
    assert told == {
        "Upload-Length": "5",
        "Upload-Metadata": "filename w6QucG5n",
        "Cache-Control": "no-store",
    }
    left = parse_http_date(answer["Upload-Expires"]) - upload.touched_at.timestamp()
    assert left == pytest.approx(7 * 24 * 3600, abs=1)


def test_small_files_take_one_request() -> None:
    client, upload = make_upload()
    answer = announce(client, upload, "1.png", 9, b"one image")
    assert (answer.status_code, answer["Upload-Offset"]) == (201, "9")
    file = upload.files.get()
    assert (file.state, receiving.path_of(file).read_bytes()) == ("received", b"one image")


def test_the_first_bytes_may_be_a_part() -> None:
    client, upload = make_upload()
    made = announce(client, upload, "1.png", 9, b"one")
    assert made["Upload-Offset"] == "3"
    assert patch(client, made["Location"], 3, b" image")["Upload-Offset"] == "9"
    assert receiving.path_of(upload.files.get()).read_bytes() == b"one image"


def test_an_empty_file_is_complete_at_once() -> None:
    client, upload = make_upload()
    answer = announce(client, upload, "empty.png", 0)
    assert (answer.status_code, answer["Upload-Offset"]) == (201, "0")
    file = upload.files.get()
    assert (file.state, receiving.path_of(file).read_bytes()) == ("received", b"")


def test_another_browser_goes_on_where_the_first_one_was() -> None:
    client, upload = make_upload()
    first = announce(client, upload, "1.png", 9, b"one")
    other = signed_in(make_member(upload.project, LEAD))
    again = announce(other, upload, "1.png", 9, b"one image")
    assert (again.status_code, again["Location"], again["Upload-Offset"]) == (201, first["Location"], "3")
    assert patch(other, again["Location"], 3, b" image").status_code == 204
    assert receiving.path_of(upload.files.get()).read_bytes() == b"one image"
    done = announce(client, upload, "1.png", 9, b"one image")
    assert (done.status_code, done["Upload-Offset"]) == (201, "9")


def test_another_file_of_the_name_is_refused_in_words() -> None:
    client, upload = make_upload()
    announce(client, upload, "1.png", 9, b"one")
    answer = announce(client, upload, "1.png", 1_000)
    assert answer.status_code == 409
    assert answer.json() == {
        "error": "taken",
        "message": "This upload has a file “1.png” of 9 bytes; this one has 1,000. "
        "Remove the first one, or rename this one.",
    }
    assert upload.files.get().size == 9


def test_a_patch_whose_answer_was_lost_changes_nothing_the_second_time() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9)["Location"]
    assert patch(client, address, 0, b"one").status_code == 204
    lost = patch(client, address, 0, b"one")
    assert (lost.status_code, lost["Upload-Offset"]) == (409, "3")
    assert lost.json() == {"error": "offset", "message": "3 bytes are stored, not 0.", "offset": 3}
    assert patch(client, address, 8, b"e").json()["offset"] == 3
    assert receiving.path_of(upload.files.get()).read_bytes() == b"one"


def test_the_last_answer_lost() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 3)["Location"]
    assert patch(client, address, 0, b"one").status_code == 204
    assert patch(client, address, 0, b"one").status_code == 409
    assert head(client, address)["Upload-Offset"] == "3"
    assert upload.files.get().state == "received"


def test_killed_between_the_last_byte_and_its_row() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 3, b"one")["Location"]
    UploadedFile.objects.update(state="receiving")
    assert head(client, address)["Upload-Offset"] == "3"
    assert upload.files.get().state == "received"


def test_more_than_was_announced_is_refused_before_it_is_read() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 4, b"one")["Location"]
    answer = patch(client, address, 3, b"12")
    assert (answer.status_code, answer.json()["error"]) == (400, "length")
    assert answer.json()["message"] == "3 + 2 bytes exceed the 4 announced for “1.png”."
    assert announce(client, upload, "2.png", 2, b"123").json()["error"] == "length"
    assert head(client, address)["Upload-Offset"] == "3"


def test_django_s_own_limit_for_bodies_does_not_matter(settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    client, upload = make_upload()
    assert announce(client, upload, "1.png", len(CONTENTS), CONTENTS).status_code == 201
    address = announce(client, upload, "2.png", len(CONTENTS))["Location"]
    assert patch(client, address, 0, CONTENTS).status_code == 204
    assert [receiving.path_of(file).read_bytes() == CONTENTS for file in upload.files.all()] == [True, True]


def test_a_removed_file_is_gone_and_may_come_again() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 9, b"one")["Location"]
    path = receiving.path_of(upload.files.get())
    assert delete(client, address).status_code == 204
    assert not path.exists()
    assert [head(client, address).status_code, patch(client, address, 3, b"x").status_code] == [404, 404]
    again = announce(client, upload, "1.png", 5)
    assert (again.status_code, again["Upload-Offset"]) == (201, "0")
    assert again["Location"] != address


def test_a_narrow_proxy_lets_only_posts_through() -> None:
    client, upload = make_upload()
    address = announce(client, upload, "1.png", 3)["Location"]
    sent = {**VERSION, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH"}
    assert client.post(address, b"one", BYTES, headers=sent).status_code == 204
    sent = {**VERSION, "X-HTTP-Method-Override": "DELETE"}
    # Only a POST is protected against forgery: nothing else may stand for another method.
    assert client.get(address, headers=sent).status_code == 405
    assert client.post(address, headers=sent).status_code == 204
    assert not upload.files.exists()


def test_abilities_are_told() -> None:
    client, upload = make_upload()
    file = announce(client, upload, "1.png", 3)["Location"]
    for address in (reverse("upload_files", args=[upload.public_id]), file):
        answer = client.options(address)
        told = {name: answer[name] for name in ("Tus-Version", "Tus-Extension", "Tus-Max-Size")}
        assert (answer.status_code, told) == (
            204,
            {
                "Tus-Version": "1.0.0",
                "Tus-Extension": "creation,creation-with-upload,termination,expiration",
                "Tus-Max-Size": str(8 * 1024**3),
            },
        )


def test_an_upload_that_was_ready_takes_a_manifest() -> None:
    client, upload = make_upload()
    announce(client, upload, "1.png", 3, b"one")
    Upload.objects.update(status="ready")
    announce(client, upload, "1.png", 3)
    assert Upload.objects.get().status == "ready"
    assert announce(client, upload, "manifest.csv", 3, b"a,b").status_code == 201
    assert Upload.objects.get().status == "receiving"
