"""Qualifications, attempts and standings in a bundle: they come back and still decide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analysis.bundles.restoring.archive import BundleRefused
from annotator.models import Attempt, Qualification, Standing
from annotator.people.standings import waive
from annotator.training.results import shown_result
from tests.analysis.bundles.making import back, bundle_of, files_of, make_picture
from tests.analysis.bundles.test_bad_input import with_row
from tests.annotator.training.making import Course
from tests.annotator.training.qualifying import WRONG, add, finish, release
from tests.factories import LEAD, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def exam(db: None) -> Course:
    """ada has passed, bob has begun, cleo is exempt."""
    project = make_project(name="Pilot", standing_days=30)
    lead = make_member(project, LEAD, code="lead")
    ada, bob, cleo = (make_member(project, code=code) for code in ("ada", "bob", "cleo"))
    made = Course(project, lead, ada, bob, [make_picture(project) for _ in range(4)])
    made.references = [add(made, image) for image in made.images]
    finish(release(made, people=[ada, bob]), ada)
    waive(project=project, protocol="anatomy", members=[cleo.pk], reason="She is Cleo", actor=made.actor)
    return made


@pytest.mark.slow  # two bundles
def test_they_come_back_byte_by_byte(exam: Course, tmp_path: Path) -> None:
    bundle_of(exam.project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    project = back(tmp_path / "one.zip")
    assert project.standing_days == 30
    held = Standing.objects.filter(membership__project=project).order_by("membership__code")
    assert [(row.membership.code, row.state, row.reason) for row in held] == [
        ("ada", "qualified", ""),
        ("bob", "training", ""),
        ("cleo", "waived", "She is Cleo"),
    ]
    made = Attempt.objects.filter(annotator__project=project).order_by("annotator__code")
    assert [(one.number, one.passed) for one in made] == [(1, True), (1, None)]
    passed = made[0]
    assert {int(image) for image in passed.references} <= set(project.images.values_list("pk", flat=True))
    assert set(held[0].evidence) == set(
        passed.qualification.batch.assignments.filter(annotator__code="ada").values_list(
            "annotation", flat=True
        )
    )
    shown = shown_result(passed)
    assert shown is not None
    assert shown.images == 2
    bundle_of(project, tmp_path / "two.zip", reports=False)
    again = dict(files_of(tmp_path / "two.zip"))
    assert [
        name for name in files if name.startswith(("restore/", "data/")) and again[name] != files[name]
    ] == []


def test_pseudonyms_leave_out_reasons(exam: Course, tmp_path: Path) -> None:
    bundle_of(exam.project, tmp_path / "one.zip", reports=False, hidden=True)
    files = dict(files_of(tmp_path / "one.zip"))
    assert b"waived" in files["restore/standings.jsonl"]
    assert not [name for name, contents in files.items() if b"She is Cleo" in contents]


def test_a_project_without_any_has_no_such_file(tmp_path: Path) -> None:
    project = make_project()
    make_picture(project)
    make_member(project)
    bundle_of(project, tmp_path / "one.zip", reports=False)
    files = dict(files_of(tmp_path / "one.zip"))
    assert not [name for name in files if "standings" in name or "attempts" in name]
    assert b"standing" not in files["project.json"]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        ("qualifications", {"rule": {"recall": "1.2"}}, "nobody can reach 1.2"),
        ("qualifications", {"rule": {"recall": "x"}}, "“rule” is invalid"),
        ("qualifications", {"pool": [99]}, "“pool” names 99; there are 4"),
        ("qualifications", {"images": 0}, "a whole number from 1"),
        ("attempts", {"passed": None}, "exactly the ended attempts"),
        ("attempts", {"references": [[9, 1]]}, "“references” names 9"),
        ("attempts", {"result": {"images": "x"}}, "the result of an attempt"),
        ("standings", {"state": "expert"}, "none or training or lapsed or qualified or waived"),
        ("standings", {"evidence": [77]}, "“evidence” names 77"),
        ("standings", {"guideline": "one"}, "a version such as 1.2"),
        ("standings", {"changed_by": 50}, "“changed_by” names 50"),
    ],
)
def test_invalid_rows_are_refused_by_line(
    exam: Course, tmp_path: Path, name: str, changed: dict[str, Any], told: str
) -> None:
    bundle_of(exam.project, tmp_path / "one.zip", reports=False)
    spoiled = with_row(tmp_path / "one.zip", f"restore/{name}.jsonl", 1, lambda row: row.update(changed))
    with pytest.raises(BundleRefused, match=told) as refused:
        back(spoiled)
    assert f"restore/{name}.jsonl, line 1" in str(refused.value)
    assert Qualification.objects.count() == 1


def test_a_failed_attempt_keeps_its_wait(exam: Course, tmp_path: Path) -> None:
    batch = Qualification.objects.get().batch
    failed = finish(batch, exam.bob, WRONG)
    bundle_of(exam.project, tmp_path / "one.zip", reports=False)
    project = back(tmp_path / "one.zip")
    again = Attempt.objects.get(annotator__project=project, annotator__code="bob")
    assert (again.passed, again.next_at) == (False, failed.next_at)
