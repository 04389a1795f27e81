"""Deleting, and the page of a background job."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Event, Job, Membership, Project
from annotator.records.project_deletion import delete_project
from annotator.work import kinds
from annotator.work.liveness import sign_of_life
from tests.annotator.acting import LIMBS, address, save, submit
from tests.annotator.job_acts import ask, counting
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, REVIEWER, make_member, make_project, user_of
from tests.support.codes import codes, numbers, said
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


def delete(study: Study) -> None:
    delete_project(project=study.project, typed=study.project.name, reason="no consent", actor=None)


def test_a_lead_deletes_the_project_and_takes_it_back(study: Study, as_lead: Client) -> None:
    submit(study.assignments[0])
    page = as_lead.get("/projects/pilot/details/")
    assert numbers(page, "annotations") == ["1", "0"]
    assert "30" in numbers(page, "grace")
    wrong = as_lead.post("/projects/pilot/delete/", {"typed": "pilo", "reason": "no consent"})
    assert (wrong.status_code, "name" in codes(wrong)) == (422, True)
    assert as_lead.post("/projects/pilot/delete/", {"typed": "", "reason": ""}).status_code == 422
    done = as_lead.post("/projects/pilot/delete/", {"typed": "Pilot", "reason": "no consent"}, follow=True)
    assert "Pilot" in said(done, "being-deleted")
    assert codes(as_lead.get("/projects/pilot/")) == ["being-deleted", "take-back"]
    assert codes(as_lead.get("/")) == ["being-deleted", "take-back"]
    back = as_lead.post("/projects/pilot/undo-deletion/", follow=True)
    assert "“Pilot”" in said(back, "taken-back")
    assert Annotation.objects.filter(status="submitted").count() == 1


@pytest.mark.parametrize("page", ["/projects/pilot/queue/", "label", "own_answer"])
def test_an_annotator_is_told(study: Study, as_ada: Client, page: str) -> None:
    save(study.assignments[0])
    delete(study)
    where = page if "/" in page else reverse(page, args=[study.assignments[0].pk])
    told = as_ada.get(where)
    assert told.status_code == 410
    assert codes(told) == ["being-deleted"]
    assert "Pilot" in said(told, "being-deleted")
    assert codes(as_ada.get("/")) == ["being-deleted"]


def test_others_are_told_nothing(study: Study) -> None:
    delete(study)
    other = signed_in(make_member(Project.objects.create(slug="other", name="Other")))
    for page in ("/projects/pilot/queue/", "/projects/pilot/details/", address(study.assignments[0])):
        assert other.get(page).status_code == 404
    reviewer = signed_in(make_member(study.project, REVIEWER))
    assert reviewer.get("/projects/pilot/reports/agreement/").status_code == 410
    assert reviewer.post("/projects/pilot/delete/").status_code == 404
    assert reviewer.post("/projects/pilot/undo-deletion/").status_code == 404


def test_a_script_that_saves_is_told_why_not(study: Study, as_ada: Client) -> None:
    first = study.assignments[0]
    save(first)
    delete(study)
    sent = {"version": 1, "payload": {**LIMBS, "note": "too late"}, "request_key": str(uuid4())}
    answer = as_ada.post(reverse("answer_save", args=[first.pk]), json.dumps(sent), "application/json")
    assert (answer.status_code, answer.json()["error"], answer.json()["version"]) == (409, "deleted", 1)
    assert as_ada.get(reverse("answer_state", args=[first.pk])).json()["barred"] == "deleted"
    assert Event.objects.get(verb="refused").data["payload"]["note"] == "too late"


def test_a_lead_deletes_an_image(study: Study, as_lead: Client, as_ada: Client) -> None:
    submit(study.assignments[0])
    image = study.assignments[0].image
    where = f"/projects/pilot/images/{image.public_id}/"
    page = as_lead.get(where)
    assert numbers(page, "annotations") == ["1", "0"]
    assert "2 people: First batch" in page.content.decode()
    assert "with-annotations" in codes(page)
    assert as_lead.post(f"{where}delete/", {"reason": " "}).status_code == 422
    assert "deleted" in codes(as_lead.post(f"{where}delete/", {"reason": "no consent"}, follow=True))
    assert as_lead.get(where).status_code == 404
    told = as_ada.get(address(study.assignments[0]))
    assert (told.status_code, codes(told)) == (410, ["image-deleted"])
    history = as_lead.get("/projects/pilot/history/?kind=answers").content.decode()
    assert f"{image}, deleted" in history


@pytest.fixture
def _kinds(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of this module's, and a worker that is alive."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("counting", counting, title="Count to a number")
    sign_of_life()


@pytest.fixture
def lead(client: Client) -> Membership:
    """A project's lead, signed in."""
    member = make_member(make_project("study"), LEAD)
    client.force_login(user_of(member))
    return member


def page(client: Client, job: Job, part: str = "", status: int = 200) -> str:
    response = client.get(f"/jobs/{job.pk}/{part}")
    assert response.status_code == status
    return response.content.decode()


@pytest.mark.usefixtures("_kinds")
def test_cancelling(lead: Membership, client: Client) -> None:
    job = ask(lead.project, to=3)
    assert client.get(f"/jobs/{job.pk}/cancel/")["Location"] == f"/jobs/{job.pk}/"
    assert client.post(f"/jobs/{job.pk}/cancel/")["Location"] == f"/jobs/{job.pk}/"
    assert codes(page(client, job)) == ["cancelled"]
    again = client.post(f"/jobs/{job.pk}/cancel/", follow=True)
    assert "too-late" in codes(again)
