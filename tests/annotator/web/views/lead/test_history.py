"""A project's history: what is listed, filtered, and in which words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from annotator.models import Event, Project, User
from annotator.web.views.lead import history as past
from annotator.web.views.lead.event_words import GROUPS
from tests.annotator.web.views.conftest import Study
from tests.factories import make_project

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


def test_older_events_follow_without_counting(
    study: Study, as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "SHOWN", 2)
    for each in range(5):
        acted(study.project, "batch_closed", name=str(each))
    page, seen = as_lead.get(HISTORY), []
    for _ in range(3):
        seen += [row.details for row in page.context["rows"]]
        page = as_lead.get(f"{HISTORY}?{page.context['older_query']}")
    assert seen[:5] == ["4", "3", "2", "1", "0"]


def test_every_verb_that_is_written_has_words() -> None:
    said = re.compile(r'verb="([a-z_]+)"')
    written = {
        verb
        for package in SOURCES
        for path in Path(package).rglob("*.py")
        for verb in said.findall(path.read_text())
    }
    assert len(written) > 15
    assert written - OF_ACCOUNTS <= {verb for group in GROUPS for verb in group.verbs}
