"""A new project in the browser: made once, led by who made it, and led on to its first images."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotator.models import Project
from annotator.work import kinds as job_kinds
from tests.annotator.job_acts import returning
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import ANNOTATOR, make_member, make_project, make_user
from tests.support.codes import codes

NEW = "/projects/new/"


def sent(**more: Any) -> dict[str, Any]:
    return {"name": "Hands & feet", "slug": "", "code": "lead-a", "request_key": str(uuid4()), **more}


def test_a_lead_makes_a_project_and_is_led_on(as_lead: Client) -> None:
    assert 'href="/projects/new/">New project</a>' in as_lead.get("/").content.decode()
    page = as_lead.get(NEW)
    assert page.context["form"].initial["code"] == "lead"
    answer = as_lead.post(NEW, sent())
    assert (answer.status_code, answer["Location"]) == (302, "/projects/hands-feet/")
    # The first step of the new project takes the images at once.
    assert 'data-begin="/projects/hands-feet/uploads/"' in as_lead.get(answer["Location"]).content.decode()


def test_a_double_click_makes_one_project(as_lead: Client) -> None:
    fields = sent()
    places = [as_lead.post(NEW, fields)["Location"] for _ in range(2)]
    assert places == ["/projects/hands-feet/"] * 2
    assert Project.objects.filter(name="Hands & feet").count() == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": " "}, "Enter a name."),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"name": "手"}, "Enter an address in Latin letters"),
        ({"slug": "pilot"}, "The address “pilot” is taken"),
        ({"slug": "new"}, "The address “new” is taken"),
        ({"slug": "a b"}, "Latin letters, digits"),
        ({"code": ""}, "Enter your code"),
        ({"code": "=cmd"}, "A code must begin with a letter or digit"),
        ({"name": "a\0b"}, "Null characters are not allowed."),
    ],
)
@pytest.mark.few(3)
def test_what_does_not_fit_is_said_beside_its_field(
    as_lead: Client, fields: dict[str, str], words: str
) -> None:
    answer = as_lead.post(NEW, sent(**fields))
    assert (answer.status_code, words in answer.content.decode()) == (422, True)
    assert 'aria-invalid="true"' in answer.content.decode()
    assert Project.objects.count() == 1


def test_others_find_nothing(study: Study, as_ada: Client) -> None:
    assert [as_ada.get(NEW).status_code, as_ada.post(NEW, sent()).status_code] == [404, 404]
    both = make_member(make_project("other"), ANNOTATOR, user=study.ada.user, code="ada")
    assert "New project" not in signed_in(both).get("/").content.decode()
    assert not Project.objects.filter(name="Hands & feet").exists()


def test_who_has_been_given_the_right_begins_with_nothing(client: Client, db: None) -> None:
    client.force_login(make_user("root", is_superuser=True))
    home = client.get("/").content.decode()
    assert codes(home) == ["no-project"]
    assert "New project" in home
    assert client.post(NEW, sent(code="lead1"))["Location"] == "/projects/hands-feet/"
    assert client.get("/projects/hands-feet/").status_code == 200


def test_a_bundle_may_come_first_where_bundles_can_be_restored(
    as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {name: kind for name, kind in job_kinds._KINDS.items() if name != "restore_bundle"}
    monkeypatch.setattr(job_kinds, "_KINDS", kinds)
    assert 'value="bundle"' not in as_lead.get(NEW).content.decode()
    job_kinds.register("restore_bundle", returning({}))
    assert 'value="bundle"' in as_lead.get(NEW).content.decode()
    place = as_lead.post(NEW, sent(first="bundle"))["Location"]
    assert place == "/projects/hands-feet/uploads/?bring=bundle"
    assert "bring-bundle" in codes(as_lead.get(place))


def test_a_code_like_a_name_is_confirmed_once(as_lead: Client) -> None:
    fields = sent(code="maria")
    page = as_lead.post(NEW, fields)
    assert (page.status_code, codes(page)) == (422, ["looks-personal"])
    assert not Project.objects.filter(name="Hands & feet").exists()
    assert as_lead.post(NEW, {**fields, "keep_code": "other"}).status_code == 422
    assert as_lead.post(NEW, {**fields, "keep_code": "maria"}).status_code == 302
    assert Project.objects.get(name="Hands & feet").memberships.get().code == "maria"
