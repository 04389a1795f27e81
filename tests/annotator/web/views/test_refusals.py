"""Requests that no view ever sees."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.annotator.uploads.tus_client import make_upload, signed_in
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import numbers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("checked", [True, False])
def test_more_files_than_one_form_may_bring(checked: bool) -> None:
    """Django counts them while it looks for the form's token: before any view, in a page of its own."""
    _, upload = make_upload()
    client = signed_in(make_member(upload.project, LEAD), checked=checked)
    client.cookies["anatomark_csrf"] = "a" * 32
    address = reverse("uploads", args=[upload.project.slug])
    files = [SimpleUploadedFile(f"{number}.png", b"one") for number in range(101)]
    answer = client.post(address, {"files": files})
    page = answer.content.decode()
    assert answer.status_code == 413
    assert numbers(page, "too-many-files") == ["100"]
    assert f'href="{address}"' in page
    assert upload.project.uploads.count() == 1


def test_a_script_is_told_in_json() -> None:
    client = signed_in(make_member(make_project(), LEAD), checked=True)
    client.cookies["anatomark_csrf"] = "a" * 32
    files = [SimpleUploadedFile(f"{number}.png", b"one") for number in range(101)]
    answer = client.post(reverse("answer_save", args=[1]), {"files": files})
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")
