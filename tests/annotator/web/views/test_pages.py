"""Pages that every project has, and how long a first day takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.urls import reverse

from annotator.templatetags.anatomark import score
from annotator.web.views.first_day import durations
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import LEAD, make_image, make_member, make_project
from tests.support.codes import codes

pytestmark = pytest.mark.django_db


TEMPLATES = sorted(Path(settings.BASE_DIR, "templates").rglob("*.html"))


def test_signing_in_leads_to_the_page_that_was_asked_for(study: Study, client: Client) -> None:
    assert study.ada.user is not None
    study.ada.user.set_password("a long word")
    study.ada.user.save()
    page = client.get("/accounts/login/?next=/projects/pilot/queue/")
    assert 'value="/projects/pilot/queue/"' in page.content.decode()
    wrong = client.post("/accounts/login/", {"username": "ada", "password": "wrong", "next": "/"})
    assert codes(wrong) == ["wrong"]
    sent = {"username": "ada", "password": "a long word", "next": "/projects/pilot/queue/"}
    assert client.post("/accounts/login/", sent)["Location"] == "/projects/pilot/queue/"
    assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"


def test_a_password_can_be_changed(study: Study, as_ada: Client) -> None:
    assert study.ada.user is not None
    study.ada.user.set_password("a long word")
    study.ada.user.save()
    as_ada.force_login(study.ada.user)
    sent = {"old_password": "a long word", "new_password1": "another-w0rd!", "new_password2": "another-w0rd!"}
    assert as_ada.post("/accounts/password/", sent)["Location"] == "/"
    assert as_ada.get("/projects/pilot/queue/").status_code == 200
    study.ada.user.refresh_from_db()
    assert study.ada.user.check_password("another-w0rd!")


def test_nothing_there_is_said_in_words(client: Client, db: None) -> None:
    page = client.get("/nowhere/")
    assert page.status_code == 404
    assert codes(page) == ["404"]


@pytest.mark.parametrize("code", ["403", "409", "500"])
def test_error_pages_need_nothing(code: str) -> None:
    assert codes(render_to_string(f"{code}.html")) == [code]


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


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("67/60", "1.117"),
        ("0/1", "0.000"),
        (0.5, "0.500"),
        ("7", "7.000"),
        (None, "–"),
        ("", "–"),
        (0, "0.000"),
    ],
)
def test_scores_are_rounded_here(value: str | float | None, shown: str) -> None:
    assert score(value) == shown


def test_a_script_is_told_in_json() -> None:
    client = signed_in(make_member(make_project(), LEAD))
    client.handler.enforce_csrf_checks = True
    client.cookies["anatomark_csrf"] = "a" * 32
    files = [SimpleUploadedFile(f"{number}.png", b"one") for number in range(101)]
    answer = client.post(reverse("answer_save", args=[1]), {"files": files})
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")


def test_an_image_is_not_found_through_another_project(study: Study, as_lead: Client) -> None:
    image = make_image(make_project("other"))
    mixed = reverse("image_detail", args=[study.project.slug, image.public_id])
    assert as_lead.get(mixed).status_code == 404


def test_only_what_is_left_takes_time() -> None:
    images = {"train": 10, "qualify": 0, "label": 75}
    assert durations(images, (25, 45), reads=True) == {
        "train": "about 5 to 10 minutes",
        "label": "about 30 to 55 minutes",
        "read": "about 5 to 10 minutes",
        "all": "about 40 to 75 minutes",
    }
    assert durations({"label": 3}, (25, 45), reads=False) == {"label": "a few minutes"}
