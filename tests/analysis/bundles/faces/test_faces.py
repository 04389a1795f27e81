"""Decisions on faces in a bundle: they come back, and a restored rating batch never shows a face."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analysis.bundles.restoring.archive import BundleRefused
from annotator.faces.blurring import name_of, open_blurred
from annotator.faces.decisions import decide
from annotator.images.decoding import UnreadableImage
from annotator.models import Batch, FaceDecision, Image, Membership, Project
from tests.analysis.bundles.making import bundle_of, files_of, make_picture
from tests.analysis.bundles.norming.test_norming import back
from tests.analysis.bundles.test_bad_input import with_row
from tests.factories import LEAD, make_member, make_project

pytestmark = pytest.mark.django_db
FACES = "restore/faces.jsonl"
LEFT, RIGHT = [1, 1, 3, 4], [5, 1, 3, 4]


@pytest.fixture
def study() -> Project:
    """Three images: a face that was moved, none, and undecided; an open rating batch of all."""
    project = make_project()
    images = [make_picture(project) for _ in range(3)]
    helper = make_member(project, code="h1")
    Membership.objects.filter(pk=helper.pk).update(draws_faces=True)
    helper.refresh_from_db()
    decide(image=images[0], rectangles=[LEFT], member=helper)
    decide(image=images[0], rectangles=[RIGHT], member=helper)
    decide(image=images[1], rectangles=[], member=helper)
    Batch.objects.create(project=project, name="ratings", protocol="realism", overlap=0, coders=1, seed=1)
    return project


def facts(project: Project) -> list[Any]:
    rows = FaceDecision.objects.filter(image__project=project).order_by("pk")
    return list(rows.values_list("image__sha256", "decided_by__code", "rectangles", "source"))


def test_decisions_come_back(study: Project, tmp_path: Path) -> None:
    bundle_of(study, tmp_path / "one.zip", reports=False, pictures=True)
    project = back(tmp_path / "one.zip")
    assert facts(project) == facts(study)
    assert [row[2] for row in facts(project)] == [[LEFT], [RIGHT], []]
    moved, none, undecided = Image.objects.filter(project=project).order_by("pk")
    current = moved.face_decisions.get(replaced_at=None)
    assert (moved.faces, current.state) == (current.key, FaceDecision.State.PENDING)
    assert none.faces == none.face_decisions.get().key
    assert undecided.faces is None
    with open_blurred(moved, webp=True) as copy:
        assert copy.read()
    current.refresh_from_db()
    assert default_storage.exists(name_of(current))
    with pytest.raises(UnreadableImage):
        open_blurred(undecided, webp=True)


def test_a_restored_rating_batch_hides_faces(study: Project, tmp_path: Path) -> None:
    bundle_of(study, tmp_path / "one.zip", reports=False)
    restored = Batch.objects.get(project=back(tmp_path / "one.zip"))
    assert restored.picture == Batch.Picture.FACES_BLURRED


def test_without_a_decision_there_is_no_such_file(tmp_path: Path) -> None:
    project = make_project()
    make_picture(project)
    bundle_of(project, tmp_path / "one.zip", reports=False)
    assert FACES not in dict(files_of(tmp_path / "one.zip"))


def test_more_decisions_need_no_more_queries(tmp_path: Path) -> None:
    counts = []
    for many in (1, 3):
        project = make_project()
        lead = make_member(project, LEAD)
        for _ in range(many):
            decide(image=make_picture(project), rectangles=[LEFT], member=lead)
        path = tmp_path / f"{many}.zip"
        bundle_of(project, path, reports=False)
        with CaptureQueriesContext(connection) as queries:
            back(path, slug=f"back-{many}")
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rectangles": [[1, 1, 3]]}, "four numbers"),
        ({"rectangles": [[1, 1, 3, True]]}, "four numbers"),
        ({"rectangles": [[1, 1, 80_000, 4]]}, "not inside the image"),
        ({"source": "guessed"}, "“source” is guessed"),
        ({"decided_by": 99}, "lists 1 people"),
        ({"image": 9}, "“image” is 9"),
        ({"replaced": False}, "duplicate"),
    ],
)
def test_bad_rows_are_named(study: Project, tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    bundle_of(study, tmp_path / "one.zip", reports=False)
    path = with_row(tmp_path / "one.zip", FACES, 1, lambda row: row.update(changed))
    with pytest.raises(BundleRefused) as refused:
        back(path)
    assert str(refused.value).startswith(f"{FACES}, line ")
    assert said in str(refused.value)
    assert not FaceDecision.objects.filter(image__project__slug="back").exists()
