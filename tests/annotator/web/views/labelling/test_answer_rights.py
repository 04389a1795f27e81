"""Who may see and change answers through the script's addresses, with data lying around that could leak."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, User
from tests.annotator.web.views.conftest import Study, signed_in
from tests.annotator.web.views.speaking import (
    ENDPOINTS,
    HANDS,
    LIMBS,
    address_of,
    answer_body,
    body_for,
    checked,
    facts,
    post,
    reopen_body,
    state,
)
from tests.factories import LEAD, REVIEWER, make_assignment, make_member, make_project, make_user

CANARY = "canary-7f3a"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

Outsider = Callable[[Study], Client]


def _member(role: str, **fields: Any) -> Outsider:
    return lambda study: signed_in(make_member(study.project, role, **fields))


def _elsewhere(role: str) -> Outsider:
    def arrive(_: Study) -> Client:
        member = make_member(make_project("other"), role)
        make_assignment(member)
        return signed_in(member)

    return arrive


def _former_annotator(study: Study) -> Client:
    client = signed_in(study.ada)
    Membership.objects.filter(pk=study.ada.pk).update(is_active=False)
    return client


def _blocked(study: Study) -> Client:
    client = signed_in(study.ada)
    User.objects.filter(memberships=study.ada).update(is_active=False)
    return client


def _superuser(_: Study) -> Client:
    client = Client()
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    return client


# Who is not signed in, or no longer may be, is told so; everybody else finds nothing.
OUTSIDERS: dict[str, tuple[Outsider, int]] = {
    "another annotator": (lambda study: signed_in(study.bob), 404),
    "lead": (lambda study: signed_in(study.lead), 404),
    "reviewer": (_member(REVIEWER), 404),
    "former annotator": (_former_annotator, 404),
    "lead of another project": (_elsewhere(LEAD), 404),
    "annotator of another project": (_elsewhere("annotator"), 404),
    "superuser": (_superuser, 404),
    "blocked account": (_blocked, 401),
    "anonymous": (lambda _: Client(), 401),
}


@pytest.fixture
def planted(study: Study, as_ada: Client) -> Study:
    """Ada has a draft, a submission and a skip; everything about them carries the canary."""
    draft, submitted, skipped = study.assignments
    note = {**LIMBS, "note": CANARY}
    post(as_ada, "answer_save", draft, answer_body(note))
    post(as_ada, "answer_submit", submitted, answer_body(note))
    post(as_ada, "answer_skip", skipped, {**body_for("answer_skip"), "note": CANARY})
    Batch.objects.update(show_prompt=True, name=f"batch {CANARY}")
    for number, image in enumerate(Image.objects.all()):
        Image.objects.filter(pk=image.pk).update(prompt=CANARY, source_name=f"{CANARY}-{number}.png")
    return study


def tables() -> list[Any]:
    """Everything an outsider could have changed."""
    return [
        list(model.objects.order_by("pk").values())
        for model in (Annotation, Assignment, Event, Membership, Image)
    ]


@pytest.mark.parametrize("who", OUTSIDERS)
@pytest.mark.few(3)
def test_outsiders_see_and_change_nothing(planted: Study, who: str) -> None:
    arrive, status = OUTSIDERS[who]
    client = arrive(planted)
    before = tables()
    tried = 0
    for assignment, name, method in product(planted.assignments, ENDPOINTS, METHODS):
        version = 1 if assignment != planted.assignments[2] else 0
        body = json.dumps({**body_for(name), "version": version})
        response = checked(client.generic(method, address_of(name, assignment), body, "application/json"))
        allowed = method == ENDPOINTS[name] or (name, method) == ("answer_state", "HEAD")
        assert response.status_code == (status if allowed else 405), (name, method)
        assert CANARY not in response.content.decode()
        tried += 1
    assert tried == len(planted.assignments) * len(ENDPOINTS) * len(METHODS)
    assert tables() == before


def test_what_is_forbidden_looks_like_what_does_not_exist(planted: Study) -> None:
    client = signed_in(planted.bob)
    for name, method in ENDPOINTS.items():
        there, nowhere = (
            client.generic(method, reverse(name, args=[pk]), "{}", "application/json")
            for pk in (planted.assignments[0].pk, 10**9)
        )
        assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content)
        assert sorted(there.headers) == sorted(nowhere.headers)


def test_rights_are_asked_before_the_body_is_read(planted: Study) -> None:
    address = address_of("answer_save", planted.assignments[0])
    response = signed_in(planted.bob).post(address, b"{", content_type="application/json")
    assert (response.status_code, facts(response)) == (404, {"error": "not_found"})


def test_a_lead_answers_what_is_assigned_to_them(study: Study) -> None:
    own = make_assignment(study.lead)
    client = signed_in(study.lead)
    assert state(client, own)["total"] == 1
    assert post(client, "answer_save", own, answer_body()).status_code == 200


def test_only_ones_own_submission_is_withdrawn(study: Study, as_ada: Client) -> None:
    mine = study.assignments[0]
    post(as_ada, "answer_submit", mine, answer_body())
    for client in (signed_in(study.bob), signed_in(study.lead)):
        assert post(client, "answer_reopen", mine, reopen_body(1)).status_code == 404
    assert Annotation.objects.get().status == "submitted"
    assert post(as_ada, "answer_reopen", mine, reopen_body(1)).status_code == 200


# Blinding


SECRETS = {"generator": "secret-generator", "prompt": "secret-prompt", "source_name": "secret-file.png"}


def everything(client: Client, assignment: Assignment) -> str:
    """All that the script's addresses answer about an assignment, one after the other."""
    answers = [
        client.get(address_of("answer_state", assignment)),
        post(client, "answer_save", assignment, answer_body(HANDS)),
        post(client, "answer_save", assignment, answer_body(LIMBS)),
        post(client, "answer_submit", assignment, answer_body(LIMBS, 1)),
        post(client, "answer_save", assignment, answer_body(HANDS, 2)),
        post(client, "answer_reopen", assignment, reopen_body(2)),
        post(client, "answer_skip", assignment, {**body_for("answer_skip"), "version": 3}),
        client.get(address_of("answer_state", assignment)),
    ]
    assert [a.status_code for a in answers] == [200, 200, 409, 200, 409, 200, 200, 200]
    return "".join(answer.content.decode() + str(answer.headers) for answer in answers)


def test_where_a_picture_comes_from_is_not_told(study: Study, as_ada: Client) -> None:
    mine = study.assignments[0]
    secret = {**SECRETS, "prompt_group": "secret-group", "file": "originals/secret.png", "display": "secret"}
    Image.objects.filter(pk=mine.image_id).update(attributes={"seed": "secret"}, **secret)
    text = everything(as_ada, mine)
    assert "secret" not in text
    assert mine.image.sha256 not in text


def test_the_prompt_is_told_where_the_batch_says_so(study: Study, as_ada: Client) -> None:
    mine = study.assignments[0]
    Image.objects.filter(pk=mine.image_id).update(**SECRETS)
    assert state(as_ada, mine)["prompt"] is None
    mine.batch.show_prompt = True
    mine.batch.save()
    assert state(as_ada, mine)["prompt"] == "secret-prompt"
    assert "secret-generator" not in everything(as_ada, mine)


def test_other_peoples_answers_change_no_byte(
    study: Study, as_ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.images.signed_urls.time.time", lambda: 1_700_000_000.0)
    address = address_of("answer_state", study.assignments[0])
    before = as_ada.get(address).content
    bob = signed_in(study.bob)
    post(bob, "answer_submit", study.of_bob, answer_body({**LIMBS, "note": "bob was here"}))
    assert as_ada.get(address).content == before
