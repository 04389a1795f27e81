"""Pages that every project has, and how long a first day takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse

from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_member, make_project, user_of
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
TEMPLATES = sorted(Path(settings.BASE_DIR, "templates").rglob("*.html"))


def test_signing_in_leads_to_the_page_that_was_asked_for(study: Study, client: Client) -> None:
    user_of(study.ada).set_password("a long word")
    user_of(study.ada).save()
    page = client.get("/accounts/login/?next=/projects/pilot/queue/")
    assert 'value="/projects/pilot/queue/"' in page.content.decode()
    wrong = client.post("/accounts/login/", {"username": "ada", "password": "wrong", "next": "/"})
    assert codes(wrong) == ["wrong", "forgotten"]
    sent = {"username": "ada", "password": "a long word", "next": "/projects/pilot/queue/"}
    assert client.post("/accounts/login/", sent)["Location"] == "/projects/pilot/queue/"
    assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"


@override_settings(DEBUG=False)
def test_a_failure_shows_no_inside(study: Study, as_ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr("annotator.web.views.labelling.queue.queue_counts", broken)
    as_ada.raise_request_exception = False
    page = as_ada.get("/projects/pilot/queue/")
    assert page.status_code == 500
    assert codes(page) == ["500"]
    assert "secret inside" not in page.content.decode()


def test_templates_hold_no_inline_script_and_no_style() -> None:
    for template in TEMPLATES:
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text), template
        for script in re.findall(r"<script[^>]*>", text):
            assert "src=" in script, template
        assert "http://" not in text.replace("http://www.w3.org", ""), template
        assert "https://" not in text, template


def test_a_script_is_told_in_json() -> None:
    client = signed_in(make_member(make_project(), LEAD))
    client.handler.enforce_csrf_checks = True
    client.cookies["anatomark_csrf"] = "a" * 32
    files = [SimpleUploadedFile(f"{number}.png", b"one") for number in range(101)]
    answer = client.post(reverse("answer_save", args=[1]), {"files": files})
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")
