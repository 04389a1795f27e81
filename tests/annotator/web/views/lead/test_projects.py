"""A project: made, shown, its people and history; deleting it or an image."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Event, Membership, Project, User
from annotator.projects.protocols import measured
from annotator.records.project_deletion import delete_project
from annotator.web.views.lead.history import SHOWN
from tests.annotator.acting import LIMBS, address, save, submit
from tests.annotator.web.views.conftest import Study
from tests.factories import REVIEWER, make_batch, make_member, make_project
from tests.support.codes import codes, numbers, said
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
PROJECT = "/projects/pilot/details/"
NEW = "/projects/new/"


def sent(**more: Any) -> dict[str, Any]:
    return {
        "name": "Hands & feet",
        "slug": "",
        "measure": "anatomy",
        "code": "lead-a",
        "request_key": str(uuid4()),
        **more,
    }


def test_a_lead_makes_a_project_and_is_led_on(as_lead: Client) -> None:
    page = as_lead.get(NEW)
    assert page.context["form"].initial["code"] == "lead"
    answer = as_lead.post(NEW, sent())
    assert (answer.status_code, answer["Location"]) == (302, "/projects/hands-feet/")
    # The first step of the new project takes the images at once.
    assert 'data-begin="/projects/hands-feet/uploads/"' in as_lead.get(answer["Location"]).content.decode()


def test_what_is_measured_changes_but_keeps_what_batches_use(study: Study, as_lead: Client) -> None:
    make_batch(study.project, protocol="presence")
    page = as_lead.get(PROJECT)
    ticks = {each.slug: (ticked, used) for each, ticked, used in page.context["protocols"]}
    not_ticked = {"realism": (False, False), "defect-marks": (False, False)}
    assert ticks.items() >= {"anatomy": (True, True), "presence": (True, True), **not_ticked}.items()
    as_lead.post(PROJECT, {"action": "protocols", "protocol": "realism"})
    study.project.refresh_from_db()
    assert study.project.protocols == ["anatomy", "presence", "realism"]
    as_lead.post(PROJECT, {"action": "protocols"})
    study.project.refresh_from_db()
    assert measured(study.project) == ["anatomy", "presence"]
    events = study.project.events.filter(verb="protocols_set").order_by("pk")
    assert [event.data["protocols"] for event in events] == [
        ["anatomy", "presence", "realism"],
        ["anatomy", "presence"],
    ]


PEOPLE = "/projects/pilot/people/"


def page_of(member: Membership) -> str:
    return f"{PEOPLE}{member.pk}/"


def test_deactivating_says_what_is_left_and_works(study: Study, as_lead: Client, as_ada: Client) -> None:
    assert as_ada.get("/projects/pilot/queue/").status_code == 200
    page = as_lead.get(page_of(study.ada))
    assert "First batch" in page.content.decode()
    assert [(batch.unfinished, batch.begun) for batch in page.context["work"]] == [(3, 0)]
    assert as_lead.post(page_of(study.ada), {"action": "deactivate"}).status_code == 302
    assert as_ada.get("/projects/pilot/queue/").status_code == 404
    assert as_lead.post(page_of(study.ada), {"action": "reactivate"}).status_code == 302
    assert as_ada.get("/projects/pilot/queue/").status_code == 200
    assert as_lead.post(page_of(study.ada), {"role": "king"}).status_code == 422
    assert as_lead.post(page_of(study.ada), {"role": "reviewer"}).status_code == 302
    assert as_lead.post(page_of(study.lead), {"action": "deactivate"}).status_code == 422


HISTORY = "/projects/pilot/history/"


def acted(project: Project, verb: str, actor: User | None = None, **data: object) -> Event:
    return Event.objects.create(project=project, actor=actor, verb=verb, data=data)


def titles(client: Client, query: str = "") -> list[tuple[str, str]]:
    return [(row["title"], row["about"]) for row in client.get(HISTORY + query).context["rows"]]


def test_decisions_are_listed_newest_first_and_answers_are_left_out(study: Study, as_lead: Client) -> None:
    Event.objects.create(project=study.project, assignment=study.assignments[0], verb="draft_saved", data={})
    acted(study.project, "batch_closed", name="pilot", reason="enough")
    acted(study.project, "prompt_groups_set", groups={"hug": "pair"}, replaced={"hug": ""})
    acted(make_project("other"), "batch_closed", name="canary")
    assert titles(as_lead)[:2] == [
        ("Prompt groups set", ""),
        ("Batch closed", "pilot, enough"),
    ]
    assert "Draft saved" not in dict(titles(as_lead))
    assert "canary" not in as_lead.get(HISTORY).content.decode()
    assert titles(as_lead, "?kind=answers") == [("Draft saved", "")]


def test_older_events_follow_on_pages(study: Study, as_lead: Client) -> None:
    for number in range(SHOWN + 1):
        acted(study.project, "batch_closed", name=str(number))
    page = as_lead.get(HISTORY)
    assert [row["about"] for row in page.context["rows"]] == [str(number) for number in range(SHOWN, 0, -1)]
    assert titles(as_lead, f"?before={page.context['older']}") == [("Batch closed", "0")]
    assert titles(as_lead, "?before=x")[0] == ("Batch closed", str(SHOWN))


def delete(study: Study) -> None:
    delete_project(project=study.project, typed=study.project.name, reason="no consent", actor=None)


def test_a_lead_deletes_the_project_and_takes_it_back(study: Study, as_lead: Client) -> None:
    submit(study.assignments[0])
    page = as_lead.get("/projects/pilot/details/")
    assert numbers(page, "annotations") == ["1", "0"]
    assert "30" in numbers(page, "grace")
    for typed, reason, code in (("pilo", "no consent", "name"), ("Pilot", "", "required")):
        wrong = as_lead.post("/projects/pilot/delete/", {"typed": typed, "reason": reason}, follow=True)
        assert code in codes(wrong)
    done = as_lead.post("/projects/pilot/delete/", {"typed": "Pilot", "reason": "no consent"}, follow=True)
    assert "Pilot" in said(done, "being-deleted")
    assert codes(as_lead.get("/projects/pilot/")) == ["being-deleted", "take-back"]
    assert codes(as_lead.get("/")) == ["being-deleted", "take-back"]
    back = as_lead.post("/projects/pilot/undo-deletion/", follow=True)
    assert "“Pilot”" in said(back, "taken-back")
    assert Annotation.objects.filter(status="submitted").count() == 1


@pytest.mark.parametrize("page", ["/projects/pilot/queue/", "label"])
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
    refused = as_lead.post(f"{where}delete/", {"typed": "1", "reason": " "}, follow=True)
    wrong = as_lead.post(f"{where}delete/", {"typed": "0", "reason": "no consent"}, follow=True)
    assert ("required" in codes(refused), "number" in codes(wrong)) == (True, True)
    done = as_lead.post(f"{where}delete/", {"typed": "1", "reason": "no consent"}, follow=True)
    assert "deleted" in codes(done)
    assert as_lead.get(where).status_code == 404
    assert as_ada.get(address(study.assignments[0])).status_code == 404
    history = as_lead.get("/projects/pilot/history/?kind=answers").content.decode()
    assert "deleted image" in history
