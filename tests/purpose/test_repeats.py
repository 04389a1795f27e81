"""Nothing that annotators receive tells that they have had an image before, or that it is an anchor."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from annotator.models import Assignment, Membership
from tests.analysis.api.callers import calling
from tests.annotator.web.views.conftest import signed_in
from tests.annotator.web.views.test_hidden import blind
from tests.factories import make_stored_image
from tests.purpose.test_invisible import WORK, crowd, lead_of, released, sent_to

pytestmark = pytest.mark.django_db

KINDS: Final = ("work", "anchor", "repeat")
OF_THE_ASSIGNMENT: Final = {
    "id",
    "position",
    "done",
    "previous",
    "next",
    "image",
    "upcoming",
    "upcoming_image",
    "saved_at",
}
"""What differs between any two states, whatever their purpose."""


@pytest.fixture
def ada(tmp_path: Path, settings: Settings) -> Membership:
    """The first of four annotators, with one anchor and one repeat among her images."""
    settings.MEDIA_ROOT = tmp_path
    members = crowd(4, 2, make_stored_image)
    released(members, 2, WORK, 5)
    return members[0]


def chosen(ada: Membership) -> dict[str, Assignment]:
    """Return her repeat, her work on the same image, and her anchor."""
    repeat = ada.assignments.get(purpose="repeat")
    rows = {"repeat": repeat, "work": ada.assignments.get(purpose="work", image=repeat.image)}
    return {**rows, "anchor": ada.assignments.get(purpose="anchor")}


def state(client: Client, row: Assignment) -> dict[str, Any]:
    told: dict[str, Any] = client.get(reverse("answer_state", args=[row.pk])).json()
    return told


def test_pictures_have_the_same_headers_and_addresses_of_their_own(
    ada: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, rows = signed_in(ada), chosen(ada)
    # The headers say for how many seconds an address holds.
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    addresses = {kind: state(client, rows[kind])["image"]["src"] for kind in KINDS}
    assert len(set(addresses.values())) == len(KINDS)
    headers, bodies = {}, {}
    for kind, address in addresses.items():
        answer = client.get(address, headers={"Accept": "image/webp"})
        bodies[kind] = answer.getvalue()
        headers[kind] = {name: text for name, text in answer.headers.items() if name != "X-Request-ID"}
    assert headers["work"] == headers["repeat"] == headers["anchor"]
    assert not {"ETag", "Last-Modified"} & headers["work"].keys()
    # All images of this test have the same contents: what remains is what the program adds.
    assert bodies["work"] == bodies["repeat"] == bodies["anchor"]


def test_states_differ_only_by_their_place(ada: Membership) -> None:
    client, rows = signed_in(ada), chosen(ada)
    states = {kind: state(client, rows[kind]) for kind in KINDS}
    rest = [{key: states[kind][key] for key in states[kind].keys() - OF_THE_ASSIGNMENT} for kind in KINDS]
    assert rest[0] == rest[1] == rest[2]
    assert [set(states[kind]["image"]) for kind in KINDS] == [{"src", "width", "height"}] * 3


def test_no_page_and_no_route_of_the_api_names_an_image(ada: Membership) -> None:
    client, rows, program = signed_in(ada), chosen(ada), calling(ada)
    places = sorted(row.position or 0 for row in rows.values())
    sent = dict(sent_to(ada, client, places))
    sent["data"] = client.get("/projects/crowd/queue/").content
    listed = program.get("/projects/crowd/annotations").json()["results"]
    assert [row["image"] for row in listed] == [None] * len(KINDS)
    for row in listed:
        sent[f"api {row['id']}"] = program.get(f"/annotations/{row['id']}").content
        sent[f"own {row['id']}"] = client.get(reverse("own_answer", args=[rows["repeat"].pk])).content
    known = ada.project.images.values_list("public_id", "sha256", "file", "display")
    secrets = {text for public, *names in known for text in (str(public), public.hex, *names) if text}
    told = {name: blind(contents.decode()) for name, contents in sent.items()}
    assert len(secrets) > 4 * WORK
    assert [(name, secret) for name, text in told.items() for secret in secrets if secret in text] == []
    # Each assignment's picture has one address wherever it is shown.
    shown = {address for text in told.values() for address in re.findall(r"/pictures/[\w.-]+", text)}
    assert len(shown) <= ada.assignments.count()


def test_programs_of_annotators_cannot_ask_for_an_image(ada: Membership) -> None:
    client, rows = signed_in(ada), chosen(ada)
    list(sent_to(ada, client, sorted(row.position or 0 for row in rows.values())))
    image = rows["repeat"].image.public_id
    refused = calling(ada).get(f"/projects/crowd/annotations?image={image}")
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"] == {
        "image": ["Only a lead can filter by image. Omit it to list all of yours."]
    }
    lead = lead_of(ada.project).memberships.get(project=ada.project)
    found = calling(lead).get(f"/projects/crowd/annotations?image={image}&purpose=repeat").json()["results"]
    assert [row["image"] for row in found] == [str(image)]
