"""Questions and answers in a bundle."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest

from analysis.pseudonyms import pseudonyms
from annotator.models import Project
from tests.analysis.bundles.making import bundle_of, files_of, make_picture
from tests.annotator.acting import save
from tests.annotator.asking import answered, asked, replied
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def make_asked() -> Project:
    """A question with two answers, one without, and a flag."""
    project = make_project("asked", name="Asked")
    ada, lead = make_member(project, code="ada"), make_member(project, LEAD, code="the-lead")
    batch = make_batch(project, name="first")
    first, second = (make_assignment(ada, batch=batch, image=make_picture(project)) for _ in range(2))
    question = answered(asked(first, "=1+1, is it a hand?"), lead)
    replied(question, "And\nthis?")
    answered(question, lead, "Also.")
    asked(second)
    save(second, make_payload(flag={"reason": "ambiguous", "note": ""}))
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
    ]
    said = [row["text"] for row in rows[:4]]
    assert said == ["'=1+1, is it a hand?", "Yes, count it.", "And\nthis?", "Also."]
    assert {row["written_by"] for row in rows if row["by"] == "lead"} == {"the-lead"}
    assert {row["Annotator"] for row in rows} == {"ada"}
    assert (rows[5]["reason"], rows[5]["text"]) == ("ambiguous", "")
    assert {row["sha256"] for row in rows} == set(project.images.values_list("sha256", flat=True))
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


def test_a_project_without_messages_says_nothing_of_them(tmp_path: Path) -> None:
    project = make_project("plain", name="Plain")
    save(make_assignment(make_member(project, code="a"), image=make_picture(project)))
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert not [name for name in files if "questions" in name]
    assert b"questions" not in files["project.json"] + files["README.txt"]
