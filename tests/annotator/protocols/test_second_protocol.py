"""Another protocol, with one number and a tick, is labelled over HTTP though nothing else knows it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from annotator.models import Batch, Event, Membership, Project
from tests.factories import LEAD, make_image, make_member, make_project, make_user, user_of
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
def lead(project: Project) -> Client:
    client = Client()
    member = make_member(project, LEAD, user=make_user("lee"), code="lee")
    client.force_login(user_of(member))
    return client


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
    page = lead.get(reverse("batch", args=[batch.pk]))
    assert {"lamp"} == {setting.name for _, setting in page.context["form"].settings_offered()}
    lead.post(reverse("batch_settings", args=[batch.pk]), {})
    batch.refresh_from_db()
    assert (batch.settings, batch.score_shown, batch.guided) == ({"lamp": False}, "never", False)
