"""A project's history: what is listed, filtered, and in which words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Event, Project, User
from annotator.people.members import change_role
from annotator.web.views.lead import history as past
from annotator.web.views.lead.event_words import KINDS, row_of
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


def test_a_role_that_changed_says_from_what_to_what(study: Study, as_lead: Client) -> None:
    member = study.ada
    change_role(membership=member, role="reviewer", actor=study.lead.user)
    assert titles(as_lead, "?kind=people")[0] == (
        "Role changed",
        f"{member.code}; role: annotator → reviewer",
    )
    row = as_lead.get(f"{HISTORY}?kind=people").context["rows"][0]
    assert row.code == study.lead.code


def test_person_and_days_filter(study: Study, as_lead: Client) -> None:
    acted(study.project, "batch_closed", study.lead.user, name="by the lead")
    acted(study.project, "batch_closed", None, name="by the server")
    today = timezone.now().date().isoformat()
    assert titles(as_lead, f"?person={study.lead.pk}&since={today}&until={today}") == [
        ("Batch closed", "by the lead")
    ]
    assert titles(as_lead, "?until=2001-01-01") == []
    answer = as_lead.get(f"{HISTORY}?since=yesterday")
    assert answer.status_code == 422
    assert "Enter a valid date." in answer.content.decode()


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
    assert written - OF_ACCOUNTS <= {verb for _, verbs in KINDS.values() for verb in verbs}


@pytest.mark.parametrize(
    ("verb", "data", "row"),
    [
        ("person_added", {"code": "annotator-a", "role": "lead"}, ("Person added", "annotator-a, lead")),
        (
            "batch_settings_changed",
            {
                "replaced": {"guided": False, "show_prompt": True},
                "settings": {"guided": True, "show_prompt": True},
            },
            ("Batch settings changed", "guided: False → True"),
        ),
        (
            "people_changed",
            {"name": "pilot", "left": ["a"], "joined": ["b", "c"], "withdrawn": 1200, "added": 3},
            ("Batch annotators changed", "pilot; removed a; added b, c; 1,200 withdrawn; 3 added"),
        ),
        (
            "exported",
            {"layout": "marks", "format": "csv", "pseudonyms": True},
            ("Exported", "marks, csv, pseudonyms"),
        ),
        (
            "study_imported",
            {"file": "annotations.csv", "images": 240},
            ("Study imported", "annotations.csv; 240 images"),
        ),
        (
            "standing_days_set",
            {"replaced": None, "days": 30},
            ("Days until a standing lapses changed", "none → 30"),
        ),
        ("tags_set", {"replaced": [], "tags": ["a", "b"]}, ("Tags changed", "none → a, b")),
        (
            "data_set_filtered",
            {"file": "a.csv", "images": 9, "counts": {"excluded": 2, "kept": 0}, "filters": {}},
            ("Images filtered by detections", "a.csv; 9 images; 2 excluded"),
        ),
        (
            "faces_right_changed",
            {"code": "ada", "draws_faces": False},
            ("Right to mark faces changed", "ada, may no longer mark faces"),
        ),
        (
            "prompt_groups_set",
            {"groups": dict.fromkeys("abcde", "pair"), "replaced": dict.fromkeys("abcde", "")},
            ("Prompt groups set", "a: none → pair; b: none → pair; c: none → pair; 2 more"),
        ),
        ("something_new", {"name": "x"}, ("Something new", "x")),
    ],
)
def test_details(verb: str, data: dict[str, object], row: tuple[str, str]) -> None:
    said = row_of(Event(verb=verb, data=data), {})
    assert (said.title, said.details) == row
