"""Another protocol, with one number and a tick, is labelled over HTTP though nothing else knows it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project
from tests.annotator.acting import address, typed
from tests.annotator.web.views.speaking import answer_body, post, reopen_body
from tests.factories import LEAD, make_assignment, make_image, make_member, make_project, make_user
from tests.protocols.stars.living import let_live

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stars(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    let_live(monkeypatch, settings)


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


@pytest.fixture
def ada(project: Project) -> Membership:
    return make_member(project, user=make_user("ada"), code="ada")


@pytest.fixture
def work(project: Project, ada: Membership) -> list[Assignment]:
    """Two images to give stars to."""
    batch = Batch.objects.create(project=project, name="Stars", protocol="stars")
    return [make_assignment(ada, batch=batch, image=make_image(project)) for _ in range(2)]


@pytest.fixture
def as_ada(ada: Membership) -> Client:
    assert ada.user is not None
    client = Client()
    client.force_login(ada.user)
    return client


@pytest.fixture
def lead(project: Project) -> Client:
    client = Client()
    member = make_member(project, LEAD, user=make_user("lee"), code="lee")
    assert member.user is not None
    client.force_login(member.user)
    return client


def stored(assignment: Assignment) -> tuple[int, str, object]:
    """Version, status and payload as they are now."""
    row = Annotation.objects.get(assignment=assignment)
    return row.version, row.status, row.payload


def test_draft_submission_and_correction_by_the_form(work: list[Assignment], as_ada: Client) -> None:
    assert as_ada.post(address(work[0]), typed("draft", stars="9")).status_code == 422
    assert as_ada.post(address(work[0]), typed("draft", 1, stars="3")).status_code == 302
    assert stored(work[0]) == (2, "draft", {"stars": 3})
    sent = as_ada.post(address(work[0]), typed("submit", 2, stars="4", sure="on"))
    assert sent["Location"] == f"{address(work[1])}?after={work[0].pk}"
    assert stored(work[0]) == (3, "submitted", {"stars": 4, "sure": True})
    assert Annotation.objects.get(assignment=work[0]).ratings == [["stars", "", "4/1"]]
    as_ada.post(address(work[0]), typed("reopen", 3, reason="five"))
    assert stored(work[0])[1] == "reopened"
    as_ada.post(address(work[0]), typed("submit", 4, stars="5"))
    assert stored(work[0]) == (5, "submitted", {"stars": 5})


def test_a_script_saves_submits_and_reopens(work: list[Assignment], as_ada: Client) -> None:
    saved = post(as_ada, "answer_save", work[0], answer_body({"stars": 2}))
    assert (saved.status_code, saved.json()["version"]) == (200, 1)
    stale = post(as_ada, "answer_save", work[0], answer_body({"stars": 1}))
    assert (stale.status_code, stale.json()["payload"]) == (409, {"stars": 2})
    refused = post(as_ada, "answer_submit", work[0], answer_body({"stars": 6}, 1))
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["stars"])
    sent = post(as_ada, "answer_submit", work[0], answer_body({"stars": 5}, 1))
    assert (sent.status_code, sent.json()["next"]) == (200, address(work[1]))
    again = post(as_ada, "answer_reopen", work[0], reopen_body(2))
    assert (again.json()["status"], again.json()["payload"]) == ("reopened", {"stars": 5})


def order(project: Project, ada: Membership, **more: Any) -> dict[str, Any]:
    """What the form of a new batch sends."""
    fixed = {"name": "B", "which": "new", "annotators": [ada.pk], "overlap": "0", "overlap_unit": "percent"}
    return {**fixed, "per_image": "1", "seed": "7", "score_shown": "choice", "action": "preview", **more}


def test_a_batch_is_released_under_it_with_its_own_settings(
    project: Project, ada: Membership, lead: Client
) -> None:
    make_image(project)
    form = lead.get(reverse("batch_new", args=["pilot"]))
    assert form.context["form"].offered == [
        *("anatomy", "presence", "realism", "defect-verdict", "defect-marks", "stars")
    ]
    preview = lead.post(
        reverse("batch_new", args=["pilot"]), order(project, ada, protocol="stars", lamp="on")
    )
    assert "<dt>Lamp</dt><dd>yes</dd>" in preview.content.decode()
    sent: dict[str, list[str]] = {}
    for name, value in preview.context["sent"]:
        sent.setdefault(name, []).append(value)
    facts = preview.context["facts"]
    confirmed = {
        **sent,
        "digest": facts["digest"],
        "basis": facts["basis"],
        "request_key": str(preview.context["request_key"]),
        "action": "confirm",
    }
    assert lead.post(reverse("batch_new", args=["pilot"]), confirmed).status_code == 302
    batch = Batch.objects.get()
    assert (batch.protocol, batch.settings, batch.score_shown) == ("stars", {"lamp": True}, "never")
    assert Event.objects.get(verb="batch_released").data["settings"] == {"lamp": True}
    page = lead.get(reverse("batch_settings", args=[batch.pk]))
    assert {"lamp"} == {setting.name for _, setting in page.context["form"].settings_offered()}
    lead.post(reverse("batch_settings", args=[batch.pk]), {})
    batch.refresh_from_db()
    assert (batch.settings, batch.score_shown, batch.guided) == ({"lamp": False}, "never", False)
