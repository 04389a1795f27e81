"""What an assignment is for goes into a bundle and comes back; of work nothing is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from annotator.models import Assignment, Image, Project, Reference
from annotator.models.counting import mark_random
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.bundles.making import back, bundle_of, files_of, make_picture
from tests.analysis.mixed import make_mixed
from tests.annotator.training.making import submit
from tests.factories import make_payload
from tests.protocols.stars.living import let_live
from tests.purpose.making import PURPOSES, with_others
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> Project:
    """Four images that two people judged under three protocols, every one of them given to both."""
    ids_sent_to(monkeypatch, MAKE_DISPLAY)
    let_live(monkeypatch, settings)
    made = make_mixed("mixed", make_picture)
    for batch in made.batches.all():
        mark_random(batch)
    return made


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in dict(files_of(path))["restore/assignments.jsonl"].splitlines()]


def facts(project: Project) -> list[tuple[Any, ...]]:
    held = Assignment.objects.filter(batch__project=project).order_by("pk")
    columns = ("batch__name", "image__sha256", "annotator__code", "position", "status")
    return list(held.values_list(*columns, "purpose", "drawn", "pass_no"))


def test_of_work_that_was_given_out_at_random_nothing_is_said(project: Project, tmp_path: Path) -> None:
    bundle_of(project, tmp_path / "one.zip", reports=False)
    assert {tuple(row) for row in rows(tmp_path / "one.zip")} == {
        ("annotator", "batch", "image", "position", "status")
    }
    assert "follows" not in dict(files_of(tmp_path / "one.zip"))["project.json"].decode()
    restored = back(tmp_path / "one.zip")
    assert facts(restored) == facts(project)
    assert {row[6] for row in facts(restored)} == {"single", "random"}


@pytest.mark.slow  # hundreds of answers go and come back
@pytest.mark.thorough
def test_everything_else_comes_back(project: Project, tmp_path: Path) -> None:
    with_others(project)
    asked = Assignment.objects.filter(batch__protocol="presence", purpose="work")
    asked.filter(annotator__code="anno1").update(drawn="single")
    asked.filter(annotator__code="anno2").update(drawn="targeted")
    first, second, third = project.batches.order_by("pk")
    third.follows = first
    third.save()
    second.follows = third
    second.save()
    bundle = bundle_of(project, tmp_path / "one.zip", reports=False)
    written = rows(tmp_path / "one.zip")
    assert {row["purpose"] for row in written if "purpose" in row} == set(PURPOSES)
    assert {row["pass_no"] for row in written if "pass_no" in row} == {1, 2, 3, 4, 5}
    assert [row["drawn"] for row in written if "drawn" in row] == ["targeted"] * 4
    restored = back(tmp_path / "one.zip")
    assert facts(restored) == facts(project)
    stages = restored.batches.order_by("pk").values_list("follows__name", flat=True)
    assert list(stages) == [None, third.name, first.name]
    restored.name = project.name
    restored.save()
    assert bundle_of(restored, tmp_path / "two.zip", reports=False) == bundle


def test_a_batch_follows_none_that_is_not_in_the_bundle(project: Project, tmp_path: Path) -> None:
    """One that is being prepared stays behind."""
    first, *_, last = project.batches.order_by("pk")
    last.follows, first.status = first, "preparing"
    last.save()
    first.save()
    bundle_of(project, tmp_path / "one.zip", reports=False)
    restored = back(tmp_path / "one.zip")
    assert list(restored.batches.values_list("follows", flat=True)) == [None, None]


@pytest.mark.thorough
def test_references_and_training_add_to_a_bundle_and_change_none_of_its_tables(
    project: Project, tmp_path: Path
) -> None:
    bundle_of(project, tmp_path / "one.zip", reports=False)
    before = dict(files_of(tmp_path / "one.zip"))
    new = make_picture(project)
    before_image = {"data/pictures.csv", "restore/images.jsonl"}
    lead = project.memberships.get(role="lead")
    assert lead.user is not None
    reference = add_reference(
        image=new,
        protocol="anatomy",
        payload=make_payload([("missing.hands", "1/2c")]),
        origin=Reference.Origin.PLANTED,
        actor=lead.user,
        rationales={"missing.hands": "It ends at the wrist."},
    )
    person = project.memberships.filter(role="annotator").order_by("pk")[0]
    batch = release_training(
        project=project,
        name="Training",
        protocol="anatomy",
        references=[reference.pk],
        people=[person],
        actor=lead.user,
    )
    submit(batch.assignments.get(), [("extra.feet", "1/2a")])
    bundle_of(project, tmp_path / "two.zip", reports=False)
    after = dict(files_of(tmp_path / "two.zip"))
    standing = {f"restore/{name}.jsonl" for name in ("qualifications", "attempts", "standings")}
    references = {"data/references.csv", "restore/references.jsonl"}
    assert set(after) - set(before) == references | standing | _pictures(new)
    changed = {name for name in before if after[name] != before[name]}
    told = {"README.txt", "data/dictionary.csv", "datapackage.json", "project.json", "sha256sums.txt"}
    rows = {"restore/assignments.jsonl", "restore/annotations.jsonl"}
    assert changed - told - rows - before_image == set()


def _pictures(image: Image) -> set[str]:
    return {f"images/{image.sha256}.png"}
