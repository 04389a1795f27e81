"""The pages of deleting: what is said before, what people are told meanwhile, and the way back."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Event, Project
from annotator.records.project_deletion import delete_project
from tests.annotator.acting import LIMBS, address, save, submit
from tests.annotator.web.views.conftest import Study, as_ada, as_lead, signed_in, study, typed
from tests.factories import REVIEWER, make_member
from tests.support.codes import codes, numbers, said

__all__ = ["as_ada", "as_lead", "study"]

pytestmark = pytest.mark.django_db


def delete(study: Study) -> None:
    delete_project(project=study.project, typed=study.project.name, reason="no consent", actor=None)


def test_a_lead_deletes_the_project_and_takes_it_back(study: Study, as_lead: Client) -> None:
    submit(study.assignments[0])
    page = as_lead.get("/projects/pilot/delete/")
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
    for page in ("/projects/pilot/queue/", "/projects/pilot/delete/", address(study.assignments[0])):
        assert other.get(page).status_code == 404
    reviewer = signed_in(make_member(study.project, REVIEWER))
    assert reviewer.get("/projects/pilot/reports/agreement/").status_code == 410
    assert reviewer.get("/projects/pilot/delete/").status_code == 404
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


def test_the_form_without_script_says_it_too(study: Study, as_ada: Client) -> None:
    delete(study)
    answer = as_ada.post(address(study.assignments[0]), typed("draft", missing_limbs="3/4c"))
    assert answer.status_code == 409
    assert "deleted" in codes(answer)
    assert "3/4c" in answer.content.decode()


def test_a_lead_deletes_an_image(study: Study, as_lead: Client, as_ada: Client) -> None:
    submit(study.assignments[0])
    image = study.assignments[0].image
    where = f"/projects/pilot/images/{image.public_id}/"
    assert f"{where}delete/" in as_lead.get(where).content.decode()
    page = as_lead.get(f"{where}delete/")
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
