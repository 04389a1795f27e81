"""A project: made, shown, its prompts, people and history."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.test import Client

from annotator.models import Event, Membership, Project, User
from annotator.projects.protocols import measured
from annotator.web.views.lead.event_words import KINDS
from tests.annotator.web.views.conftest import Study
from tests.factories import (
    make_assignment,
    make_batch,
    make_member,
    make_project,
)

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


def page_of(member: Membership, act: str = "") -> str:
    return f"{PEOPLE}{member.pk}/{act}"


def test_imported_annotations_are_counted_apart(study: Study, as_lead: Client) -> None:
    batch = make_batch(study.project, prompt_seen="unknown")
    for member, statuses in ((study.ada, ["done", "done", "done"]), (study.bob, ["done"])):
        for status in statuses:
            make_assignment(member, batch=batch, status=status)
    only_imported = make_member(study.project, code="anno 1")
    make_assignment(only_imported, batch=batch, status="done")
    page = as_lead.get(PEOPLE)
    counts = {member.code: count.words for member, _, count in page.context["members"]}
    assert counts == {
        "ada": "0 of 3 submitted, 3 imported",
        "bob": "0 of 1 submitted, 1 imported",
        "lee": "",
        "anno 1": "1 imported",
    }
    details = as_lead.get("/projects/pilot/details/").context["counts"]
    assert details.work.words == "0 of 4 submitted, 5 imported"


def test_deactivating_says_what_is_left_and_shuts_the_door(
    study: Study, as_lead: Client, as_ada: Client
) -> None:
    assert as_ada.get("/projects/pilot/queue/").status_code == 200
    page = as_lead.get(page_of(study.ada))
    assert "First batch" in page.content.decode()
    assert [(batch.unfinished, batch.begun) for batch in page.context["work"]] == [(3, 0)]
    assert as_lead.post(page_of(study.ada, "deactivate/")).status_code == 302
    assert as_ada.get("/projects/pilot/queue/").status_code == 404
    assert as_lead.post(page_of(study.ada, "reactivate/")).status_code == 302
    assert as_ada.get("/projects/pilot/queue/").status_code == 200


HISTORY = "/projects/pilot/history/"
SOURCES = ("annotator", "analysis")
# Of accounts, not of projects: they stand in no project's history.
OF_ACCOUNTS = {"token_created", "token_revoked", "tokens_revoked", "sign_in_locked", "sign_in_linked"}


def acted(project: Project, verb: str, actor: User | None = None, **data: object) -> Event:
    return Event.objects.create(project=project, actor=actor, verb=verb, data=data)


def titles(client: Client, query: str = "") -> list[tuple[str, str]]:
    return [(row.title, row.details) for row in client.get(HISTORY + query).context["rows"]]


def test_decisions_are_listed_newest_first_and_answers_are_left_out(study: Study, as_lead: Client) -> None:
    Event.objects.create(project=study.project, assignment=study.assignments[0], verb="draft_saved", data={})
    acted(study.project, "batch_closed", name="pilot", reason="enough")
    acted(study.project, "prompt_groups_set", groups={"hug": "pair"}, replaced={"hug": ""})
    acted(make_project("other"), "batch_closed", name="canary")
    assert titles(as_lead)[:2] == [
        ("Prompt groups set", "hug: none → pair"),
        ("Batch closed", "pilot, enough"),
    ]
    assert "Draft saved" not in dict(titles(as_lead))
    assert "canary" not in as_lead.get(HISTORY).content.decode()
    assert titles(as_lead, "?kind=answers") == [("Draft saved", "")]


def test_every_verb_that_is_written_has_words() -> None:
    said = re.compile(r'verb="([a-z_]+)"')
    written = {
        verb
        for package in SOURCES
        for path in Path(package).rglob("*.py")
        for verb in said.findall(path.read_text())
    }
    assert len(written) > 15
    assert written - OF_ACCOUNTS <= {verb for _, verbs in KINDS.values() for verb in verbs}
