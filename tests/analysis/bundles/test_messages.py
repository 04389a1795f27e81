"""Questions, answers and announcements in a bundle, and back."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from analysis.bundles.restoring.restoring import restore
from analysis.pseudonyms import pseudonyms
from annotator.annotations.announcements import announce, withdraw
from annotator.annotations.questions import open_count, unread_for
from annotator.models import Announcement, Project, Question, Reply
from tests.analysis.bundles.making import bundle_of, files_of, kept_bundle, make_picture, with_changed
from tests.analysis.bundles.test_bad_input import file_in, refusal, with_row
from tests.annotator.acting import save
from tests.annotator.asking import answered, asked, replied
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

QUESTIONS, REPLIES = "restore/questions.jsonl", "restore/replies.jsonl"
ANNOUNCEMENTS = "restore/announcements.jsonl"


def make_asked() -> Project:
    """A question with two answers, one without, a flag, and two announcements, one of them withdrawn."""
    project = make_project("asked", name="Asked")
    ada, lead = make_member(project, code="ada"), make_member(project, LEAD, code="the-lead")
    batch = make_batch(project, name="first")
    first, second = (make_assignment(ada, batch=batch, image=make_picture(project)) for _ in range(2))
    question = answered(asked(first, "=1+1, is it a hand?"), lead)
    replied(question, "And\nthis?")
    answered(question, lead, "Also.")
    asked(second)
    save(second, make_payload(flag={"reason": "ambiguous", "note": ""}))
    assert lead.user is not None
    for text in ("Stop.", "Go on."):
        made = announce(batch=batch, author=lead, actor=lead.user, text=text, request_key=uuid4())
        if text == "Stop.":
            withdraw(announcement=made, actor=lead.user)
    return project


def table(path: Path) -> list[dict[str, str]]:
    text = dict(files_of(path))["data/questions.csv"].decode()
    return list(csv.DictReader(StringIO(text, newline="")))


def test_every_message_is_a_row(tmp_path: Path) -> None:
    project = make_asked()
    bundle_of(project, tmp_path / "one.zip", reports=False)
    rows = table(tmp_path / "one.zip")
    assert [(row["question"], row["message"], row["kind"], row["state"], row["by"]) for row in rows] == [
        ("1", "1", "question", "answered", "annotator"),
        ("1", "2", "question", "answered", "lead"),
        ("1", "3", "question", "answered", "annotator"),
        ("1", "4", "question", "answered", "lead"),
        ("2", "1", "question", "open", "annotator"),
        ("3", "1", "flag", "open", "annotator"),
        ("", "1", "announcement", "withdrawn", "lead"),
        ("", "1", "announcement", "sent", "lead"),
    ]
    said = [row["text"] for row in rows[:4]]
    assert said == ["'=1+1, is it a hand?", "Yes, count it.", "And\nthis?", "Also."]
    assert {row["written_by"] for row in rows if row["by"] == "lead"} == {"the-lead"}
    assert {row["Annotator"] for row in rows} == {"ada", ""}
    assert (rows[5]["reason"], rows[5]["text"]) == ("ambiguous", "")
    assert {row["sha256"] for row in rows} == {"", *project.images.values_list("sha256", flat=True)}
    files = dict(files_of(tmp_path / "one.zip"))
    assert b"questions,written_by,string" in files["data/dictionary.csv"]
    assert b"\n  questions " in files["README.txt"]


def test_with_pseudonyms_nobody_is_named(tmp_path: Path) -> None:
    project = make_asked()
    bundle_of(project, tmp_path / "one.zip", reports=False, hidden=True)
    files = dict(files_of(tmp_path / "one.zip"))
    assert not [name for name, body in files.items() if b"the-lead" in body or b'"ada"' in body]
    names = pseudonyms(project)
    rows = table(tmp_path / "one.zip")
    assert {row["written_by"] for row in rows} == {names["ada"], names["the-lead"]}
    assert b"data/questions.csv" in files["README.txt"]


@pytest.mark.thorough
def test_threads_come_back(tmp_path: Path) -> None:
    project = make_asked()
    one = bundle_of(project, tmp_path / "one.zip", reports=False)
    back = make_project("back", name="Asked")
    restore(tmp_path / "one.zip", back, actor=None, watch=lambda *_: None)
    assert bundle_of(back, tmp_path / "two.zip", reports=False) == one
    assert open_count(back) == 2
    ada = back.memberships.get(code="ada")
    assert {question.annotator for question in back.questions.all()} == {ada}
    assert unread_for(ada, back) == 0
    assert Announcement.objects.filter(batch__project=back, withdrawn_at=None).count() == 1


def test_a_project_without_messages_says_nothing_of_them(tmp_path: Path) -> None:
    project = make_project("plain", name="Plain")
    save(make_assignment(make_member(project, code="a"), image=make_picture(project)))
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert not [name for name in files if "questions" in name or "announcements" in name]
    assert b"questions" not in files["project.json"] + files["README.txt"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle with messages; its project is gone."""
    return kept_bundle(make_asked, tmp_path / "asked.zip")


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (QUESTIONS, {"assignment": 3}, "“assignment” is 3; expected a whole number from 1 to 2"),
        (QUESTIONS, {"kind": "note"}, "expected question or flag"),
        (QUESTIONS, {"state": "new"}, "expected open or answered or resolved"),
        (QUESTIONS, {"reason": "broken"}, "exactly the flags have a reason"),
        (QUESTIONS, {"text": "x" * 2001}, "expected a text of 0 to 2000 characters"),
        (QUESTIONS, {"text": "a\0b"}, "expected a text of 0 to 2000 characters"),
        (QUESTIONS, {"version": 0}, "“version” is 0"),
        (QUESTIONS, {"read_at": None}, "the key “read_at” is unknown"),
        (REPLIES, {"question": 0}, "“question” is 0; expected a whole number from 1 to 3"),
        (REPLIES, {"author": 3}, "“author” is 3; expected a whole number from 1 to 2"),
        (REPLIES, {"by_lead": 1}, "expected true or false"),
        (REPLIES, {"text": ""}, "expected a text of 1 to 2000 characters"),
        (ANNOUNCEMENTS, {"batch": 2}, "“batch” is 2; expected a whole number from 1 to 1"),
        (ANNOUNCEMENTS, {"created_at": "today"}, "expected a time such as"),
    ],
)
@pytest.mark.few(1)
def test_a_row_that_cannot_be_is_named(bundle: Path, name: str, change: dict[str, Any], said: str) -> None:
    refused = refusal(with_row(bundle, name, 1, lambda row: row.update(change)))
    assert refused.startswith(f"{name}, line 1: ")
    assert said in refused
    assert not Question.objects.exists()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (REPLIES, lambda _: b"", "restore/replies.jsonl has 0 rows; project.json says 3."),
        (QUESTIONS, lambda rows: rows + rows.splitlines(keepends=True)[2], "line 4: the row is a duplicate"),
        (
            ANNOUNCEMENTS,
            lambda rows: rows * 2,
            "announcements.jsonl has 4 rows; project.json says 2.",
        ),
    ],
)
def test_rows_too_few_or_too_many(
    bundle: Path, name: str, change: Callable[[bytes], bytes | None], said: str
) -> None:
    changed = with_changed(bundle, bundle.with_name("changed.zip"), {name: change(file_in(bundle, name))})
    assert said in refusal(changed)
    assert not Reply.objects.exists()
