"""A lead's pages: a new project, what the pages show, and that they do not grow with the project."""

from __future__ import annotations

import uuid
from typing import Any
from uuid import uuid4

from django.test import Client
from django.urls import reverse

from annotator.annotations.saving import save_draft, submit_annotation
from annotator.models import Annotation, Assignment, Image, Project
from annotator.projects.protocols import measured
from tests.annotator.web.views.conftest import Study
from tests.factories import make_batch, make_payload, make_user
from tests.support.codes import codes, numbers

PROJECT = "/projects/pilot/details/"


def answer(assignment: Assignment, *marks: tuple[str, str], submit: bool = True, **fields: Any) -> Annotation:
    """An annotation made by the assignment's own annotator."""
    assert assignment.annotator.user is not None
    verb = submit_annotation if submit else save_draft
    return verb(
        assignment=assignment,
        actor=assignment.annotator.user,
        payload=make_payload(marks, **fields),
        replaces=0,
        request_key=uuid.uuid4(),
    )


def detail(image: Image) -> str:
    """The page of one image."""
    return reverse("image_detail", args=[image.project.slug, image.public_id])


def test_one_image_shows_every_annotation(study: Study, as_lead: Client) -> None:
    answer(study.assignments[0], ("missing.limbs", "1/4c"), ("missing.limbs", "1/3b"), note="<b>left</b>")
    answer(study.of_bob, ("missing.hands", "1/3b"), submit=False)
    page = as_lead.get(detail(study.assignments[0].image))
    html = page.content.decode()
    assert [reading.annotation.assignment.annotator.code for reading in page.context["readings"]] == [
        "ada",
        "bob",
    ]
    assert [reading.score for reading in page.context["readings"]] == ["5/12", ""]
    assert "0.417" in html
    assert '<span class="tag">Draft</span>' in html
    assert numbers(html, "different_totals") == ["3", "4"]
    assert "&lt;b&gt;left&lt;/b&gt;" in html
    assert "Missing" in html


def test_tags_are_named_renamed_and_removed_after_a_question(study: Study, as_lead: Client) -> None:
    def names() -> list[str]:
        return list(Project.objects.get(pk=study.project.pk).tags)

    assert codes(as_lead.post(PROJECT, {"new": [" twinning", ""]}, follow=True)).count("tags-saved") == 1
    assert names() == ["twinning"]
    answer(study.assignments[0], ("missing.limbs", "1/4c"), tags=[1])
    refused = as_lead.post(PROJECT, {"tag-1": "", "new": "stereotype"})
    assert (refused.status_code, codes(refused).count("ticks"), names()) == (422, 1, ["twinning"])
    # What was typed is still there.
    assert refused.context["tags"] == [("tag-1", ""), ("new", "stereotype")]
    as_lead.post(PROJECT, {"tag-1": "", "new": "stereotype", "confirmed": "1"})
    assert names() == ["", "stereotype"]
    too_long = as_lead.post(PROJECT, {"tag-2": "x" * 41})
    assert (too_long.status_code, codes(too_long).count("too-long")) == (422, 1)
    assert "twinning → stereotype" in as_lead.get("/projects/pilot/history/").content.decode()


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
    assert 'href="/projects/new/">New project</a>' in as_lead.get("/").content.decode()
    page = as_lead.get(NEW)
    assert page.context["form"].initial["code"] == "lead"
    answer = as_lead.post(NEW, sent())
    assert (answer.status_code, answer["Location"]) == (302, "/projects/hands-feet/")
    # The first step of the new project takes the images at once.
    assert 'data-begin="/projects/hands-feet/uploads/"' in as_lead.get(answer["Location"]).content.decode()


def test_who_has_been_given_the_right_begins_with_nothing(client: Client, db: None) -> None:
    client.force_login(make_user("root", is_superuser=True))
    home = client.get("/").content.decode()
    assert codes(home) == ["no-project"]
    assert "New project" in home
    assert client.post(NEW, sent(code="lead1"))["Location"] == "/projects/hands-feet/"
    assert client.get("/projects/hands-feet/").status_code == 200


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
